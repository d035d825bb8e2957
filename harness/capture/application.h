#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tailwave {

// What the injected library is to do in an application.
struct Injection {
  std::string kernel;              // POSIX extended regular expression; empty: times of kernels alone
  std::optional<std::size_t> nth;  // of the launches that it finds, from 0; none: one of each size
  std::size_t most_bytes = 0;      // of the memory of one launch
  std::filesystem::path folder;    // for what it writes
  std::filesystem::path cupti;     // a library for applications that have none
  bool output_to_error = false;    // what the application prints goes where its errors go
};

struct ApplicationEnd {
  int exit_status = 0;
  int signal = 0;  // that ended it; 0: it ended by itself
};

// Runs a program, looked up on PATH, with this process's input, output, variables and folder, and waits. Throws Error where it cannot be
// started, and for an expression that is none.
ApplicationEnd run_injected(const std::vector<std::string>& command, const Injection& injection);

// What the library wrote, by process.
struct Injected {
  std::filesystem::path folder;
  std::string obstacle;                         // why it saw nothing; "": nothing kept it
  std::vector<std::filesystem::path> launches;  // that are whole
  std::vector<std::string> refused;             // launches that could not be captured, and why
};
std::vector<Injected> injected_processes(const std::filesystem::path& folder);

}  // namespace tailwave
