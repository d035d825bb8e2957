#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/configuration.h"
#include "core/enum_names.h"
#include "core/members.h"
#include "core/trial.h"

namespace tailwave {

// Hardware counters of a GPU, by the names that CUPTI and Nsight Compute give them. What is derived from them (shares
// of a peak, stalls, the roofline) are views (store/views/counter_*.sql), each with its formula.

enum class CounterMethod { range_profiler, ncu };
template <>
struct EnumNames<CounterMethod> {
  static constexpr std::string_view noun = "method of counting";
  static constexpr std::array<std::string_view, 2> names{"range_profiler", "ncu"};
};

// all: what kCounterMetrics has; quick: its quick ones; chosen: what the user named; imported: what a file has.
enum class CounterSet { all, quick, chosen, imported };
template <>
struct EnumNames<CounterSet> {
  static constexpr std::string_view noun = "set of counters";
  static constexpr std::array<std::string_view, 4> names{"default", "quick", "chosen", "imported"};
};

struct CounterMetric {
  std::string_view name;
  std::string_view unit;
  std::string_view what;        // for people
  bool quick = false;           // part of the quick set
  std::string_view instead_of;  // of this one, on chips that lack it; empty: it is asked for everywhere
};

// What is counted by default, in the order of kinds of things. All of them take nine executions (passes) on a GH100, an
// H100 or H200, the quick ones two: multiplexers in front of the counters decide what goes together. So percentages
// are derived: sm__throughput and dram__throughput alone would take eight.
std::span<const CounterMetric> counter_metrics();

// Of one of the first two sets, in that order; those that stand in for others are left out.
std::vector<std::string> metrics_of(CounterSet set);
// What stands in for a metric on a chip that lacks it; "" where nothing does.
std::string stand_in_for(std::string_view metric);

// Whether a metric of launches that follow one another is the sum of theirs: what is called ".sum", and cycles. Anything
// else, a ratio or a rate, is not.
bool adds_up(std::string_view metric);

// Whether it is called like one of NVIDIA's: unit__counter.rollup, with submetrics joined by dots.
bool is_counter_name(std::string_view name);

// Names joined by commas or blanks. Throws Error (bad usage) where there is none, and for what no metric is called:
// "sm__cycles_active" lacks what is wanted of it (".avg", ".sum").
std::vector<std::string> parse_metrics(const std::string& text);

// Why a value cannot be true: "not a number", "negative", "above 100 %" for a share of a peak or of hits, "more than a
// counter can hold" (64 bits); "" where it can.
std::string counter_doubt(std::string_view metric, double value);

struct CounterValue {
  std::string metric;
  std::optional<double> value;  // none: it is not a number
  std::string unit;
  std::string doubt;  // see counter_doubt()

  static constexpr auto members() {
    return std::tuple{member("metric", &CounterValue::metric), member("value", &CounterValue::value),
                      member("unit", &CounterValue::unit),
                      member<kMayBeAbsent>("doubt", &CounterValue::doubt)};
  }

  bool operator==(const CounterValue&) const = default;
};

// With its doubt.
CounterValue counter_value(std::string metric, double value, std::string unit);

// A launch of a configuration's plan on the run's own GPU, counted as it is when it takes place for the first time.
struct CountedLaunch {
  int position = 0;  // as in LaunchRecord
  std::string kernel;
  Dim3 grid, block;
  std::int64_t dynamic_shared_bytes = 0;
  std::int64_t count = 1;  // of such launches in one execution of the plan, at most
  std::vector<CounterValue> values;

  static constexpr auto members() {
    // Values have a table of their own, and in JSON an array a column.
    return std::tuple{member("position", &CountedLaunch::position),
                      member("kernel", &CountedLaunch::kernel),
                      member("grid_", &CountedLaunch::grid),
                      member("block_", &CountedLaunch::block),
                      member("dynamic_shared_bytes", &CountedLaunch::dynamic_shared_bytes),
                      member("count", &CountedLaunch::count),
                      member<kNotRow | kNotJson>("values", &CountedLaunch::values)};
  }
};

// The counters of one configuration. Never a time that counts: a counted execution is slower.
struct CounterRun {
  Configuration configuration;
  CounterMethod method = CounterMethod::range_profiler;
  CounterSet metric_set = CounterSet::all;
  std::string compiler;
  std::string code_hash;          // of the machine code that was counted; empty: not known
  std::string chip;               // "GH100"; empty: not known
  std::optional<int> passes;      // executions of each launch; none: not known
  std::optional<double> time_ns;  // median of executions of the plan without counters; none: not known
  bool ends_on_value = false;     // a loop does: how many launches there are is not known, but the most
  std::string left_out;           // metrics that the chip lacks, joined by blanks
  std::string remark;  // what else a reader has to know: "launches that were not counted, on other GPUs: 2"
  std::vector<CountedLaunch> launches;

  static constexpr auto members() {
    // As in a trial.
    return std::tuple{member<kNotRow | kNotJson>("configuration", &CounterRun::configuration),
                      member("method", &CounterRun::method),
                      member("metric_set", &CounterRun::metric_set),
                      member("compiler", &CounterRun::compiler),
                      member<kMayBeAbsent>("code_hash", &CounterRun::code_hash),
                      member<kMayBeAbsent>("chip", &CounterRun::chip),
                      member("passes", &CounterRun::passes),
                      member("time_ns", &CounterRun::time_ns),
                      member<kMayBeAbsent>("ends_on_value", &CounterRun::ends_on_value),
                      member<kMayBeAbsent>("left_out", &CounterRun::left_out),
                      member<kMayBeAbsent>("remark", &CounterRun::remark),
                      member<kNotRow | kNotJson>("launches", &CounterRun::launches)};
  }
};

}  // namespace tailwave
