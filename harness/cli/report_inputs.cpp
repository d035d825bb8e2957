#include "cli/report_inputs.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>

#include "core/hash.h"
#include "core/program_identity.h"

namespace tailwave {
namespace {

std::string hash_of_file(const std::filesystem::path& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error) return "";
  std::string text(size, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(size));
  return content_hash(std::string_view(text).substr(0, static_cast<std::size_t>(stream.gcount())));
}

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
