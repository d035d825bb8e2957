#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "core/members.h"

namespace tailwave {

// Whether a metric is the time itself. All others are work by time, "<work quantity>_per_second", or expressions.
constexpr bool is_time(std::string_view metric) {
  return metric == "time";
}

// A metric of a trial whose experiment has several, or one by an expression: what each of the trial's samples gives,
// as the median of these and its 95 % interval (median_interval()). In its own unit; of a time in seconds.
struct MetricRecord {
  int position = 0;  // in the experiment's list; 0: what is optimised
  std::string name;
  std::string unit;  // for people; may be empty
  bool maximise = false;
  bool objective = false;  // one of those whose Pareto front the experiment asks for
  std::optional<double> value, low, high;
  std::string missing;         // why there is no value; empty: there is one
  bool self_reported = false;  // worked out from what programs report of themselves beside their time

  static constexpr auto members() {
    return std::tuple{member("position", &MetricRecord::position),
                      member("name", &MetricRecord::name),
                      member("unit", &MetricRecord::unit),
                      member("maximise", &MetricRecord::maximise),
                      member("objective", &MetricRecord::objective),
                      member<kMayBeAbsent>("self_reported", &MetricRecord::self_reported),
                      member("value", &MetricRecord::value),
                      member("low", &MetricRecord::low),
                      member("high", &MetricRecord::high),
                      member<kMayBeAbsent>("missing", &MetricRecord::missing)};
  }
};

}  // namespace tailwave
