#include "analysis/sql_files.h"

#include <fstream>
#include <iterator>
#include <system_error>

#include "analysis/embedded.h"

namespace tailwave {

std::map<std::string, std::string> sql_files(const std::string& folder,
                                             const std::filesystem::path& project) {
  std::map<std::string, std::string> files;
  for (const auto& [path, text] : embedded::analysis::files()) {
    const std::filesystem::path file(path);
    if (file.parent_path() == folder) files.emplace(file.stem().string(), text);
  }
  if (project.empty()) return files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(project / "analysis" / folder, error)) {
    if (entry.path().extension() != ".sql" || files.contains(entry.path().stem().string())) continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    files.emplace(entry.path().stem().string(), std::string(std::istreambuf_iterator<char>(stream), {}));
  }
  return files;
}

}  // namespace tailwave
