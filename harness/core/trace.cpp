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

}  // namespace tailwave
