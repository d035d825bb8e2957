#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compile/block_trace.h"
#include "core/trace.h"

namespace tailwave {

// %globaltimer, ns, around a traced launch: by kernels right before and right behind it (two of them, of which the first
// does for the second what the launch does for the first).
struct LaunchStamps {
  std::uint64_t before = 0, behind = 0, later = 0, last = 0;
};

// What the noted warps of a launch say of its blocks, in order. Each block takes the place of `weight` blocks: of a sampled
// grid, those of its part that do not note are shared out equally. A block begins when its first warp does, since the
// hardware gives all warps of a block their slots at once. Throws Failure(launch_failed) when a block that has to note
// did not, or not with all its `warps`, and when the launch took longer than 32 bits of nanoseconds.
std::vector<BlockTime> blocks_of_notes(std::span<const NotedWarp> notes, const NotedEntry& entry, int warps,
                                       const LaunchStamps& stamps, const std::string& kernel);

// From the first block's start to the last one's end. Noted blocks tell it, unless the stamps say that some block that
// does not note ran much longer: by more than they are worth, 3 us and a fiftieth.
std::int64_t launch_duration_ns(const std::vector<BlockTime>& blocks, const LaunchStamps& stamps);

}  // namespace tailwave
