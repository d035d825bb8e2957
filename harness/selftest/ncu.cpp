#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "core/error.h"
#include "core/process.h"
#include "core/statistics.h"
#include "interchange/ncu_csv.h"
#include "selftest/checks.h"

namespace tailwave {
namespace {

constexpr std::array<double, 5> kProfiledUs{0, 20, 50, 100, 1000};  // 0: the empty kernel
constexpr int kExecutions = 7;
constexpr double kJudgedAboveUs = 20;
constexpr double kLimitPercent = 2;
constexpr auto kTimeout = std::chrono::seconds(120);
constexpr std::string_view kMetric = "gpu__time_duration.sum";

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

// Not a line of ncu, which begins with "==".
std::string first_line_of_program(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && !line.starts_with("==")) return line;
  return "";
}

}  // namespace

Profile profile_with_ncu(const DeviceDescription& device, const std::string& device_argument) {
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

Profile parse_profile(const std::string& output) {
  constexpr double kNsPerUs = 1e3;
  const NcuReport report = parse_ncu_csv(output);
  Profile profile;
  for (const NcuLaunch& launch : report.launches)
    if (const CounterValue* time = launch.find(kMetric); time != nullptr && time->unit == "ns" && time->value)
      profile.kernels.push_back({launch.kernel, *time->value / kNsPerUs});
  if (!profile.kernels.empty()) return profile;
  // Where the program failed, it is not ncu that knows why.
  const std::string said = first_line_of_program(output);
  profile.obstacle = report.obstacle.empty() ? "ncu printed no time" : report.obstacle;
  if (!said.empty() && (report.obstacle.empty() || report.obstacle.starts_with("The application returned")))
    profile.obstacle += " (" + said + ")";
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

std::vector<Check> check_ncu(Instrument& instrument, const Profile& theirs) {
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
