#pragma once

// The part of cooperative groups that the CPU device has: thread_block, grid_group (of a cooperative launch),
// cluster_group (of a launch whose clusters the manifest gives) and tiles of 1 to 32 lanes.

#include "tailwave_cuda.h"

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
};
inline thread_block this_thread_block() {
  return {};
}

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

template <unsigned lanes, class Parent = thread_block>
class thread_block_tile {
  static_assert(lanes != 0 && lanes <= 32 && (lanes & (lanes - 1)) == 0,
                "a tile has 1, 2, 4, 8, 16 or 32 threads");

 public:
  static void sync() { __syncwarp(mask()); }
  static unsigned thread_rank() { return thread_block::thread_rank() % lanes; }
  static constexpr unsigned size() { return lanes; }
  static constexpr unsigned num_threads() { return lanes; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / lanes; }
  static unsigned meta_group_size() { return (thread_block::size() + lanes - 1) / lanes; }

  template <class T>
  static T shfl(T value, int source) {
    return __shfl_sync(mask(), value, source, lanes);
  }
  template <class T>
  static T shfl_up(T value, unsigned delta) {
    return __shfl_up_sync(mask(), value, delta, lanes);
  }
  template <class T>
  static T shfl_down(T value, unsigned delta) {
    return __shfl_down_sync(mask(), value, delta, lanes);
  }
  template <class T>
  static T shfl_xor(T value, int lane_mask) {
    return __shfl_xor_sync(mask(), value, lane_mask, lanes);
  }
  static int all(int predicate) { return __all_sync(mask(), predicate); }
  static int any(int predicate) { return __any_sync(mask(), predicate); }
  static unsigned ballot(int predicate) { return __ballot_sync(mask(), predicate) >> first_lane(); }
  template <class T>
  static unsigned match_any(T value) {
    return __match_any_sync(mask(), value) >> first_lane();
  }

 private:
  static unsigned first_lane() { return tailwave_cpu::lane() & ~(lanes - 1); }
  static unsigned mask() { return (0xffffffffu >> (32 - lanes)) << first_lane(); }
};

template <unsigned lanes, class Parent>
inline thread_block_tile<lanes, Parent> tiled_partition(const Parent&) {
  return {};
}

template <class Group>
inline void sync(const Group& group) {
  group.sync();
}

template <class T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};

// Of a whole tile; every lane gets the result.
template <unsigned lanes, class Parent, class T, class Combine>
inline T reduce(const thread_block_tile<lanes, Parent>& tile, T value, Combine combine) {
  for (unsigned distance = lanes / 2; distance != 0; distance /= 2)
    value = combine(value, tile.shfl_xor(value, static_cast<int>(distance)));
  return value;
}

}  // namespace cooperative_groups
