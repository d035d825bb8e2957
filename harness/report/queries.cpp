#include "report/queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/outcome.h"
#include "core/suggestion.h"
#include "report/advice_rule.h"
#include "report/made_queries.h"
#include "report/sql_files.h"
#include "report/study_reader.h"

namespace tailwave {
namespace {

constexpr const char* kOfNames = "abcdefghijklmnopqrstuvwxyz_";

std::string value_after(const std::string& line, std::string_view key) {
  if (!line.starts_with(key)) return "";
  const std::size_t start = line.find_first_not_of(' ', key.size());
  return start == std::string::npos ? "" : line.substr(start);
}

// Those that have SQL refuse what it does not take; of the others the line of their parameters says what they take.
void require_its_own(Database& database, const NamedQuery& query, const Values& parameters) {
  std::string taken;
  for (std::size_t at = query.parameters.find(':'); at != std::string::npos;
       at = query.parameters.find(':', at + 1)) {
    const std::size_t end = query.parameters.find_first_not_of(kOfNames, at + 1);
    taken += (taken.empty() ? "" : ", ") + query.parameters.substr(at, end - at);
  }
  (void)database.query("SELECT " + taken, parameters);
}

constexpr std::size_t kMostNamed = 4;

std::string some_of(std::vector<std::string> names) {
  const std::size_t all = names.size();
  names.resize(std::min(all, kMostNamed));
  return fmt::format("{}{}", fmt::join(names, ", "),
                     all > kMostNamed ? fmt::format(" and {} more", all - kMostNamed) : "");
}

// The experiments of which a query in SQL has rows, where it names them; the others may take long.
std::vector<std::string> with_rows(Database& database, const NamedQuery& query, Values parameters) {
  if (query.sql.empty()) return {};
  parameters.erase("experiment");
  const Table table = run_query(database, query, parameters);
  const auto column = std::ranges::find(table.columns, "experiment");
  if (column == table.columns.end()) return {};
  std::set<std::string> names;
  for (const auto& row : table.rows)
    if (const auto* const name =
            std::get_if<std::string>(&row.at(static_cast<std::size_t>(column - table.columns.begin()))))
      names.insert(*name);
  return {names.begin(), names.end()};
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

// What these of the parameters choose of rows with the experiment and the device, which SQL says.
Table chosen_of(Database& database, const std::string& rows, const Values& parameters,
                const std::vector<std::string>& names) {
  Values asked;
  for (const std::string& name : names)
    if (const auto found = parameters.find(name); found != parameters.end()) asked.insert(*found);
  return database.query(
      "SELECT DISTINCT system || '/' || experiment || ' on ' || name FROM (" + rows +
          "UNION SELECT system, experiment, device_id FROM trace "
          "UNION SELECT system, experiment, device_id FROM grid_curve "
          "UNION SELECT system, experiment, device_id FROM sm_curve "
          "UNION SELECT system, experiment, device_id FROM counter_run) JOIN device ON device.id = device_id "
          "WHERE (:experiment IS NULL OR :experiment IN (experiment, system || '/' || experiment)) "
          "AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (name, kind)) ORDER BY 1",
      asked);
}

// "nbody/variants on NVIDIA H200" for all that was run or observed, of what these of the parameters ask for.
std::vector<std::string> what_ran(Database& database, const Values& parameters,
                                  const std::vector<std::string>& names) {
  std::vector<std::string> ran;
  for (const auto& row :
       chosen_of(database, "SELECT system, experiment, device_id FROM run ", parameters, names).rows)
    ran.push_back(std::get<std::string>(row.front()));
  return ran;
}

bool has_trials(Database& database, const Values& parameters, const std::string& of_kinds) {
  return !chosen_of(database,
                    "SELECT system, experiment, device_id FROM run "
                    "WHERE EXISTS (SELECT 1 FROM trial WHERE run_id = run.id) "
                    "AND device_id IN (SELECT id FROM device WHERE " +
                        of_kinds + ") ",
                    parameters, {"experiment", "system", "device"})
              .rows.empty();
}

std::string reason_for_no_rows(Database& database, const NamedQuery& query, const Values& parameters) {
  // A run that was interrupted, or whose reference failed, may have measured nothing.
  if (!has_trials(database, parameters, "true"))
    return "no configuration was measured; 'tailwave query runs' says how runs ended";
  if (query.ours_alone && !has_trials(database, parameters, "kind <> 'recorded'"))
    return "what another tuner recorded has no variants, default and limits to stand beside; 'tailwave query best' "
           "ranks it";
  return query.when_empty;
}

void require_known(const Database& database, const std::string& what, const Values& parameters,
                   std::vector<std::string> known) {
  const auto given = parameters.find(what);
  if (given == parameters.end()) return;
  const std::string name = to_string(given->second);
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  if (what == "experiment") known = experiments_to_offer(name, std::move(known));
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  throw Error(Diagnostic{
      .file = database.file().string(),
      .cause = fmt::format("nothing of {} '{}'", what, name),
      .hint = suggestion_of_many(name, known, "'tailwave query runs' shows what the database has")});
}

std::vector<std::string> outcome_names() {
  const auto& names = EnumNames<Outcome>::names;
  return {names.begin(), names.end()};
}

std::vector<std::string> first_column(Database& database, const std::string& sql) {
  std::vector<std::string> names;
  Statement row = database.prepare(sql);
  while (row.step()) names.push_back(row.text(0));
  return names;
}

// What else a parameter may name, and where these are.
constexpr std::array<std::pair<const char*, const char*>, 5> kNamedThings{{
    {"metric", "SELECT DISTINCT name FROM trial_metric ORDER BY 1"},
    {"search", "SELECT run_id FROM search ORDER BY 1"},
    {"space", "SELECT DISTINCT space FROM simulation ORDER BY 1"},
    {"strategy", "SELECT DISTINCT strategy FROM simulation ORDER BY 1"},
    {"role", "SELECT DISTINCT role FROM simulation ORDER BY 1"},
}};

// A part of a name, or 'all', is enough for some queries.
void require_configuration(Database& database, const Values& parameters) {
  const auto given = parameters.find("configuration");
  if (given == parameters.end() || to_string(given->second) == "all") return;
  std::vector<std::string> names = first_column(database, "SELECT name FROM configuration ORDER BY 1");
  const std::string part = to_string(given->second);
  const bool is_part = std::ranges::any_of(
      names, [&](const std::string& name) { return name.find(part) != std::string::npos; });
  if (!is_part) require_known(database, "configuration", parameters, std::move(names));
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
    if (query.when_empty.empty()) query.when_empty = value_after(line, "-- empty:");
  }
  return query;
}

std::vector<NamedQuery> list_queries(const std::filesystem::path& project) {
  std::vector<NamedQuery> queries;
  for (const auto& [name, text] : sql_files("tables", project)) queries.push_back(parse_query(name, text));
  for (NamedQuery& made : list_made_queries(project)) queries.push_back(std::move(made));
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
      "SELECT system, experiment FROM grid_curve UNION SELECT system, experiment FROM sm_curve UNION "
      "SELECT system, experiment FROM counter_run");
  std::vector<std::string> systems;
  std::vector<std::string> experiments;
  while (row.step()) {
    systems.push_back(row.text(0));
    experiments.insert(experiments.end(), {row.text(1), row.text(0) + "/" + row.text(1)});
  }
  require_known(database, "experiment", parameters, experiments);
  require_known(database, "system", parameters, systems);
  require_known(database, "baseline", parameters,
                first_column(database, "SELECT DISTINCT variant FROM configuration ORDER BY 1"));
  require_known(
      database, "parameter", parameters,
      first_column(
          database,
          "SELECT DISTINCT key FROM configuration, json_each(json_patch(problem, parameters)) ORDER BY 1"));
  require_known(database, "outcome", parameters, outcome_names());
  for (const auto& [what, sql] : kNamedThings)
    require_known(database, what, parameters, first_column(database, sql));
  require_configuration(database, parameters);
}

bool takes(const NamedQuery& query, const std::string& parameter) {
  const std::size_t at = query.parameters.find(':' + parameter);
  return at != std::string::npos &&
         query.parameters.find_first_of(kOfNames, at + 1 + parameter.size()) != at + 1 + parameter.size();
}

std::string why_no_rows(Database& database, const NamedQuery& query, const Values& parameters) {
  const std::vector<std::string> names = what_ran(database, parameters, {"experiment", "system"});
  const std::string file = database.file().string();
  if (names.empty())
    return fmt::format("no rows: {} has no results; 'tailwave run' and 'tailwave import' add some", file);
  const std::string reason = reason_for_no_rows(database, query, parameters);
  std::string text = "no rows" + (reason.empty() ? "" : ": " + reason);
  if (parameters.contains("experiment") &&
      !what_ran(database, parameters, {"experiment", "system", "device"}).empty()) {
    const std::vector<std::string> others = with_rows(database, query, parameters);
    return others.empty() ? text : text + "\n  it has rows of " + some_of(others);
  }
  const bool all_named = names.size() <= kMostNamed;
  return text + fmt::format("\n  {} has {}{}", file, some_of(names),
                            all_named ? "" : "; 'tailwave query runs' lists them");
}

void require_numbers(const Values& parameters) {
  for (const char* name : {"least", "limit", "margin", "pairs", "search"}) {
    const auto given = parameters.find(name);
    if (given == parameters.end() || !std::holds_alternative<std::string>(given->second)) continue;
    throw Error(Diagnostic{.place = "query",
                           .cause = fmt::format("{} cannot be '{}'", name, to_string(given->second)),
                           .hint = "use a number"});
  }
}

Table run_query(Database& database, const NamedQuery& query, const Values& parameters) {
  add_advice_functions(database.handle());
  if (query.sql.empty()) require_its_own(database, query, parameters);
  if (!has_what_it_needs(database, query, parameters)) return without_rows(database, query);
  if (query.sql.empty()) return run_made_query(database, query, parameters);
  return database.query(query.sql, parameters);
}

}  // namespace tailwave
