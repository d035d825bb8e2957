#include "core/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

#include "core/descriptor.h"
#include "core/error.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, const std::string& what, int error) {
  throw Error(Diagnostic{.file = file.string(), .cause = fmt::format("{}: {}", what, std::strerror(error))},
              Error::kRunFailed);
}

// Other machines have processes of this number.
fs::path name_of_this_process(const fs::path& target) {
  struct utsname system {};
  uname(&system);
  return fmt::format("{}.{}.{}.tmp", target.string(), system.nodename, getpid());
}

void write_all(int descriptor, std::string_view bytes, const fs::path& target) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse(target, "cannot be written", errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Without it the name may be lost with the machine, not the file.
void flush_folder(const fs::path& folder) {
  const Descriptor descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.number() >= 0) fsync(descriptor.number());
}

void replace(const fs::path& target, const std::function<void(int descriptor)>& fill) {
  constexpr int kMode = 0644;
  const fs::path temporary = name_of_this_process(target);
  try {
    Descriptor descriptor(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode));
    if (descriptor.number() < 0) refuse(target, "cannot be written", errno);
    fill(descriptor.number());
    if (fsync(descriptor.number()) != 0) refuse(target, "cannot be written", errno);
    descriptor.close();
    if (std::rename(temporary.c_str(), target.c_str()) != 0) refuse(target, "cannot be replaced", errno);
  } catch (const Error&) {
    unlink(temporary.c_str());
    throw;
  }
  flush_folder(target.has_parent_path() ? target.parent_path() : ".");
}

}  // namespace

void replace_file(const fs::path& target, std::string_view text) {
  replace(target, [&](int descriptor) { write_all(descriptor, text, target); });
}

void replace_with_copy(const fs::path& target, const fs::path& source) {
  constexpr std::size_t kBlock = 1 << 20;
  const Descriptor from(open(source.c_str(), O_RDONLY | O_CLOEXEC));
  if (from.number() < 0) refuse(source, "cannot be read", errno);
  replace(target, [&](int descriptor) {
    std::vector<char> block(kBlock);
    for (ssize_t count = 0; (count = read(from.number(), block.data(), block.size())) != 0;) {
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) refuse(source, "cannot be read", errno);
      write_all(descriptor, {block.data(), static_cast<std::size_t>(count)}, target);
    }
  });
}

}  // namespace tailwave
