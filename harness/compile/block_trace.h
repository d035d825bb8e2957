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
  std::uint32_t sm = 0;     // %smid
  std::uint32_t start = 0;  // the lower half of %globaltimer, ns
  // %globaltimer of each warp that was there. A maximum by atomics instead of them slows kernels of short blocks by a
  // quarter.
  std::array<std::uint64_t, 32> ends{};
};

// A block that lives longer has no start that its notes tell.
inline constexpr double kLongestTracedBlockS = 4.2;

std::string block_trace_variable(std::string_view entry);

// The PTX with its entries changed so that each block notes its SM and its start (by thread 0) and the end of each warp
// (by one lane, where it leaves): no barrier, no atomic operation, and no register that lives longer than those few
// instructions. Each warp reads the time as its first instruction: what a young warp does later waits for its turn
// behind older ones, so that blocks of kernels that keep the schedulers busy would seem to begin microseconds late.
// `blocks`: entry -> blocks of its grid. Entries that it does
// not name stay as they are. Throws Failure(compile_error) for more than 4 million blocks, for an entry that is not
// there and for one of a program in which a function that it may call ends its thread (`exit`).
std::string add_block_trace(std::string_view ptx, const std::map<std::string, std::int64_t>& blocks);

// The PTX with a limit of registers a thread in each of these entries that has none of its own.
std::string limit_registers(std::string_view ptx, const std::map<std::string, int>& registers);

// Whether the entry looks at the size of its grid, so that a block's work may depend on it. Throws
// Failure(compile_error) for an entry that is not there.
bool reads_grid_size(std::string_view ptx, const std::string& entry);

}  // namespace tailwave
