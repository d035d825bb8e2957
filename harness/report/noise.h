#pragma once

#include <cstdint>
#include <string>

#include "core/device_kind.h"
#include "core/statistics.h"
#include "report/study.h"

namespace tailwave {

// How sure a median is, for people.

// The share of a median that its 95 % interval may be wide.
inline constexpr double kNoisyShare = 0.1;

// "37 %": how wide that interval is; "3 samples" where there are too few for one; "2 other processes" that had the GPU
// open; "" of what is not noisy. Median and interval in one unit.
std::string noise_text(std::int64_t samples, double median, const Interval& interval,
                       std::int64_t other_processes);

// The same of a row; "" without a median.
std::string noise_text(const StudyRow& row);

inline constexpr const char* kNoiseColumn = "noise";
// What the column means, of runs on such a device.
std::string noise_remark(DeviceKind device);

}  // namespace tailwave
