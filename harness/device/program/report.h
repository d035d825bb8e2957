#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/value.h"

namespace tailwave {

// What a program says of one execution in what it prints: of its lines that begin with '{', which are JSON objects of
// numbers, {"time_s": SECONDS, "residual": 1e-6}. Other lines are for people. Of several lines each number is the median
// of those that have it.
struct ProgramReport {
  std::optional<double> time_s;
  Values numbers;  // real ones, by name
};

// `program` is what messages call it, `ran_s` the time that its process took, which all times that it reports have to
// fit into, `names` the numbers beside the time that it may report.
//
// Throws Failure(crashed): a line is not as it has to be ("line 3: ..."), a number is not finite, a time is not above 0,
// or there is more of it than the process took.
ProgramReport read_report(std::string_view output, const std::string& program, double ran_s,
                          std::span<const std::string> names);

// The time of one that has to have one. Throws Failure(crashed): it has none.
double reported_time_s(const ProgramReport& report, const std::string& program);

}  // namespace tailwave
