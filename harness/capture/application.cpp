#include "capture/application.h"

#include <fmt/format.h>
#include <regex.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <fstream>

#include "capture/embedded.h"
#include "core/error.h"
#include "core/temporary_folder.h"

namespace tailwave {
namespace fs = std::filesystem;

namespace {

void require_expression(const std::string& kernel) {
  regex_t expression{};
  const int wrong = regcomp(&expression, kernel.c_str(), REG_EXTENDED | REG_NOSUB);
  if (wrong == 0) return regfree(&expression);
  constexpr std::size_t kMost = 200;
  std::string text(kMost, '\0');
  text.resize(regerror(wrong, &expression, text.data(), text.size()) - 1);
  throw Error({.place = "--kernel", .cause = fmt::format("'{}' is no regular expression: {}", kernel, text)});
}

fs::path write_library(const fs::path& folder) {
  const std::string_view library = embedded::capture::file("injected.so");
  if (library.empty())
    throw Error("this build cannot capture: CUPTI's headers were not there when it was made (make setup)");
  fs::path file = folder / "libtailwave_injected.so";
  std::ofstream stream(file, std::ios::binary);
  stream << library;
  stream.close();
  if (!stream) refuse_temporary_file(file, "cannot be written");
  return file;
}

// This process's, with those of the injection in their place.
std::vector<std::string> environment_of(const Injection& injection, const fs::path& library) {
  const std::vector<std::pair<std::string, std::string>> own{
      {"CUDA_INJECTION64_PATH", library},
      {"TAILWAVE_CUPTI", injection.cupti},
      {"TAILWAVE_CAPTURE_FOLDER", fs::absolute(injection.folder)},
      {"TAILWAVE_CAPTURE_KERNEL", injection.kernel},
      {"TAILWAVE_CAPTURE_NTH", injection.nth ? std::to_string(*injection.nth) : "all"},
      {"TAILWAVE_CAPTURE_BYTES", std::to_string(injection.most_bytes)}};
  std::vector<std::string> variables;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view text = *one;
    const auto replaced = [&](const auto& entry) { return text.starts_with(entry.first + "="); };
    if (std::ranges::none_of(own, replaced)) variables.emplace_back(text);
  }
  for (const auto& [name, value] : own) variables.push_back(fmt::format("{}={}", name, value));
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The terminal sends both of them a signal, and it is the application that decides what it means.
class Ignored {
 public:
  Ignored() : interrupt_(std::signal(SIGINT, SIG_IGN)), quit_(std::signal(SIGQUIT, SIG_IGN)) {}
  ~Ignored() {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGQUIT, quit_);
  }
  Ignored(const Ignored&) = delete;
  Ignored& operator=(const Ignored&) = delete;

  // Those that the application finds as this process did; SIGPIPE and SIGXFSZ only this process ignores.
  [[nodiscard]] sigset_t defaults() const {
    sigset_t signals{};
    sigemptyset(&signals);
    for (const int one : {SIGPIPE, SIGXFSZ}) sigaddset(&signals, one);
    if (interrupt_ != SIG_IGN) sigaddset(&signals, SIGINT);
    if (quit_ != SIG_IGN) sigaddset(&signals, SIGQUIT);
    return signals;
  }

 private:
  void (*interrupt_)(int);
  void (*quit_)(int);
};

pid_t spawn(std::vector<std::string> command, std::vector<std::string> variables, const sigset_t& defaults,
            bool output_to_error) {
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  if (output_to_error) posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t process = 0;
  const int wrong = posix_spawnp(&process, command.front().c_str(), &actions, &attributes,
                                 pointers_to(command).data(), pointers_to(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (wrong == 0) return process;
  throw Error({.place = command.front(),
               .cause = fmt::format("cannot be started: {}", std::strerror(wrong)),
               .hint = "what stands behind -- is a program and its arguments"});
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

ApplicationEnd run_injected(const std::vector<std::string>& command, const Injection& injection) {
  if (!injection.kernel.empty()) require_expression(injection.kernel);
  const TemporaryFolder temporary;
  const fs::path library = write_library(temporary.path());
  const Ignored ignored;
  const pid_t process =
      spawn(command, environment_of(injection, library), ignored.defaults(), injection.output_to_error);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  ApplicationEnd end{.exit_status = WEXITSTATUS(status)};
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  return end;
}

std::vector<Injected> injected_processes(const fs::path& folder) {
  std::vector<Injected> all;
  std::error_code ignored;
  for (const auto& process : fs::directory_iterator(folder, ignored)) {
    Injected& one = all.emplace_back();
    one.folder = process.path();
    for (const std::string& line : lines_of(one.folder / "obstacle.txt")) one.obstacle = line;
    one.refused = lines_of(one.folder / "refused.txt");
    for (std::size_t i = 0;; ++i) {
      const fs::path launch = one.folder / fmt::format("launch{}", i);
      if (!fs::exists(launch / "launch.json", ignored)) break;
      one.launches.push_back(launch);
    }
  }
  std::ranges::sort(all, {}, &Injected::folder);
  return all;
}

}  // namespace tailwave
