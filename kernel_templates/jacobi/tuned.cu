// POINTS_PER_THREAD points a thread, loaded and stored four at a time, so that each is read once: neighbours come from
// neighbouring lanes. A block stores its sum and draws a number; the block with the last number adds up all sums. So
// one launch is the whole iteration: nothing to clear before and no second kernel.

#include "jacobi.cuh"

namespace {

constexpr int kQuads = POINTS_PER_THREAD / 4;
static_assert(POINTS_PER_THREAD % 4 == 0, "POINTS_PER_THREAD has to be a multiple of 4");

// Four points; those beyond the last are 0.
__device__ float4 load(const float* f_old, int first, int n) {
  if (first + 4 <= n) return *reinterpret_cast<const float4*>(f_old + first);
  return make_float4(first < n ? f_old[first] : 0.0f, first + 1 < n ? f_old[first + 1] : 0.0f,
                     first + 2 < n ? f_old[first + 2] : 0.0f, 0.0f);
}

__device__ void store(float* f, int first, int n, const float4& value) {
  if (first + 4 <= n) {
    *reinterpret_cast<float4*>(f + first) = value;
    return;
  }
  if (first < n) f[first] = value.x;
  if (first + 1 < n) f[first + 1] = value.y;
  if (first + 2 < n) f[first + 2] = value.z;
}

// The neighbour that no lane has: the one before the warp's points in lane 0, the one behind them in the last lane.
__device__ float load_edge(const float* f_old, int first, int n) {
  const int lane = threadIdx.x % kLanes;
  const int i = lane == 0 ? first - 1 : first + 4;
  return (lane == 0 || lane == kLanes - 1) && 0 <= i && i < n ? f_old[i] : 0.0f;
}

__device__ float square(float difference) {
  return difference * difference;
}

// Stores four new values; returns the sum of their squared differences.
__device__ float update_four(const float4& own, float edge, float* f, int first, int n) {
  const int lane = threadIdx.x % kLanes;
  const float from_left = __shfl_up_sync(kAllLanes, own.w, 1);
  const float from_right = __shfl_down_sync(kAllLanes, own.x, 1);
  const float left = lane == 0 ? edge : from_left;
  const float right = lane == kLanes - 1 ? edge : from_right;
  float4 value = make_float4(0.5f * (left + own.y), 0.5f * (own.x + own.z), 0.5f * (own.y + own.w),
                             0.5f * (own.z + right));
  // Ends keep their value, and what is beyond the last point adds nothing.
  if (first == 0) value.x = own.x;
  if (first + 0 >= n - 1) value.x = own.x;
  if (first + 1 >= n - 1) value.y = own.y;
  if (first + 2 >= n - 1) value.z = own.z;
  if (first + 3 >= n - 1) value.w = own.w;
  store(f, first, n, value);
  return square(value.x - own.x) + square(value.y - own.y) + square(value.z - own.z) +
         square(value.w - own.w);
}

}  // namespace

// `finished` counts blocks: 0 before and after.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    step(const float* __restrict__ f_old, float* __restrict__ f, float* sum, float* partials,
         unsigned* finished, int n) {
  const int start = blockIdx.x * BLOCK_SIZE * POINTS_PER_THREAD + 4 * threadIdx.x;
  float4 own[kQuads];
  float edge[kQuads];
#pragma unroll
  for (int k = 0; k < kQuads; ++k) {
    own[k] = load(f_old, start + 4 * BLOCK_SIZE * k, n);
    edge[k] = load_edge(f_old, start + 4 * BLOCK_SIZE * k, n);
  }
  float value = 0.0f;
#pragma unroll
  for (int k = 0; k < kQuads; ++k) value += update_four(own[k], edge[k], f, start + 4 * BLOCK_SIZE * k, n);

  const float total = block_sum<BLOCK_SIZE>(value);
  bool is_last = false;
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = total;
    __threadfence();
    is_last = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;
  }
  if (!__syncthreads_or(is_last)) return;
  __threadfence();
  float others = 0.0f;
  for (int block = threadIdx.x; block < gridDim.x; block += BLOCK_SIZE) others += __ldcg(&partials[block]);
  const float whole = block_sum<BLOCK_SIZE>(others);
  if (threadIdx.x == 0) *sum = whole;
}
