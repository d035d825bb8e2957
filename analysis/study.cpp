#include "analysis/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/error.h"

namespace tailwave {
namespace {

std::optional<std::int64_t> optional_integer(const Statement& statement, int column) {
  return statement.is_null(column) ? std::nullopt : std::optional(statement.integer(column));
}

Values values_of(const std::string& json) {
  const nlohmann::json object = nlohmann::json::parse(json);
  Values values;
  for (const auto& [name, value] : object.items()) {
    if (value.is_boolean())
      values[name] = value.get<bool>();
    else if (value.is_number_integer())
      values[name] = value.get<std::int64_t>();
    else if (value.is_number())
      values[name] = value.get<double>();
    else if (value.is_string())
      values[name] = value.get<std::string>();
  }
  return values;
}

void bind_device(Statement& statement, const Study& study, const DeviceStudy& device) {
  statement.bind(":system", study.system)
      .bind(":experiment", study.experiment)
      .bind(":device", device.device)
      .bind(":kind", device.kind);
}

std::optional<WaveFacts> wave_facts(const Statement& row, int first) {
  if (row.is_null(first + 1)) return std::nullopt;
  WaveFacts facts;
  facts.occupancy_device = row.text(first);
  facts.kernel = row.text(first + 1);
  facts.grid = row.integer(first + 2);
  facts.block = row.integer(first + 3);
  facts.registers = optional_integer(row, first + 4);
  facts.blocks_per_sm = optional_integer(row, first + 5);
  facts.driver_blocks_per_sm = optional_integer(row, first + 6);
  facts.spill_bytes = optional_integer(row, first + 7);
  facts.limiter = row.text(first + 8);
  facts.occupancy = row.optional_real(first + 9);
  facts.waves = row.optional_real(first + 10);
  facts.tail_fraction = row.optional_real(first + 11);
  return facts;
}

constexpr const char* kRows = R"(
  WITH mine AS (
    SELECT * FROM current_trial
    WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind),
  timed AS (
    SELECT trial_id, count(*) AS samples, median(time_ns) / 1e9 AS median_s, median_low(time_ns) / 1e9 AS low_s,
      median_high(time_ns) / 1e9 AS high_s
    FROM sample WHERE dropped IS NULL AND trial_id IN (SELECT trial_id FROM mine) GROUP BY trial_id)
  SELECT mine.trial_id, configuration, variant, parameters, problem, mine.device, mine.kind, outcome, detail,
    trial_rate.value, median_s, low_s, high_s, samples, occupancy_device, kernel, grid, block, registers,
    blocks_per_sm, driver_blocks_per_sm, spill_bytes, limiter, occupancy, waves, tail_fraction,
    limit_name, limit_ns / 1e9 / median_s
  FROM mine
    LEFT JOIN timed ON timed.trial_id = mine.trial_id
    LEFT JOIN trial_rate ON trial_rate.trial_id = mine.trial_id
    LEFT JOIN (SELECT trial_id, name AS limit_name, max(time_ns) AS limit_ns FROM time_limit GROUP BY trial_id) AS tightest
      ON tightest.trial_id = mine.trial_id
    LEFT JOIN trial_waves ON trial_waves.trial_id = mine.trial_id)";

void load_rows(Database& database, const Study& study, DeviceStudy& device) {
  Statement statement = database.prepare(kRows);
  bind_device(statement, study, device);
  while (statement.step()) {
    StudyRow row;
    row.trial_id = statement.integer(0);
    row.configuration = statement.text(1);
    row.variant = statement.text(2);
    row.parameters = values_of(statement.text(3));
    row.problem = values_of(statement.text(4));
    row.device = statement.text(5);
    row.kind = statement.text(6);
    row.outcome = statement.text(7);
    row.detail = statement.text(8);
    row.value = statement.optional_real(9);
    row.median_s = statement.optional_real(10);
    row.interval_s = {statement.real(11), statement.real(12)};
    row.samples = statement.integer(13);
    row.waves = wave_facts(statement, 14);
    row.limit = statement.text(26);
    row.limit_share = statement.optional_real(27);
    device.rows.push_back(std::move(row));
  }
  std::sort(device.rows.begin(), device.rows.end(), [](const StudyRow& a, const StudyRow& b) {
    return std::tie(a.variant, a.problem, a.parameters, a.configuration) <
           std::tie(b.variant, b.problem, b.parameters, b.configuration);
  });
}

void load_ties(Database& database, const Study& study, DeviceStudy& device) {
  Statement statement = database.prepare(R"(
    WITH compared AS (
      SELECT compare_with_best(trial_id, repetition, cost, 0.01) AS verdicts
      FROM ranked_trial JOIN sample_cost USING (trial_id)
      WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind
      GROUP BY device, kind, problem)
    SELECT item.value ->> 'trial_id',
      sum(item.value ->> 'tied') OVER (PARTITION BY verdicts) * (item.value ->> 'tied')
    FROM compared, json_each(verdicts) AS item)");
  bind_device(statement, study, device);
  std::map<std::int64_t, std::int64_t> tied;
  while (statement.step()) tied[statement.integer(0)] = statement.integer(1);
  for (StudyRow& row : device.rows) row.tied = tied[row.trial_id];
}

void load_published(Database& database, const Study& study, DeviceStudy& device) {
  Statement statement = database.prepare(R"(
    SELECT variant, named, published_device, study, quantity, published_value, value, ratio, trial_id, fitting,
      outcome, invalid, note
    FROM published_comparison
    WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind AND place = 1
    ORDER BY published_id)");
  bind_device(statement, study, device);
  while (statement.step()) {
    device.published.push_back({statement.text(0), values_of(statement.text(1)), statement.text(2),
                                statement.text(3), statement.text(4), statement.real(5),
                                statement.optional_real(6), statement.optional_real(7), statement.integer(8),
                                statement.integer(9), statement.text(10), statement.text(11),
                                statement.text(12)});
  }
}

void load_environment(Database& database, const Study& study, DeviceStudy& device) {
  Statement statement = database.prepare(R"sql(
    WITH contributing AS (
      SELECT DISTINCT run_id FROM current_trial
      WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind)
    SELECT nullif(device.compute_capability, 0) AS "compute capability", device.sms AS "SMs or cores",
      printf('%.1f GiB', device.memory_bytes / 1073741824.0) AS memory,
      CASE WHEN device.clock_mhz > 0 THEN printf('%g MHz', device.clock_mhz) END AS "maximum SM clock",
      CASE WHEN device.memory_clock_mhz > 0 THEN printf('%g MHz', device.memory_clock_mhz) END AS "memory clock",
      nullif(driver, '') AS driver,
      nullif(compiler, '') AS compiler, nullif(host_compiler, '') AS "host compiler",
      nullif(project_commit, '') AS "commit", tailwave_version AS tailwave, host, clocks, spec_hash AS "spec hash",
      started_at AS "started", status,
      (SELECT group_concat(DISTINCT mode) FROM trial WHERE run_id = run.id) AS mode,
      (SELECT group_concat(DISTINCT timer) FROM trial WHERE run_id = run.id) AS timer,
      nullif(occupancy_device, '') AS "occupancy computed for",
      recorded_from, (SELECT count(*) FROM contributing) AS runs
    FROM run JOIN device ON device.id = run.device_id
    WHERE run.id IN contributing ORDER BY started_at DESC, run.id DESC LIMIT 1)sql");
  bind_device(statement, study, device);
  if (!statement.step()) return;
  const int fields = statement.column_count() - 2;
  for (int i = 0; i < fields; ++i) {
    if (!statement.is_null(i)) device.environment.emplace_back(statement.column_name(i), statement.text(i));
  }
  device.recorded_from = statement.text(fields);
  device.runs = statement.integer(fields + 1);
}

void load_devices(Database& database, Study& study) {
  Statement statement = database.prepare(
      "SELECT DISTINCT run_device, run_kind FROM current_trial WHERE system = ? AND experiment = ? "
      "ORDER BY run_kind DESC, run_device");
  statement.bind_all(study.system, study.experiment);
  while (statement.step()) {
    DeviceStudy device;
    device.device = statement.text(0);
    device.kind = statement.text(1);
    device.maximise = study.maximise;
    load_rows(database, study, device);
    load_ties(database, study, device);
    load_published(database, study, device);
    load_environment(database, study, device);
    study.devices.push_back(std::move(device));
  }
}

std::vector<Study> experiments(Database& database) {
  // The question and metric are those of the latest run.
  Statement statement = database.prepare(R"(
    SELECT system, experiment, question, metric, maximise FROM (
      SELECT *, row_number() OVER (PARTITION BY system, experiment ORDER BY started_at DESC, id DESC) AS age FROM run
      WHERE id IN (SELECT run_id FROM current_trial))
    WHERE age = 1 ORDER BY system, experiment)");
  std::vector<Study> studies;
  while (statement.step()) {
    studies.push_back({statement.text(0),
                       statement.text(1),
                       statement.text(2),
                       statement.text(3),
                       statement.integer(4) == 1,
                       {}});
  }
  return studies;
}

void check_wanted(const Database& database, const std::vector<Study>& studies,
                  const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const Study& study : studies) names.insert(names.end(), {study.experiment, study.name()});
  for (const std::string& name : wanted) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string near = nearest(name, names);
    throw Error(
        Diagnostic{database.file().string(), "", fmt::format("no trials of experiment '{}'", name), "", -1,
                   near.empty() ? "'tailwave run' measures it" : fmt::format("did you mean '{}'?", near)});
  }
}

}  // namespace

