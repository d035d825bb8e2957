#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/curve_line.h"
#include "core/headline.h"
#include "core/outcome.h"
#include "core/printable.h"
#include "core/table.h"
#include "spec/problem_sizes.h"

namespace tailwave {
namespace {

// Of what a kernel printed, which is fit for a terminal.
std::string first_words(std::string_view text) {
  constexpr std::size_t kMost = 200;
  const std::size_t begin = std::min(text.find_first_not_of('\n'), text.size());
  const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  const bool whole = line.size() <= kMost && begin + line.size() + 1 >= text.size();
  return printable(line.substr(0, kMost)) + (whole ? "" : " ... ('tailwave query kernel_output' has more)");
}

// "[######..............]"
std::string progress_bar(double share) {
  constexpr int kWidth = 20;
  const int filled = std::clamp(static_cast<int>(share * kWidth), 0, kWidth);
  return "[" + std::string(filled, '#') + std::string(kWidth - filled, '.') + "]";
}

}  // namespace

std::string problem_text(const Experiment& experiment, const SearchStart& start) {
  std::string text;
  if (start.problems < 2) return text;
  const std::vector<Parameter> listed = quantities_of(experiment.sizes),
                               listed_on_cpu = quantities_of(experiment.cpu_sizes);
  std::vector<const Parameter*> quantities;
  for (const auto* list : {&experiment.problem, &experiment.cpu_problem, &listed, &listed_on_cpu})
    for (const Parameter& quantity : *list) quantities.push_back(&quantity);
  for (const auto& [name, value] : start.problem) {
    const bool varies =
        std::any_of(quantities.begin(), quantities.end(), [&, &wanted = name](auto* quantity) {
          return quantity->name == wanted && quantity->values.size() > 1;
        });
    if (varies) text += fmt::format("{} {} {}", text.empty() ? " with" : ",", name, to_string(value));
  }
  return text;
}

std::string format_duration_ns(double nanoseconds) {
  constexpr std::array<std::pair<double, const char*>, 4> kUnits{
      {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}};
  for (const auto& [factor, unit] : kUnits) {
    if (nanoseconds >= factor) return fmt::format("{:.4g} {}", nanoseconds / factor, unit);
  }
  return fmt::format("{:.4g} ns", nanoseconds);
}

std::string format_time_left(double seconds) {
  constexpr std::int64_t kMinute = 60, kHour = 3600;
  const auto whole = static_cast<std::int64_t>(std::lround(std::max(0.0, seconds)));
  if (whole < kMinute) return fmt::format("{} s", whole);
  if (whole < kHour) return fmt::format("{} min {} s", whole / kMinute, whole % kMinute);
  return fmt::format("{} h {} min", whole / kHour, whole % kHour / kMinute);
}

TerminalProgress::TerminalProgress(const Experiment& experiment, const Console& console)
    : experiment_(experiment),
      console_(console),
      terminal_(console.has_status_line()),
      measuring_since_(std::chrono::steady_clock::now()) {}

TerminalProgress::~TerminalProgress() {
  clear();
}

void TerminalProgress::clear() {
  if (line_shown_) std::fputs("\r\033[K", stderr);
  line_shown_ = false;
}

void TerminalProgress::rewrite(const std::string& line) {
  // A line that reaches the last column would wrap on some terminals.
  const std::size_t columns = std::max<std::size_t>(2, terminal_columns(STDERR_FILENO)) - 1;
  const std::string shown = printable(line, LineEnds::as_spaces);
  fmt::print(stderr, "\r\033[K{}", columns > 1 ? shown.substr(0, bytes_of_columns(shown, columns)) : shown);
  std::fflush(stderr);
  line_shown_ = true;
}

void TerminalProgress::started(std::size_t to_do, std::size_t reused, std::size_t left_out) {
  std::string line = fmt::format("{}: {} configurations to measure", experiment_.name, to_do);
  if (searching_) line = fmt::format("{}: measuring the best {} again", experiment_.name, to_do);
  if (reused > 0) line += fmt::format(", {} already in the database", reused);
  if (left_out > 0)
    line += fmt::format(", {} left out on the CPU device (devices.cpu.constraints)", left_out);
  begin(line);
  draws_curve_ = false;
  if (to_do > 0) advanced(0);
}

void TerminalProgress::search_started(const SearchStart& start) {
  const auto size = static_cast<std::size_t>(start.space_size.whole());
  const std::size_t possible = size - std::min(start.impossible, size);
  std::string line = fmt::format("{}{}: searching {} configurations for ", experiment_.name,
                                 problem_text(experiment_, start), to_string(start.space_size));
  if (!start.budget.evaluations)
    line += fmt::format("{:.3g} s", *start.budget.seconds);
  else if (*start.budget.evaluations < possible)
    line += fmt::format("{} evaluations", *start.budget.evaluations);
  else
    line += fmt::format("{} evaluations: all that can run", possible);
  if (start.left_out_on_cpu > 0)
    line += fmt::format(", {} left out on the CPU device (devices.cpu.constraints)", start.left_out_on_cpu);
  if (start.left_out_of_others.number > 0)
    line += fmt::format(", {} of variants of other kinds left out: nothing compares them with these",
                        to_string(start.left_out_of_others));
  if (start.impossible > 0)
    line += fmt::format("\n  {} of them cannot run on this device, for example {}", start.impossible,
                        start.why_impossible);
  if (!start.begins_with.empty()) line += "\n  begins with what is known of " + start.begins_with;
  begin(line);
  searching_ = draws_curve_ = true;
  advanced(0);
}

void TerminalProgress::shard_chosen(const Shard& shard, std::size_t own, std::size_t all) {
  console_.note(fmt::format("{}: shard {} of {}: {} of {} configurations\n", experiment_.name, shard.number,
                            shard.count, own == 0 ? "none" : std::to_string(own), all));
}

void TerminalProgress::regimes_started(std::size_t finalists, std::size_t regimes) {
  begin(fmt::format("{}: measuring the best {} again in {} regimes, interleaved", experiment_.name, finalists,
                    regimes));
}

void TerminalProgress::begin(const std::string& line) {
  clear();
  console_.note(line + "\n");
  measuring_since_ = std::chrono::steady_clock::now();
  best_ = 0;
  least_.clear();
}

// Of variants of several kinds those that the experiment is about.
bool TerminalProgress::competes(const Trial& trial) const {
  const auto rank_of = [&](const std::string& variant) {
    const auto target = experiment_.system.find_variant(variant)->target;
    return std::find(kTargetsByRank.begin(), kTargetsByRank.end(), target);
  };
  const auto* const own = rank_of(trial.configuration.variant);
  return std::none_of(experiment_.cases.begin(), experiment_.cases.end(),
                      [&](const auto& one) { return rank_of(one.variant) < own; });
}

void TerminalProgress::keep_if_best(const Trial& trial) {
  if (!competes(trial)) return;
  const double time_ns = median_ns(trial);
  double merit = 1 / time_ns;
  for (const auto& [name, amount] : trial.work) {
    if (experiment_.metric.maximise && experiment_.metric.name == name + "_per_second")
      merit = to_double(amount) / time_ns;
  }
  if (draws_curve_) least_.push_back(1 / std::max(merit, best_));
  if (merit <= best_) return;
  best_ = merit;
  best_text_ = format_duration_ns(time_ns) + (trial.unverified.empty() ? " " : " (unverified) ") +
               trial.configuration.name();
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
    line += fmt::format(" {} left", format_time_left(elapsed * (1 - share) / share));
  } else {
    line += " waiting for the first build";
  }
  constexpr std::size_t kCurveColumns = 16;
  if (least_.size() > 1) line += "  " + curve_line(least_, kCurveColumns);
  if (best_ > 0) line += "  best " + best_text_;
  rewrite(line);
}

