#pragma once

#include <array>
#include <csignal>
#include <cstdint>
#include <string>

namespace tailwave {

// What code that was loaded into this process may leave when it returns: threads, processes and signal handlers. Each
// of them could do later what was timed as if it were done, if need be when somebody looks at a result.
class Leftovers {
 public:
  Leftovers();  // what is there now is not the code's

  // "a thread", "a process", "a handler of signal 11 (Segmentation fault)"; empty when there is nothing. A thread that
  // has been joined, and a process that has been waited for, are gone.
  [[nodiscard]] std::string find() const;

 private:
  static constexpr int kSignals = NSIG;

  std::array<std::uintptr_t, kSignals> handlers_{};  // by signal
  std::size_t threads_;
  bool has_children_;
};

}  // namespace tailwave
