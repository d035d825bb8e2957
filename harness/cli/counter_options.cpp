#include "cli/counter_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/number_check.h"

namespace tailwave {

void add_counter_options(Command& command, CounterWords& words) {
  Option* const quick =
      command.add_flag("--quick", words.quick,
                       "two executions of each launch on an H200 instead of five: without reasons of "
                       "stalls, kinds of instructions and flop");
  command
      .add_option("--metrics", words.metrics,
                  "these instead, by their names in CUPTI and Nsight Compute, joined by commas")
      ->type_name("NAME,NAME")
      ->excludes(quick);
  command
      .add_option("--most-passes", words.most_passes,
                  "how many executions of each launch the metrics may take; more are refused before any")
      ->check(whole_number(1, 10000))
      ->capture_default_str();
}

CountingOptions counting_options(const CounterWords& words) {
  CountingOptions options{.set = words.quick ? CounterSet::quick : CounterSet::all,
                          .chosen = {},
                          .most_passes = words.most_passes};
  if (words.metrics.empty()) return options;
  options.set = CounterSet::chosen;
  options.chosen = parse_metrics(words.metrics);
  return options;
}

std::string describe_plan(const CounterPlan& plan) {
  return fmt::format("{}: {} metric{}, {} execution{} of each launch{}\n", plan.chip, plan.metrics.size(),
                     plan.metrics.size() == 1 ? "" : "s", plan.passes, plan.passes == 1 ? "" : "s",
                     plan.unknown.empty() ? ""
                                          : fmt::format("; not counted, since this chip lacks it: {}",
                                                        fmt::join(plan.unknown, ", ")));
}

}  // namespace tailwave
