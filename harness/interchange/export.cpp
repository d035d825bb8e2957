#include "interchange/export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/configuration.h"
#include "core/device.h"
#include "core/energy.h"
#include "core/error.h"
#include "core/metric.h"
#include "core/trial.h"
#include "interchange/recorded_format.h"
#include "interchange/recorded_regimes.h"
#include "interchange/recorded_search.h"
#include "store/no_trials.h"
#include "store/record_row.h"

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

// One array a column, with null for what a sample lacks; what most samples lack, the reason for dropping, by index.
// What no sample has, no array.
json samples_of(Database& database, std::int64_t trial) {
  Statement statement =
      database.prepare(fmt::format("SELECT {} FROM sample WHERE trial_id = ? ORDER BY repetition, position",
                                   fmt::join(column_names<Sample>(), ", ")));
  statement.bind_all(trial);
  const std::vector<std::string> nested = nested_columns<Sample>();
  json samples{{kSparseColumn, json::object()}};
  std::set<std::string> absent;
  for (const std::string& column : column_names<Sample>()) {
    if (column == kSparseColumn) continue;
    samples[column] = json::array();
    if (may_be_absent<Sample>(column)) absent.insert(column);
  }
  for (std::size_t count = 0; statement.step(); ++count) {
    for (int i = 0; i < statement.column_count(); ++i) {
      const std::string name = statement.column_name(i);
      if (!statement.is_null(i)) absent.erase(name);
      const bool is_json = !statement.is_null(i) && std::ranges::find(nested, name) != nested.end();
      if (is_json)
        samples[name].push_back(json::parse(statement.text(i)));
      else if (name != kSparseColumn)
        samples[name].push_back(cell_json(statement.cell(i)));
      else if (!statement.is_null(i))
        samples[name][std::to_string(count)] = statement.text(i);
    }
  }
  for (const std::string& column : absent) samples.erase(column);
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

// Of a run on several GPUs, by their place in the recording.
json gpu_factors_of(Database& database, std::int64_t run, Collected& devices) {
  Statement statement = database.prepare(
      "SELECT device_id, factor, low, high, ratios FROM gpu_factor WHERE run_id = ? ORDER BY device_id");
  statement.bind_all(run);
  json factors = json::array();
  while (statement.step()) {
    json factor = row_object(statement);
    factor.erase("device_id");
    factor["device"] = devices.place(statement.integer(0));
    factors.push_back(std::move(factor));
  }
  return factors;
}

}  // namespace

json recorded_trial(Database& database, std::int64_t trial) {
  Statement statement =
      database.prepare(fmt::format(R"(
    SELECT {}, {}, trial.finished_at
    FROM trial JOIN configuration ON configuration.id = trial.configuration_id WHERE trial.id = ?)",
                                   columns_of<Configuration>("configuration"), columns_of<Trial>("trial")));
  statement.bind_all(trial).step();
  std::vector<std::string> nested = nested_columns<Configuration>();
  for (std::string& column : nested_columns<Trial>()) nested.push_back(std::move(column));
  json object = row_object(statement, nested);
  object.erase("system");
  const std::string build_sql = fmt::format(R"(
    SELECT {}, build_seconds AS seconds, build_from_cache AS from_cache
    FROM trial JOIN build ON build.id = trial.build_id WHERE trial.id = ?)",
                                            columns_of<BuildRecord>("build"));
  if (const json build = rows_of_trial(database, build_sql, trial); !build.empty())
    object["build"] = build[0];
  object["launches"] =
      rows_of_trial(database, "SELECT * FROM launch WHERE trial_id = ? ORDER BY position", trial);
  for (json& launch : object["launches"]) {
    launch.erase("trial_id");
    if (launch.at("count") == 1) launch.erase("count");
  }
  object["verifications"] =
      rows_of_trial(database,
                    fmt::format("SELECT {} FROM verification WHERE trial_id = ? ORDER BY position",
                                columns_of<Verification>("verification")),
                    trial);
  json limits = rows_of_trial(database,
                              fmt::format("SELECT {} FROM time_limit WHERE trial_id = ? ORDER BY name",
                                          columns_of<LimitRecord>("time_limit")),
                              trial);
  if (!limits.empty()) object["limits"] = std::move(limits);
  json metrics = rows_of_trial(database,
                               fmt::format("SELECT {} FROM trial_metric WHERE trial_id = ? ORDER BY position",
                                           columns_of<MetricRecord>("trial_metric")),
                               trial);
  if (!metrics.empty()) object["metrics"] = std::move(metrics);
  if (json energy = rows_of_trial(database,
                                  fmt::format("SELECT {} FROM trial_energy WHERE trial_id = ?",
                                              columns_of<EnergyRecord>("trial_energy")),
                                  trial);
      !energy.empty())
    object["energy"] = std::move(energy[0]);
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
    SELECT trial_id, run.id, trial.device_id, run.device_id, run.system
    FROM (
        SELECT trial_id, configuration, '' AS in_regime FROM current_trial
        WHERE experiment = :experiment AND run_device = :device AND (:system = '' OR system = :system)
        UNION ALL
        SELECT trial_id, configuration, regime FROM regime_trial
        WHERE experiment = :experiment AND run_device = :device AND (:system = '' OR system = :system))
      JOIN trial ON trial.id = trial_id JOIN run ON run.id = trial.run_id
    ORDER BY configuration, in_regime)");
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
    for (const char* key : {"id", "device_id", "system", "experiment", "recorded_from", "merged_from"})
      run.erase(key);
    run["device"] = run_devices[i];
    if (json factors = gpu_factors_of(database, runs.ids()[i], devices); !factors.empty())
      run["gpu_factors"] = std::move(factors);
    if (json search = search_of_run(database, runs.ids(), i); !search.empty())
      run["search"] = std::move(search);
    add_regimes_of_run(database, runs.ids()[i], run);
  }
  document["devices"] =
      devices.rows(database, "SELECT * FROM device WHERE id = ?", nested_columns<DeviceDescription>());
  for (json& one : document["devices"]) one.erase("id");
  document["trials"] = std::move(trials);
  return pretty(document);
}

}  // namespace tailwave
