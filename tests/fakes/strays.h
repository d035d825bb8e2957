#pragma once

#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

namespace tailwave::fakes {

// Whether a process, or any in a group of a negative number, is there and has not ended.
inline bool is_running(pid_t process) {
  if (kill(process, 0) != 0) return errno == EPERM;
  if (process < 0) return true;
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string stat;
  std::getline(file, stat);  // nothing where it ends meanwhile
  return !stat.empty() && stat.find(") Z") == std::string::npos;
}

// Whether a process has a handler of its own for a signal.
inline bool heeds(pid_t process, int signal) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("SigCgt:"))
      return (std::stoull(line.substr(line.find('\t')), nullptr, 16) >> (signal - 1) & 1U) != 0;
  return false;
}

// Waits, for half a minute at most.
template <class Condition>
bool comes_true(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

// Processes that a test's process leaves behind, known in all processes that are forked from the test's: one that
// sleeps, one that spins, and one whose parent has gone, in a session of its own. None of them heeds a signal that it
// can ignore.
class Strays {
 public:
  Strays() {
    void* const memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
    shared_ = new (memory) Shared;
  }
  ~Strays() {
    for (const std::atomic<pid_t>& process : shared_->processes)
      if (process > 0 && is_running(process)) kill(process, SIGKILL);
    munmap(shared_, sizeof(Shared));
  }
  Strays(const Strays&) = delete;
  Strays& operator=(const Strays&) = delete;

  // To be called once. They are there when it returns.
  void leave() {
    shared_->processes[0] = getpid();
    stay(1, [] { pause(); });
    stay(2, [] {});
    if (const pid_t parent = fork(); parent == 0) {
      setsid();
      stay(3, [] { pause(); });
      _exit(0);
    }
    comes_true([this] { return are_there(); });
  }

  [[nodiscard]] bool are_there() const {
    for (const std::atomic<pid_t>& process : shared_->processes)
      if (process == 0) return false;
    return true;
  }
  // Waits for the end of all, of the process that left them, too.
  [[nodiscard]] bool end() const {
    return comes_true([this] {
      for (const std::atomic<pid_t>& process : shared_->processes)
        if (is_running(process)) return false;
      return true;
    });
  }
  [[nodiscard]] pid_t left_by() const { return shared_->processes[0]; }

 private:
  struct Shared {
    std::array<std::atomic<pid_t>, 4> processes{};
  };

  template <class Action>
  void stay(std::size_t number, Action action) {
    if (fork() != 0) return;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_IGN);
    shared_->processes[number] = getpid();
    for (;;) action();
  }

  Shared* shared_;
};

}  // namespace tailwave::fakes
