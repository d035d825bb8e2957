#pragma once

#include <cstdint>

namespace tailwave {

// How fast a launch is beside others of the same work, before anything of it was run. The rule is tailwave's own;
// what it left out and how often it was right is in docs/waves.md. Waves run one after another. In each, the SM with
// the most blocks holds r of them (blocks_per_sm in a full wave), which are x = r * warps of a block, and takes as
// long as max(x, kHidingWarps) warps take that never wait: fewer warps cannot hide the latency of their instructions.
// So
//   speed = threads with work / (32 * SMs * sum over waves of max(x, kHidingWarps)) = balance * lanes * hiding,
// each 0..1; lanes = threads with work / (32 * grid * warps of a block).
struct GridOnDevice {
  std::int64_t grid = 0, block = 0;         // blocks, threads a block
  std::int64_t sms = 0, blocks_per_sm = 0;  // of a launch of clusters filled_sms()
};

// The SMs that a wave of clusters fills, of which so many blocks run at once: the others, or as much room on each, hold no
// whole cluster. Rounded up.
std::int64_t filled_sms(std::int64_t cluster_slots, std::int64_t blocks_per_sm);

// Two for each of an SM's four schedulers. The one of 4, 6, 8, 10, 12 and 16 that was right most often on an H200.
inline constexpr std::int64_t kHidingWarps = 8;

// What the SM with the most blocks goes through: waves of blocks_per_sm, then one of so many (0: there is none).
struct BusiestSm {
  std::int64_t full_waves = 0;
  std::int64_t last_blocks = 0;
};

// All members must be positive.
BusiestSm busiest_sm(const GridOnDevice& launch);
std::int64_t warps_of_block(const GridOnDevice& launch);
// Warps on the SM with the most blocks in the first wave.
std::int64_t warps_at_once(const GridOnDevice& launch);
// The share of its warps' lanes that have a thread: an upper bound of what profilers call warp execution efficiency.
double lane_share(const GridOnDevice& launch);
// Blocks over the blocks that there would be if all SMs had in each wave as many as the one with the most: what idle
// SMs and the last wave cost.
double wave_balance(const GridOnDevice& launch);
// The sum over waves of x, over that of max(x, kHidingWarps).
double latency_hiding(const GridOnDevice& launch);
// The inverse of the speed, all threads having work: how long launches that share out the same work take beside each
// other, 1 at best.
double relative_time(const GridOnDevice& launch);

}  // namespace tailwave
