#include "interchange/export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/error.h"
#include "interchange/recorded_format.h"
#include "interchange/recorded_search.h"
#include "store/no_trials.h"

namespace tailwave {
namespace {

using nlohmann::json;

json rows_of_trial(Database& database, const std::string& sql, std::int64_t trial) {
  Statement statement = database.prepare(sql);
  statement.bind_all(trial);
  json rows = json::array();
  while (statement.step()) rows.push_back(row_object(statement));
  return rows;
}

// One array a column; what most samples lack, the reason for dropping, by index. What no sample has, no array.
json samples_of(Database& database, std::int64_t trial) {
  Statement statement = database.prepare(
      "SELECT repetition, position, time_ns, executions, dropped, sequence, sm_clock_mhz, temperature_c, "
      "throttle_reasons FROM sample WHERE trial_id = ? ORDER BY repetition, position");
  statement.bind_all(trial);
  constexpr int kDropped = 4, kFirstOptional = 5;
  json samples{{"repetition", json::array()},
               {"position", json::array()},
               {"time_ns", json::array()},
               {"executions", json::array()},
               {"dropped", json::object()}};
  while (statement.step()) {
    if (!statement.is_null(kDropped))
      samples["dropped"][std::to_string(samples["time_ns"].size())] = statement.text(kDropped);
    for (int i = 0; i < statement.column_count(); ++i) {
      const bool present = i < kDropped || (i >= kFirstOptional && !statement.is_null(i));
      if (present) samples[statement.column_name(i)].push_back(cell_json(statement.cell(i)));
    }
  }
  // A column that only some samples have would lose its order.
  for (int i = kFirstOptional; i < statement.column_count(); ++i) {
    const std::string name = statement.column_name(i);
    if (samples.contains(name) && samples[name].size() != samples["time_ns"].size()) samples.erase(name);
  }
  return samples;
}

// Rows referred to by index: a database id becomes its place in a list.
class Collected {
 public:
  int place(std::int64_t id) {
    for (std::size_t i = 0; i < ids_.size(); ++i)
      if (ids_[i] == id) return static_cast<int>(i);
    ids_.push_back(id);
    return static_cast<int>(ids_.size() - 1);
  }
  json rows(Database& database, const std::string& sql, const std::vector<std::string>& nested) const {
    json rows = json::array();
    for (const std::int64_t id : ids_) {
      Statement statement = database.prepare(sql);
      statement.bind_all(id).step();
      rows.push_back(row_object(statement, nested));
    }
    return rows;
  }
  [[nodiscard]] const std::vector<std::int64_t>& ids() const { return ids_; }

 private:
  std::vector<std::int64_t> ids_;
};

constexpr const char* kTrial = R"(
  SELECT configuration.variant, configuration.parameters, configuration.problem, trial.key, trial.outcome,
    trial.detail, trial.timer, trial.mode, trial.stopped_by, trial.same_as, trial.work, trial.finished_at
  FROM trial JOIN configuration ON configuration.id = trial.configuration_id WHERE trial.id = ?)";
constexpr const char* kBuild = R"(
  SELECT build.key, compiler, target, options, code_hash, log, build_seconds AS seconds,
    build_from_cache AS from_cache
  FROM trial JOIN build ON build.id = trial.build_id WHERE trial.id = ?)";

}  // namespace

json recorded_trial(Database& database, std::int64_t trial) {
  Statement statement = database.prepare(kTrial);
  statement.bind_all(trial).step();
  json object = row_object(statement, {"parameters", "problem", "work"});
  if (const json build = rows_of_trial(database, kBuild, trial); !build.empty()) object["build"] = build[0];
  object["launches"] =
      rows_of_trial(database, "SELECT * FROM launch WHERE trial_id = ? ORDER BY position", trial);
  for (json& launch : object["launches"]) {
    launch.erase("trial_id");
    if (launch.at("count") == 1) launch.erase("count");
  }
  object["verifications"] = rows_of_trial(
      database,
      "SELECT phase, buffer, norm, error, tolerance, passed, detail FROM verification WHERE trial_id = ? "
      "ORDER BY position",
      trial);
  json limits =
      rows_of_trial(database, "SELECT name, time_ns FROM time_limit WHERE trial_id = ? ORDER BY name", trial);
  if (!limits.empty()) object["limits"] = std::move(limits);
  object["samples"] = samples_of(database, trial);
  return object;
}

void require_one_system(const ExportScope& scope, const std::vector<std::string>& systems) {
  if (systems.size() <= 1) return;
  throw Error(Diagnostic{.cause = fmt::format("several systems have an experiment '{}'", scope.experiment),
                         .hint = fmt::format("name one with --system: {}", fmt::join(systems, ", "))});
}

void require_trials(Database& database, const ExportScope& scope) {
  Statement statement = database.prepare(
      "SELECT DISTINCT run_device FROM current_trial WHERE experiment = :experiment AND (:system = '' OR "
      "system = "
      ":system) ORDER BY run_device");
  statement.bind(":experiment", scope.experiment).bind(":system", scope.system);
  std::string devices;
  while (statement.step()) {
    if (statement.text(0) == scope.device) return;
    devices += (devices.empty() ? "'" : ", '") + statement.text(0) + "'";
  }
  throw Error(
      no_trials(database, scope.experiment, scope.device,
                devices.empty() ? "the experiment has no trials at all" : "it has trials on " + devices));
}

std::string export_recorded(Database& database, const std::string& experiment, const std::string& device,
                            const std::string& system) {
  const ExportScope scope{experiment, device, system};
  require_trials(database, scope);
  Statement statement = database.prepare(R"(
    SELECT trial_id, run.id, trial.device_id, run.device_id, current_trial.system
    FROM current_trial JOIN trial ON trial.id = trial_id JOIN run ON run.id = current_trial.run_id
    WHERE current_trial.experiment = :experiment AND run_device = :device
      AND (:system = '' OR current_trial.system = :system)
    ORDER BY configuration)");
  statement.bind(":experiment", experiment).bind(":device", device).bind(":system", system);
  Collected runs;
  Collected devices;
  json document{{"schema_version", kRecordedVersion}, {"experiment", experiment}, {"device", device}};
  std::set<std::string> systems;
  json trials = json::array();
  json run_devices = json::array();
  while (statement.step()) {
    document["system"] = statement.text(4);
    systems.insert(statement.text(4));
    json trial = recorded_trial(database, statement.integer(0));
    const int run = runs.place(statement.integer(1));
    trial["run"] = run;
    trial["device"] = devices.place(statement.integer(2));
    if (run == static_cast<int>(run_devices.size()))
      run_devices.push_back(devices.place(statement.integer(3)));
    trials.push_back(std::move(trial));
  }
  require_one_system(scope, {systems.begin(), systems.end()});
  document["runs"] = runs.rows(database, "SELECT * FROM run WHERE id = ?", {"clocks"});
  for (std::size_t i = 0; i < document["runs"].size(); ++i) {
    json& run = document["runs"][i];
    for (const char* key : {"id", "device_id", "system", "experiment", "recorded_from"}) run.erase(key);
    run["device"] = run_devices[i];
    if (json search = search_of_run(database, runs.ids(), i); !search.empty())
      run["search"] = std::move(search);
  }
  document["devices"] = devices.rows(database, "SELECT * FROM device WHERE id = ?", {"properties"});
  for (json& one : document["devices"]) one.erase("id");
  document["trials"] = std::move(trials);
  return pretty(document);
}

}  // namespace tailwave
