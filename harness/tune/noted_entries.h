#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compile/block_trace.h"
#include "core/trial.h"

namespace tailwave {

inline constexpr int kAllNote = -1;

// Which blocks of a grid note. Up to 4,095 all do; of larger grids about 1,024 to 2,047 and, since the end of a launch is
// looked at closest, one wave more, the last: `slots` blocks, but no more than half. Notes cost a warp some instructions
// and a store that has to arrive before its place is free: next to nothing for warps that live for long, a tenth of the
// time of a copy. `sparser`: one in 2^sparser of these, but not fewer than 128; kAllNote: all of up to 65,536 blocks.
NotedBlocks choose_noted(std::int64_t blocks, std::int64_t slots, int sparser);

// A launch that is traced: of the entry with this symbol.
struct EntryLaunch {
  std::string symbol;
  Dim3 grid, block;
  std::int64_t slots = 1;  // SMs times blocks an SM
};

// What the code of notes is made for, by symbol. All blocks note of an entry that is launched in several shapes.
std::map<std::string, NotedEntry> noted_entries(const std::vector<EntryLaunch>& launches, int sparser);

}  // namespace tailwave
