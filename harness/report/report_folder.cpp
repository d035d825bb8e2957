#include "report/report_folder.h"

#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/hash.h"

namespace tailwave {
namespace {

constexpr const char* kList = ".tailwave_report";
constexpr const char* kNew = ".tailwave_new";
constexpr const char* kListBegins =
    "# The files that `tailwave report` wrote here. It overwrites and deletes these, and no others.\n";
constexpr const char* kUnsureFollow =
    "# Of a report that was cut off; each of these is its own only where it has the contents "
    "with this hash.\n";
constexpr std::size_t kHashDigits = 32;

bool is_there(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(file, error));
}

[[noreturn]] void fail_to_write(const std::filesystem::path& file, const std::error_code& error) {
  throw Error(Diagnostic{file.string(), "", "cannot be written: " + error.message(), "", -1,
                         "name another folder with --out"},
              Error::kRunFailed);
}

[[noreturn]] void refuse_folder(const std::filesystem::path& file, const std::string& cause,
                                const std::string& hint) {
  throw Error(Diagnostic{file.string(), "", cause, "", -1, hint});
}

// "" of what is no regular file.
std::string contents_of(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return "";
  const auto size = std::filesystem::file_size(file, error);
  if (error) return "";
  std::string text(size, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

// A name leads to a file of the folder and is a line of the list, whoever made the database or edited the list.
bool stays_inside(const std::filesystem::path& name) {
  const std::string text = name.string();
  return name.is_relative() && !name.empty() && text.find('\n') == std::string::npos &&
         std::none_of(name.begin(), name.end(), [](const auto& part) { return part == ".."; });
}

// A line of the list.
struct Listed {
  std::string name;
  std::string hash;  // "" where the file is a report's whatever its contents are
};

Listed listed(const std::string& line) {
  if (!line.starts_with("? ") || line.size() <= kHashDigits + 3) return {line, ""};
  return {line.substr(kHashDigits + 3), line.substr(2, kHashDigits)};
}

// Those that are there and that reports wrote.
std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  const std::string list = contents_of(folder / kList);
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find('\n', at), list.size());
    const Listed line = listed(list.substr(at, end - at));
    at = end + 1;
    if (line.name.starts_with('#') || !stays_inside(line.name) || !is_there(folder / line.name)) continue;
    if (line.hash.empty() || line.hash == content_hash(contents_of(folder / line.name)))
      names.insert(line.name);
  }
  return names;
}

// Of those in the folder the first by name; "" for an empty folder or none.
std::string something_in(const std::filesystem::path& folder) {
  std::string first;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name == kNew) continue;  // of a first report that was cut off
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
  load();
}

ReportFolder::~ReportFolder() {
  std::error_code ignored;
  if (lock_) std::filesystem::remove_all(folder_ / kNew, ignored);
}

void ReportFolder::load() {
  listed_ = is_there(folder_ / kList);
  known_ = names_in(folder_);
  if (listed_) return;
  const std::string first = something_in(folder_);
  if (!first.empty() && !contents_of(folder_ / "README.md").starts_with(kIndexBegins))
    refuse_folder(folder_, fmt::format("is not a report's folder, and not empty: '{}' is in it", first),
                  "name a new or an empty folder with --out");
  listed_ = first.empty();
}

