#include "cli/run_counters.h"

#include <fmt/format.h>

#include <optional>

#include "cli/counter_options.h"
#include "cli/interrupt.h"
#include "cli/number_check.h"
#include "core/outcome.h"
#include "spec/paths.h"
#include "store/current_trials.h"
#include "store/observation_store.h"
#include "tune/counting.h"
#include "tune/environment.h"
#include "tune/metric_values.h"

namespace tailwave {
namespace {

constexpr std::int64_t kMostCounted = 5;

// One experiment's, with what kept single configurations from it.
void count_leaders_of(const Experiment& experiment, Session& session, const CounterPlan& plan,
                      const CountingOptions& options, std::int64_t most, const Console& console) {
  const RunRecord environment = session.environment(experiment);
  std::size_t counted = 0;
  Measurer measurer(session.tools());
  MetricValues metrics(experiment, measurer, session.database());
  for (const RankedConfiguration& one : leaders_and_slowest(session.database(), experiment.system.name,
                                                            experiment.name, session.device().name, most)) {
    try {
      const CounterRun counters = count_configuration(experiment, one.configuration, session.tools(),
                                                      session.counting(), plan, options, one.median_ns);
      add_counters(
          session.database(),
          {experiment.system.name, experiment.name, utc_now(), environment.driver, environment.commit, ""},
          session.device(), counters);
      if (const auto trial = current_trial_of(session.database(), experiment.system.name, experiment.name,
                                              session.device().name, one.configuration.name()))
        metrics.store(*trial);
      ++counted;
    } catch (const Failure& failure) {
      Console::warn(fmt::format("counters: {}: {}: {}\n", one.configuration.name(),
                                to_string(failure.outcome()), failure.what()));
    }
  }
  if (counted > 0)
    console.say(
        fmt::format("\ncounted {} configuration{}: 'tailwave query counters --experiment {}/{}' shows what "
                    "they did\n",
                    counted, counted == 1 ? "" : "s", experiment.system.name, experiment.name));
}

}  // namespace

void add_run_counters(Command& command, RunCounters& counters) {
  command.add_flag_with_word(
      "--counters", counters.set, {"default", "quick"},
      "afterwards, count what the GPU does in the best configurations of each problem and in the "
      "slowest one, in a process of its own; 'quick' counts less");
  command
      .add_option("--counters-most", counters.most,
                  "how many of the best of each problem --counters counts (default: 5)")
      ->check(whole_number(1));
}

void count_leaders(Session& session, const RunCounters& counters, const Console& console) {
  const CountingOptions options{.set = counters.set == "quick" ? CounterSet::quick : CounterSet::all};
  try {
    const CounterPlan plan = plan_counters(session.counting(), options);
    console.note(describe_plan(plan));
    for (const Experiment& experiment : session.experiments())
      count_leaders_of(experiment, session, plan, options, counters.most.value_or(kMostCounted), console);
  } catch (const Cancelled&) {
    throw Error("interrupted: what was measured and counted is stored");
  } catch (const Error& error) {
    Console::warn(std::string(error.what()) + "\nthe run is whole without counters\n");
  } catch (const Failure& failure) {
    Console::warn(fmt::format("counters: {}\nthe run is whole without counters\n", failure.what()));
  }
}

}  // namespace tailwave
