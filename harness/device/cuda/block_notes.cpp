#include "device/cuda/block_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/outcome.h"

namespace tailwave {
namespace {

// A block's time from the notes of its warps, from which it is told that none is missing.
BlockTime block_time(std::span<const NotedWarp> warps, std::int64_t block, std::uint64_t before,
                     const std::string& kernel) {
  const auto noted =
      std::count_if(warps.begin(), warps.end(), [](const NotedWarp& warp) { return warp.is_noted == 1; });
  if (static_cast<std::size_t>(noted) < warps.size())
    throw Failure(Outcome::launch_failed, fmt::format("block {} of '{}' noted {} of its {} warps", block,
                                                      kernel, noted, warps.size()));
  // Halves of a clock that is not behind `before`.
  const auto since = [before](std::uint32_t half) {
    return static_cast<std::int64_t>(half - static_cast<std::uint32_t>(before));
  };
  BlockTime time{.start_ns = std::numeric_limits<std::int64_t>::max(),
                 .block = block,
                 .sm = static_cast<std::int64_t>(warps.front().sm)};
  std::int64_t ends_ns = 0;
  for (const NotedWarp& warp : warps) {
    time.start_ns = std::min(time.start_ns, since(warp.start));
    time.end_ns = std::max(time.end_ns, since(warp.end));
    ends_ns += since(warp.end);
  }
  time.left_ns = ends_ns / static_cast<std::int64_t>(warps.size());
  return time;
}

}  // namespace

std::vector<BlockTime> blocks_of_notes(std::span<const NotedWarp> notes, const NotedEntry& entry, int warps,
                                       const TraceTimes& times, const std::string& kernel) {
  if (times[kTraceBehind] - times[kTraceBefore] > std::numeric_limits<std::uint32_t>::max())
    throw Failure(Outcome::launch_failed,
                  fmt::format("'{}' takes more than the {:.1f} s that a trace can tell", kernel,
                              std::numeric_limits<std::uint32_t>::max() / 1e9));
  const NotedBlocks& noted = entry.noted;
  std::vector<BlockTime> blocks;
  std::int64_t sampled = 0;
  for (std::int64_t place = 0; place < noted.places(); ++place) {
    const std::optional<std::int64_t> block = noted.block_at(place);
    if (!block) continue;
    const auto first = static_cast<std::size_t>(place * entry.warps);
    blocks.push_back(block_time(notes.subspan(first, static_cast<std::size_t>(warps)), *block,
                                times[kTraceBefore], kernel));
    if (*block < noted.blocks - noted.last) ++sampled;
  }
  const std::int64_t stood_for = noted.blocks - noted.last;
  if (!noted.all() && sampled > 0)
    for (BlockTime& block : blocks)
      if (block.block < stood_for)
        block.weight = static_cast<double>(stood_for) / static_cast<double>(sampled);
  return blocks;
}

std::int64_t launch_duration_ns(const std::vector<BlockTime>& blocks, const TraceTimes& times) {
  constexpr std::int64_t kLaterNs = 15'000, kLaterShare = 10;
  const std::int64_t seen_ns = seen_duration_ns(blocks);
  if (blocks.empty()) return 0;
  std::int64_t first_ns = blocks.front().start_ns;
  for (const BlockTime& block : blocks) first_ns = std::min(first_ns, block.start_ns);
  if (const std::uint64_t latest = *std::max_element(times.begin() + kTraceLatest, times.end()); latest > 0)
    return std::max(seen_ns, static_cast<std::int64_t>(latest - times[kTraceBefore]) - first_ns);
  const auto behind_ns = static_cast<std::int64_t>(times[kTraceBehind] - times[kTraceBefore]) - first_ns;
  return behind_ns > seen_ns + kLaterNs + seen_ns / kLaterShare ? behind_ns : seen_ns;
}

std::uint32_t long_life_of(const std::vector<BlockTime>& blocks) {
  constexpr double kMostLong = 0.01;
  std::vector<std::int64_t> lives_ns;
  for (const BlockTime& block : blocks) lives_ns.push_back(block.end_ns - block.start_ns);
  if (lives_ns.empty()) return kNoLongLife;
  const auto place =
      lives_ns.end() - 1 - static_cast<std::ptrdiff_t>(kMostLong * static_cast<double>(lives_ns.size()));
  std::nth_element(lives_ns.begin(), place, lives_ns.end());
  return static_cast<std::uint32_t>(std::min<std::int64_t>(*place, kNoLongLife));
}

}  // namespace tailwave
