#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/check.h"
#include "core/members.h"
#include "selftest/instrument.h"

namespace tailwave {

// The self-tests: each check_...() measures, and hands what it found to a pure function that judges. Reasons for
// the limits: docs/selftest.md.

inline constexpr int kSelftestSamples = 20;

// What is left out of --quick is the number of pairs.
struct SelftestSettings {
  int pairs = 200;  // of the A/A test
};
inline constexpr int kQuickPairs = 40;

// A kernel that spins for a known time. The time between two events around it holds the launch too, so that the error
// that is judged is that after subtracting the empty kernel's time; the raw one is given beside it.
struct KnownDuration {
  double requested_us = 0;
  double median_us = 0;
  double floor_us = 0;  // median of the empty kernels that took turns with it
};
std::vector<Check> judge_durations(const std::vector<KnownDuration>& all, double timer_step_us);
std::vector<Check> check_known_duration(Instrument& instrument);

// The same kernel as if it were two: how often the 95 % interval of the ratio of their medians leaves out 1.
bool tells_apart(const std::vector<double>& first, const std::vector<double>& second, std::uint64_t seed);
// How many of so many pairs may: 7 % of 200 or more; of fewer, where 5 % of them is a handful, what a correct
// instrument exceeds in less than 1 % of all self-tests.
int allowed_apart(int pairs);
Check judge_pairs(int pairs, int apart, double median_us);
std::vector<Check> check_same_kernel(Instrument& instrument, int pairs);

// Reads half of L2 with the cache flushed before, and again without.
Check judge_flush(double cold_us, double hot_us, bool applies, const std::string& detail);
std::vector<Check> check_cache_flush(Instrument& instrument);

// What an empty kernel takes: the least time that can be measured. It only informs.
std::vector<Check> check_empty_kernel(Instrument& instrument);

// Nsight Compute's gpu__time_duration.sum of the same kernels. It profiles another process of this program, which opens
// the device itself and calls run_profiled_kernels(): ncu does not follow processes that are forked and confined, and
// executors hold streams back before a timed run, which a profiler that runs kernels one by one would wait for without end.
struct ProfiledKernel {
  std::string kernel;
  double time_us = 0;

  static constexpr auto members() {
    return std::tuple{member("kernel", &ProfiledKernel::kernel), member("time_us", &ProfiledKernel::time_us)};
  }
};
struct Profile {
  std::vector<ProfiledKernel> kernels;  // in launch order
  std::string obstacle;                 // why there are none, in ncu's words

  static constexpr auto members() {
    return std::tuple{member("kernels", &Profile::kernels), member("obstacle", &Profile::obstacle)};
  }
};
// Reads what ncu --csv prints, amidst the lines that it and the program write around.
Profile parse_profile(const std::string& output);
// 0 is the empty kernel. Verdicts only where durations are longer than 20 us.
std::vector<Check> judge_profile(const Profile& profile, const std::vector<KnownDuration>& ours);
// Not from within a worker. `device_argument`: what --device takes for the device.
Profile profile_with_ncu(const DeviceDescription& device, const std::string& device_argument);
std::vector<Check> check_ncu(Instrument& instrument, const Profile& theirs);
void run_profiled_kernels(Instrument& instrument, int executions);

// The SM clock before, at the start and at the end of half a second of arithmetic. It only informs.
std::vector<Check> judge_clocks(const std::optional<double>& before_mhz,
                                const std::vector<double>& during_mhz);
std::vector<Check> check_clock_step(Instrument& instrument);

// What a trace says of how busy the slots of a launch were, beside what counters say of the same code:
// sm__warps_active.sum / (SMs x blocks an SM x warps a block x sm__cycles_elapsed.max).
struct TracedKernel {
  std::string kernel;
  double duration_us = 0;
  double traced_busy = 0, counted_busy = 0;
  std::string disturbed;  // as Trace::disturbed
};
// Verdicts only where tracing did not disturb, and launches last for 50 us: elapsed cycles begin before the first block.
std::vector<Check> judge_traces(const std::vector<TracedKernel>& kernels);
// No verdict: why there are no counters, or no trace of a kernel.
Check without_traces(const std::string& why);
// Writes the project whose kernels are traced below the folder; its experiment. Throws Error where that cannot be written.
std::filesystem::path write_traced_project(const std::filesystem::path& folder);

}  // namespace tailwave
