#include "analysis/report_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "core/error.h"

namespace tailwave {
namespace {

constexpr const char* kList = ".tailwave_report";
constexpr const char* kListBegins =
    "# The files that `tailwave report` wrote here. It overwrites and deletes these, and no others.\n";

[[noreturn]] void refuse_folder(const std::filesystem::path& file, const std::string& cause,
                                const std::string& hint) {
  throw Error(Diagnostic{file.string(), "", cause, "", -1, hint});
}

std::string contents_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// A name in the list leads to a file of the folder, whoever edited the list.
bool stays_inside(const std::filesystem::path& name) {
  return name.is_relative() && !name.empty() &&
         std::none_of(name.begin(), name.end(), [](const auto& part) { return part == ".."; });
}

std::set<std::string> names_in(const std::string& list) {
  std::set<std::string> names;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find('\n', at), list.size());
    const std::string line = list.substr(at, end - at);
    if (!line.starts_with('#') && stays_inside(line)) names.insert(line);
    at = end + 1;
  }
  return names;
}

// Of those in the folder the first by name; "" for an empty folder or none.
std::string something_in(const std::filesystem::path& folder) {
  std::string first;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (first.empty() || name < first) first = name;
  }
  return first;
}

bool is_at(const std::string& file, const std::string& place) {
  return file == place || (file.starts_with(place) && file[place.size()] == '/');
}

// With the folders that are empty then.
void remove_file(const std::filesystem::path& folder, const std::filesystem::path& file) {
  std::error_code error;
  std::filesystem::remove(folder / file, error);
  for (auto parent = file.parent_path(); !parent.empty(); parent = parent.parent_path())
    if (!std::filesystem::remove(folder / parent, error)) return;
}

}  // namespace

ReportFolder::ReportFolder(std::filesystem::path folder) : folder_(std::move(folder)) {
  if (folder_.empty()) throw Error("--out: '' is no folder", Error::kBadUsage);
  std::error_code error;
  if (!std::filesystem::exists(folder_, error)) return;
  if (!std::filesystem::is_directory(folder_, error))
    refuse_folder(folder_, "is a file, not a folder", "name a new or an empty folder with --out");
  listed_ = std::filesystem::exists(folder_ / kList, error);
  if (listed_) {
    known_ = names_in(contents_of(folder_ / kList));
    return;
  }
  const std::string first = something_in(folder_);
  if (!first.empty() && !contents_of(folder_ / "README.md").starts_with(kIndexBegins))
    refuse_folder(folder_, fmt::format("is not a report's folder, and not empty: '{}' is in it", first),
                  "name a new or an empty folder with --out");
  listed_ = first.empty();
}

void ReportFolder::begin(const std::set<std::string>& files) {
  std::error_code error;
  for (const std::string& file : files) {
    if (listed_ && !known_.contains(file) && std::filesystem::exists(folder_ / file, error))
      refuse_folder(folder_ / file, "would be overwritten, and no report wrote it",
                    "move it, or name another folder with --out");
  }
  written_ = files;
  write_list();
}

void ReportFolder::write(const std::string& file, const std::string& text) const {
  const std::filesystem::path target = folder_ / file;
  std::error_code error;
  std::filesystem::create_directories(target.parent_path(), error);
  const std::filesystem::path temporary = target.string() + ".tailwave_tmp";
  {
    std::ofstream stream(temporary, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream)
      throw Error(
          Diagnostic{target.string(), "", "cannot be written", "", -1, "name another folder with --out"},
          Error::kRunFailed);
  }
  std::filesystem::rename(temporary, target, error);
  if (error) throw Error(Diagnostic{target.string(), "", error.message(), "", -1, ""}, Error::kRunFailed);
}

void ReportFolder::finish(const std::vector<std::string>& places) {
  for (const std::string& file : known_) {
    const bool replaced = std::any_of(places.begin(), places.end(),
                                      [&](const std::string& place) { return is_at(file, place); });
    if (replaced && !written_.contains(file)) remove_file(folder_, file);
  }
  known_.insert(written_.begin(), written_.end());
  const auto gone = [&](const std::string& file) {
    std::error_code error;
    return !std::filesystem::exists(folder_ / file, error);
  };
  std::erase_if(known_, gone);
  written_.clear();
  write_list();
}

void ReportFolder::write_list() const {
  std::set<std::string> names = known_;
  names.insert(written_.begin(), written_.end());
  std::string text = kListBegins;
  for (const std::string& name : names) text += name + '\n';
  write(kList, text);
}

}  // namespace tailwave
