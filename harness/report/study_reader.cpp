#include "report/study_reader.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/error.h"
#include "json/values.h"
#include "report/baseline.h"
#include "report/energy.h"
#include "spec/overrides.h"
#include "store/no_trials.h"
#include "store/record_row.h"
#include "store/rows.h"

namespace tailwave {
namespace {

void bind_device(Statement& statement, const Study& study, const DeviceStudy& device) {
  statement.bind(":system", study.system)
      .bind(":experiment", study.experiment)
      .bind(":device", device.device)
      .bind(":kind", device.kind);
}

const std::string kRows = R"(
  WITH mine AS (
    SELECT * FROM current_trial
    WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind),
  timed AS (
    SELECT trial_id, count(*) AS samples, median(time_ns) / 1e9 AS median_s, median_low(time_ns) / 1e9 AS low_s,
      median_high(time_ns) / 1e9 AS high_s, coalesce(max(other_processes), 0) AS other_processes
    FROM sample WHERE dropped IS NULL AND trial_id IN (SELECT trial_id FROM mine) GROUP BY trial_id)
  SELECT mine.trial_id, configuration, variant, parameters, problem, mine.device, mine.kind, outcome, detail,
    trial_rate.value, median_s, low_s, high_s, samples, limit_name, limit_ns / 1e9 / median_s, peers, other_processes, unverified,
    )" + columns_of<WaveFacts>("trial_waves") +
                          R"(
  FROM mine
    LEFT JOIN timed ON timed.trial_id = mine.trial_id
    LEFT JOIN trial_rate ON trial_rate.trial_id = mine.trial_id
    LEFT JOIN (SELECT trial_id, name AS limit_name, max(time_ns) AS limit_ns FROM time_limit
               WHERE trial_id IN (SELECT trial_id FROM mine) GROUP BY trial_id) AS tightest
      ON tightest.trial_id = mine.trial_id
    LEFT JOIN trial_waves ON trial_waves.trial_id = mine.trial_id)";

// Of rows with a value; of all where none has one.
std::int64_t least_peers(const std::vector<StudyRow>& rows) {
  std::optional<std::int64_t> of_valued, of_all;
  for (const StudyRow& row : rows) {
    of_all = std::min(of_all.value_or(row.peers), row.peers);
    if (row.value) of_valued = std::min(of_valued.value_or(row.peers), row.peers);
  }
  return of_valued.value_or(of_all.value_or(0));
}

void load_rows(Database& database, const Study& study, DeviceStudy& device) {
  Statement statement = database.prepare(kRows);
  bind_device(statement, study, device);
  while (statement.step()) {
    StudyRow row;
    row.trial_id = statement.integer(0);
    row.configuration = statement.text(1);
    row.variant = statement.text(2);
    row.parameters = from_json(statement.text(3));
    row.problem = from_json(statement.text(4));
    row.device = statement.text(5);
    row.kind = from_string<DeviceKind>(statement.text(6));
    row.outcome = from_string<Outcome>(statement.text(7));
    row.detail = statement.text(8);
    row.value = statement.optional_real(9);
    row.median_s = statement.optional_real(10);
    row.interval_s = {statement.real(11), statement.real(12)};
    row.samples = statement.integer(13);
    row.limit = statement.text(14);
    row.limit_share = statement.optional_real(15);
    row.peers = statement.integer(16);
    row.other_processes = statement.integer(17);
    row.unverified = statement.text(18);
    row.waves = read_optional_row<WaveFacts>(statement, 19);
    device.rows.push_back(std::move(row));
  }
  device.peers = least_peers(device.rows);
}

