#include "core/trace.h"

#include <algorithm>

namespace tailwave {

std::int64_t seen_duration_ns(const std::vector<BlockTime>& blocks) {
  if (blocks.empty()) return 0;
  std::int64_t first_ns = blocks.front().start_ns, last_ns = blocks.front().end_ns;
  for (const BlockTime& block : blocks) {
    first_ns = std::min(first_ns, block.start_ns);
    last_ns = std::max(last_ns, block.end_ns);
  }
  return last_ns - first_ns;
}

std::int64_t slots_of(const TracedLaunch& launch) {
  return launch.cluster_slots.value_or(std::int64_t{launch.sms} * launch.blocks_per_sm);
}

double busy_share(const TracedLaunch& launch) {
  const double whole = static_cast<double>(slots_of(launch)) * static_cast<double>(launch.duration_ns);
  double busy = 0;
  for (const BlockTime& block : launch.blocks)
    busy += block.weight * static_cast<double>(block.left_ns - block.start_ns);
  return whole > 0 ? busy / whole : 0;
}

}  // namespace tailwave
