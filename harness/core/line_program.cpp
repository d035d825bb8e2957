#include "core/line_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

namespace tailwave {
namespace {

using Monotonic = std::chrono::steady_clock;

constexpr const char* kShell = "/bin/sh";

std::vector<std::string> own_environment() {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  return environment;
}

void never_wait_for(const Descriptor& descriptor) {
  fcntl(descriptor.number(), F_SETFL, fcntl(descriptor.number(), F_GETFL) | O_NONBLOCK);
}

enum class Came { something, nothing, end };

Came append_what_came(const Descriptor& descriptor, std::string& text) {
  std::array<char, 65536> chunk{};
  const ssize_t count = read(descriptor.number(), chunk.data(), chunk.size());
  if (count < 0) return errno == EAGAIN || errno == EINTR ? Came::nothing : Came::end;
  text.append(chunk.data(), static_cast<std::size_t>(count));
  return count > 0 ? Came::something : Came::end;
}

}  // namespace

LineProgram::Pipes::Pipes() : input(make_pipe(kShell)), output(make_pipe(kShell)), errors(make_pipe(kShell)) {
  never_wait_for(input.second);
  never_wait_for(output.first);
  never_wait_for(errors.first);
}

ProgramStart LineProgram::Pipes::start(const std::string& command) const {
  return {.command = {kShell, "-c", command},
          .environment = own_environment(),
          .input = input.first.number(),
          .output = output.second.number(),
          .errors = errors.second.number(),
          .is_confined = false};
}

LineProgram::LineProgram(const std::string& command) : program_(pipes_.start(command)) {
  pipes_.output.second.close();
  pipes_.errors.second.close();
}

void LineProgram::send(std::string_view line) {
  unsent_ += line;
  unsent_ += '\n';
  write_some();
}

LineProgram::Heard LineProgram::hear(std::string& line, std::chrono::duration<double> most,
                                     const std::function<bool()>& stop) {
  constexpr std::chrono::duration<double> kLookAround{0.1};
  const auto start = Monotonic::now();
  while (!take_line(line)) {
    if (has_ended_) return Heard::ended;
    if (unread_.size() > kLongestLine) return Heard::too_long;
    if (stop()) return Heard::stopped;
    const std::chrono::duration<double> left = most - (Monotonic::now() - start);
    if (left.count() <= 0) return Heard::too_late;
    exchange(std::min(left, kLookAround));
  }
  return Heard::line;
}

void LineProgram::finish(std::chrono::duration<double> grace) {
  const auto deadline = Monotonic::now() + grace;
  while (!has_ended_ && Monotonic::now() < deadline) {
    if (unsent_.empty()) pipes_.input.second.close();
    exchange(deadline - Monotonic::now());
    unread_.clear();
    searched_ = 0;
  }
}

void LineProgram::end() {
  program_.end();
  program_.wait();
  pass_on_errors();
}

std::string LineProgram::how_it_ended() {
  const int status = program_.wait();
  if (WIFSIGNALED(status))
    return fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("status {}", WEXITSTATUS(status));
}

void LineProgram::exchange(std::chrono::duration<double> most) {
  const int writing = unsent_.empty() ? -1 : pipes_.input.second.number();
  std::array<pollfd, 3> waited{{{pipes_.output.first.number(), POLLIN, 0},
                                {pipes_.errors.first.number(), POLLIN, 0},
                                {writing, POLLOUT, 0}}};
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(most).count();
  if (poll(waited.data(), waited.size(),
           static_cast<int>(std::max<decltype(milliseconds)>(milliseconds, 0))) <= 0)
    return;
  const auto is_ready = [](const pollfd& one) { return one.revents != 0; };
  if (is_ready(waited[2])) write_some();
  if (is_ready(waited[0])) has_ended_ = append_what_came(pipes_.output.first, unread_) == Came::end;
  if (is_ready(waited[1]) || has_ended_) pass_on_errors();
}

void LineProgram::write_some() {
  const ssize_t count = write(pipes_.input.second.number(), unsent_.data(), unsent_.size());
  if (count > 0) unsent_.erase(0, static_cast<std::size_t>(count));
}

void LineProgram::pass_on_errors() {
  Came came = Came::end;
  do {
    came = append_what_came(pipes_.errors.first, unread_errors_);
  } while (has_ended_ && came == Came::something);
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = unread_errors_.find('\n', begin)) != std::string::npos; begin = end + 1)
    pass_on(std::string_view(unread_errors_).substr(begin, end - begin));
  unread_errors_.erase(0, begin);
  const bool is_rest = has_ended_ || unread_errors_.size() > kLongestLine;
  if (is_rest && !unread_errors_.empty()) pass_on(std::exchange(unread_errors_, {}));
}

void LineProgram::pass_on(std::string_view line) {
  constexpr std::size_t kKept = 500;
  fmt::print(stderr, "{}\n", line);
  if (line.find_first_not_of(" \t\r") != std::string_view::npos) last_error_ = line.substr(0, kKept);
}

bool LineProgram::take_line(std::string& line) {
  const std::size_t end = unread_.find('\n', searched_);
  if (end == std::string::npos) {
    searched_ = unread_.size();
    return false;
  }
  line.assign(unread_, 0, end);
  unread_.erase(0, end + 1);
  searched_ = 0;
  return true;
}

}  // namespace tailwave
