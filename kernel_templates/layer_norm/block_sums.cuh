#pragma once

#include "rows.cuh"

// Over a block of BLOCK_SIZE threads, in all of them. `parts` has an element for each warp. One barrier:
// before `parts` is written again, the block has to pass another.
template <class Value>
__device__ Value block_sum(const Value& mine, const Value& nothing, Value* parts) {
  constexpr int kWarps = BLOCK_SIZE / kLanes;
  const int lane = threadIdx.x % kLanes;
  Value part = warp_sum(mine);
  if (kWarps == 1) {
    __syncwarp();  // a barrier here, too
    return part;
  }
  if (lane == 0) parts[threadIdx.x / kLanes] = part;
  __syncthreads();
  part = nothing;
  if (lane < kWarps) part = parts[lane];
  return warp_sum(part);
}
