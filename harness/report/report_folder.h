#pragma once

#include <dirent.h>

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace tailwave {

// The folder that reports are written to. The names of the files that they wrote stand in it, in the file
// .tailwave_report: only these are overwritten or deleted (but see the constructor). Files are named relative to the
// folder, "nbody/tuning.md".
//
// A report is gathered in .tailwave_new inside the folder, and moved to its place when all of it is there: a full
// disk leaves the report that was there. Killed at any moment, the list claims no file that a report did not write:
// until a file is in its place (or gone), its line has the hash of its contents, and it is a report's only with these
// contents.
class ReportFolder {
 public:
  // Touches nothing. Throws Error (bad usage) for a file, and for a folder with files in it that is not a report's.
  // One without the list is an older report's if its README.md begins as an index does (kIndexBegins); then no file
  // is deleted, but those with the names of this report's files are overwritten.
  explicit ReportFolder(std::filesystem::path folder);
  // Removes what was written and not finished.
  ~ReportFolder();
  ReportFolder(const ReportFolder&) = delete;
  ReportFolder& operator=(const ReportFolder&) = delete;

  // Whether finish() was the last to touch any file of the report, and was told the same `inputs`.
  [[nodiscard]] bool is_made_of(const std::string& inputs) const;
  // Makes the folder, and keeps other programs from writing a report here. Throws Error (kRunFailed) while one does,
  // and where nothing can be written.
  void lock();
  // Says what is about to be written, and locks. Throws Error (bad usage), before any file is touched, for a file
  // that is there and that no report wrote, and (kRunFailed) while another program writes a report here.
  void begin(const std::set<std::string>& files);
  // The contents of a file of an earlier report; "" where there is none.
  [[nodiscard]] std::string earlier(const std::string& file) const;
  // Throws Error (kRunFailed) that names the file. It is in its place after finish().
  void write(const std::string& file, const std::string& text) const;
  // Moves the files to their places, but for those that have the same contents there, and deletes what earlier reports wrote as
  // one of `places` or in a folder of that name, and this one did not.
  // `inputs`: a hash of all that the report is made of, for is_made_of(); "" where that is never to hold.
  void finish(const std::vector<std::string>& places, const std::string& inputs = "");

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }

 private:
  struct Close {
    void operator()(DIR* folder) const { closedir(folder); }
  };

  void load();
  void refuse_others(const std::set<std::string>& files) const;
  void move(const std::string& file) const;
  [[nodiscard]] bool is_as_before(const std::string& file) const;
  // `unsure`: name -> hash of the contents with which it is a report's.
  void write_list(const std::map<std::string, std::string>& unsure, const std::string& inputs) const;
  [[nodiscard]] std::string made_of(const std::string& inputs) const;

  std::filesystem::path folder_;
  bool listed_ = true;
  std::unique_ptr<DIR, Close> lock_;
  std::set<std::string> known_;      // that reports wrote
  std::set<std::string> announced_;  // by begin()
};

// How the index of every report begins.
inline constexpr const char* kIndexBegins = "# Results\n\nWritten by `tailwave report` from the database";

}  // namespace tailwave
