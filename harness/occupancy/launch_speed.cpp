#include "occupancy/launch_speed.h"

#include <algorithm>

namespace tailwave {
namespace {

constexpr std::int64_t kWarpThreads = 32;

std::int64_t rounded_up(std::int64_t amount, std::int64_t portion) {
  return (amount + portion - 1) / portion;
}

}  // namespace

std::int64_t filled_sms(std::int64_t cluster_slots, std::int64_t blocks_per_sm) {
  return rounded_up(cluster_slots, blocks_per_sm);
}

std::int64_t warps_of_block(const GridOnDevice& launch) {
  return rounded_up(launch.block, kWarpThreads);
}

std::int64_t warps_at_once(const GridOnDevice& launch) {
  const auto [full_waves, last_blocks] = busiest_sm(launch);
  return warps_of_block(launch) * (full_waves > 0 ? launch.blocks_per_sm : last_blocks);
}

double lane_share(const GridOnDevice& launch) {
  return static_cast<double>(launch.block) / static_cast<double>(kWarpThreads * warps_of_block(launch));
}

BusiestSm busiest_sm(const GridOnDevice& launch) {
  const std::int64_t slots = launch.sms * launch.blocks_per_sm;
  return {launch.grid / slots, rounded_up(launch.grid % slots, launch.sms)};
}

double wave_balance(const GridOnDevice& launch) {
  const auto [full_waves, last_blocks] = busiest_sm(launch);
  return static_cast<double>(launch.grid) /
         static_cast<double>(launch.sms * (full_waves * launch.blocks_per_sm + last_blocks));
}

double latency_hiding(const GridOnDevice& launch) {
  const auto [full_waves, last_blocks] = busiest_sm(launch);
  const std::int64_t full = launch.blocks_per_sm * warps_of_block(launch),
                     last = last_blocks * warps_of_block(launch);
  const std::int64_t last_time = last == 0 ? 0 : std::max(last, kHidingWarps);
  return static_cast<double>(full_waves * full + last) /
         static_cast<double>(full_waves * std::max(full, kHidingWarps) + last_time);
}

double relative_time(const GridOnDevice& launch) {
  return 1 / (wave_balance(launch) * lane_share(launch) * latency_hiding(launch));
}

}  // namespace tailwave
