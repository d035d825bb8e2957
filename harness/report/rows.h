#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/statistics.h"
#include "report/study.h"

namespace tailwave {

// Selections of a device's rows that the report and the terminal share.

// All rows in their order, or with more than `most` only the `most` best ones, best first and those that compete before others,
// and those `keep` accepts.
std::vector<const StudyRow*> shown_rows(const DeviceStudy& device, std::size_t most, bool keep_published);

// How good a row is beside the best one with the same problem: 1 for the best. Only for rows with a value that compete
// (DeviceStudy): a host variant is not measured against kernels.
std::optional<double> share_of_best(const DeviceStudy& device, const StudyRow& row);

// The 95 % interval of its median is wider than kNoisyShare of the median; also with too few samples for an interval.
bool is_noisy(const StudyRow& row);
inline constexpr double kNoisyShare = 0.1;

// "37 %": how wide that interval is; "3 samples" where there are too few for one; "" of what is not noisy. All in one unit.
std::string noise_text(std::int64_t samples, double median, const Interval& interval);
inline constexpr const char* kNoiseColumn = "noise";
// What the column means, for people.
std::string noise_remark();

// "47.93 G interactions/s" or "10.4 us".
std::string describe_value(const std::string& metric, double value);

// Blocks per SM, limiter and so on were computed for this device, when that is not the one that ran: "a100".
std::string predicted_for(const DeviceStudy& device);

}  // namespace tailwave
