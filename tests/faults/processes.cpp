#include "faults/processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "core/descendants.h"
#include "core/stopwatch.h"

namespace tailwave::faults {
namespace {

constexpr double kTurnMs = 1;

std::vector<pid_t> children_of(pid_t process) {
  std::ifstream list(fmt::format("/proc/{0}/task/{0}/children", process));
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

std::string name_of(pid_t process) {
  std::string name;
  std::getline(std::ifstream(fmt::format("/proc/{}/comm", process)), name);
  return fmt::format("{} {}", process, name);
}

}  // namespace

pid_t start(const Command& command) {
  const pid_t child = fork();
  if (child != 0) return child;
  constexpr int kMode = 0644;
  const int output = open(command.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, kMode);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
  if (command.file_limit_bytes > 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{command.file_limit_bytes, command.file_limit_bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  std::vector<char*> words;
  for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  if (chdir(command.folder.c_str()) == 0) execv(words[0], words.data());
  _exit(127);
}

bool wait_for(pid_t process, double limit_s, int& status) {
  const auto begun = std::chrono::steady_clock::now();
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (seconds_since(begun) > limit_s) {
      kill(process, SIGKILL);
      waitpid(process, &status, 0);
      return false;
    }
    sleep_ms(kTurnMs);
  }
  return true;
}

std::vector<pid_t> below(pid_t process, int depth) {
  std::vector<pid_t> level{process};
  for (; depth > 0; --depth) {
    std::vector<pid_t> next;
    for (const pid_t one : level)
      for (const pid_t child : children_of(one)) next.push_back(child);
    level = std::move(next);
  }
  return level;
}

std::string orphans(double limit_s) {
  const auto begun = std::chrono::steady_clock::now();
  while (waitpid(-1, nullptr, WNOHANG) >= 0) {
    if (seconds_since(begun) > limit_s) {
      std::string names;
      for (const pid_t one : children_of(getpid())) names += (names.empty() ? "" : ", ") + name_of(one);
      end_descendants();
      return names;
    }
    sleep_ms(kTurnMs);
  }
  return "";
}

void sleep_ms(double milliseconds) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(milliseconds));
}

}  // namespace tailwave::faults
