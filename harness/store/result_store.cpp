#include "store/result_store.h"

#include <algorithm>

#include "core/error.h"
#include "core/statistics.h"
#include "json/values.h"
#include "store/record_row.h"
#include "store/rows.h"
#include "store/run_identity.h"

namespace tailwave {

namespace {

// No earlier than the runs that it continues, and with an identity after all that there are.
void begin_after_others(Database& database, RunRecord& run, const DeviceDescription& device) {
  Statement statement = database.prepare(R"(
    SELECT coalesce(max(started_at), '') FROM run JOIN device ON device.id = run.device_id
    WHERE experiment = ? AND system = ? AND device.kind = ? AND device.name = ? AND recorded_from IS NULL)");
  statement.bind_all(run.experiment, run.system, device.kind, device.name);
  statement.step();
  run.started_at = std::max(run.started_at, statement.text(0));
  run.identity = new_run_identity(database, run.started_at);
}

}  // namespace

std::int64_t ResultStore::begin_run(const RunRecord& run, const DeviceDescription& device,
                                    const std::vector<Configuration>& plan,
                                    const std::vector<RegimeRecord>& regimes) {
  Transaction transaction(database_);
  RunRecord later = run;
  begin_after_others(database_, later, device);
  const std::int64_t id = insert_run(database_, find_or_insert_device(database_, device), later);
  Statement statement = database_.prepare("INSERT INTO run_plan VALUES (?, ?)");
  for (const Configuration& configuration : plan)
    statement.bind_all(id, find_or_insert_configuration(database_, configuration)).run();
  for (const RegimeRecord& regime : regimes) insert_regime(database_, id, regime);
  transaction.commit();
  return id;
}

void ResultStore::finish_run(std::int64_t run, RunStatus status, const std::string& finished_at) {
  database_.prepare("UPDATE run SET status = ?, finished_at = ? WHERE id = ?")
      .bind_all(status, finished_at, run)
      .run();
}

void ResultStore::give_up_run(std::int64_t run, const std::string& finished_at) noexcept {
  const std::chrono::milliseconds lock_wait = database_.lock_wait();
  database_.wait_for_locks(std::chrono::milliseconds(0));
  try {
    finish_run(run, RunStatus::failed, finished_at);
  } catch (const std::exception&) {
    // The error before this one is what there is to report.
  }
  database_.wait_for_locks(lock_wait);
}

std::vector<std::pair<Configuration, std::string>> ResultStore::current_keys(
    const std::string& system, const std::string& experiment, const DeviceDescription& run_device) {
  Statement statement =
      database_.prepare("SELECT trial.key, " + columns_of<Configuration>("configuration") + R"(
    FROM current_trial JOIN trial ON trial.id = trial_id JOIN configuration ON configuration.id = trial.configuration_id
    WHERE current_trial.system = ? AND experiment = ? AND run_device = ? AND run_kind = ?)");
  statement.bind_all(system, experiment, run_device.name, to_string(run_device.kind));
  std::vector<std::pair<Configuration, std::string>> keys;
  while (statement.step()) keys.emplace_back(read_row<Configuration>(statement, 1), statement.text(0));
  return keys;
}

std::map<std::string, std::int64_t> ResultStore::finished_trials(const std::string& experiment,
                                                                 const DeviceDescription& run_device,
                                                                 const std::string& system,
                                                                 double build_deadline_s) {
  Statement statement = database_.prepare(R"(
    WITH here AS MATERIALIZED (
      SELECT run.id, run.fresh, run.started_at, run.identity, coalesce(
        CASE WHEN json_valid(spec_text) THEN json_extract(spec_text, '$.measure.build_deadline_s') END,
        :default_deadline_s) AS build_deadline_s
      FROM run JOIN device ON device.id = run.device_id
      WHERE run.experiment = :experiment AND (:system = '' OR run.system = :system)
        AND device.kind = :kind AND device.name = :name AND run.recorded_from IS NULL),
    newest AS (
      SELECT trial.id, here.build_deadline_s,
        row_number() OVER (
          PARTITION BY trial.configuration_id ORDER BY here.started_at DESC, here.identity DESC) AS age
      FROM here JOIN trial ON trial.run_id = here.id AND trial.regime IS NULL
      WHERE here.started_at || here.identity
        >= coalesce((SELECT max(started_at || identity) FROM here WHERE fresh), ''))
    SELECT key, id, outcome, CASE WHEN outcome IN ('compile_error', 'crashed') THEN detail ELSE '' END
    FROM newest JOIN trial USING (id)
    WHERE age = 1 AND (outcome <> 'compile_timeout' OR build_deadline_s >= :build_deadline_s))");
  statement.bind(":experiment", experiment)
      .bind(":system", system)
      .bind(":kind", run_device.kind)
      .bind(":name", run_device.name)
      .bind(":default_deadline_s", kDefaultBuildDeadlineS)
      .bind(":build_deadline_s", build_deadline_s);
  std::map<std::string, std::int64_t> trials;
  while (statement.step()) {
    if (!was_killed_from_outside(from_string<Outcome>(statement.text(2)), statement.text(3)))
      trials.emplace(statement.text(0), statement.integer(1));
  }
  return trials;
}

std::optional<std::int64_t> ResultStore::trial_of(std::int64_t run, const Configuration& configuration,
                                                  const std::string& regime) {
  Statement statement = database_.prepare(R"(
    SELECT trial.id FROM trial JOIN configuration ON configuration.id = configuration_id
    WHERE run_id = ? AND configuration.name = ? AND coalesce(regime, '') = ?)");
  if (!statement.bind_all(run, configuration.name(), regime).step()) return std::nullopt;
  return statement.integer(0);
}

Outcome ResultStore::outcome_of(std::int64_t trial) {
  Statement statement = database_.prepare("SELECT outcome FROM trial WHERE id = ?");
  if (!statement.bind_all(trial).step()) throw Error("no trial " + std::to_string(trial));
  return from_string<Outcome>(statement.text(0));
}

StoredResult ResultStore::result_of(std::int64_t trial) {
  Statement own = database_.prepare(R"(
    SELECT coalesce(same.id, trial.id), coalesce(same.outcome, trial.outcome), coalesce(same.work, trial.work),
      iif(same.id IS NULL, '', trial.same_as),
      iif(same.id IS NULL, trial.at_least_ns, same.at_least_ns)
    FROM trial
      LEFT JOIN identical_trial ON identical_trial.trial_id = trial.id
      LEFT JOIN trial AS same ON same.id = measured_trial_id
    WHERE trial.id = ?)");
  if (!own.bind_all(trial).step()) throw Error("no trial " + std::to_string(trial));
  StoredResult result;
  result.outcome = from_string<Outcome>(own.text(1));
  result.work = from_json(own.text(2));
  result.same_as = own.text(3);
  result.at_least_ns = own.optional_real(4);
  Statement samples = database_.prepare("SELECT time_ns FROM sample WHERE trial_id = ? AND dropped IS NULL");
  samples.bind_all(own.integer(0));
  std::vector<double> times_ns;
  while (samples.step()) times_ns.push_back(samples.real(0));
  if (!times_ns.empty()) result.median_ns = median(times_ns);
  Statement metric = database_.prepare("SELECT value FROM trial_metric WHERE trial_id = ? AND position = 0");
  if (metric.bind_all(own.integer(0)).step()) result.value = metric.optional_real(0);
  return result;
}

std::string ResultStore::machine_code_of(std::int64_t trial) {
  Statement statement = database_.prepare(R"(
    SELECT code_hash FROM trial JOIN build ON build.id = build_id
    WHERE trial.id = ? AND target NOT IN ('cpu', 'host'))");
  statement.bind_all(trial);
  return statement.step() ? statement.text(0) : "";
}

std::vector<Configuration> ResultStore::known_configurations(const std::string& experiment,
                                                             const DeviceDescription& run_device,
                                                             const std::string& system) {
  Statement statement =
      database_.prepare("SELECT DISTINCT " + columns_of<Configuration>("configuration") + R"(
    FROM run JOIN device ON device.id = run.device_id
      JOIN trial ON trial.run_id = run.id
      JOIN configuration ON configuration.id = trial.configuration_id
    WHERE run.experiment = ? AND run.system = ? AND device.kind = ? AND device.name = ?)");
  statement.bind_all(experiment, system, run_device.kind, run_device.name);
  std::vector<Configuration> configurations;
  while (statement.step()) configurations.push_back(read_row<Configuration>(statement));
  return configurations;
}

std::int64_t ResultStore::add_trial(std::int64_t run, const DeviceDescription& device, const Trial& trial) {
  Transaction transaction(database_);
  const std::int64_t id = insert_trial(database_, run, find_or_insert_device(database_, device), trial);
  database_.prepare("DELETE FROM unfinished_trial WHERE key = ?").bind_all(trial.key).run();
  transaction.commit();
  return id;
}

void ResultStore::keep_unfinished(std::int64_t run, const std::string& key, const std::string& program,
                                  const UnfinishedTrial& trial) {
  Transaction transaction(database_);
  database_.prepare("INSERT OR REPLACE INTO unfinished_trial VALUES (?, ?, ?, ?, CAST(? AS BLOB))")
      .bind_all(run, key, program, trial.repetitions, trial.contents)
      .run();
  transaction.commit();
}

std::map<std::string, UnfinishedTrial> ResultStore::unfinished_trials(const std::string& program) {
  std::map<std::string, UnfinishedTrial> trials;
  Statement statement = database_.prepare(
      "SELECT key, repetitions, contents FROM unfinished_trial WHERE program = ? ORDER BY run_id");
  statement.bind_all(program);
  while (statement.step())
    trials[statement.text(0)] = {static_cast<int>(statement.integer(1)), statement.text(2)};
  return trials;
}

void ResultStore::set_phases(std::int64_t run, const PhaseTimes& phases, double total_s) {
  Transaction transaction(database_);
  Statement statement = database_.prepare("INSERT OR REPLACE INTO run_phase VALUES (?, ?, ?)");
  for_each_member<PhaseTimes>(
      [&](const auto& phase) { statement.bind_all(run, phase.name, phases.*phase.place).run(); });
  statement.bind_all(run, "total", total_s).run();
  transaction.commit();
}

void ResultStore::add_drift(std::int64_t run, const DeviceDescription& device,
                            const Configuration& configuration, int block,
                            const std::vector<Sample>& samples) {
  Transaction transaction(database_);
  const std::int64_t device_id = find_or_insert_device(database_, device);
  const std::int64_t id = find_or_insert_configuration(database_, configuration);
  RowInsert<> rows(database_, "drift_sample",
                   {"run_id", "device_id", "configuration_id", "block", "sequence", "time_ns", "sm_clock_mhz",
                    "temperature_c"});
  for (const Sample& sample : samples)
    rows.add(run, device_id, id, block, sample.sequence, sample.time_ns, sample.sm_clock_mhz,
             sample.temperature_c);
  transaction.commit();
}

void ResultStore::set_published(const std::string& experiment, const std::vector<PublishedValue>& values,
                                const std::string& system) {
  const std::optional<std::string> owner = system.empty() ? std::nullopt : std::optional(system);
  Transaction transaction(database_);
  database_.prepare("DELETE FROM published_value WHERE experiment = ? AND system IS ?")
      .bind_all(experiment, owner)
      .run();
  RowInsert<PublishedValue> rows(database_, "published_value", {"system", "experiment"});
  for (const PublishedValue& one : values) rows.add(one, owner, experiment);
  transaction.commit();
}

void ResultStore::set_main_kernels(const std::string& system,
                                   const std::map<std::string, std::vector<std::string>>& kernels) {
  Transaction transaction(database_);
  database_.prepare("DELETE FROM main_kernel WHERE system = ?").bind_all(system).run();
  Statement statement = database_.prepare("INSERT OR IGNORE INTO main_kernel VALUES (?, ?, ?)");
  for (const auto& [variant, names] : kernels)
    for (const std::string& kernel : names) statement.bind_all(system, variant, kernel).run();
  transaction.commit();
}

void ResultStore::set_domains(const std::string& system, const std::map<std::string, std::string>& domains) {
  Transaction transaction(database_);
  database_.prepare("DELETE FROM variant_domain WHERE system = ?").bind_all(system).run();
  Statement statement = database_.prepare("INSERT INTO variant_domain VALUES (?, ?, ?)");
  for (const auto& [variant, requirement] : domains) statement.bind_all(system, variant, requirement).run();
  transaction.commit();
}

void ResultStore::add_selftest(const DeviceDescription& device, const std::string& run_at,
                               const std::vector<Check>& checks) {
  Transaction transaction(database_);
  const std::int64_t id = find_or_insert_device(database_, device);
  RowInsert<Check> rows(database_, "selftest", {"run_at", "device_id"});
  for (const Check& check : checks) rows.add(check, run_at, id);
  transaction.commit();
}

}  // namespace tailwave
