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
constexpr std::array<std::string_view, 9> kAfter{
    "outcome", "unverified", "mode", "timer", "repetition", "position", "time_ns", "executions", "dropped"};

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

std::string column_name(const std::string& name) {
  const bool taken = std::find(kBefore.begin(), kBefore.end(), name) != kBefore.end() ||
                     std::find(kAfter.begin(), kAfter.end(), name) != kAfter.end();
  return taken ? name + "_" : name;
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
  Table table;
  table.columns.assign(kBefore.begin(), kBefore.end());
  for (const std::string& name : names) table.columns.push_back(column_name(name));
  table.columns.insert(table.columns.end(), kAfter.begin(), kAfter.end());

  Statement statement = database.prepare(R"(
    SELECT system, experiment, run_device, device, kind, configuration, variant, outcome, unverified, mode, timer, repetition,
      position, time_ns, executions, dropped, parameters, problem
    FROM current_trial LEFT JOIN sample USING (trial_id)
    WHERE experiment = :experiment AND run_device = :device AND (:system = '' OR system = :system)
    ORDER BY system, configuration, repetition, position)");
  statement.bind(":experiment", scope.experiment).bind(":device", scope.device).bind(":system", scope.system);
  const auto before = static_cast<int>(kBefore.size());
  const int fixed = before + static_cast<int>(kAfter.size());
  while (statement.step()) {
    json values = json::parse(statement.text(fixed + 1));
    values.update(json::parse(statement.text(fixed)));
    std::vector<Cell> row;
    for (int i = 0; i < before; ++i) row.push_back(statement.cell(i));
    for (const std::string& name : names) row.push_back(assigned_cell(values, name));
    for (int i = before; i < fixed; ++i) row.push_back(statement.cell(i));
    table.rows.push_back(std::move(row));
  }
  return render(table, TableFormat::csv);
}

}  // namespace tailwave
