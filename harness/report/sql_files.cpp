#include "report/sql_files.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "core/error.h"
#include "report/embedded.h"

namespace tailwave {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

std::map<std::string, std::string> sql_files(const std::string& folder,
                                             const std::filesystem::path& project) {
  std::map<std::string, std::string> files;
  for (const auto& [path, text] : embedded::report::files()) {
    const std::filesystem::path file(path);
    if (file.parent_path() == folder && file.extension() == ".sql") files.emplace(file.stem().string(), text);
  }
  if (project.empty()) return files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(project / "analysis" / folder, error)) {
    if (entry.path().extension() != ".sql" || files.contains(entry.path().stem().string())) continue;
    files.emplace(entry.path().stem().string(), text_of(entry.path()));
  }
  return files;
}

void refuse_sql_file(std::string_view folder, const std::string& id, const std::string& cause,
                     const std::string& hint) {
  throw Error(Diagnostic{fmt::format("analysis/{}/{}.sql", folder, id), "", cause, "", -1, hint});
}

std::string header_field(std::string_view sql, std::string_view name) {
  constexpr std::string_view kGoesOn = "--   ";
  const std::string key = "-- " + std::string(name) + ": ";
  std::string field;
  bool inside = false;
  std::istringstream lines{std::string(sql)};
  for (std::string line; std::getline(lines, line) && line.starts_with("--");) {
    if (inside && line.starts_with(kGoesOn)) {
      field += " " + line.substr(kGoesOn.size());
      continue;
    }
    inside = line.starts_with(key);
    if (inside) field = line.substr(key.size());
  }
  return field;
}

std::string analysis_file(const std::string& path, const std::filesystem::path& project) {
  const auto& files = embedded::report::files();
  if (const auto found = files.find(path); found != files.end()) return std::string(found->second);
  return project.empty() ? "" : text_of(project / "analysis" / path);
}

}  // namespace tailwave
