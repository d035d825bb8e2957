#include "core/resource_limits.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace tailwave {
namespace fs = std::filesystem;
namespace {

using Resource = decltype(RLIMIT_DATA);

void set_limit(Resource what, rlim_t most) {
  rlimit limit{};
  if (getrlimit(what, &limit) != 0) return;
  limit.rlim_max = std::min(limit.rlim_max, most);
  limit.rlim_cur = std::min(limit.rlim_cur, limit.rlim_max);
  setrlimit(what, &limit);
}

bool can_start_a_thread() {
  try {
    std::thread([] {}).join();
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

// In a container the user may run more than can be seen there: then the limit can be reached already.
void limit_tasks(rlim_t most) {
  rlimit before{};
  if (getrlimit(RLIMIT_NPROC, &before) != 0) return;
  const rlimit tried{std::min(before.rlim_cur, most), before.rlim_max};
  if (setrlimit(RLIMIT_NPROC, &tried) != 0) return;
  if (can_start_a_thread())
    set_limit(RLIMIT_NPROC, most);
  else
    setrlimit(RLIMIT_NPROC, &before);
}

std::uint64_t memory_bytes(std::string_view which) {
  std::ifstream info("/proc/meminfo");
  std::string name;
  std::uint64_t kibibytes = 0;
  while (info >> name >> kibibytes) {
    if (name == which) return kibibytes << 10;
    info.ignore(64, '\n');
  }
  return 0;
}

}  // namespace

void limit_resources(const ResourceLimits& limits) {
  if (limits.tasks > 0) limit_tasks(limits.tasks);  // first: it starts a thread, which needs memory
  if (limits.data_bytes > 0) set_limit(RLIMIT_DATA, limits.data_bytes);
  if (limits.file_bytes > 0) set_limit(RLIMIT_FSIZE, limits.file_bytes);
}

void be_ended_first() {
  std::ofstream("/proc/self/oom_score_adj") << 1000;
}

std::uint64_t tasks_of_this_user() {
  constexpr std::uint64_t kLinksOfAnEmptyFolder = 2;
  std::uint64_t tasks = 0;
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error)) {
    struct stat folder {};
    const std::string process = entry->path().filename();
    if (process.find_first_not_of("0123456789") != std::string::npos) continue;  // 'self' would count twice
    const std::string file = entry->path() / "task";
    if (stat(file.c_str(), &folder) == 0 && folder.st_uid == getuid())
      tasks += folder.st_nlink - kLinksOfAnEmptyFolder;
  }
  return tasks;
}

std::uint64_t memory_of_this_machine() {
  return memory_bytes("MemTotal:") + memory_bytes("SwapTotal:");
}

std::uint64_t available_memory() {
  return memory_bytes("MemAvailable:");
}

}  // namespace tailwave
