#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace tailwave {

// The folder that reports are written to. The names of the files that they wrote stand in it, in the file
// .tailwave_report: only these are overwritten or deleted (but see the constructor). Files are named relative to the folder, "nbody/tuning.md".
class ReportFolder {
 public:
  // Touches nothing. Throws Error (bad usage) for a file, and for a folder with files in it that is not a report's. One without
  // the list is an older report's if its README.md begins as an index does (kIndexBegins); then no file is deleted, but those
  // with the names of this report's files are overwritten.
  explicit ReportFolder(std::filesystem::path folder);

  // Says what is about to be written. Throws Error (bad usage), before anything is touched, for a file that is there and that
  // no report wrote.
  void begin(const std::set<std::string>& files);
  // Whole or not at all. Throws Error (kRunFailed) that names the file.
  void write(const std::string& file, const std::string& text) const;
  // Deletes what earlier reports wrote as one of `places` or in a folder of that name, and this one did not.
  void finish(const std::vector<std::string>& places);

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }

 private:
  void write_list() const;

  std::filesystem::path folder_;
  bool listed_ = true;
  std::set<std::string> known_;    // that reports wrote
  std::set<std::string> written_;  // by this one
};

// How the index of every report begins.
inline constexpr const char* kIndexBegins = "# Results\n\nWritten by `tailwave report` from the database";

}  // namespace tailwave
