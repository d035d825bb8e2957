#pragma once

#include <string>

#include "cli/command_line.h"
#include "tune/counting.h"

namespace tailwave {

// What is to be counted, as a person says it.
struct CounterWords {
  bool quick = false;
  std::string metrics;  // NVIDIA's names, joined by commas; empty: a set
  int most_passes = CountingOptions{}.most_passes;
};

// `--quick`, `--metrics` and `--most-passes`.
void add_counter_options(Command& command, CounterWords& words);

// Throws Error (bad usage) for what is no metric.
CountingOptions counting_options(const CounterWords& words);

// "GH100: 68 metrics, 5 executions of each launch; not counted, since this chip lacks it: ..."
std::string describe_plan(const CounterPlan& plan);

}  // namespace tailwave
