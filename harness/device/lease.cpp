#include "device/lease.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/printable.h"

namespace tailwave {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostText = 240;  // of a holder
constexpr mode_t kFolderMode = 01777, kFileMode = 0666;

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw Error(fmt::format("{}: {}", path.string(), why));
}

std::string error_text() {
  return errno == ELOOP ? "is a symbolic link" : std::strerror(errno);
}

Descriptor open_folder(const fs::path& path) {
  const bool made = mkdir(path.c_str(), kFolderMode) == 0;
  const int not_made = made ? 0 : errno;
  Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder.number() < 0) {
    std::error_code ignored;
    if (fs::is_symlink(path, ignored)) refuse(path, "is a symbolic link");
    if (not_made != EEXIST && not_made != 0) errno = not_made;
    refuse(path, error_text());
  }
  if (made) fchmod(folder.number(), kFolderMode);  // whatever the umask
  return folder;
}

// Without O_CREAT where it is there: Linux refuses that in a folder of all for files of others (fs.protected_regular).
int open_or_make(int folder, const std::string& name) {
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  for (;;) {
    const int there = openat(folder, name.c_str(), kFlags);
    if (there >= 0 || errno != ENOENT) return there;
    const int made = openat(folder, name.c_str(), kFlags | O_CREAT | O_EXCL, kFileMode);
    if (made >= 0) fchmod(made, kFileMode);
    if (made >= 0 || errno != EEXIST) return made;
  }
}

Descriptor open_file(int folder, const fs::path& path) {
  Descriptor file(open_or_make(folder, path.filename()));
  if (file.number() < 0) refuse(path, error_text());
  struct stat status {};
  if (fstat(file.number(), &status) != 0) refuse(path, error_text());
  if (!S_ISREG(status.st_mode)) refuse(path, "is no regular file");
  if (status.st_nlink > 1) refuse(path, "has another name, too");  // what is written to it would be there
  if (flock(file.number(), LOCK_SH | LOCK_NB) == 0)
    flock(file.number(), LOCK_UN);
  else if (errno != EWOULDBLOCK)
    refuse(path, "cannot be locked: " + error_text());
  return file;
}

// The same file, opened again.
Descriptor to_read(const Descriptor& file) {
  const std::string name = fmt::format("/proc/self/fd/{}", file.number());
  Descriptor again(open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (again.number() < 0) refuse(name, error_text());
  return again;
}

// What could be locked when it was opened can be.
void lock(int file) {
  while (flock(file, LOCK_EX) != 0 && errno == EINTR) {
  }
}

fs::path queue_of(const fs::path& file) {
  return file.string() + ".queue";
}

}  // namespace

Lease::Lease(Terms terms) : holder_(std::move(terms.holder)) {
  const Descriptor folder = open_folder(terms.folder);
  const fs::path file = terms.folder / terms.device;
  queue_ = to_read(open_file(folder.number(), queue_of(file)));
  name_ = open_file(folder.number(), file);
  device_ = to_read(name_);
  holder_ = holder_.substr(0, kMostText) + "\n";
}

void Lease::take() noexcept {
  lock(queue_.number());
  lock(device_.number());
  flock(queue_.number(), LOCK_UN);
  // A full disk loses nothing but the name.
  static_cast<void>(!pwrite(name_.number(), holder_.data(), holder_.size(), 0));
}

void Lease::release() noexcept {
  flock(device_.number(), LOCK_UN);
}

fs::path default_lease_folder() {
  const char* const own = std::getenv("TAILWAVE_LEASES");
  return fs::absolute(own != nullptr && *own != '\0' ? own : "/tmp/tailwave-leases");
}

std::string lease_name(const DeviceDescription& device) {
  if (device.kind == DeviceKind::cpu) return "cpu";
  return device.uuid.empty() ? "gpu" : device.uuid;
}

std::string lease_holder_here() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string command(std::istreambuf_iterator<char>(file), {});
  if (!command.empty()) command.pop_back();
  for (char& c : command)
    if (c == '\0' || c == '\n') c = ' ';
  const std::size_t program_ends = command.find(' ');
  command.erase(0, command.rfind('/', program_ends) + 1);  // npos + 1 is 0
  return fmt::format("{} {}", getpid(), command);
}

std::string lease_holder(const fs::path& folder, const std::string& device) {
  constexpr const char* kUnknown = "another process";
  const Descriptor file(open((folder / device).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  std::array<char, kMostText + 1> bytes{};
  const ssize_t size = file.number() < 0 ? -1 : read(file.number(), bytes.data(), bytes.size());
  if (size <= 0) return kUnknown;
  std::string_view text(bytes.data(), static_cast<std::size_t>(size));
  text = text.substr(0, text.find('\n'));
  pid_t process = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), process);
  if (error != std::errc{}) return kUnknown;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.starts_with(' ')) return kUnknown;
  return fmt::format("process {} ({})", process, printable(text.substr(1), LineEnds::as_spaces));
}

}  // namespace tailwave
