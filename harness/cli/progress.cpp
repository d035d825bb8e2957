#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
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

// "[######..............]"
std::string progress_bar(double share) {
  constexpr int kWidth = 20;
  const int filled = std::clamp(static_cast<int>(share * kWidth), 0, kWidth);
  return "[" + std::string(filled, '#') + std::string(kWidth - filled, '.') + "]";
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
  measuring_since_ = std::chrono::steady_clock::now();
  if (to_do > 0) advanced(0);
}

void TerminalProgress::keep_if_best(const Trial& trial) {
  const double time_ns = median_ns(trial);
  double merit = 1 / time_ns;
  for (const auto& [name, amount] : trial.work) {
    if (experiment_.metric.maximise && experiment_.metric.name == name + "_per_second")
      merit = to_double(amount) / time_ns;
  }
  if (merit <= best_) return;
  best_ = merit;
  best_text_ = format_duration_ns(time_ns) + " " + trial.configuration.name();
}

void TerminalProgress::advanced(double share) {
  using Seconds = std::chrono::duration<double>;
  constexpr double kOftenS = 0.05;
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || (line_shown_ && share < 1 && Seconds(now - shown_at_).count() < kOftenS)) return;
  shown_at_ = now;
  std::string line = "  " + progress_bar(share);
  if (share > 0) {
    const double elapsed = Seconds(now - measuring_since_).count();
    line += fmt::format(" {:.0f} s left", elapsed * (1 - share) / share);
  } else {
    line += " waiting for the first build";
  }
  if (best_ > 0) line += "  best " + best_text_;
  rewrite(line);
}

void TerminalProgress::finished(const Trial& trial, std::size_t done, std::size_t to_do) {
  const bool correct = trial.outcome == Outcome::correct;
  if (correct) keep_if_best(trial);
  if (terminal_ && correct) return;
  const std::string result = correct
                                 ? format_duration_ns(median_ns(trial))
                                 : fmt::format("{}: {}", to_string(trial.outcome), headline(trial.detail));
  clear();
  if (terminal_) {
    fmt::print(stderr, "  {}  {}\n", trial.configuration.name(), result);
  } else {
    fmt::print(stderr, "  {}/{} {}  {}\n", done, to_do, trial.configuration.name(), result);
  }
}

}  // namespace tailwave
