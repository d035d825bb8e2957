#include "interchange/tuner_query.h"

#include <algorithm>
#include <cmath>

#include "core/device_kind.h"
#include "core/metric.h"
#include "core/outcome.h"
#include "core/statistics.h"
#include "interchange/tuner_results.h"
#include "interchange/tuner_words.h"
#include "json/values.h"
#include "store/metric_store.h"

namespace tailwave {
namespace {

constexpr const char* kTunerTrials = R"(
  SELECT trial.id, current_trial.configuration, current_trial.system, variant, parameters, problem, trial.outcome,
    trial.detail, trial.finished_at, current_trial.metric, current_trial.maximise, trial.work, trial.build_seconds,
    trial.verify_seconds, trial.measure_seconds, trial.same_as, run_kind, run.spec_text, peers, current_trial.unverified
  FROM current_trial JOIN trial ON trial.id = trial_id JOIN run ON run.id = current_trial.run_id
  WHERE current_trial.experiment = :experiment AND run_device = :device AND device = run_device
    AND (:system = '' OR current_trial.system = :system)
  ORDER BY trial.id)";
enum TunerColumn : int {
  kTunerId,
  kTunerName,
  kTunerSystem,
  kTunerVariant,
  kTunerParameters,
  kTunerProblem,
  kTunerOutcome,
  kTunerDetail,
  kTunerFinishedAt,
  kTunerMetric,
  kTunerMaximise,
  kTunerWork,
  kTunerBuildSeconds,
  kTunerVerifySeconds,
  kTunerMeasureSeconds,
  kTunerSameAs,
  kTunerRunKind,
  kTunerSpecText,
  kTunerPeers,
  kTunerUnverified
};

// The time in ms that tuner_rows.cpp stored as `ns`: the shortest decimal of those that come back to it.
double ms_of(double ns) {
  constexpr double kNsPerMs = 1e6;
  const double nearest = ns / kNsPerMs;
  double best = nearest;
  for (const double other : {std::nextafter(nearest, 0.0), std::nextafter(nearest, HUGE_VAL)}) {
    const bool same = other * kNsPerMs == ns;
    if (same && (best * kNsPerMs != ns || to_string(Value(other)).size() < to_string(Value(best)).size()))
      best = other;
  }
  return best;
}

std::vector<double> times_ms(Database& database, std::int64_t trial) {
  Statement statement = database.prepare(
      "SELECT time_ns FROM sample WHERE trial_id = ? AND dropped IS NULL ORDER BY repetition, position");
  statement.bind_all(trial);
  std::vector<double> times;
  while (statement.step()) times.push_back(ms_of(statement.real(0)));
  return times;
}

std::vector<TunerMeasurement> measurements_of(Database& database, std::int64_t trial) {
  Statement statement = database.prepare(
      "SELECT name, value, unit, objective FROM measurement WHERE trial_id = ? ORDER BY name");
  statement.bind_all(trial);
  std::vector<TunerMeasurement> all;
  while (statement.step())
    all.push_back({statement.text(0), statement.real(1), statement.text(2), statement.integer(3) == 1});
  return all;
}

// What such formats say of a trial that was measured here. Where a phase is 0, tailwave does not keep its time.
std::vector<TunerMeasurement> measurements_of_ours(Database& database, const Statement& row,
                                                   const std::vector<double>& times) {
  std::vector<TunerMeasurement> all;
  const std::string metric = row.text(kTunerMetric);
  if (!times.empty()) {
    const double median_ms = median(times);
    all.push_back({"time", median_ms, "ms", true});
    const Values work = from_json(row.text(kTunerWork));
    const std::vector<MetricRecord> several = metrics_of_trial(database, row.integer(kTunerId));
    for (const MetricRecord& one : several)
      if (one.value && !is_time(one.name)) all.push_back({one.name, *one.value, one.unit, false});
    const std::string quantity = metric.substr(0, metric.find("_per_second"));
    if (several.empty() && metric != "time" && work.contains(quantity) && median_ms > 0)
      all.push_back({metric, to_double(work.at(quantity)) / median_ms * kMsPerSecond, "1/s", false});
  }
  const auto add_phase = [&all](const char* phase, double seconds) {
    all.push_back({phase, seconds * kMsPerSecond, "ms", false});
  };
  add_phase("compile_time", row.real(kTunerBuildSeconds));
  add_phase("verification_time", row.real(kTunerVerifySeconds));
  add_phase("benchmark_time", row.real(kTunerMeasureSeconds));
  for (const char* phase : {"framework_time", "strategy_time"}) add_phase(phase, 0);
  return all;
}

TunerTrial load_trial(Database& database, const Statement& row) {
  const bool ours = row.text(kTunerRunKind) != to_string(DeviceKind::recorded);
  TunerTrial trial;
  trial.configuration = {row.text(kTunerSystem), row.text(kTunerVariant),
                         from_json(row.text(kTunerParameters)), from_json(row.text(kTunerProblem))};
  trial.outcome = from_string<Outcome>(row.text(kTunerOutcome));
  const std::string detail = row.text(kTunerDetail);
  if (trial.outcome != Outcome::correct)
    trial.detail = !ours && !detail.empty() ? detail : std::string(kernel_tuner_failure(trial.outcome));
  trial.timestamp = row.text(kTunerFinishedAt);
  trial.times_ms = times_ms(database, row.integer(kTunerId));
  trial.peers = row.integer(kTunerPeers);
  if (trial.outcome == Outcome::correct) trial.unverified = row.text(kTunerUnverified);
  trial.measurements = ours ? measurements_of_ours(database, row, trial.times_ms)
                            : measurements_of(database, row.integer(kTunerId));
  return trial;
}

// A configuration that was skipped has the results of the one with the same machine code.
void fill_identical(std::vector<TunerTrial>& trials, const std::vector<std::string>& names,
                    const std::vector<std::string>& same_as) {
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials[i].outcome != Outcome::skipped_identical) continue;
    const auto found = std::find(names.begin(), names.end(), same_as[i]);
    if (found == names.end()) continue;
    const TunerTrial& measured = trials[static_cast<std::size_t>(found - names.begin())];
    trials[i].outcome = measured.outcome;
    trials[i].detail = measured.detail;
    trials[i].times_ms = measured.times_ms;
    trials[i].measurements = measured.measurements;
    trials[i].unverified = measured.unverified;
  }
  std::erase_if(trials, [](const TunerTrial& trial) { return trial.outcome == Outcome::skipped_identical; });
}

}  // namespace

