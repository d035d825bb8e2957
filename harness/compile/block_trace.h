#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tailwave {

// What a traced kernel writes for each block, in the order of blocks (x fastest), into the variable
// block_trace_variable(entry) of its module. All zero: the block did not run.
struct TracedBlock {
  std::uint32_t sm = 0;  // %smid
  std::uint32_t padding = 0;
  // Of each warp that was there, in ns: the lower half of %globaltimer as it began, and all of it as it ended. A minimum
  // and maximum by atomics instead of them slows kernels of short blocks by a quarter.
  std::array<std::uint32_t, 32> starts{};
  std::array<std::uint64_t, 32> ends{};
};

// A warp that lives longer has no start that its notes tell.
inline constexpr double kLongestTracedWarpS = 4.2;

std::string block_trace_variable(std::string_view entry);

// The PTX with its entries changed so that each warp reads the time as its first instruction, keeps it in a register, and
// one of its lanes notes that, the time and the SM where it leaves: no barrier, no atomic operation, and nothing to wait
// for at the start. (What a young warp does behind a branch waits for its turn behind older ones: noted by thread 0 after
// the test for it, blocks of kernels that keep the schedulers busy seem to begin microseconds late.) `blocks`: entry -> blocks of its grid. Entries that it does
// not name stay as they are. Throws Failure(compile_error) for more than 2.7 million blocks, for an entry that is not
// there and for one of a program in which a function that it may call ends its thread (`exit`).
std::string add_block_trace(std::string_view ptx, const std::map<std::string, std::int64_t>& blocks);

// The PTX with a limit of registers a thread in each of these entries that has none of its own.
std::string limit_registers(std::string_view ptx, const std::map<std::string, int>& registers);

// Whether the entry looks at the size of its grid, so that a block's work may depend on it. Throws
// Failure(compile_error) for an entry that is not there.
bool reads_grid_size(std::string_view ptx, const std::string& entry);

}  // namespace tailwave