// The system gives the lock back when the process ends, however it ends.
void ReportFolder::lock() {
  if (lock_) return;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  std::unique_ptr<DIR, Close> folder(opendir(folder_.c_str()));
  if (!folder || access(folder_.c_str(), W_OK | X_OK) != 0)
    fail_to_write(folder_, {errno, std::generic_category()});
  if (flock(dirfd(folder.get()), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Error(Diagnostic{folder_.string(), "", "another program is writing a report here", "", -1,
                           "wait for it, or name another folder with --out"},
                Error::kRunFailed);
  lock_ = std::move(folder);
}

void ReportFolder::refuse_others(const std::set<std::string>& files) const {
  for (const std::string& file : files) {
    if (!stays_inside(file))
      refuse_folder(folder_ / file, "is no file of a report",
                    "a system or experiment in the database has a path for a name");
    if (std::filesystem::is_directory(folder_ / file))
      refuse_folder(folder_ / file, "is a folder where the report has a file",
                    "move it, or name another folder with --out");
    if (listed_ && !known_.contains(file) && is_there(folder_ / file))
      refuse_folder(folder_ / file, "would be overwritten, and no report wrote it",
                    "move it, or name another folder with --out");
    for (auto parent = std::filesystem::path(file).parent_path(); !parent.empty();
         parent = parent.parent_path())
      if (is_there(folder_ / parent) && !std::filesystem::is_directory(folder_ / parent))
        refuse_folder(folder_ / parent, "is a file where the report has a folder",
                      "move it, or name another folder with --out");
  }
}

void ReportFolder::begin(const std::set<std::string>& files) {
  lock();
  load();
  refuse_others(files);
  for (const std::string& file : files)  // of a report without a list: from here on, in the list
    if (is_there(folder_ / file)) known_.insert(file);
  std::error_code error;
  std::filesystem::remove_all(folder_ / kNew, error);
  announced_ = files;
}

std::string ReportFolder::earlier(const std::string& file) const {
  return known_.contains(file) ? contents_of(folder_ / file) : "";
}

void ReportFolder::write(const std::string& file, const std::string& text) const {
  const std::filesystem::path target = folder_ / kNew / file;
  std::error_code error;
  std::filesystem::create_directories(target.parent_path(), error);
  errno = 0;
  std::ofstream stream(target, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) fail_to_write(folder_ / file, {errno == 0 ? EIO : errno, std::generic_category()});
}

void ReportFolder::move(const std::string& file) const {
  const std::filesystem::path target = folder_ / file;
  std::error_code error;
  std::filesystem::create_directories(target.parent_path(), error);
  std::filesystem::rename(folder_ / kNew / file, target, error);
  // The folder of a system may be a link to, or a mount of, another file system.
  if (error == std::errc::cross_device_link) {
    const std::filesystem::path beside = target.string() + ".tailwave_tmp";
    std::filesystem::copy_file(folder_ / kNew / file, beside,
                               std::filesystem::copy_options::overwrite_existing, error);
    if (!error) std::filesystem::rename(beside, target, error);
    std::error_code ignored;
    std::filesystem::remove(beside, ignored);
  }
  if (error) fail_to_write(target, error);
}

// A line of the list: the inputs with all files as they are.
std::string ReportFolder::made_of(const std::string& inputs) const {
  FieldHasher hasher;
  hasher.add(inputs);
  for (const std::string& file : known_) hasher.add(file).add(contents_of(folder_ / file));
  return fmt::format("# Made of {}\n", hasher.digest());
}

bool ReportFolder::is_made_of(const std::string& inputs) const {
  return !inputs.empty() && contents_of(folder_ / kList).find('\n' + made_of(inputs)) != std::string::npos;
}

bool ReportFolder::is_as_before(const std::string& file) const {
  std::error_code error;
  return std::filesystem::is_regular_file(std::filesystem::symlink_status(folder_ / file, error)) &&
         contents_of(folder_ / file) == contents_of(folder_ / kNew / file);
}

void ReportFolder::finish(const std::vector<std::string>& places, const std::string& inputs) {
  std::erase_if(announced_, [&](const std::string& file) { return !is_there(folder_ / kNew / file); });
  refuse_others(announced_);
  const auto is_replaced = [&](const std::string& file) {
    return !announced_.contains(file) &&
           std::any_of(places.begin(), places.end(),
                       [&](const std::string& place) { return is_at(file, place); });
  };
  std::map<std::string, std::string> unsure;
  for (const std::string& file : announced_)
    if (!known_.contains(file)) unsure[file] = content_hash(contents_of(folder_ / kNew / file));
  std::set<std::string> replaced;
  std::copy_if(known_.begin(), known_.end(), std::inserter(replaced, replaced.end()), is_replaced);
  for (const std::string& file : replaced) {
    unsure[file] = content_hash(contents_of(folder_ / file));
    known_.erase(file);
  }
  std::vector<std::string> changed;
  for (const std::string& file : announced_)
    if (!is_as_before(file)) changed.push_back(file);
  if (!changed.empty() || !unsure.empty()) write_list(unsure, "");
  for (const std::string& file : changed) move(file);
  for (const std::string& file : replaced) remove_file(folder_, file);
  known_.insert(announced_.begin(), announced_.end());
  for (const std::string& file : replaced)
    if (is_there(folder_ / file)) known_.insert(file);
  write_list({}, inputs);
}

void ReportFolder::write_list(const std::map<std::string, std::string>& unsure,
                              const std::string& inputs) const {
  std::string text = kListBegins;
  if (!inputs.empty()) text += made_of(inputs);
  for (const std::string& name : known_) text += name + '\n';
  if (!unsure.empty()) text += kUnsureFollow;
  for (const auto& [name, hash] : unsure) text += fmt::format("? {} {}\n", hash, name);
  if (text == contents_of(folder_ / kList)) return;
  write(kList, text);
  move(kList);
}

}  // namespace tailwave
