#pragma once

// The part of cooperative groups that the CPU device has: here thread_block, grid_group (of a cooperative launch) and
// cluster_group (of a launch whose clusters the manifest gives), beside it parts of blocks and what groups do together.

#include "cooperative_groups/collectives.h"
#include "cooperative_groups/parts.h"
#include "cooperative_groups/thread_block.h"
#include "tailwave_cuda.h"

namespace cooperative_groups {

class grid_group {
 public:
  static void sync() { tailwave_cpu::barrier(tailwave_cpu::Barrier::grid); }
  static bool is_valid() { return true; }
  static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static unsigned long long size() { return num_blocks() * thread_block::size(); }
  static unsigned long long num_threads() { return size(); }
  static dim3 block_index() { return blockIdx; }
  static dim3 group_dim() { return gridDim; }
  static dim3 dim_blocks() { return gridDim; }
};
inline grid_group this_grid() {
  return {};
}

class cluster_group {
 public:
  struct arrival_token {};

  static void sync() { tailwave_cpu::barrier(tailwave_cpu::Barrier::cluster); }
  // Nothing needs to be told before the wait.
  static arrival_token barrier_arrive() { return {}; }
  static void barrier_wait(arrival_token = {}) { sync(); }

  static dim3 dim_blocks() { return dim3(cluster().size.x, cluster().size.y, cluster().size.z); }
  static unsigned num_blocks() { return cluster().blocks; }
  static dim3 block_index() {
    const dim3 size = dim_blocks();
    return dim3(blockIdx.x % size.x, blockIdx.y % size.y, blockIdx.z % size.z);
  }
  static unsigned block_rank() {
    const dim3 size = dim_blocks(), index = block_index();
    return (index.z * size.y + index.y) * size.x + index.x;
  }
  static unsigned thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
  static unsigned num_threads() { return num_blocks() * thread_block::size(); }
  static unsigned size() { return num_threads(); }

  // Where the block of that rank has what this one has there in its shared memory.
  template <class T>
  static T* map_shared_rank(T* address, int rank) {
    if (rank < 0 || static_cast<unsigned>(rank) >= num_blocks())
      tailwave_cpu::fail("map_shared_rank() with a rank that no block of the cluster has");
    return static_cast<T*>(tailwave_cpu::at_rank(const_cast<const T*>(address), static_cast<unsigned>(rank)));
  }

 private:
  static const tailwave_cpu::Cluster& cluster() {
    return tailwave_cpu::running_block->services->cluster(*tailwave_cpu::running_block);
  }
};
inline cluster_group this_cluster() {
  return {};
}

template <class Group>
inline void sync(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
