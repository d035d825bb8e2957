#include "analysis/queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "analysis/embedded.h"
#include "core/error.h"

namespace tailwave {
namespace {

std::string value_after(const std::string& line, std::string_view key) {
  if (!line.starts_with(key)) return "";
  const std::size_t start = line.find_first_not_of(' ', key.size());
  return start == std::string::npos ? "" : line.substr(start);
}

void add_project_queries(std::vector<NamedQuery>& queries, const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().stem().string();
    const bool known = std::any_of(queries.begin(), queries.end(),
                                   [&](const NamedQuery& query) { return query.name == name; });
    if (known || entry.path().extension() != ".sql") continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    queries.push_back(parse_query(name, std::string(std::istreambuf_iterator<char>(stream), {})));
  }
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
  for (const auto& [path, text] : embedded::analysis::files())
    queries.push_back(parse_query(std::filesystem::path(path).stem().string(), text));
  if (!project.empty()) add_project_queries(queries, project / "analysis" / "tables");
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
  return database.query(query.sql, parameters);
}

}  // namespace tailwave
