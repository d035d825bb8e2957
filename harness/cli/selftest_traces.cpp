#include "cli/selftest_traces.h"

#include <string>
#include <string_view>
#include <utility>

#include "compile/cache.h"
#include "core/error.h"
#include "core/outcome.h"
#include "core/trace.h"
#include "measure/measurer.h"
#include "selftest/checks.h"
#include "spec/select.h"
#include "tune/counting.h"
#include "tune/tracer.h"

namespace tailwave {
namespace {

constexpr const char* kActiveWarps = "sm__warps_active.sum";
constexpr const char* kElapsedCycles = "sm__cycles_elapsed.max";

double counted(const CountedLaunch& launch, std::string_view metric) {
  for (const CounterValue& value : launch.values)
    if (value.metric == metric && value.value) return *value.value;
  throw Error(std::string(metric) + " was not counted");
}

double counted_busy(const TracedLaunch& traced, const CountedLaunch& launch) {
  const double slots =
      double{1} * traced.sms * traced.blocks_per_sm * static_cast<double>(traced.block.warps());
  return counted(launch, kActiveWarps) / (slots * counted(launch, kElapsedCycles));
}

std::vector<Check> trace_and_count(Session& session) {
  const Experiment& experiment = session.experiments().front();
  const CountingOptions options{.set = CounterSet::chosen, .chosen = {kActiveWarps, kElapsedCycles}};
  const CounterPlan plan = plan_counters(session.counting(), options);
  Measurer measurer(session.tools());
  const ArtifactCache cache(ArtifactCache::default_root());
  const Selection all = select_from(experiment, false, "");
  std::vector<Check> checks;
  for (const Configuration& configuration : all.chosen("")) {
    try {
      const Trace trace = trace_configuration(experiment, configuration, measurer, cache, {});
      const CounterRun counters = count_configuration(experiment, configuration, session.tools(),
                                                      session.counting(), plan, options, trace.plain_time_ns);
      const TracedLaunch& launch = trace.launches.front();
      for (Check& check :
           judge_traces({{launch.kernel, static_cast<double>(launch.duration_ns) / 1e3, busy_share(launch),
                          counted_busy(launch, counters.launches.front()), trace.disturbed}}))
        checks.push_back(std::move(check));
    } catch (const Failure& failure) {
      checks.push_back(without_traces(configuration.name() + ": " + failure.what()));
    } catch (const Error& error) {
      checks.push_back(without_traces(configuration.name() + ": " + error.what()));
    }
  }
  return checks;
}

}  // namespace

std::vector<Check> check_traces(SessionOptions options, const Console& console) {
  try {
    options.counts = true;
    Session session(
        std::move(options),
        {load_experiments({write_traced_project(ArtifactCache::default_root() / "selftest").string()})},
        console);
    return trace_and_count(session);
  } catch (const Failure& failure) {
    return {without_traces(failure.what())};
  } catch (const Error& error) {
    return {without_traces(error.what())};
  }
}

}  // namespace tailwave