TunerResults load_tuner_results(Database& database, const ExportScope& scope) {
  require_trials(database, scope);
  Statement row = database.prepare(kTunerTrials);
  row.bind(":experiment", scope.experiment).bind(":device", scope.device).bind(":system", scope.system);
  TunerResults results{.experiment = scope.experiment, .device = scope.device};
  std::vector<std::string> names, same_as, systems;
  while (row.step()) {
    results.system = row.text(kTunerSystem);
    results.metric = row.text(kTunerMetric);
    results.maximise = row.integer(kTunerMaximise) == 1;
    results.header =
        row.text(kTunerRunKind) == to_string(DeviceKind::recorded) ? row.text(kTunerSpecText) : "";
    if (std::find(systems.begin(), systems.end(), results.system) == systems.end())
      systems.push_back(results.system);
    names.push_back(row.text(kTunerName));
    same_as.push_back(row.text(kTunerSameAs));
    results.trials.push_back(load_trial(database, row));
    for (const TunerMeasurement& one : results.trials.back().measurements)
      if (one.objective && std::find(results.objectives.begin(), results.objectives.end(), one.name) ==
                               results.objectives.end())
        results.objectives.push_back(one.name);
  }
  require_one_system(scope, systems);
  fill_identical(results.trials, names, same_as);
  if (results.objectives.empty()) results.objectives = {results.header.empty() ? "time" : results.metric};
  return results;
}

}  // namespace tailwave
