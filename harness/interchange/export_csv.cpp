#include "interchange/export_csv.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "core/table.h"

namespace tailwave {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 7> kBefore{"system", "experiment",    "run_device", "device",
                                                  "kind",   "configuration", "variant"};
constexpr std::array<std::string_view, 11> kAfter{"outcome",    "unverified", "mode",        "timer",
                                                  "repetition", "position",   "time_ns",     "executions",
                                                  "dropped",    "metric",     "metric_value"};

// Parameters first, then problem quantities; each sorted, as in a configuration's name.
std::vector<std::string> assigned_names(Database& database, const ExportScope& scope) {
  Statement statement = database.prepare(R"(
    SELECT DISTINCT 0 AS of_problem, item.key FROM current_trial, json_each(parameters) AS item
    WHERE experiment = :experiment AND run_device = :device AND (:system = '' OR system = :system)
    UNION
    SELECT 1, item.key FROM current_trial, json_each(problem) AS item
    WHERE experiment = :experiment AND run_device = :device AND (:system = '' OR system = :system)
    ORDER BY 1, 2)");
  statement.bind(":experiment", scope.experiment).bind(":device", scope.device).bind(":system", scope.system);
  std::vector<std::string> names;
  while (statement.step()) {
    const std::string name = statement.text(1);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

// What programs reported of samples, by name.
std::vector<std::string> reported_names(Database& database, const ExportScope& scope) {
  Statement statement = database.prepare(R"(
    SELECT DISTINCT item.key FROM current_trial JOIN sample USING (trial_id), json_each(reported) AS item
    WHERE experiment = :experiment AND run_device = :device AND (:system = '' OR system = :system)
    ORDER BY 1)");
  statement.bind(":experiment", scope.experiment).bind(":device", scope.device).bind(":system", scope.system);
  std::vector<std::string> names;
  while (statement.step()) names.push_back(statement.text(0));
  return names;
}

// The metrics beside the first one, which samples have themselves; but for the time, and what is reported of samples.
std::vector<std::string> further_metrics(Database& database, const ExportScope& scope,
                                         const std::vector<std::string>& reported) {
  Statement statement = database.prepare(R"(
    SELECT name FROM current_trial JOIN trial_metric USING (trial_id)
    WHERE experiment = :experiment AND run_device = :device AND (:system = '' OR system = :system)
      AND trial_metric.position > 0 AND name <> 'time'
    GROUP BY name ORDER BY min(trial_metric.position), name)");
  statement.bind(":experiment", scope.experiment).bind(":device", scope.device).bind(":system", scope.system);
  std::vector<std::string> names;
  while (statement.step())
    if (std::ranges::find(reported, statement.text(0)) == reported.end()) names.push_back(statement.text(0));
  return names;
}

// A column of its own, whatever the names of others are.
void add_column(Table& table, std::string name) {
  const auto is_taken = [&] {
    return std::ranges::find(kBefore, name) != kBefore.end() ||
           std::ranges::find(kAfter, name) != kAfter.end() ||
           std::ranges::find(table.columns, name) != table.columns.end();
  };
  while (is_taken()) name += '_';
  table.columns.push_back(std::move(name));
}

Cell assigned_cell(const json& values, const std::string& name) {
  const auto found = values.find(name);
  if (found == values.end() || found->is_null()) return {};
  if (found->is_number_integer()) return found->get<std::int64_t>();
  if (found->is_number()) return found->get<double>();
  return found->is_string() ? found->get<std::string>() : found->dump();
}

}  // namespace

std::string export_csv(Database& database, const ExportScope& scope) {
  require_trials(database, scope);
  const std::vector<std::string> names = assigned_names(database, scope);
  const std::vector<std::string> reported = reported_names(database, scope);
  const std::vector<std::string> further = further_metrics(database, scope, reported);
  Table table;
  table.columns.assign(kBefore.begin(), kBefore.end());
  for (const std::string& name : names) add_column(table, name);
  table.columns.insert(table.columns.end(), kAfter.begin(), kAfter.end());
  for (const auto* more : {&reported, &further})
    for (const std::string& name : *more) add_column(table, name);

  Statement statement = database.prepare(R"(
    SELECT current_trial.system, current_trial.experiment, run_device, device, kind, configuration, variant, outcome, unverified,
      mode, timer, repetition, position, time_ns, executions, dropped, run.metric,
      CASE WHEN metric_expression IS NOT NULL THEN metric_value WHEN run.metric = 'time' THEN time_ns / 1e9
        ELSE json_extract(work, '$."' || replace(run.metric, '_per_second', '') || '"') / nullif(time_ns / 1e9, 0) END,
      json_patch(problem, parameters), coalesce(reported, '{}'),
      (SELECT json_group_object(name, value) FROM trial_metric WHERE trial_metric.trial_id = current_trial.trial_id)
    FROM current_trial JOIN run ON run.id = run_id LEFT JOIN sample USING (trial_id)
    WHERE current_trial.experiment = :experiment AND run_device = :device AND (:system = '' OR current_trial.system = :system)
    ORDER BY current_trial.system, configuration, repetition, position)");
  statement.bind(":experiment", scope.experiment).bind(":device", scope.device).bind(":system", scope.system);
  const auto before = static_cast<int>(kBefore.size());
  const int fixed = before + static_cast<int>(kAfter.size());
  while (statement.step()) {
    std::vector<Cell> row;
    const auto add = [&](int column, const std::vector<std::string>& keys) {
      const json values = json::parse(statement.text(column));
      for (const std::string& key : keys) row.push_back(assigned_cell(values, key));
    };
    for (int i = 0; i < before; ++i) row.push_back(statement.cell(i));
    add(fixed, names);
    for (int i = before; i < fixed; ++i) row.push_back(statement.cell(i));
    add(fixed + 1, reported);
    add(fixed + 2, further);
    table.rows.push_back(std::move(row));
  }
  return render(table, TableFormat::csv);
}

}  // namespace tailwave
