#include "interchange/tuner_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/hash.h"
#include "store/rows.h"
#include "store/run_identity.h"

namespace tailwave {
namespace {

constexpr double kNsPerMs = 1e6;

// The objective is maximised if it is a rate or an efficiency, as in Kernel Tuner.
bool is_maximised(const std::string& objective) {
  return objective.ends_with("/s") || objective.ends_with("/W") || objective.ends_with("_per_second");
}

// Of the timestamps that there are, the first and the last.
std::pair<std::string, std::string> first_and_last(const std::vector<TunerTrial>& trials) {
  std::pair<std::string, std::string> bounds;
  for (const TunerTrial& trial : trials) {
    if (trial.timestamp.empty()) continue;
    if (bounds.first.empty() || trial.timestamp < bounds.first) bounds.first = trial.timestamp;
    bounds.second = std::max(bounds.second, trial.timestamp);
  }
  return bounds;
}

// A trial that a run has already.
struct StoredTrial {
  std::int64_t id;
  std::string timestamp, outcome, detail;
};
using StoredTrials = std::map<std::string, StoredTrial>;  // by the name of the configuration

StoredTrials trials_of(Database& database, std::int64_t run) {
  StoredTrials trials;
  Statement row = database.prepare(
      "SELECT name, trial.id, coalesce(finished_at, ''), outcome, detail FROM trial "
      "JOIN configuration ON configuration.id = configuration_id WHERE run_id = ?");
  row.bind_all(run);
  while (row.step()) trials[row.text(0)] = {row.integer(1), row.text(2), row.text(3), row.text(4)};
  return trials;
}

// True if the file can be of the run that has these trials: a tuner notes when it measured a configuration.
bool may_be_of_run(const TunerResults& results, const StoredTrials& stored) {
  bool shares_any = stored.empty() || results.trials.empty();
  for (const TunerTrial& trial : results.trials) {
    const auto found = stored.find(trial.configuration.name());
    if (found == stored.end()) continue;
    if (found->second.timestamp != trial.timestamp) return false;
    shares_any = true;
  }
  return shares_any;
}

struct FoundRun {
  std::int64_t id;
  StoredTrials trials;
};

// The run of the same file, which may have grown since, or have been longer before; or a new one.
FoundRun find_or_insert_tuner_run(Database& database, std::int64_t device, const TunerResults& results,
                                  const std::string& file) {
  RunRecord run;
  run.experiment = results.experiment;
  run.system = results.system;
  run.question = "What did another tuner measure?";
  run.metric = results.objectives.empty() ? "time" : results.objectives.front();
  run.maximise = is_maximised(run.metric);
  run.spec_file = file;
  run.spec_hash = content_hash(results.header);
  run.spec_text = results.header;
  run.started_at = first_and_last(results.trials).first;
  Statement known = database.prepare(
      "SELECT id FROM run WHERE system = ? AND experiment = ? AND device_id = ? AND spec_hash = ? ORDER BY "
      "id");
  known.bind_all(run.system, run.experiment, device, run.spec_hash);
  while (known.step()) {
    StoredTrials trials = trials_of(database, known.integer(0));
    if (may_be_of_run(results, trials)) return {known.integer(0), std::move(trials)};
  }
  run.identity = recorded_run_identity(
      database, run.started_at,
      fmt::format("{}\n{}\n{}\n{}", run.system, run.experiment, results.device, run.spec_hash));
  return {insert_run(database, device, run), {}};
}

// A run begins when the first of its files did, and never goes back from its end: an older copy of the file says less.
void update_tuner_run(Database& database, std::int64_t run, const TunerResults& results,
                      const std::string& file) {
  const auto [started_at, finished_at] = first_and_last(results.trials);
  database
      .prepare(R"(
        UPDATE run SET status = CASE WHEN status = 'done' THEN status ELSE :status END,
          started_at = CASE WHEN :started_at = '' OR (started_at <> '' AND started_at < :started_at) THEN started_at
            ELSE :started_at END,
          finished_at = max(coalesce(finished_at, ''), :finished_at), recorded_from = coalesce(recorded_from, :file)
        WHERE id = :run)")
      .bind(":status", results.unfinished ? RunStatus::interrupted : RunStatus::done)
      .bind(":started_at", started_at)
      .bind(":finished_at", finished_at)
      .bind(":file", file)
      .bind(":run", run)
      .run();
}

// Compares what is stored of trials with what a file says of them.
class StoredValues {
 public:
  explicit StoredValues(Database& database)
      : samples_(
            database.prepare("SELECT time_ns FROM sample WHERE trial_id = ? ORDER BY repetition, position")),
        measurements_(database.prepare("SELECT name, value FROM measurement WHERE trial_id = ?")) {}

