#pragma once

#include "../tailwave_cuda.h"

namespace cooperative_groups {

class thread_block {
 public:
  static void sync() { __syncthreads(); }
  static unsigned thread_rank() { return tailwave_cpu::running_block->thread; }
  static unsigned size() { return tailwave_cpu::running_block->thread_count; }
  static unsigned num_threads() { return size(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
  // Of the thread with that rank: its place in the block.
  static unsigned thread_of_rank(unsigned rank) { return rank; }
};
inline thread_block this_thread_block() {
  return {};
}
// What a GPU needs for tiles of more than a warp; nothing here.
template <unsigned most_threads = 1024>
struct block_tile_memory {};
template <unsigned most_threads>
inline thread_block this_thread_block(block_tile_memory<most_threads>&) {
  return {};
}

}  // namespace cooperative_groups
