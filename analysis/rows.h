#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study.h"

namespace tailwave {

// Selections of a device's rows that the report and the terminal share.

// All rows in their order, or with more than `most` only the `most` best ones, best first, and those `keep` accepts.
std::vector<const StudyRow*> shown_rows(const DeviceStudy& device, std::size_t most, bool keep_published);

// How good a row is beside the best one with the same problem: 1 for the best. Only for rows with a value that ran
// on the run's own device: a host variant is not measured against a GPU.
std::optional<double> share_of_best(const DeviceStudy& device, const StudyRow& row);

// "47.93 G interactions/s" or "10.4 us".
std::string describe_value(const std::string& metric, double value);

// Blocks per SM, limiter and so on were computed for this device, when that is not the one that ran: "a100".
std::string predicted_for(const DeviceStudy& device);

}  // namespace tailwave
