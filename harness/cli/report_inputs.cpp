#include "cli/report_inputs.h"

#include <filesystem>
#include <set>
#include <system_error>

#include "core/hash.h"
#include "core/program_identity.h"

namespace tailwave {
namespace {

// None where there is no such folder.
std::set<std::filesystem::path> files_below(const std::filesystem::path& folder) {
  std::set<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error))
    if (entry.is_regular_file()) files.insert(entry.path());
  return files;
}

}  // namespace

std::string report_inputs(const Database& database, const ReportOptions& options) {
  FieldHasher hasher;
  hasher.add(program_identity())
      .add(hash_of_file(database.file()))
      .add(hash_of_file(database.file().string() + "-wal"));
  for (const std::string& name : options.experiments) hasher.add(name);
  for (const std::filesystem::path& file : files_below(options.project / "analysis"))
    hasher.add(file.string()).add(hash_of_file(file));
  if (options.renderer != nullptr)
    hasher.add(options.renderer->version()).add(options.renderer->draws() ? "drawn" : "");
  return hasher.digest();
}

}  // namespace tailwave