  bool differ(const StoredTrial& stored, const TunerTrial& trial) {
    return stored.outcome != to_string(trial.outcome) || stored.detail != trial.detail ||
           samples(stored.id) != samples(trial) || measurements(stored.id) != measurements(trial);
  }

 private:
  std::vector<double> samples(std::int64_t trial) {
    std::vector<double> times_ns;
    samples_.reset();
    samples_.bind_all(trial);
    while (samples_.step()) times_ns.push_back(samples_.real(0));
    return times_ns;
  }
  static std::vector<double> samples(const TunerTrial& trial) {
    std::vector<double> times_ns;
    if (trial.outcome != Outcome::correct) return times_ns;
    for (const double time_ms : trial.times_ms) times_ns.push_back(time_ms * kNsPerMs);
    return times_ns;
  }
  std::map<std::string, double> measurements(std::int64_t trial) {
    std::map<std::string, double> values;
    measurements_.reset();
    measurements_.bind_all(trial);
    while (measurements_.step()) values[measurements_.text(0)] = measurements_.real(1);
    return values;
  }
  static std::map<std::string, double> measurements(const TunerTrial& trial) {
    std::map<std::string, double> values;
    for (const TunerMeasurement& one : trial.measurements) values[one.name] = one.value;
    return values;
  }

  Statement samples_, measurements_;
};

// As exported by tailwave; "" of what others recorded.
std::string unverified_in_header(const std::string& header) {
  nlohmann::json values = nlohmann::json::parse(header);
  if (values.contains("metadata")) values = values.at("metadata");
  const auto found = values.find(kUnverifiedKey);
  return found != values.end() && found->is_string() ? found->get<std::string>() : "";
}

void insert_tuner_trial(Database& database, std::int64_t run, std::int64_t device, const TunerTrial& recorded,
                        const std::string& header) {
  Trial trial;
  trial.configuration = recorded.configuration;
  trial.key = FieldHasher().add(header).add(recorded.configuration.name()).digest();
  trial.outcome = recorded.outcome;
  trial.detail = recorded.detail;
  if (trial.outcome == Outcome::correct) trial.unverified = unverified_in_header(header);
  int position = 0;
  for (const double time_ms : recorded.times_ms)
    trial.samples.push_back({0, position++, time_ms * kNsPerMs, 1, ""});
  const std::int64_t id = insert_trial(database, run, device, trial);
  database.prepare("UPDATE trial SET finished_at = ? WHERE id = ?").bind_all(recorded.timestamp, id).run();
  Statement statement = database.prepare(
      "INSERT INTO measurement (trial_id, name, value, unit, objective) VALUES (?, ?, ?, ?, ?)");
  for (const TunerMeasurement& one : recorded.measurements)
    statement.bind_all(id, one.name, one.value, one.unit, one.objective).run();
}

}  // namespace

ImportSummary store_tuner_results(Database& database, const TunerResults& results, const std::string& file) {
  ImportSummary summary{.experiment = results.experiment, .device = results.device};
  if (results.unfinished) summary.remark = "the run was still in progress, its file has no closing braces";
  const std::int64_t device =
      find_or_insert_device(database, {.kind = DeviceKind::recorded, .name = results.device});
  const FoundRun run = find_or_insert_tuner_run(database, device, results, file);
  update_tuner_run(database, run.id, results, file);
  StoredValues stored(database);
  int differing = 0;
  std::string first_differing;
  for (const TunerTrial& trial : results.trials) {
    const auto present = run.trials.find(trial.configuration.name());
    if (present == run.trials.end()) {
      insert_tuner_trial(database, run.id, device, trial, results.header);
      ++summary.trials_added;
      continue;
    }
    ++summary.trials_present;
    if (stored.differ(present->second, trial) && differing++ == 0) first_differing = present->first;
  }
  if (differing > 0)
    summary.remark += fmt::format(
        "{}{} of them have other values in the file, which were left out ({}); "
        "import it under another name to have both",
        summary.remark.empty() ? "" : "; ", differing, first_differing);
  return summary;
}

}  // namespace tailwave
