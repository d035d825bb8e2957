#pragma once

// Sums over the lanes of a warp, of several values at once.

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

// Adds up each of `count` values, a power of 2, over the warp. Lane l then has the sums of the values
// first_of<count>(l), ... in values[0], ...: count / 32 of them, or one that it shares with neighbouring lanes. In each step a
// lane passes half of its values on and adds those that it gets to the others, so there are about `count` exchanges
// and not 5 * count.
template <int count, int left = count, int distance = kLanes / 2>
__device__ void add_up_lanes(double (&values)[count]) {
  static_assert((count & (count - 1)) == 0, "the number of values has to be a power of 2");
  const bool upper = (threadIdx.x & distance) != 0;
  if constexpr (left == 1) values[0] += __shfl_xor_sync(kAllLanes, values[0], distance);
#pragma unroll
  for (int i = 0; i < left / 2; ++i) {
    const double passed = upper ? values[i] : values[i + left / 2];
    const double kept = upper ? values[i + left / 2] : values[i];
    values[i] = kept + __shfl_xor_sync(kAllLanes, passed, distance);
  }
  if constexpr (distance > 1) add_up_lanes<count, (left > 1 ? left / 2 : 1), distance / 2>(values);
}

template <int count>
__device__ constexpr int first_of(int lane) {
  return lane * count / kLanes;
}

// The sums of four values over a block of so many threads, in all of them; once a kernel.
template <int threads>
__device__ void add_up_block(double (&values)[4]) {
  static_assert(threads % kLanes == 0, "a block has to be made of whole warps");
  __shared__ double warp_sums[threads / kLanes][4];
  add_up_lanes(values);
  warp_sums[threadIdx.x / kLanes][first_of<4>(threadIdx.x % kLanes)] = values[0];
  __syncthreads();
  for (int i = 0; i < 4; ++i) {
    values[i] = 0;
    for (int warp = 0; warp < threads / kLanes; ++warp) values[i] += warp_sums[warp][i];
  }
}
