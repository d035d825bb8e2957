#include "report/counters.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/counter_options.h"
#include "cli/observed.h"
#include "report/units.h"
#include "store/observation_store.h"
#include "tune/counting.h"
#include "tune/metric_values.h"

namespace tailwave {
namespace {

struct CounterArguments {
  ObservationArguments observed;
  CounterWords words;
};

void show(const Observation& seen, const CounterRun& counters, std::int64_t id) {
  seen.console.say(fmt::format("{}\n  {} without counters{}\n", counters.configuration.name(),
                               format_time(*counters.time_ns / 1e9),
                               counters.remark.empty() ? "" : "; " + counters.remark));
  seen.console.show(counter_table(seen.store.database(), id));
}

}  // namespace

void add_counters(Command& app) {
  Command* command = app.add_subcommand(
      "counters",
      "Count what a GPU does in configurations of an experiment: instructions, stalls, pipes, memory");
  auto arguments = std::make_shared<CounterArguments>();
  add_observation_options(*command, arguments->observed);
  add_counter_options(*command, arguments->words);
  command->footer(
      "A configuration is verified and timed as ever, then counted in another process; counted executions are never "
      "times. 'tailwave query counters', speed_of_light, stalls and roofline show what is stored; docs/counters.md "
      "says what it means.\n"
      "Examples: tailwave counters experiments/nbody/variants.json --device cuda:0\n"
      "          tailwave counters experiments/nbody/variants.json --filter variant=tuned --metrics "
      "sm__throughput.avg.pct_of_peak_sustained_elapsed");
  command->callback([arguments] {
    const CountingOptions options = counting_options(arguments->words);
    arguments->observed.session.counts = true;
    std::optional<CounterPlan> plan;  // of all configurations
    observe(arguments->observed, [&](const Observation& seen, const Configuration& configuration) {
      Worker& counting = seen.session.counting();
      if (!plan) {
        plan = plan_counters(counting, options);
        seen.console.note(describe_plan(*plan));
      }
      const CounterRun counters =
          count_configuration(seen.experiment, configuration, seen.measurer.tools(), counting, *plan, options,
                              plain_time_ns(seen, configuration));
      show(seen, counters, add_counters(seen.store.database(), seen.record, seen.device, counters));
      if (const auto trial = current_trial_of(seen.store.database(), seen.experiment.system.name,
                                              seen.experiment.name, seen.device.name, configuration.name()))
        MetricValues(seen.experiment, seen.measurer, seen.store.database()).store(*trial);
    });
  });
}

}  // namespace tailwave
