#include "analysis/queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "analysis/advice_rule.h"
#include "analysis/claims.h"
#include "analysis/sql_files.h"
#include "core/error.h"

namespace tailwave {
namespace {

std::string value_after(const std::string& line, std::string_view key) {
  if (!line.starts_with(key)) return "";
  const std::size_t start = line.find_first_not_of(' ', key.size());
  return start == std::string::npos ? "" : line.substr(start);
}

bool has_what_it_needs(Database& database, const NamedQuery& query, const Values& parameters) {
  return query.needs.empty() || !database.query(query.needs, parameters).rows.empty();
}

// The columns alone.
Table without_rows(Database& database, const NamedQuery& query) {
  const Statement statement = database.prepare(query.sql);
  Table table;
  for (int i = 0; i < statement.column_count(); ++i) table.columns.push_back(statement.column_name(i));
  return table;
}

void require_known(const Database& database, const std::string& what, const Values& parameters,
                   const std::vector<std::string>& known) {
  const auto given = parameters.find(what);
  if (given == parameters.end()) return;
  const std::string name = to_string(given->second);
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  const std::string near = nearest(name, known);
  throw Error(Diagnostic{database.file().string(), "", fmt::format("nothing of {} '{}'", what, name), "", -1,
                         near.empty() ? "'tailwave query runs' shows what the database has"
                                      : fmt::format("did you mean '{}'?", near)});
}

}  // namespace

NamedQuery parse_query(const std::string& name, std::string_view text) {
  NamedQuery query;
  query.name = name;
  query.sql = text;
  std::istringstream lines(query.sql);
  for (std::string line; std::getline(lines, line) && line.starts_with("--");) {
    if (query.title.empty()) query.title = value_after(line, "-- title:");
    if (query.parameters.empty()) query.parameters = value_after(line, "-- parameters:");
    if (query.needs.empty()) query.needs = value_after(line, "-- needs:");
  }
  return query;
}

std::vector<NamedQuery> list_queries(const std::filesystem::path& project) {
  std::vector<NamedQuery> queries;
  for (const auto& [name, text] : sql_files("tables", project)) queries.push_back(parse_query(name, text));
  queries.push_back({"claims", "What the studies claim, and whether it holds on each GPU",
                     ":system, :device, :claim", "", "", project});
  std::sort(queries.begin(), queries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return queries;
}

NamedQuery find_query(const std::string& name, const std::filesystem::path& project) {
  std::vector<std::string> names;
  for (NamedQuery& query : list_queries(project)) {
    if (query.name == name) return std::move(query);
    names.push_back(query.name);
  }
  const std::string near = nearest(name, names);
  throw Error(Diagnostic{"", "query", fmt::format("there is no query '{}'", name), "", -1,
                         near.empty() ? fmt::format("there are: {}", fmt::join(names, ", "))
                                      : fmt::format("did you mean '{}'?", near)});
}

void require_known_names(Database& database, const Values& parameters) {
  Statement row = database.prepare(
      "SELECT system, experiment FROM run UNION SELECT system, experiment FROM trace UNION "
      "SELECT system, experiment FROM grid_curve");
  std::vector<std::string> systems;
  std::vector<std::string> experiments;
  while (row.step()) {
    systems.push_back(row.text(0));
    experiments.insert(experiments.end(), {row.text(1), row.text(0) + "/" + row.text(1)});
  }
  require_known(database, "experiment", parameters, experiments);
  require_known(database, "system", parameters, systems);
}

Table run_query(Database& database, const NamedQuery& query, const Values& parameters) {
  add_advice_functions(database.handle());
  if (!has_what_it_needs(database, query, parameters)) return without_rows(database, query);
  return query.sql.empty() ? claims_table(database, list_claims(query.project), parameters)
                           : database.query(query.sql, parameters);
}

}  // namespace tailwave