// Results that lack the work of their rate, as recorded ones may, are compared by their times.
void fall_back_to_time(Study& study) {
  const auto has = [&](const auto& member) {
    return std::any_of(study.devices.begin(), study.devices.end(), [&](const DeviceStudy& device) {
      return std::any_of(device.rows.begin(), device.rows.end(),
                         [&](const StudyRow& row) { return (row.*member).has_value(); });
    });
  };
  if (study.metric.own || is_time(study.metric.name) || has(&StudyRow::value) || !has(&StudyRow::median_s))
    return;
  study.metric_without_work = study.metric.name;
  study.metric = {};
  study.maximise = false;
  for (DeviceStudy& device : study.devices) {
    device.maximise = false;
    for (StudyRow& row : device.rows) row.value = row.median_s;
    device.peers = least_peers(device.rows);
  }
}

void load_metrics(Database& database, const Study& study, DeviceStudy& device) {
  Statement statement = database.prepare("SELECT trial_id, " + columns_of<MetricRecord>("trial_metric") + R"(
    FROM current_trial JOIN trial_metric USING (trial_id)
    WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind
    ORDER BY trial_id, trial_metric.position)");
  bind_device(statement, study, device);
  std::map<std::int64_t, StudyRow*> rows;
  for (StudyRow& row : device.rows) rows.emplace(row.trial_id, &row);
  while (statement.step())
    rows.at(statement.integer(0))->metrics.push_back(read_row<MetricRecord>(statement, 1));
}

void load_ties(Database& database, const Study& study, DeviceStudy& device) {
  Statement statement = database.prepare(R"(
    WITH compared AS (
      SELECT min(trial_id) AS compared_with, compare_with_best(trial_id, repetition, cost, 0.01, 0) AS verdicts
      FROM current_trial JOIN sample_cost USING (trial_id)
      WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind
      GROUP BY device, kind, peers, problem),
    verdict AS (
      SELECT compared_with, item.value ->> 'trial_id' AS trial_id, item.value ->> 'verdict' AS verdict
      FROM compared, json_each(verdicts) AS item)
    SELECT trial_id, verdict, sum(verdict IN ('best', 'tied')) OVER (PARTITION BY compared_with),
      sum(verdict = 'unclear') OVER (PARTITION BY compared_with)
    FROM verdict)");
  bind_device(statement, study, device);
  std::map<std::int64_t, StudyRow*> rows;
  for (StudyRow& row : device.rows) rows.emplace(row.trial_id, &row);
  while (statement.step()) {
    StudyRow& row = *rows.at(statement.integer(0));
    row.standing = from_string<Standing>(statement.text(1));
    row.tied = statement.integer(2);
    row.unclear = statement.integer(3);
  }
}

