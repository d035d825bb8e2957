#include "device/cpu/leftovers.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace tailwave {
namespace {

constexpr const char* kThreads = "/proc/self/task";

// Zero where there is none, and for a signal that the C library keeps for itself.
std::uintptr_t handler_of(int signal) {
  struct sigaction action {};
  if (sigaction(signal, nullptr, &action) != 0) return 0;
  return reinterpret_cast<std::uintptr_t>(action.sa_handler);
}

// Whether there is one that nobody has waited for.
bool has_children() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}

// Whether a thread, by its file /proc/.../stat, is on its way out: one that has been joined is listed a while longer.
bool is_ending(const std::filesystem::path& file) {
  constexpr unsigned kExiting = 4;  // PF_EXITING of Linux
  constexpr int kFieldsBefore = 6;  // the state and five more, behind the name
  std::ifstream stream(file);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return true;  // gone
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int i = 0; i < kFieldsBefore; ++i) fields >> skipped;
  unsigned flags = 0;
  fields >> flags;
  return (flags & kExiting) != 0;
}

// With those that are ending; 0 where the system does not say.
std::size_t listed_threads() {
  constexpr std::size_t kOther = 2;  // links of any folder
  struct stat status {};
  return stat(kThreads, &status) == 0 && status.st_nlink > kOther ? status.st_nlink - kOther : 0;
}

std::size_t live_threads() {
  std::size_t live = 0;
  std::error_code ignored;
  for (std::filesystem::directory_iterator thread(kThreads, ignored), end; thread != end;
       thread.increment(ignored))
    if (!is_ending(thread->path() / "stat")) ++live;
  return live;
}

}  // namespace

Leftovers::Leftovers() : threads_(live_threads()), has_children_(tailwave::has_children()) {
  for (int signal = 1; signal < kSignals; ++signal)
    handlers_[static_cast<std::size_t>(signal)] = handler_of(signal);
}

std::string Leftovers::find() const {
  if (listed_threads() > threads_ && live_threads() > threads_) return "a thread";
  if (!has_children_ && has_children()) return "a process";
  for (int signal = 1; signal < kSignals; ++signal)
    if (handler_of(signal) != handlers_[static_cast<std::size_t>(signal)])
      return fmt::format("a handler of signal {} ({})", signal, strsignal(signal));
  return "";
}

}  // namespace tailwave