std::vector<const StudyRow*> DeviceStudy::best_of_problems() const {
  const bool here = std::any_of(rows.begin(), rows.end(),
                                [this](const StudyRow& row) { return row.value && ran_here(row); });
  std::map<Values, const StudyRow*> best;
  for (const StudyRow& row : rows) {
    if (!row.value || (here && !ran_here(row))) continue;
    const StudyRow*& known = best[row.problem];
    if (known == nullptr || (maximise ? *row.value > *known->value : *row.value < *known->value))
      known = &row;
  }
  std::vector<const StudyRow*> found;
  for (const auto& [problem, row] : best) found.push_back(row);
  return found;
}

std::size_t DeviceStudy::correct() const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const StudyRow& row) { return row.correct(); }));
}

std::vector<Study> load_studies(Database& database, const std::vector<std::string>& wanted) {
  std::vector<Study> studies = experiments(database);
  check_wanted(database, studies, wanted);
  std::erase_if(studies, [&](const Study& study) {
    const auto is_this = [&](const std::string& name) {
      return name == study.experiment || name == study.name();
    };
    return !wanted.empty() && std::none_of(wanted.begin(), wanted.end(), is_this);
  });
  for (Study& study : studies) load_devices(database, study);
  return studies;
}

}  // namespace tailwave
