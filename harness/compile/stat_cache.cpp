#include "compile/stat_cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace tailwave {
namespace {

std::chrono::nanoseconds since_1970(const statx_timestamp& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

std::optional<FileState> state_of(const std::string& path) {
  struct statx found {};
  // A network file system, too, is to tell what is so now, as it tells one who opens the file.
  if (statx(AT_FDCWD, path.c_str(), AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &found) != 0)
    return errno == ENOENT || errno == ENOTDIR ? std::optional(FileState{}) : std::nullopt;
  FileState state;
  state.device = (std::uint64_t{found.stx_dev_major} << 32U) | found.stx_dev_minor;
  state.inode = found.stx_ino;
  if (S_ISDIR(found.stx_mode)) return state;
  state.bytes = found.stx_size;
  state.links = found.stx_nlink;
  state.modified = since_1970(found.stx_mtime);
  state.changed = since_1970(found.stx_ctime);
  return state;
}

}  // namespace

void StatCache::add(const std::filesystem::path& path) {
  const auto [entry, is_new] = seen_.try_emplace(path.string());
  if (!is_new) return;
  const std::chrono::nanoseconds now = std::chrono::system_clock::now().time_since_epoch();
  Entry& seen = entry->second;
  seen.state = state_of(entry->first);
  seen.settled = seen.state && std::max(seen.state->modified, seen.state->changed) + settled_after_ <= now;
}

bool StatCache::show_any_change() const {
  return std::all_of(seen_.begin(), seen_.end(), [](const auto& each) {
    // What has several names may be reached by another one of them, and then has other neighbours.
    return each.second.settled && each.second.state->links <= 1;
  });
}

bool StatCache::still_hold() const {
  return std::all_of(seen_.begin(), seen_.end(),
                     [](const auto& each) { return state_of(each.first) == each.second.state; });
}

}  // namespace tailwave
