#include "tune/noted_entries.h"

#include <algorithm>
#include <bit>

namespace tailwave {
namespace {

constexpr std::int64_t kFewestToSample = 4096, kMostThatAllNote = 65'536;
constexpr std::int64_t kFewestSampled = 1024;
constexpr std::int64_t kFewest = 128;

// The largest shift that leaves so many of them.
int shift_leaving(std::int64_t fewest, std::int64_t blocks) {
  return static_cast<int>(
             std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(blocks / fewest, 1)))) -
         1;
}

}  // namespace

NotedBlocks choose_noted(std::int64_t blocks, std::int64_t slots, int sparser) {
  if (sparser == kAllNote && blocks <= kMostThatAllNote) return {.blocks = blocks};
  sparser = std::max(sparser, 0);
  const int dense = blocks < kFewestToSample ? 0 : shift_leaving(kFewestSampled, blocks);
  const int shift =
      std::min({dense + sparser, std::max(dense, shift_leaving(kFewest, blocks)), NotedBlocks::kMostShift});
  if (shift == 0) return {.blocks = blocks};
  constexpr std::int64_t kMostLast = 2;
  return {.blocks = blocks, .shift = shift, .last = std::min(slots, blocks / kMostLast)};
}

std::map<std::string, NotedEntry> noted_entries(const std::vector<EntryLaunch>& launches, int sparser) {
  std::map<std::string, NotedEntry> entries;
  for (const EntryLaunch& launch : launches) {
    const auto [place, is_new] = entries.try_emplace(launch.symbol);
    NotedEntry& entry = place->second;
    if (is_new) {
      entry = {.noted = choose_noted(launch.grid.count(), launch.slots, sparser),
               .warps = static_cast<int>(launch.block.warps()),
               .grid = launch.grid,
               .block = launch.block};
      continue;
    }
    if (entry.grid == launch.grid && entry.block == launch.block) continue;
    entry.noted = {.blocks = std::max(entry.noted.blocks, launch.grid.count())};
    entry.warps = std::max(entry.warps, static_cast<int>(launch.block.warps()));
    entry.grid.reset();
    entry.block.reset();
  }
  return entries;
}

}  // namespace tailwave