// The first draw is looked at before the samples, the second among them, further ones after.
void load_verified(Database& database, const Study& study, DeviceStudy& device) {
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

void load_domains(Database& database, const Study& study, DeviceStudy& device) {
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

void load_published(Database& database, const Study& study, DeviceStudy& device) {
  if (!has_published(database, study)) return;
  Statement statement = database.prepare(R"(
    SELECT variant, named, published_device, study, quantity, published_value, value, ratio, trial_id, fitting,
      invalid, note
    FROM published_comparison
    WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind AND place = 1
    ORDER BY published_id)");
  bind_device(statement, study, device);
  while (statement.step()) {
    device.published.push_back({statement.text(0), from_json(statement.text(1)), statement.text(2),
                                statement.text(3), statement.text(4), statement.real(5),
                                statement.optional_real(6), statement.optional_real(7), statement.integer(8),
                                statement.integer(9), statement.text(10), statement.text(11)});
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

void load_search(Database& database, const Study& study, DeviceStudy& device) {
  Statement statement = database.prepare(R"(
    SELECT configurations FROM partial_study
    WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind)");
  bind_device(statement, study, device);
  if (statement.step()) device.searched = statement.integer(0);
}

// Those with trials, traces, curves, counters or timelines of the experiment, not yet with what is known of them.
std::vector<DeviceStudy> list_devices(Database& database, const Study& study) {
  Statement statement = database.prepare(R"(
    SELECT run_device, run_kind FROM current_trial WHERE system = ?1 AND experiment = ?2 AND run_kind <> 'recorded'
    UNION SELECT name, kind FROM trace JOIN device ON device.id = device_id WHERE system = ?1 AND experiment = ?2
    UNION SELECT name, kind FROM grid_curve JOIN device ON device.id = device_id WHERE system = ?1 AND experiment = ?2
    UNION SELECT name, kind FROM counter_run JOIN device ON device.id = device_id WHERE system = ?1 AND experiment = ?2
    UNION SELECT name, kind FROM timeline JOIN device ON device.id = device_id WHERE system = ?1 AND experiment = ?2
    UNION SELECT name, kind FROM sm_curve JOIN device ON device.id = device_id WHERE system = ?1 AND experiment = ?2
    ORDER BY 2 DESC, 1)");
  statement.bind_all(study.system, study.experiment);
  std::vector<DeviceStudy> devices;
  while (statement.step()) {
    DeviceStudy& device = devices.emplace_back();
    device.device = statement.text(0);
    device.kind = from_string<DeviceKind>(statement.text(1));
    device.maximise = study.maximise;
  }
  return devices;
}

std::vector<Study> experiments(Database& database, bool with_tries) {
  std::vector<Study> studies;
  for (const auto& [system, experiment] : experiment_names(database, with_tries)) {
    Study& study = studies.emplace_back();
    study.system = system;
    study.experiment = experiment;
  }
  return studies;
}

// Of the latest run that contributes; empty where nothing was run.
struct LatestSpec {
  SpecOrder order;
  std::map<std::string, Values> defaults;  // of variants
};

// The question and metric are those of the latest run that contributes.
LatestSpec load_question(Database& database, Study& study) {
  Statement statement = database.prepare(R"(
    SELECT question, metric, maximise, spec_text, metric_expression IS NOT NULL, metric_unit,
      EXISTS (SELECT 1 FROM trial CROSS JOIN trial_metric ON trial_metric.trial_id = trial.id
              WHERE trial.run_id = run.id AND trial_metric.position = 0 AND self_reported), defaults
    FROM run
    WHERE id IN (SELECT run_id FROM current_trial WHERE system = ? AND experiment = ? AND run_kind <> 'recorded')
    ORDER BY started_at DESC, id DESC LIMIT 1)");
  statement.bind_all(study.system, study.experiment);
  if (!statement.step()) return {};
  study.question = statement.text(0);
  study.metric = {statement.text(1), statement.integer(4) == 1, statement.text(5), statement.integer(6) == 1};
  study.maximise = statement.integer(2) == 1;
  return {spec_order(statement.text(3)), defaults_in(statement.text(7))};
}

void load_regimes(Database& database, const Study& study, DeviceStudy& device) {
  if (device.kind == DeviceKind::recorded) return;
  device.regimes = regime_answers(database, {{"experiment", study.name()}, {"device", device.device}});
}

// Those that are wanted, all but tries where none is named; nothing is known of them yet.
std::vector<Study> wanted_experiments(Database& database, const std::vector<std::string>& wanted) {
  std::vector<Study> studies = experiments(database, !wanted.empty());
  std::vector<std::string> names;
  for (const Study& study : studies) names.insert(names.end(), {study.experiment, study.name()});
  for (const std::string& name : wanted) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    for (const auto& [system, experiment] : recorded_experiments(database))
      if (name == experiment || name == system + "/" + experiment) throw Error(only_recorded(database, name));
    throw Error(unknown_experiment(database, name, names));
  }
  std::erase_if(studies, [&](const Study& study) {
    const auto is_this = [&](const std::string& name) {
      return name == study.experiment || name == study.name();
    };
    return !wanted.empty() && std::none_of(wanted.begin(), wanted.end(), is_this);
  });
  return studies;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> experiment_names(Database& database, bool with_tries) {
  // What another tuner recorded answers no question of ours.
  Statement statement = database.prepare(R"(
    SELECT DISTINCT system, experiment FROM run_series
    WHERE run_kind <> 'recorded' AND NOT superseded AND EXISTS (SELECT 1 FROM trial WHERE trial.run_id = run_series.run_id)
    UNION SELECT system, experiment FROM trace
    UNION SELECT system, experiment FROM grid_curve
    UNION SELECT system, experiment FROM counter_run
    UNION SELECT system, experiment FROM timeline
    UNION SELECT system, experiment FROM sm_curve
    ORDER BY 1, 2)");
  std::vector<std::pair<std::string, std::string>> names;
  while (statement.step())
    if (with_tries || !is_try(statement.text(1))) names.emplace_back(statement.text(0), statement.text(1));
  return names;
}

std::vector<std::pair<std::string, std::string>> recorded_experiments(Database& database) {
  Statement statement = database.prepare(R"(
    SELECT system, experiment FROM run_series GROUP BY system, experiment
    HAVING min(run_kind = 'recorded') ORDER BY 1, 2)");
  std::vector<std::pair<std::string, std::string>> names;
  while (statement.step()) names.emplace_back(statement.text(0), statement.text(1));
  return names;
}

std::vector<Study> load_studies(Database& database, const std::vector<std::string>& wanted) {
  std::vector<Study> studies = wanted_experiments(database, wanted);
  for (Study& study : studies) {
    const LatestSpec spec = load_question(database, study);
    study.devices = list_devices(database, study);
    for (DeviceStudy& device : study.devices) {
      load_rows(database, study, device);
      mark_standard(database, study, device, spec.defaults);
      load_metrics(database, study, device);
      load_ties(database, study, device);
      load_verified(database, study, device);
      load_domains(database, study, device);
      load_published(database, study, device);
      load_environment(database, study, device);
      load_search(database, study, device);
      load_regimes(database, study, device);
      device.energy = energy_shown(database, study.name(), device.device);
      device.fronts = fronts(database, {{"experiment", study.name()}, {"device", device.device}});
    }
    fall_back_to_time(study);
    study.put_in_order(spec.order);
  }
  std::erase_if(studies, [](const Study& study) { return study.devices.empty(); });
  return studies;
}

std::vector<Study> load_results(Database& database, const Values& parameters) {
  const auto is_asked = [&](const char* name, const std::vector<std::string>& names) {
    const auto given = parameters.find(name);
    return given == parameters.end() || std::ranges::find(names, to_string(given->second)) != names.end();
  };
  std::vector<Study> studies = experiments(database, true);
  std::erase_if(studies, [&](const Study& study) {
    return !is_asked("system", {study.system}) || !is_asked("experiment", {study.experiment, study.name()});
  });
  for (Study& study : studies) {
    const LatestSpec spec = load_question(database, study);
    study.devices = list_devices(database, study);
    std::erase_if(study.devices, [&](const DeviceStudy& one) {
      return !is_asked("device", {one.device, std::string(to_string(one.kind))});
    });
    for (DeviceStudy& device : study.devices) {
      load_rows(database, study, device);
      mark_standard(database, study, device, spec.defaults);
    }
    fall_back_to_time(study);
    study.put_in_order(spec.order);
  }
  return studies;
}

Study load_results(Database& database, const std::string& experiment, const std::string& device) {
  for (Study& study : wanted_experiments(database, {experiment})) {
    const LatestSpec spec = load_question(database, study);
    study.devices = list_devices(database, study);
    std::erase_if(study.devices, [&](const DeviceStudy& one) { return one.device != device; });
    if (study.devices.empty()) continue;
    study.devices.resize(1);
    load_rows(database, study, study.devices.front());
    mark_standard(database, study, study.devices.front(), spec.defaults);
    load_metrics(database, study, study.devices.front());
    study.put_in_order(spec.order);
    return std::move(study);
  }
  throw Error(no_trials(database, experiment, device, ""));
}

}  // namespace tailwave
