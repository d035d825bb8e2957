#include "report/study_reader.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/error.h"
#include "report/baseline.h"
#include "report/energy.h"
#include "report/study_facts.h"
#include "report/study_rows.h"
#include "spec/overrides.h"
#include "store/no_trials.h"

namespace tailwave {
namespace {

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
    ORDER BY started_at DESC, identity DESC LIMIT 1)");
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
    throw Error(unknown_experiment(database, name, experiments_to_offer(name, names)));
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

std::vector<std::string> experiments_to_offer(const std::string& name, std::vector<std::string> known) {
  if (nearest(name, known).empty())
    std::erase_if(known,
                  [](const std::string& one) { return one.find('/') == std::string::npos || is_try(one); });
  return known;
}

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
      load_standings(database, study, device);
      load_facts(database, study, device);
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
  std::vector<Study> studies = experiments(database, parameters.contains("experiment"));
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
    study.put_in_order(spec.order);
    return std::move(study);
  }
  throw Error(no_trials(database, experiment, device, ""));
}

}  // namespace tailwave
