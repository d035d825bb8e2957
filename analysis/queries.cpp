#include "analysis/queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

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

}  // namespace

NamedQuery parse_query(const std::string& name, std::string_view text) {
  NamedQuery query;
  query.name = name;
  query.sql = text;
  std::istringstream lines(query.sql);
  for (std::string line; std::getline(lines, line) && line.starts_with("--");) {
    if (query.title.empty()) query.title = value_after(line, "-- title:");
    if (query.parameters.empty()) query.parameters = value_after(line, "-- parameters:");
  }
  return query;
}

std::vector<NamedQuery> list_queries(const std::filesystem::path& project) {
  std::vector<NamedQuery> queries;
  for (const auto& [name, text] : sql_files("tables", project)) queries.push_back(parse_query(name, text));
  queries.push_back({"claims", "What the studies claim, and whether it holds on each GPU",
                     ":system, :device, :claim", "", project});
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

Table run_query(Database& database, const NamedQuery& query, const Values& parameters) {
  return query.sql.empty() ? claims_table(database, list_claims(query.project), parameters)
                           : database.query(query.sql, parameters);
}

}  // namespace tailwave
