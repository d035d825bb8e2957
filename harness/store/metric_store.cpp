#include "store/metric_store.h"

#include "core/counters.h"
#include "json/values.h"
#include "store/energy_store.h"
#include "store/record_row.h"

namespace tailwave {
namespace {

// Of the main launch; what is not known of it is left out.
void read_resources(Database& database, std::int64_t trial, Values& measured) {
  Statement row = database.prepare(R"(
    SELECT registers, spill_bytes, static_shared_bytes + dynamic_shared_bytes, blocks_per_sm, occupancy, waves
    FROM trial_waves WHERE trial_id = ?)");
  if (!row.bind_all(trial).step()) return;
  int column = 0;
  for (const char* name : {"registers", "spill_bytes", "shared_bytes", "blocks_per_sm"}) {
    if (!row.is_null(column)) measured[name] = row.integer(column);
    ++column;
  }
  for (const char* name : {"occupancy", "waves"}) {
    if (!row.is_null(column)) measured[name] = row.real(column);
    ++column;
  }
}

void read_error(Database& database, std::int64_t trial, Values& measured) {
  Statement row =
      database.prepare("SELECT max(error), sum(error IS NULL) FROM verification WHERE trial_id = ?");
  if (row.bind_all(trial).step() && !row.is_null(0) && row.integer(1) == 0) measured["error"] = row.real(0);
}

void read_energy(Database& database, std::int64_t trial, MeasuredTrial& found) {
  const std::optional<EnergyRecord> energy = energy_of_trial(database, trial);
  if (!energy) return;
  found.no_energy = energy->missing;
  if (!energy->missing.empty()) return;
  found.measured["energy"] = energy->joules_of_execution();
  found.measured["power"] = energy->power_w();
  found.measured["sustained_time"] = energy->sustained_s();
}

}  // namespace

std::optional<MeasuredTrial> measured_trial(Database& database, std::int64_t trial) {
  Statement row = database.prepare("SELECT device.kind, device.name, work, " +
                                   columns_of<Configuration>("configuration") + R"(
    FROM trial JOIN device ON device.id = device_id JOIN configuration ON configuration.id = configuration_id
    WHERE trial.id = ? AND outcome = 'correct')");
  if (!row.bind_all(trial).step()) return std::nullopt;
  MeasuredTrial found{.configuration = read_row<Configuration>(row, 3),
                      .kind = from_string<DeviceKind>(row.text(0)),
                      .device = row.text(1),
                      .work = from_json(row.text(2)),
                      .measured = {},
                      .no_energy = {},
                      .samples = {}};
  read_resources(database, trial, found.measured);
  read_error(database, trial, found.measured);
  read_energy(database, trial, found);
  Statement samples = database.prepare(R"(
    SELECT repetition, position, time_ns, reported FROM sample WHERE trial_id = ? AND dropped IS NULL
    ORDER BY repetition, position)");
  samples.bind_all(trial);
  while (samples.step()) {
    Sample& sample = found.samples.emplace_back();
    sample.repetition = static_cast<int>(samples.integer(0));
    sample.position = static_cast<int>(samples.integer(1));
    sample.time_ns = samples.real(2);
    if (!samples.is_null(3)) sample.reported = from_json(samples.text(3));
  }
  return found;
}

CountedTrial counted_trial(Database& database, std::int64_t trial, const std::set<std::string>& counters) {
  CountedTrial found;
  Statement latest = database.prepare(R"(
    SELECT counter_run.id, ends_on_value, (SELECT count(*) FROM counted_launch WHERE counter_run_id = counter_run.id)
    FROM trial
      JOIN run ON run.id = trial.run_id
      JOIN device ON device.id = trial.device_id
      LEFT JOIN build ON build.id = trial.build_id
      JOIN counter_run ON counter_run.configuration_id = trial.configuration_id
        AND counter_run.system = run.system AND counter_run.experiment = run.experiment
      JOIN device AS counted ON counted.id = counter_run.device_id AND counted.name = device.name
    WHERE trial.id = ? AND coalesce(counter_run.code_hash = build.code_hash, 1)
    ORDER BY counted_at DESC, counter_run.id DESC LIMIT 1)");
  if (!latest.bind_all(trial).step()) return found;
  found.any = true;
  found.ends_on_value = latest.integer(1) == 1;
  Statement sum = database.prepare(R"(
    SELECT sum(value * count), count(value), max(doubt IS NOT NULL), max(value)
    FROM counter_value JOIN counted_launch USING (counter_run_id, position)
    WHERE counter_run_id = ? AND metric = ?)");
  constexpr int kSum = 0, kKnown = 1, kDoubtful = 2, kValue = 3;
  const std::int64_t run = latest.integer(0), shapes = latest.integer(2);
  for (const std::string& counter : counters) {
    sum.reset();
    sum.bind_all(run, counter).step();
    const bool adds = adds_up(counter);
    const bool is_of_all = adds ? !found.ends_on_value : shapes == 1;
    if (is_of_all && sum.integer(kKnown) == shapes && sum.integer(kDoubtful) == 0)
      found.values[counter] = sum.real(adds ? kSum : kValue);
  }
  return found;
}

void set_metrics(Database& database, std::int64_t trial, const std::vector<MetricRecord>& metrics,
                 const std::vector<Sample>& samples, const std::vector<double>& first) {
  Transaction transaction(database);
  database.prepare("DELETE FROM trial_metric WHERE trial_id = ?").bind_all(trial).run();
  database.prepare("UPDATE sample SET metric_value = NULL WHERE trial_id = ? AND metric_value IS NOT NULL")
      .bind_all(trial)
      .run();
  insert_metrics(database, trial, metrics);
  Statement value = database.prepare(
      "UPDATE sample SET metric_value = ? WHERE trial_id = ? AND repetition = ? AND position = ?");
  for (std::size_t i = 0; i < first.size(); ++i)
    value.bind_all(first[i], trial, samples.at(i).repetition, samples.at(i).position).run();
  transaction.commit();
}

std::vector<MetricRecord> metrics_of_trial(Database& database, std::int64_t trial) {
  Statement row = database.prepare("SELECT " + columns_of<MetricRecord>("trial_metric") +
                                   " FROM trial_metric WHERE trial_id = ? ORDER BY position");
  row.bind_all(trial);
  std::vector<MetricRecord> metrics;
  while (row.step()) metrics.push_back(read_row<MetricRecord>(row));
  return metrics;
}

void insert_metrics(Database& database, std::int64_t trial, const std::vector<MetricRecord>& metrics) {
  if (metrics.empty()) return;
  RowInsert<MetricRecord> rows(database, "trial_metric", {"trial_id"});
  for (const MetricRecord& one : metrics) rows.add(one, trial);
}

std::vector<MissingMetric> missing_metrics(Database& database, const std::string& system,
                                           const std::string& experiment, const std::string& run_device) {
  Statement row = database.prepare(R"(
    SELECT name, configurations, missing FROM (
      SELECT trial_metric.position, name, missing, count(*) AS configurations,
        row_number() OVER (PARTITION BY trial_metric.position ORDER BY count(*) DESC, missing) AS place
      FROM current_trial JOIN trial_metric USING (trial_id)
      WHERE system = ? AND experiment = ? AND run_device = ? AND missing IS NOT NULL
      GROUP BY trial_metric.position, name, missing)
    WHERE place <= 3 ORDER BY position, place)");
  row.bind_all(system, experiment, run_device);
  std::vector<MissingMetric> all;
  while (row.step()) all.push_back({row.text(0), row.integer(1), row.text(2)});
  return all;
}

std::optional<std::int64_t> current_trial_of(Database& database, const std::string& system,
                                             const std::string& experiment, const std::string& run_device,
                                             const std::string& configuration) {
  Statement row = database.prepare(R"(
    SELECT trial_id FROM current_trial
    WHERE system = ? AND experiment = ? AND run_device = ? AND configuration = ?)");
  if (!row.bind_all(system, experiment, run_device, configuration).step()) return std::nullopt;
  return row.integer(0);
}

}  // namespace tailwave
