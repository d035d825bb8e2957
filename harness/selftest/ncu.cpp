#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

#include "core/error.h"
#include "core/process.h"
#include "core/statistics.h"
#include "selftest/checks.h"

namespace tailwave {
namespace {

constexpr std::array<double, 5> kProfiledUs{0, 20, 50, 100, 1000};  // 0: the empty kernel
constexpr int kExecutions = 7;
constexpr double kJudgedAboveUs = 20;
constexpr double kLimitPercent = 2;
constexpr auto kTimeout = std::chrono::seconds(120);
constexpr std::string_view kMetric = "gpu__time_duration.sum";

std::vector<std::string> split_csv(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

// Versions of ncu differ in the names.
std::optional<double> us_of_unit(const std::string& unit) {
  static const std::map<std::string, double> units{{"ns", 1e-3},   {"nsecond", 1e-3}, {"us", 1},
                                                   {"usecond", 1}, {"ms", 1e3},       {"msecond", 1e3},
                                                   {"s", 1e6},     {"second", 1e6}};
  const auto found = units.find(unit);
  return found == units.end() ? std::nullopt : std::optional(found->second);
}

// "12,345.6": ncu groups thousands.
std::optional<double> number_of(std::string text) {
  std::erase(text, ',');
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// The row's cells by column; empty for what is no row of the table.
std::map<std::string, std::string> row_of(const std::vector<std::string>& header, const std::string& line) {
  std::map<std::string, std::string> row;
  const std::vector<std::string> cells = split_csv(line);
  if (header.empty() || cells.size() != header.size()) return row;
  for (std::size_t i = 0; i < cells.size(); ++i) row[header[i]] = cells[i];
  return row;
}

// "==ERROR== ERR_NVGPUCTRPERM - ..." without the marks.
std::string error_line(const std::string& line) {
  constexpr std::string_view kMark = "==ERROR== ";
  return line.starts_with(kMark) ? line.substr(kMark.size()) : "";
}

Check without_verdict(const std::string& why) {
  return {.name = "ncu",
          .quantity = "difference from Nsight Compute",
          .unit = "%",
          .expectation = fmt::format("within {:g} % above {:g} us", kLimitPercent, kJudgedAboveUs),
          .detail = why};
}

// `overhead_us`: what the two time stamps add to an empty kernel.
Check compared(const KnownDuration& ours, const std::vector<double>& theirs_us, double overhead_us) {
  const double theirs = median(theirs_us);
  const double raw = 100 * (ours.median_us / theirs - 1);
  const double percent = 100 * ((ours.median_us - overhead_us) / theirs - 1);
  const bool judged = ours.requested_us > kJudgedAboveUs;
  const std::string kernel =
      ours.requested_us > 0 ? fmt::format("{:g} us", ours.requested_us) : "empty kernel";
  return {.name = "ncu",
          .quantity = kernel + ": floor-corrected difference from Nsight Compute",
          .unit = "%",
          .expectation = judged ? fmt::format("within {:g} %", kLimitPercent) : "",
          .detail =
              fmt::format("ours {:.3f} us, theirs {:.3f} us (medians of {} and {}), raw difference {:.1f} %",
                          ours.median_us, theirs, kSelftestSamples, theirs_us.size(), raw),
          .value = percent,
          .passed = judged ? std::optional(std::abs(percent) <= kLimitPercent) : std::nullopt};
}

Profile profile(const DeviceDescription& device, const std::string& device_argument) {
  if (device.kind != DeviceKind::cuda) return {{}, "not a CUDA device"};
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  try {
    const ProcessResult result = run_process(
        {"ncu", "--target-processes", "all", "--clock-control", "none", "--cache-control", "none",
         "--kernel-name", "regex:^selftest_(empty|spin)$", "--metrics", std::string(kMetric), "--csv", self,
         "selftest", "--device", device_argument, "--spin-only", std::to_string(kExecutions)},
        kTimeout);
    Profile found = parse_profile(result.output);
    if (result.timed_out) found.obstacle = fmt::format("ncu did not end within {} s", kTimeout.count());
    return found;
  } catch (const Error& error) {
    return {{}, error.what()};
  }
}

}  // namespace

Profile parse_profile(const std::string& output) {
  Profile profile;
  std::vector<std::string> header;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (profile.obstacle.empty()) profile.obstacle = error_line(line);
    if (line.starts_with("\"ID\",")) header = split_csv(line);
    auto row = row_of(header, line);
    if (row["Metric Name"] != kMetric) continue;
    const auto unit = us_of_unit(row["Metric Unit"]);
    const auto value = number_of(row["Metric Value"]);
    // "selftest_spin(long long)": the arguments depend on ncu's settings.
    const std::string kernel = row["Kernel Name"].substr(0, row["Kernel Name"].find('('));
    if (unit && value) profile.kernels.push_back({kernel, *value * *unit});
  }
  if (profile.kernels.empty() && profile.obstacle.empty()) {
    const std::string first = output.substr(0, output.find('\n'));
    profile.obstacle = "ncu printed no time" + (first.empty() ? "" : ": " + first);
  }
  return profile;
}

std::vector<Check> judge_profile(const Profile& profile, const std::vector<KnownDuration>& ours) {
  if (!profile.obstacle.empty()) return {without_verdict(profile.obstacle)};
  // Kernels come in launch order: execution by execution, the durations in theirs.
  if (profile.kernels.size() % ours.size() != 0)
    return {without_verdict(
        fmt::format("ncu saw {} kernels, which is no multiple of {}", profile.kernels.size(), ours.size()))};
  std::vector<std::vector<double>> theirs(ours.size());
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const std::size_t place = i % ours.size();
    const std::string expected = ours[place].requested_us > 0 ? "selftest_spin" : "selftest_empty";
    if (profile.kernels[i].kernel != expected)
      return {without_verdict(
          fmt::format("ncu saw {} where {} was launched", profile.kernels[i].kernel, expected))};
    theirs[place].push_back(profile.kernels[i].time_us);
  }
  double overhead_us = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i].requested_us == 0) overhead_us = ours[i].median_us - median(theirs[i]);
  }
  std::vector<Check> checks;
  for (std::size_t i = 0; i < ours.size(); ++i) checks.push_back(compared(ours[i], theirs[i], overhead_us));
  return checks;
}

std::vector<Check> check_ncu(Instrument& instrument, const std::string& device_argument) {
  const Profile theirs = profile(instrument.device(), device_argument);
  if (!theirs.obstacle.empty()) return judge_profile(theirs, {});
  std::vector<KnownDuration> ours;
  for (const double us : kProfiledUs) {
    const Launch launch = us > 0 ? Instrument::spin(us) : Instrument::empty();
    ours.push_back({.requested_us = us, .median_us = median(instrument.times_us(launch, kSelftestSamples))});
  }
  return judge_profile(theirs, ours);
}

void run_profiled_kernels(Instrument& instrument, int executions) {
  std::vector<Launch> plan;
  for (const double us : kProfiledUs) plan.push_back(us > 0 ? Instrument::spin(us) : Instrument::empty());
  instrument.run(plan, {.executions = executions});
}

}  // namespace tailwave
