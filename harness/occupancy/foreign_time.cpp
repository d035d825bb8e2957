#include "occupancy/foreign_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/error.h"

namespace tailwave {
namespace {

constexpr double kLanesOfHidingWarps = 128;  // of the SM that kHidingWarps was chosen on

double squared(double number) {
  return number * number;
}

double known_rate(const DeviceSpec& device, DeviceLimit limit) {
  const double rate = offered(device, limit);
  if (rate > 0) return rate;
  throw Error(
      Diagnostic{.cause = fmt::format("{}: its rate of {} is not known", device.title, to_string(limit)),
                 .hint = "a prediction needs bandwidth, clock and lanes of both devices"});
}

// How much longer one unit of a limit takes on the target, whatever the grid.
double rate_ratio(const DeviceSpec& source, const DeviceSpec& target, DeviceLimit limit) {
  return known_rate(source, limit) / known_rate(target, limit);
}

bool launches_known(const ForeignCase& one) {
  return one.source_launch && one.target_launch;
}

double fewer_sms(const DeviceSpec& source, const DeviceSpec& target) {
  return static_cast<double>(source.sms) / target.sms;
}

// At once, in its first wave.
std::int64_t warps_of_busiest_sm(const GridOnDevice& launch) {
  const BusiestSm sm = busiest_sm(launch);
  return warps_of_block(launch) * (sm.full_waves > 0 ? launch.blocks_per_sm : sm.last_blocks);
}

// Over all waves.
double work_of_busiest_sm(const GridOnDevice& launch) {
  const BusiestSm sm = busiest_sm(launch);
  return static_cast<double>(warps_of_block(launch) *
                             (sm.full_waves * launch.blocks_per_sm + sm.last_blocks));
}

// How much more there is to do for the busiest SM of the target.
double load_ratio(const ForeignCase& one, const DeviceSpec& source, const DeviceSpec& target) {
  if (one.curve_ratio) return *one.curve_ratio;
  if (!launches_known(one)) return fewer_sms(source, target);
  return work_of_busiest_sm(*one.target_launch) / work_of_busiest_sm(*one.source_launch);
}

// Of the busiest SM: each wave takes as long as the lanes need for its warps, and no less than latency.
double sm_time(const GridOnDevice& launch, const DeviceSpec& device) {
  const double lanes = known_rate(device, DeviceLimit::fp32) / device.clock_mhz;
  const double least = static_cast<double>(kHidingWarps) / kLanesOfHidingWarps;
  const auto wave = [&](std::int64_t blocks) {
    return blocks == 0 ? 0 : std::max(static_cast<double>(warps_of_block(launch) * blocks) / lanes, least);
  };
  const BusiestSm sm = busiest_sm(launch);
  return (static_cast<double>(sm.full_waves) * wave(launch.blocks_per_sm) + wave(sm.last_blocks)) /
         device.clock_mhz;
}

double sm_ratio(const ForeignCase& one, const DeviceSpec& source, const DeviceSpec& target) {
  if (launches_known(one) && !one.curve_ratio)
    return sm_time(*one.target_launch, target) / sm_time(*one.source_launch, source);
  return rate_ratio(source, target, DeviceLimit::fp32) * load_ratio(one, source, target);
}

// The share of a time that bandwidth may have to do with: half, and less of it where so few warps run at once that they
// wait for latency on both devices.
double memory_weight(const ForeignCase& one) {
  if (!launches_known(one)) return 0.5;
  const std::int64_t warps =
      std::max(warps_of_busiest_sm(*one.source_launch), warps_of_busiest_sm(*one.target_launch));
  return 0.5 * std::min(1.0, static_cast<double>(warps) / kHidingWarps);
}

double whole_waves(const GridOnDevice& launch) {
  const BusiestSm sm = busiest_sm(launch);
  return static_cast<double>(sm.full_waves + (sm.last_blocks > 0 ? 1 : 0));
}

double latency_ratio(const ForeignCase& one, const DeviceSpec& source, const DeviceSpec& target) {
  const double clocks = rate_ratio(source, target, DeviceLimit::latency);
  if (one.curve_ratio) return clocks * *one.curve_ratio;
  if (!launches_known(one)) return clocks * fewer_sms(source, target);
  return clocks * whole_waves(*one.target_launch) / whole_waves(*one.source_launch);
}

double limit_ratio(const ForeignCase& one, const DeviceSpec& source, const DeviceSpec& target,
                   DeviceLimit limit) {
  if (limit == DeviceLimit::latency) return latency_ratio(one, source, target);
  const double rates = rate_ratio(source, target, limit);
  return belongs_to_sms(limit) ? rates * load_ratio(one, source, target) : rates;
}

// Sets time and limit from the shares of the limits.
void predict_by_counters(const ForeignCase& one, const DeviceSpec& source, const DeviceSpec& target,
                         ForeignTime& time) {
  CounterSummary shares = *one.counters;
  double counted = 0;
  for (std::size_t i = 0; i < shares.use.size(); ++i) {
    if (static_cast<DeviceLimit>(i) == DeviceLimit::latency) continue;
    shares.use[i] = std::max(shares.use[i], 0.0);
    counted += std::pow(shares.use[i], kLimitNorm);
  }
  shares.of(DeviceLimit::latency) = std::pow(std::max(0.0, 1 - counted), 1 / kLimitNorm);
  double sum = 0;
  double most = 0;
  for (std::size_t i = 0; i < shares.use.size(); ++i) {
    const auto limit = static_cast<DeviceLimit>(i);
    if (shares.use[i] == 0) continue;
    const double part = std::pow(shares.use[i] * limit_ratio(one, source, target, limit), kLimitNorm);
    sum += part;
    if (part > most) time.limit = limit;
    most = std::max(most, part);
  }
  time.basis = ForeignBasis::counters;
  // Counters that add up to more than the time would otherwise make it longer on the source itself.
  time.time_ns = one.time_ns * std::pow(sum / std::max(1.0, counted), 1 / kLimitNorm);
}

}  // namespace

double ForeignTime::spread() const {
  return std::hypot(shared, own);
}

Interval ForeignTime::interval(double z) const {
  const double factor = std::exp(z * spread());
  return {time_ns / factor, time_ns * factor};
}

ForeignTime predict_foreign(const ForeignCase& one, const DeviceSpec& source, const DeviceSpec& target) {
  if (!(one.time_ns > 0)) throw std::invalid_argument("a time to predict from has to be above 0");
  ForeignTime time;
  time.memory_ratio = rate_ratio(source, target, DeviceLimit::memory);
  time.sm_ratio = sm_ratio(one, source, target);
  const double weight = memory_weight(one);
  time.time_ns = one.time_ns * std::pow(time.memory_ratio, weight) * std::pow(time.sm_ratio, 1 - weight);
  if (one.counters) predict_by_counters(one, source, target, time);
  const ForeignSpread& known =
      source.compute_capability == target.compute_capability ? kSameCapability : kOtherCapability;
  time.shared =
      std::hypot(known.shared, weight * std::log(time.memory_ratio / time.sm_ratio) / std::sqrt(3.0));
  time.own = known.own;
  return time;
}

ForeignTime combine_foreign(std::span<const ForeignTime> predictions) {
  if (predictions.empty()) throw std::invalid_argument("nothing to combine");
  double sum = 0;
  double weights = 0;
  for (const ForeignTime& one : predictions) {
    const double weight = 1 / squared(one.spread());
    sum += weight * std::log(one.time_ns);
    weights += weight;
  }
  ForeignTime best = *std::min_element(predictions.begin(), predictions.end(),
                                       [](const auto& a, const auto& b) { return a.spread() < b.spread(); });
  best.time_ns = std::exp(sum / weights);
  return best;
}

SharedError shared_error(std::span<const KnownTime> known) {
  SharedError error;
  if (known.empty()) return error;
  double errors = 0;
  double shared = 0;
  double own = 0;
  for (const KnownTime& one : known) {
    if (!(one.measured_ns > 0)) throw std::invalid_argument("a measured time has to be above 0");
    errors += std::log(one.measured_ns / one.predicted.time_ns);
    shared += squared(one.predicted.shared);
    own += squared(one.predicted.own);
  }
  const auto count = static_cast<double>(known.size());
  shared /= count;
  own /= count;
  error.mean = shared * errors / (count * shared + own);
  error.variance_left = own / (count * shared + own);
  return error;
}

ForeignTime corrected(ForeignTime prediction, const SharedError& error) {
  prediction.time_ns *= std::exp(error.mean);
  prediction.shared *= std::sqrt(error.variance_left);
  return prediction;
}

std::optional<double> grid_curve_ratio(const TimeModel& time_of, const GridOnDevice& source,
                                       const GridOnDevice& target) {
  if (source.blocks_per_sm != target.blocks_per_sm) return std::nullopt;
  const std::int64_t source_slots = source.sms * source.blocks_per_sm;
  const std::int64_t target_slots = target.sms * target.blocks_per_sm;
  const std::int64_t rest = target.grid % target_slots;
  const std::int64_t same_load =
      target.grid / target_slots * source_slots + (rest * source.sms + target.sms - 1) / target.sms;
  const double here = time_of(source.grid);
  const double there = time_of(std::max<std::int64_t>(same_load, 1));
  if (!(here > 0) || !(there > 0)) return std::nullopt;
  return there / here;
}

}  // namespace tailwave
