#include "core/trial.h"

#include <algorithm>

#include "core/statistics.h"

namespace tailwave {

const LaunchRecord* main_launch(const std::vector<LaunchRecord>& launches,
                                const std::vector<std::string>& main_kernels) {
  constexpr std::int64_t kWarpThreads = 32;
  const auto warps = [](const LaunchRecord& launch) {
    return launch.count * launch.grid.count() * ((launch.block.count() + kWarpThreads - 1) / kWarpThreads);
  };
  const auto is_named = [&](const LaunchRecord& launch) {
    return std::find(main_kernels.begin(), main_kernels.end(), launch.kernel) != main_kernels.end();
  };
  std::vector<const LaunchRecord*> known, named;
  for (const LaunchRecord& launch : launches) {
    if (!launch.resources && !launch.waves && !launch.driver_blocks_per_sm) continue;
    known.push_back(&launch);
    if (is_named(launch)) named.push_back(&launch);
  }
  const std::vector<const LaunchRecord*>& candidates = named.empty() ? known : named;
  const LaunchRecord* main = candidates.empty() ? nullptr : candidates.front();
  for (const LaunchRecord* launch : candidates)
    if (warps(*launch) >= 2 * warps(*candidates.front()) && warps(*launch) > warps(*main)) main = launch;
  return main;
}

PhaseTimes& operator+=(PhaseTimes& times, const PhaseTimes& more) {
  for_each_member<PhaseTimes, 0>([&](const auto& one) { times.*one.place += more.*one.place; });
  return times;
}

PhaseTimes& operator-=(PhaseTimes& times, const PhaseTimes& less) {
  for_each_member<PhaseTimes, 0>([&](const auto& one) { times.*one.place -= less.*one.place; });
  return times;
}

std::vector<double> counted_times_ns(const std::vector<Sample>& samples) {
  std::vector<double> times;
  for (const Sample& sample : samples) {
    if (sample.dropped.empty()) times.push_back(sample.time_ns);
  }
  return times;
}

double median_ns(const Trial& trial) {
  const std::vector<double> times = counted_times_ns(trial.samples);
  return times.empty() ? 0 : median(times);
}

}  // namespace tailwave
