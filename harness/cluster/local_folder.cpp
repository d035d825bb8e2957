#include "cluster/local_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "core/error.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLock = "lock";

[[noreturn]] void refuse(const fs::path& folder, const std::string& cause) {
  throw Error(
      Diagnostic{.file = folder.string(),
                 .cause = cause,
                 .hint = "tasks and merges keep what is not published yet in $SLURM_TMPDIR, $TMPDIR or /tmp"},
      Error::kRunFailed);
}

}  // namespace

fs::path local_disk() {
  for (const char* name : {"SLURM_TMPDIR", "TMPDIR"}) {
    const char* const folder = std::getenv(name);
    struct stat status {};
    if (folder != nullptr && *folder == '/' && stat(folder, &status) == 0 && S_ISDIR(status.st_mode) &&
        access(folder, W_OK | X_OK) == 0)
      return folder;
  }
  return "/tmp";
}

fs::path local_folder(const Submission& submission, std::size_t shard) {
  constexpr mode_t kOwn = 0700, kOfOthers = 0077;
  fs::path folder = local_disk() / fmt::format("tailwave-{}-{}", submission.identity, shard);
  if (mkdir(folder.c_str(), kOwn) != 0 && errno != EEXIST)
    refuse(folder, fmt::format("cannot be made: {}", std::strerror(errno)));
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0) refuse(folder, std::strerror(errno));
  if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & kOfOthers) != 0)
    refuse(folder, "is not a folder of this user alone");
  return folder;
}

Descriptor lock_local_folder(const fs::path& folder, double patience_s) {
  constexpr auto kBetween = std::chrono::milliseconds(100);
  constexpr int kMode = 0600;
  const fs::path file = folder / kLock;
  Descriptor lock(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kMode));
  if (lock.number() < 0) refuse(file, fmt::format("cannot be made: {}", std::strerror(errno)));
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience_s);
  while (flock(lock.number(), LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() > end)
      refuse(file,
             fmt::format("is held: another process of this machine has measured this shard for {} s more",
                         patience_s));
    std::this_thread::sleep_for(kBetween);
  }
  struct stat status {};
  if (fstat(lock.number(), &status) != 0 || status.st_nlink == 0)
    refuse(file, "was removed by an attempt that has ended meanwhile");
  return lock;
}

bool is_held(const fs::path& folder) {
  const Descriptor lock(open((folder / kLock).c_str(), O_RDONLY | O_CLOEXEC));
  return lock.number() >= 0 && flock(lock.number(), LOCK_SH | LOCK_NB) != 0;
}

}  // namespace tailwave
