#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace tailwave {

struct ProcessResult {
  int exit_status = 0;     // 128 + signal for a process that a signal ended
  int signal = 0;          // the one that ended it; 0: it ended by itself
  bool timed_out = false;  // it was killed, with all that it started
  std::string output;      // stdout and stderr in the order written; the first 256 MiB
  double seconds = 0;      // from before the program was started until it had ended
};

// Runs a program (looked up on PATH) without a shell, with LC_ALL=C and no input, and waits. When it ends, so does
// all that it started; all of it is killed when the time is up, and when this process dies. Safe to call from several
// threads at once. Variables of the environment that `without` names do not reach it. It starts in `folder`, or where this
// process is. Throws Error when it cannot be started.
ProcessResult run_process(const std::vector<std::string>& command, std::chrono::milliseconds timeout,
                          const std::vector<std::string>& without = {},
                          const std::filesystem::path& folder = {});

}  // namespace tailwave
