#pragma once

#include <array>
#include <optional>
#include <span>

#include "core/statistics.h"
#include "occupancy/device_limits.h"
#include "occupancy/launch_speed.h"
#include "occupancy/wave_models.h"

namespace tailwave {

// How long a configuration will take on a GPU that nobody ran it on, from its time on one that somebody did.
// docs/planning.md has the method in words, and how good it was.
//
// Were a kernel limited by one thing alone, its time would change by the ratio of what the two devices offer of it.
// From a time alone nobody knows what limits a kernel: the prediction is the geometric mean of what DRAM bandwidth
// says and of what the SMs' FP32 rate says. With counters the limits' shares are known, and the time is that of all
// of them.

// What counters of a launch on the source say: the share of what the device offers of each limit that the launch used
// while it ran, 0..1, and 0 where nobody counted it. That of `latency` is ignored: it is what the others leave.
struct CounterSummary {
  std::array<double, EnumNames<DeviceLimit>::names.size()> use{};

  [[nodiscard]] double of(DeviceLimit limit) const { return use[static_cast<std::size_t>(limit)]; }
  double& of(DeviceLimit limit) { return use[static_cast<std::size_t>(limit)]; }
};

// A configuration on the two devices. Its main launch on each, where that is known: `sms` and `blocks_per_sm` there.
struct ForeignCase {
  double time_ns = 0;  // on the source, above 0
  std::optional<GridOnDevice> source_launch, target_launch;
  std::optional<CounterSummary> counters;
  // How much longer its grid takes with the SMs, blocks an SM and waves of the target, all rates unchanged, by a grid
  // curve of the source: grid_curve_ratio().
  std::optional<double> curve_ratio;
};

enum class ForeignBasis { times, counters };
template <>
struct EnumNames<ForeignBasis> {
  static constexpr std::string_view noun = "basis of a prediction";
  static constexpr std::array<std::string_view, 2> names{"times", "counters"};
};

// The logarithm of the time is taken as normal about that of time_ns.
struct ForeignTime {
  double time_ns = 0;
  // Standard deviations of the logarithm: of the error that all configurations of a kernel share, and of what is each
  // one's own.
  double shared = 0, own = 0;
  ForeignBasis basis = ForeignBasis::times;
  double memory_ratio = 1, sm_ratio = 1;    // target over source, were that the only limit
  DeviceLimit limit = DeviceLimit::memory;  // with counters: what takes most of the time on the target

  [[nodiscard]] double spread() const;              // of both together
  [[nodiscard]] Interval interval(double z) const;  // time_ns * exp(-+ z * spread())
};

// Of a normal distribution, so many standard deviations hold 80 % and 95 %.
inline constexpr double kLikely = 1.2816, kNearlySure = 1.96;

// Root mean squares over the training kernels of docs/planning.md: of the median error of a kernel between two cards,
// less a third of the square of half the distance between the two limits, and of its configurations about that
// median; the kernels' mean. tests/bench/foreign.sh computes them.
struct ForeignSpread {
  double shared = 0, own = 0;
};
inline constexpr ForeignSpread kSameCapability{0.12, 0.12}, kOtherCapability{0.28, 0.40};

// The order of the norm by which limits add up: 1 would add their times, infinity let the largest hide all others.
inline constexpr double kLimitNorm = 4;

// Throws Error where the rates of a device are not known, and std::invalid_argument for a time that is not above 0.
//
// sm_ratio is that of FP32 rates and SMs; with launches, of the busiest SM's time: each wave takes warps / lanes, and
// no less than kHidingWarps warps do on 128 lanes (launch_speed.h), all over the clock; with curve_ratio, of FP32
// rates times that. From a time alone,
//   time = source time * memory_ratio^w * sm_ratio^(1 - w), w = 1/2,
// or less, with launches: half of (warps at once of the busiest SM) / kHidingWarps, if that is below 1 on both
// devices. So few warps wait for latency, whatever the bandwidth.
//
// With counters, u_i the use of limit i, r_i its ratio, l^p = 1 - sum u_i^p what is left to latency, p = kLimitNorm,
// and r the ratio of whole waves and of clocks,
//   time = source time * (sum (u_i r_i)^p + (l r)^p)^(1/p).
//
// shared^2 = (that of the capabilities)^2 + (w ln(memory_ratio / sm_ratio))^2 / 3: any place between the two limits
// is as likely as any other. Counters do not make it less: how good they are across devices is for results to show.
ForeignTime predict_foreign(const ForeignCase& one, const DeviceSpec& source, const DeviceSpec& target);

// By what several devices say of one configuration: the mean of logarithms, weighted by 1 / spread^2, with the spread
// of the least uncertain. Of at least one.
ForeignTime combine_foreign(std::span<const ForeignTime> predictions);

// A configuration that was measured on the target after all.
struct KnownTime {
  ForeignTime predicted;
  double measured_ns = 0;
};
// What is known of the shared error from those, as the mean of a normal distribution whose prior is the predictions'
// own (conjugate: DeGroot & Schervish, Probability and Statistics, 7.3).
struct SharedError {
  double mean = 0;           // to be added to the logarithm
  double variance_left = 1;  // times the prior's variance
};
SharedError shared_error(std::span<const KnownTime> known);
ForeignTime corrected(ForeignTime prediction, const SharedError& error);

// How much longer `target` takes than `source` by a curve of the source's: `time_of` says how long that many blocks
// take on it (occupancy/wave_models.h). The number of blocks that gives the source's busiest SM as much to do as the
// target's grid gives the target's. None where an SM holds another number of blocks there than here: the curve says
// nothing of that.
std::optional<double> grid_curve_ratio(const TimeModel& time_of, const GridOnDevice& source,
                                       const GridOnDevice& target);

}  // namespace tailwave
