#include "core/process.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "core/descriptor.h"
#include "core/kept_program.h"

namespace tailwave {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<std::string> environment_in_english(const std::vector<std::string>& without) {
  std::vector<std::string> environment{"LC_ALL=C"};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (name != "LC_ALL" && std::find(without.begin(), without.end(), name) == without.end())
      environment.emplace_back(text);
  }
  return environment;
}

// Who writes without end is not to take the memory of this machine.
constexpr std::size_t kMostOutput = std::size_t{256} << 20;

// Reads until the other end closes; false when the time is up.
bool read_all(int descriptor, Clock::time_point deadline, std::string& text) {
  std::array<char, 4096> chunk{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waited{descriptor, POLLIN, 0};
    const int ready = poll(&waited, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t count = read(descriptor, chunk.data(), chunk.size());
    if (count == 0) return true;
    if (count > 0)
      text.append(chunk.data(), std::min(static_cast<std::size_t>(count), kMostOutput - text.size()));
    if (count < 0 && errno != EINTR) return true;
  }
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& command, std::chrono::milliseconds timeout,
                          const std::vector<std::string>& without, const std::filesystem::path& folder) {
  auto [reading, writing] = make_pipe(command.front());
  KeptProgram program({.command = command,
                       .environment = environment_in_english(without),
                       .folder = folder,
                       .output = writing.number()});
  const auto start = Clock::now();
  writing.close();
  std::string answered;
  const auto deadline = start + timeout;
  ProcessResult result;
  result.timed_out =
      !read_all(program.answer(), deadline, answered) || !read_all(reading.number(), deadline, result.output);
  if (result.timed_out) program.end();
  const int status = program.wait();
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result.exit_status = result.signal != 0 ? 128 + result.signal : WEXITSTATUS(status);
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  program.require_started(answered);
  return result;
}

}  // namespace tailwave
