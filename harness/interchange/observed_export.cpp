#include "interchange/observed_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "core/configuration.h"
#include "core/device.h"
#include "core/error.h"
#include "core/timeline.h"
#include "core/trace.h"
#include "interchange/recorded_format.h"
#include "store/record_row.h"

namespace tailwave {
namespace {

using nlohmann::json;

// One array a column.
json column_arrays(Statement& statement) {
  json columns = json::object();
  for (int i = 0; i < statement.column_count(); ++i) columns[statement.column_name(i)] = json::array();
  while (statement.step()) {
    for (int i = 0; i < statement.column_count(); ++i)
      columns[statement.column_name(i)].push_back(cell_json(statement.cell(i)));
  }
  return columns;
}

json launches_of(Database& database, std::int64_t trace) {
  Statement statement = database.prepare("SELECT * FROM trace_launch WHERE trace_id = ? ORDER BY position");
  statement.bind_all(trace);
  json launches = json::array();
  while (statement.step()) {
    json launch = row_object(statement);
    launch.erase("trace_id");
    Statement blocks =
        database.prepare("SELECT " + columns_of<BlockTime>("block_trace") +
                         " FROM block_trace WHERE trace_id = ? AND position = ? ORDER BY block");
    blocks.bind_all(trace, launch.at("position").get<std::int64_t>());
    launch["blocks"] = column_arrays(blocks);
    launches.push_back(std::move(launch));
  }
  return launches;
}

json samples_of_curve(Database& database, std::int64_t curve) {
  Statement statement = database.prepare(
      "SELECT blocks, fitted, time_ns FROM grid_sample WHERE curve_id = ? ORDER BY blocks, position");
  statement.bind_all(curve);
  return column_arrays(statement);
}

json samples_of_sm_curve(Database& database, std::int64_t curve) {
  Statement statement = database.prepare(
      "SELECT sms_asked, sms, time_ns, cluster_slots FROM sm_sample WHERE curve_id = ? ORDER BY sms_asked, position");
  statement.bind_all(curve);
  return column_arrays(statement);
}

json launches_of_counters(Database& database, std::int64_t run) {
  Statement statement =
      database.prepare("SELECT * FROM counted_launch WHERE counter_run_id = ? ORDER BY position");
  statement.bind_all(run);
  json launches = json::array();
  while (statement.step()) {
    json launch = row_object(statement);
    launch.erase("counter_run_id");
    Statement values = database.prepare(
        "SELECT metric, value, unit FROM counter_value WHERE counter_run_id = ? AND position = ? ORDER BY metric");
    values.bind_all(run, launch.at("position").get<std::int64_t>());
    launch["values"] = column_arrays(values);
    launches.push_back(std::move(launch));
  }
  return launches;
}

json records_of(Database& database, std::int64_t timeline) {
  Statement statement = database.prepare("SELECT " + columns_of<TimelineRecord>("timeline_record") +
                                         " FROM timeline_record WHERE timeline_id = ? ORDER BY number");
  statement.bind_all(timeline);
  return column_arrays(statement);
}

// A kind of observations: its table, that table's column for the time, of which rows the latest is taken, and what
// belongs to each.
struct Kind {
  const char* list;
  const char* table;
  const char* at;
  const char* alike;
  const char* part;
  json (*part_of)(Database&, std::int64_t);
};

constexpr std::array kKinds{
    Kind{"traces", "trace", "traced_at", "configuration_id", "launches", launches_of},
    Kind{"curves", "grid_curve", "measured_at", "configuration_id", "samples", samples_of_curve},
    Kind{"sm_curves", "sm_curve", "measured_at", "configuration_id", "samples", samples_of_sm_curve},
    Kind{"counters", "counter_run", "counted_at", "configuration_id, method, metric_set", "launches",
         launches_of_counters},
    Kind{"timelines", "timeline", "observed_at", "configuration_id", "records", records_of}};

json observed(Database& database, const ExportScope& scope, const Kind& kind) {
  Statement statement = database.prepare(fmt::format(R"(
    SELECT * FROM (
      SELECT {0}.*, configuration.variant, configuration.parameters, configuration.problem,
        row_number() OVER (PARTITION BY {2} ORDER BY {1} DESC, {0}.id DESC) AS age, configuration.name
      FROM {0} JOIN device ON device.id = device_id JOIN configuration ON configuration.id = configuration_id
      WHERE experiment = :experiment AND device.name = :device AND (:system = '' OR {0}.system = :system))
    WHERE age = 1 ORDER BY name)",
                                                     kind.table, kind.at, kind.alike));
  statement.bind(":experiment", scope.experiment).bind(":device", scope.device).bind(":system", scope.system);
  json rows = json::array();
  while (statement.step()) {
    json row = row_object(statement, nested_columns<Configuration>());
    row[kind.part] = kind.part_of(database, row.at("id").get<std::int64_t>());
    for (const char* key : {"id", "configuration_id", "experiment", "recorded_from", "age", "name"})
      row.erase(key);
    rows.push_back(std::move(row));
  }
  return rows;
}

// Takes what all rows share out of them.
void gather(Database& database, json& document, const char* key) {
  for (json& row : document.at(key)) {
    Statement device = database.prepare("SELECT * FROM device WHERE id = ?");
    device.bind_all(row.at("device_id").get<std::int64_t>()).step();
    json described = row_object(device, nested_columns<DeviceDescription>());
    described.erase("id");
    row["device"] = std::move(described);
    document["system"] = row.at("system");
    row.erase("device_id");
    row.erase("system");
  }
}

}  // namespace

std::string export_observed(Database& database, const ExportScope& scope) {
  json document{
      {"schema_version", kRecordedVersion}, {"experiment", scope.experiment}, {"device", scope.device}};
  for (const Kind& kind : kKinds) document[kind.list] = observed(database, scope, kind);
  if (std::ranges::all_of(kKinds, [&](const Kind& kind) { return document[kind.list].empty(); })) {
    throw Error(
        Diagnostic{database.file().string(), "",
                   fmt::format("no traces, curves, counters or timelines of experiment '{}' on device '{}'",
                               scope.experiment, scope.device),
                   "", -1, "'tailwave trace', 'curve', 'counters' and 'timeline' make some"},
        Error::kRunFailed);
  }
  std::set<std::string> systems;
  for (const Kind& kind : kKinds)
    for (const json& row : document[kind.list]) systems.insert(row.at("system").get<std::string>());
  require_one_system(scope, {systems.begin(), systems.end()});
  for (const Kind& kind : kKinds) gather(database, document, kind.list);
  for (const char* list : {"sm_curves", "timelines"})
    if (document[list].empty()) document.erase(list);
  return pretty(document);
}

}  // namespace tailwave
