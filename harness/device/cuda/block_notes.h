#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compile/block_trace.h"
#include "core/trace.h"

namespace tailwave {

// %globaltimer, ns, of a launch, by TraceTime; 0: nobody noted it.
using TraceTimes = std::array<std::uint64_t, kTraceTimeCount>;

// What the noted warps of a launch say of its blocks, in order. Of a sampled grid the blocks of its sampled part that do
// not note are shared out equally among those that do (weight). A block begins when its first warp does, since the
// hardware gives all warps of a block their slots at once. Throws Failure(launch_failed) when a block that has to note
// did not, or not with all its `warps`, and when the launch took longer than 32 bits of nanoseconds.
std::vector<BlockTime> blocks_of_notes(std::span<const NotedWarp> notes, const NotedEntry& entry, int warps,
                                       const TraceTimes& times, const std::string& kernel);

// From the first block's start to the last one's end: that of a noted block, or of a warp that lived for long. Where no
// warp was to tell that, the time behind the launch does if it is much later, by more than 15 us and a tenth.
std::int64_t launch_duration_ns(const std::vector<BlockTime>& blocks, const TraceTimes& times);

// How long a block lives of which one in a hundred lives for longer. At most kNoLongLife, more than any does.
std::uint32_t long_life_of(const std::vector<BlockTime>& blocks);
inline constexpr std::uint32_t kNoLongLife = UINT32_MAX;

}  // namespace tailwave
