#pragma once

// Makes table entries of kernels: a loop over the threads of a block that have not started. A thread that waits
// at a barrier leaves the loop suspended on its fiber's stack; the program then runs the next threads by the same
// function on another fiber. Threads without barriers thus cost no more than the turn of a loop.

#include "../tailwave_abi.h"
#include "execution.h"

namespace tailwave_cpu {

template <auto kernel, class... Parameters>
inline void run_thread(Block& block) {
  invoke<kernel>(block.arguments, static_cast<void (*)(Parameters...)>(kernel),
                 typename MakeIndices<sizeof...(Parameters)>::Type{});
}

#ifdef TAILWAVE_RACES

// One thread: the program has a fiber for each.
template <auto kernel, class... Parameters>
inline void run_block(Block& block) {
  run_thread<kernel, Parameters...>(block);
}

#else

inline void enter_block(Block& block) {
  running_block = &block;
  blockIdx = {block.block_index.x, block.block_index.y, block.block_index.z};
  blockDim = dim3(block.block_size.x, block.block_size.y, block.block_size.z);
  gridDim = dim3(block.grid_size.x, block.grid_size.y, block.grid_size.z);
  if (block.cluster != nullptr) block.cluster->at[block.cluster_rank].statics = &running_block;
}

inline void start_next_thread(Block& block) {
  Index3& next = block.next_index;
  threadIdx = {next.x, next.y, next.z};
  block.thread = block.next_thread++;
  if (++next.x < block.block_size.x) return;
  next.x = 0;
  if (++next.y < block.block_size.y) return;
  next.y = 0;
  ++next.z;
}

inline void finish_thread(Block& block) {
  --block.live_threads;
  block.live_lanes[block.thread / kWarpSize] &= ~(1u << block.thread % kWarpSize);
  if (block.suspended != 0) block.services->thread_finished(block);
}

template <auto kernel, class... Parameters>
inline void run_block(Block& block) {
  enter_block(block);
  while (block.next_thread < block.thread_count) {
    start_next_thread(block);
    run_thread<kernel, Parameters...>(block);
    finish_thread(block);
  }
}

#endif  // TAILWAVE_RACES

template <auto kernel, class... Parameters>
constexpr Entry kernel_entry(const char* name, void (*)(Parameters...)) {
  using Types = Signature<Parameters...>;
  return {name, Types::arguments, Types::count, run_block<kernel, Parameters...>, nullptr};
}

}  // namespace tailwave_cpu
