#pragma once

// Which blocks do which shares of the work, with SCHEDULE one of
//   plain        a block for each share
//   grid_stride  block b has the shares b, b + gridDim.x, b + 2 * gridDim.x, ...
//   persistent   block b has a range: the b-th of gridDim.x equal ones, or as equal as they get
//   stealing     a block begins with share b; whenever it is done, it takes the first one that nobody has taken

enum class Schedule { plain, grid_stride, persistent, stealing };
constexpr Schedule kSchedule = Schedule::SCHEDULE;

// Calls work(share), by all threads of the block, for each of the block's shares. `taken`: how many were stolen so far, 0
// when the launch begins.
template <typename Work>
__device__ void for_each_share(unsigned shares, unsigned* taken, Work work) {
  const unsigned block = blockIdx.x;
  const unsigned blocks = gridDim.x;
  if constexpr (kSchedule == Schedule::plain) {
    work(block);
  } else if constexpr (kSchedule == Schedule::grid_stride) {
    for (unsigned share = block; share < shares; share += blocks) work(share);
  } else if constexpr (kSchedule == Schedule::persistent) {
    const unsigned least = shares / blocks;
    const unsigned longer = shares % blocks;
    const unsigned first = block * least + min(block, longer);
    const unsigned end = first + least + (block < longer);
    for (unsigned share = first; share < end; ++share) work(share);
  } else {
    __shared__ unsigned next;
    for (unsigned share = block; share < shares; share = next) {
      work(share);
      __syncthreads();
      if (threadIdx.x == 0) next = blocks + atomicAdd(taken, 1u);
      __syncthreads();
    }
  }
}
