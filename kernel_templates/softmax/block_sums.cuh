#pragma once

#include "rows.cuh"

// Over a block of BLOCK_SIZE threads, in all of them. `parts` has an element for each warp. One barrier:
// before `parts` is written again, the block has to pass another.
template <class Value, class Reduce>
__device__ Value over_block(const Value& mine, const Value& nothing, Value* parts, Reduce reduce) {
  constexpr int kWarps = BLOCK_SIZE / kLanes;
  const int lane = threadIdx.x % kLanes;
  Value part = reduce(mine);
  if (kWarps == 1) {
    __syncwarp();  // a barrier here, too
    return part;
  }
  if (lane == 0) parts[threadIdx.x / kLanes] = part;
  __syncthreads();
  part = nothing;
  if (lane < kWarps) part = parts[lane];
  return reduce(part);
}
__device__ inline float block_largest(float value, float* parts) {
  return over_block(value, kLowest, parts, [](float x) { return warp_largest(x); });
}
__device__ inline float block_sum(float value, float* parts) {
  return over_block(value, 0.0f, parts, [](float x) { return warp_sum(x); });
}
__device__ inline Sum block_sum(const Sum& mine, Sum* parts) {
  return over_block(mine, Sum::nothing(), parts, [](const Sum& x) { return warp_sum(x); });
}
