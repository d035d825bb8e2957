#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tailwave::faults {

struct Command {
  std::vector<std::string> words;
  std::map<std::string, std::string> environment;  // beside this process's own
  std::filesystem::path folder, output;            // of standard output and error
  unsigned long file_limit_bytes = 0;              // beyond which writing fails, as on a full disk; 0: none
};
pid_t start(const Command& command);

// Ends and reaps it where it does not end by itself: false.
bool wait_for(pid_t process, double limit_s, int& status);

// All that are `depth` levels below a process: 1 are its children.
std::vector<pid_t> below(pid_t process, int depth);

// The names of this process's children that are still there after a while, which are ended; "" when none is.
std::string orphans(double limit_s);

void sleep_ms(double milliseconds);

}  // namespace tailwave::faults
