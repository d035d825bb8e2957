#pragma once

#include <cstdint>
#include <string>

#include "device/executor.h"
#include "measure/candidate.h"
#include "measure/repetition.h"

namespace tailwave {

// Which times of a candidate that has samples are not believed: it fails then, and the detail says why.

// Executions back to back work on what the one before left. A kernel that finds its work done (a sorted array, a result
// that is there already) would then get a time that no first execution has: wrong_result.
void refuse_work_that_fades(const BackToBack& times, DeviceKind device_kind, Candidate& candidate);
// The same where buffers are too large for several sets: a single execution may have a latency on top.
void refuse_work_that_fades(double fresh_ns, DeviceKind device_kind, Candidate& candidate);

// Less than the device takes to write so many bytes of results, or than a hard limit: faster_than_possible.
void refuse_what_is_faster_than_possible(std::int64_t written_bytes, const DeviceDescription& device,
                                         const MemoryRates& rates, Candidate& candidate);

// Of samples that are quicker than the one that was verified, each time that they were taken: what to say of them.
// Empty where they are not.
std::string doubt_of(const RepetitionResult& result, DeviceKind kind);

}  // namespace tailwave
