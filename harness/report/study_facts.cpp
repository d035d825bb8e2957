#include "report/study_facts.h"

#include <algorithm>

#include "report/study_rows.h"
#include "store/record_row.h"

namespace tailwave {
namespace {

// The first draw is looked at before the samples, the second among them, further ones after.
void read_verified(Database& database, const Study& study, DeviceStudy& device) {
  const std::string mine = R"(
    WITH mine AS (
      SELECT verification.* FROM current_trial JOIN verification USING (trial_id)
      WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind
        AND outcome = 'correct'))";
  Statement draws = database.prepare(mine + R"(,
    looked AS (
      SELECT max(phase = 'before') + max(phase = 'while') + sum(phase = 'after') AS draws
      FROM mine
      WHERE other_problem IS NULL AND buffer = (
        SELECT min(buffer) FROM verification AS other
        WHERE other.trial_id = mine.trial_id AND other.other_problem IS NULL)
      GROUP BY trial_id)
    SELECT min(draws), max(draws) FROM looked)");
  bind_device(draws, study, device);
  if (draws.step()) {
    device.verified.fewest_draws = draws.integer(0);
    device.verified.most_draws = draws.integer(1);
  }
  Statement problems = database.prepare(mine + R"(
    SELECT other_problem FROM mine WHERE other_problem IS NOT NULL
    GROUP BY other_problem ORDER BY count(DISTINCT trial_id) DESC, length(other_problem), other_problem)");
  bind_device(problems, study, device);
  while (problems.step()) device.verified.problems.push_back(problems.text(0));
}

void read_domains(Database& database, const Study& study, DeviceStudy& device) {
  Statement statement =
      database.prepare("SELECT variant, requires FROM variant_domain WHERE system = ? ORDER BY variant");
  statement.bind_all(study.system);
  while (statement.step()) {
    const std::string variant = statement.text(0);
    if (std::any_of(device.rows.begin(), device.rows.end(),
                    [&](const StudyRow& row) { return row.variant == variant; }))
      device.domains.emplace_back(variant, statement.text(1));
  }
}

bool has_published(Database& database, const Study& study) {
  Statement statement =
      database.prepare("SELECT EXISTS (SELECT 1 FROM published_value WHERE experiment = ?)");
  statement.bind_all(study.experiment);
  return statement.step() && statement.integer(0) == 1;
}

void read_published(Database& database, const Study& study, DeviceStudy& device) {
  if (!has_published(database, study)) return;
  Statement statement = database.prepare(R"(
    SELECT )" + columns_of<PublishedFigure>("published_comparison") +
                                         R"(
    FROM published_comparison
    WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind AND place = 1
    ORDER BY published_id)");
  bind_device(statement, study, device);
  while (statement.step()) device.published.push_back(read_row<PublishedFigure>(statement));
}

void read_environment(Database& database, const Study& study, DeviceStudy& device) {
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
      nullif(project_commit, '') AS "commit", tailwave_version AS tailwave, host, machine, clocks, spec_hash AS "spec hash",
      started_at AS "started", status, shard,
      (SELECT group_concat(DISTINCT mode) FROM trial WHERE run_id = run.id) AS mode,
      (SELECT group_concat(DISTINCT timer) FROM trial WHERE run_id = run.id) AS timer,
      nullif(occupancy_device, '') AS "occupancy computed for",
      recorded_from, (SELECT count(*) FROM contributing) AS runs
    FROM run JOIN device ON device.id = run.device_id
    WHERE run.id IN contributing ORDER BY started_at DESC, run.identity DESC LIMIT 1)sql");
  bind_device(statement, study, device);
  if (!statement.step()) return;
  const int fields = statement.column_count() - 2;
  for (int i = 0; i < fields; ++i) {
    if (!statement.is_null(i)) device.environment.emplace_back(statement.column_name(i), statement.text(i));
  }
  device.recorded_from = statement.text(fields);
  device.runs = statement.integer(fields + 1);
}

void read_search(Database& database, const Study& study, DeviceStudy& device) {
  Statement statement = database.prepare(R"(
    SELECT configurations, searched FROM partial_study
    WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind)");
  bind_device(statement, study, device);
  if (!statement.step()) return;
  device.chosen_from = statement.integer(0);
  device.is_searched = statement.integer(1) == 1;
}

// The tables of a report have a choice of very many (ViewTables).
void read_all(Database& database, const Study& study, DeviceStudy& device) {
  Statement statement =
      database.prepare("SELECT trials, correct FROM ranking WHERE NOT stale AND " + std::string(kOfDevice));
  bind_device(statement, study, device);
  device.measured = static_cast<std::int64_t>(device.rows.size());
  if (!statement.step()) return;
  device.measured = std::max(device.measured, statement.integer(0));
  device.measured_correct = statement.integer(1);
}

}  // namespace

void load_facts(Database& database, const Study& study, DeviceStudy& device) {
  read_verified(database, study, device);
  read_domains(database, study, device);
  read_published(database, study, device);
  read_environment(database, study, device);
  read_search(database, study, device);
  read_all(database, study, device);
}

}  // namespace tailwave
