#include "cli/result_database.h"

#include <fmt/format.h>

#include <system_error>

#include "core/error.h"
#include "spec/experiment.h"
#include "spec/paths.h"
#include "store/rankings.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error);
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_project(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder / "kernel_templates", error);
}

std::string where_else(const fs::path& file) {
  if (file == kDefaultDatabase) {
    const fs::path above = default_database_above();
    if (is_file(above))
      return fmt::format("did you mean '{}', of the project's folder? (--db)", above.string());
  } else if (const fs::path near = near_path(file); is_file(near)) {
    return fmt::format("did you mean '{}'?", near.string());
  }
  return file == kDefaultDatabase ? "'tailwave run' makes one; --db names another"
                                  : fmt::format("'tailwave run SPEC --db {}' would make it", file.string());
}

}  // namespace

fs::path default_database_above() {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (is_project(here)) return {};
  fs::path up = "..";
  for (fs::path folder = here; folder.has_relative_path(); up /= "..") {
    folder = folder.parent_path();
    if (is_project(folder) || is_file(folder / kDefaultDatabase)) return up / kDefaultDatabase;
  }
  return {};
}

Database open_to_write(const fs::path& file, const Console& console) {
  if (file == kInMemory)
    throw Error(Diagnostic{.file = kInMemory,
                           .cause = "would be gone with all rows when the command ends",
                           .hint = "name a file with --db"});
  const bool is_new = !is_there(file);
  Database database(file, Database::Mode::read_write);
  if (!is_new) return database;
  const fs::path above = file == kDefaultDatabase ? default_database_above() : fs::path();
  console.note(
      above.empty()
          ? fmt::format("made the database {}\n", file.string())
          : fmt::format("made the database {} in this folder; that of the project's folder is {} (--db)\n",
                        file.string(), above.string()));
  return database;
}

void require_database(const fs::path& file) {
  if (!is_there(file))
    throw Error(
        Diagnostic{.file = file.string(), .cause = "there is no such database", .hint = where_else(file)});
}

Database open_to_read(const fs::path& file) {
  require_database(file);
  return {file, Database::Mode::read_only};
}

void keep_rankings_or_note(Database& database, const Console& console,
                           const std::vector<std::string>& experiments) {
  try {
    keep_rankings(database, experiments);
  } catch (const Error& error) {
    console.note(fmt::format("the ranking is not kept, so queries take longer: {}\n", error.what()));
  }
}

}  // namespace tailwave