// Once: where one configuration does not end, others of its kind may not either.
void TerminalProgress::warn_of_deadline(std::size_t left) {
  constexpr double kEnoughS = 5;
  const double deadline_s = experiment_.measure.deadline_s;
  if (warned_of_deadline_ || deadline_s <= kEnoughS) return;
  warned_of_deadline_ = true;
  console_.note(
      fmt::format("    each that does not end takes {0:g} s{1}; \"measure\": {{\"deadline_s\": "
                  "{2:g}}} in {3} shortens that, and measures all anew; Ctrl-C stops\n",
                  deadline_s, left > 0 ? fmt::format(" ({} left to measure)", left) : "", kEnoughS,
                  experiment_.file.string()));
}

// Of a failure a line also where the console is quiet, unless the result that it prints has the detail.
void TerminalProgress::finished(const Trial& trial, std::size_t done, std::size_t to_do) {
  const bool correct = trial.outcome == Outcome::correct;
  if (correct && trial.regime.empty()) keep_if_best(trial);  // others compare with nothing but their like
  const bool silent = console_.quiet() && (!is_failure(trial.outcome) || console_.json());
  if (silent || (terminal_ && correct)) return;
  const std::string failure = console_.colours_errors()
                                  ? fmt::format("\x1b[31m{}\x1b[0m", to_string(trial.outcome))
                                  : std::string(to_string(trial.outcome));
  const std::string doubt = trial.unverified.empty() ? "" : ", unverified";
  const std::string result = correct ? format_duration_ns(median_ns(trial)) + doubt
                                     : fmt::format("{}: {}", failure, printable(headline(trial.detail)));
  const std::string name =
      (trial.regime.empty() ? "" : trial.regime + ": ") + printable(trial.configuration.name());
  clear();
  if (terminal_) {
    fmt::print(stderr, "  {}  {}\n", name, result);
  } else if (console_.quiet()) {
    fmt::print(stderr, "{}  {}\n", name, result);
  } else {
    const std::string count = to_do > 0 ? fmt::format("{}/{}", done, to_do) : fmt::format("{}", done);
    fmt::print(stderr, "  {} {}  {}\n", count, name, result);
  }
  if (!correct && !console_.quiet() && !trial.kernel_output.empty())
    fmt::print(stderr, "    printed: {}\n", first_words(trial.kernel_output));
  if (trial.outcome == Outcome::timeout) warn_of_deadline(to_do - std::min(done, to_do));
}

}  // namespace tailwave
