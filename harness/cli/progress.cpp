#include "cli/progress.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <utility>

namespace tailwave {
namespace {

// Of a compiler's words the first line with an error; of others the first.
std::string headline(const std::string& text) {
  const std::size_t error = text.find("error:");
  const std::size_t begin = error == std::string::npos ? 0 : text.rfind('\n', error) + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

std::string format_duration_ns(double nanoseconds) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits{
      {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}};
  for (const auto& [factor, unit] : kUnits) {
    if (nanoseconds >= factor) return fmt::format("{:.4g} {}", nanoseconds / factor, unit);
  }
  return fmt::format("{:.4g} ns", nanoseconds);
}

TerminalProgress::TerminalProgress(const Experiment& experiment, bool terminal)
    : experiment_(experiment), terminal_(terminal), measuring_since_(std::chrono::steady_clock::now()) {}

TerminalProgress::~TerminalProgress() {
  clear();
}

void TerminalProgress::clear() {
  if (line_shown_) std::fputs("\r\033[K", stderr);
  line_shown_ = false;
}

void TerminalProgress::rewrite(const std::string& line) {
  constexpr std::size_t kColumns = 118;
  fmt::print(stderr, "\r\033[K{}", line.substr(0, kColumns));
  std::fflush(stderr);
  line_shown_ = true;
}

void TerminalProgress::started(std::size_t to_do, std::size_t reused, std::size_t left_out) {
  std::string line = fmt::format("{}: {} configurations to measure", experiment_.name, to_do);
  if (reused > 0) line += fmt::format(", {} already in the database", reused);
  if (left_out > 0)
    line += fmt::format(", {} left out on the CPU device (devices.cpu.constraints)", left_out);
  fmt::print(stderr, "{}\n", line);
}

void TerminalProgress::finished(const Trial& trial, std::size_t done, std::size_t to_do) {
  const double time_ns = median_ns(trial);
  const bool correct = trial.outcome == Outcome::correct;
  const std::string name = trial.configuration.name();
  if (correct && (best_ns_ == 0 || time_ns < best_ns_)) {
    best_ns_ = time_ns;
    best_name_ = name;
  }
  const std::string result = correct
                                 ? format_duration_ns(time_ns)
                                 : fmt::format("{}: {}", to_string(trial.outcome), headline(trial.detail));
  if (!terminal_) {
    fmt::print(stderr, "  {}/{} {}  {}\n", done, to_do, name, result);
    return;
  }
  if (!correct) {
    clear();
    fmt::print(stderr, "  {}  {}\n", name, result);
  }
  using Seconds = std::chrono::duration<double>;
  const double elapsed = Seconds(std::chrono::steady_clock::now() - measuring_since_).count();
  const double left = elapsed / static_cast<double>(done) * static_cast<double>(to_do - done);
  std::string line = fmt::format("  {}/{}  {:.0f} s left", done, to_do, left);
  if (best_ns_ > 0) line += fmt::format("  best {} {}", format_duration_ns(best_ns_), best_name_);
  rewrite(line);
}

}  // namespace tailwave
