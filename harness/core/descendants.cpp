#include "core/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/stopwatch.h"

namespace tailwave {
namespace {

// The fourth field of /proc/PID/stat; 0 for a process that is gone. The second one is a name that may hold anything.
pid_t parent_of(pid_t process) {
  std::array<char, 512> text{};
  const int file = open(("/proc/" + std::to_string(process) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t size = read(file, text.data(), text.size());
  close(file);
  if (size <= 0) return 0;
  const std::string_view stat(text.data(), static_cast<std::size_t>(size));
  constexpr std::string_view kStateAndBlanks = ") S ";
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + kStateAndBlanks.size() > stat.size()) return 0;
  pid_t parent = 0;
  std::from_chars(stat.data() + name_end + kStateAndBlanks.size(), stat.data() + stat.size(), parent);
  return parent;
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

std::multimap<pid_t, pid_t> children_by_parent() {
  std::multimap<pid_t, pid_t> children;
  const std::unique_ptr<DIR, CloseFolder> folder(opendir("/proc"));
  if (!folder) return children;
  while (const dirent* entry = readdir(folder.get())) {
    const char* const end = entry->d_name + std::strlen(entry->d_name);
    pid_t process = 0;
    if (std::from_chars(entry->d_name, end, process).ptr != end) continue;
    children.emplace(parent_of(process), process);
  }
  return children;
}

void kill_descendants() {
  const std::multimap<pid_t, pid_t> children = children_by_parent();
  std::vector<pid_t> left{getpid()};
  while (!left.empty()) {
    const auto [first, last] = children.equal_range(std::exchange(left.back(), 0));
    left.pop_back();
    for (auto child = first; child != last; ++child) {
      kill(child->second, SIGKILL);
      left.push_back(child->second);
    }
  }
}

// Whether there is no child any more.
bool reap() {
  pid_t ended = 0;
  do {
    ended = waitpid(-1, nullptr, WNOHANG);
  } while (ended > 0 || (ended < 0 && errno == EINTR));
  return ended < 0;
}

}  // namespace

bool adopt_descendants(pid_t owner, int signal) noexcept {
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0);
  return getppid() == owner;
}

bool end_descendants(double limit_s) noexcept {
  constexpr useconds_t kTurnUs = 500;
  const auto start = std::chrono::steady_clock::now();
  if (reap()) return false;
  try {
    do {
      kill_descendants();
      usleep(kTurnUs);
    } while (!reap() && seconds_since(start) < limit_s);
  } catch (const std::exception&) {
    return true;  // without memory there is nothing more to be done
  }
  return true;
}

}  // namespace tailwave
