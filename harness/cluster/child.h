#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tailwave {

struct ChildStart {
  std::vector<std::string> command;                // looked up on PATH, without a shell
  std::map<std::string, std::string> environment;  // beside this process's own
  std::filesystem::path folder;                    // empty: where this process is
  std::filesystem::path output;  // what it says is appended there; empty: where this process says it
  int inherited = -1;            // a descriptor that it has, too; -1: none
};

// A program that is told to stop, and looked after while it goes on, which run_process() does not: in a process group of its
// own, so that a terminal's signals reach it through this process alone. When the thread that made it dies, it is sent
// SIGTERM.
class Child {
 public:
  explicit Child(const ChildStart& start);  // throws Error where it cannot be started
  ~Child();                                 // kills it
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Its exit status, 128 + signal where one ended it; none: it has not ended.
  std::optional<int> poll() noexcept;
  void stop() const noexcept;  // SIGTERM

 private:
  pid_t process_ = 0;
  std::optional<int> status_;
};

// From now on this process is sent SIGTERM when the one that started it dies, as a daemon of Slurm that is killed: nobody
// would end what it runs.
void stop_with_parent() noexcept;

// While it lives SIGTERM, SIGINT and SIGHUP only ask, however often they come.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  [[nodiscard]] static bool requested() noexcept;
};

}  // namespace tailwave
