#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "core/members.h"
#include "core/trial.h"

namespace tailwave {

// Which blocks of a grid note when they run: all of them, or one in every stretch of 2^shift blocks, at a place in it
// that looks like chance, and all of the last `last` blocks. Blocks are numbered x fastest, as the hardware starts them.
struct NotedBlocks {
  std::int64_t blocks = 0;  // of the grid; at most 2^31 - 1
  int shift = 0;            // 0: all; at most kMostShift
  std::int64_t last = 0;    // of a grid that is sampled

  static constexpr int kMostShift = 16;

  [[nodiscard]] bool all() const { return shift == 0; }
  [[nodiscard]] std::int64_t places() const;
  // The block that notes at a place, below places(); none does where a stretch's choice is among the last blocks or
  // behind them.
  [[nodiscard]] std::optional<std::int64_t> block_at(std::int64_t place) const;

  static constexpr auto members() {
    return std::tuple{member("blocks", &NotedBlocks::blocks), member("shift", &NotedBlocks::shift),
                      member("last", &NotedBlocks::last)};
  }
  bool operator==(const NotedBlocks&) const = default;
};

// What each warp of such a block writes, at (place * warps a block + warp), into block_trace_variable(entry).
// All zero: it did not run.
struct NotedWarp {
  std::uint32_t sm = 0;              // %smid
  std::uint32_t start = 0, end = 0;  // the lower half of %globaltimer, ns
  std::uint32_t is_noted = 0;        // 1
};

// The launches that an entry has: what the code of its notes is made for.
struct NotedEntry {
  NotedBlocks noted;
  int warps = 1;                    // a block, the most of any launch
  std::optional<Dim3> grid, block;  // of all its launches; none: they differ, and all blocks note

  [[nodiscard]] std::int64_t bytes() const;  // of the variable

  static constexpr auto members() {
    return std::tuple{member("noted", &NotedEntry::noted), member("warps", &NotedEntry::warps),
                      member("grid", &NotedEntry::grid), member("block", &NotedEntry::block)};
  }
};

// Where warps keep the time at which they began until they note it: `register_` costs a register through the whole
// kernel and nothing at its beginning; `memory` costs a few instructions at the beginning and no register after them.
// Which of them changes a kernel's time less depends on the kernel.
enum class StartKept { in_register, in_memory };

std::string block_trace_variable(std::string_view entry);

// An entry of the changed PTX with one thread and one parameter, a .u32: it writes %globaltimer to that place of the
// variable kTraceTimes, of 64-bit numbers.
inline constexpr std::string_view kTraceStamp = "tailwave_trace_stamp";
inline constexpr std::string_view kTraceTimes = "tailwave_trace_times";
// Places in it: of a kernel right before a launch and of one right behind it, and from kTraceLatest on, by the last eight
// bits of the SM's number, of the latest end of those warps that lived for longer than kTraceLongLife, whether they note
// or not; these where the start is kept in a register.
enum TraceTime : std::uint32_t {
  kTraceBefore,
  kTraceBehind,
  kTraceLatest,
  kTraceTimeCount = kTraceLatest + 256
};
// A .u32 constant, ns; at first so large that no warp lives for so long. A block that is none of the last ones and yet
// ends after them lives for longer than most: where few blocks note, it alone may tell when a launch ended.
inline constexpr std::string_view kTraceLongLife = "tailwave_trace_long_life";

// The PTX with its entries changed so that warps of the noted blocks note their SM, start and end. Each warp reads the
// time as its very first instruction (what a young warp does later waits for its turn behind older ones) and again when
// it leaves; where lanes leave apart, the last to do so counts. No barrier, and no atomic operation but of warps that live
// for long. Of a sampled grid the time is read before anything else is done at the end, so that noted warps live as long
// as others; where all note, as late as can be, since what notes cost is then part of what every warp does. Entries that
// `entries` does not name stay as they are. Throws Failure(compile_error) for more than 1 GiB of notes, for an entry that
// is not there and for one of a program in which a function that it may call ends its thread (`exit`).
std::string add_block_trace(std::string_view ptx, const std::map<std::string, NotedEntry>& entries,
                            StartKept kept);

}  // namespace tailwave
