#pragma once

// What the kernels of this system share: the start, one point of an iteration, and sums over a warp and a block.

#include "errors.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

// f_old holds a random number of [0, 1) for each point; it becomes the start that README.md describes.
extern "C" __global__ void set_start(float* f_old, int n, int spacing) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int bump = f_old[i] * spacing < 1.0f ? 1 : 0;
  f_old[i] = static_cast<float>(abs(i % 8388608 - 4194304) + bump);
}

// The study's problem: ends 5 and 10, zeros between. With at least kMostErrors threads.
extern "C" __global__ void begin(float* f_old, float* errors, float* printed_errors, int* iterations, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f_old[i] = i == 0 ? 5.0f : i == n - 1 ? 10.0f : 0.0f;
  if (i < kMostErrors) errors[i] = 0.0f;
  if (i < kPrintedErrors) printed_errors[i] = 0.0f;
  if (i == 0) *iterations = 0;
}

// The error of an iteration, and what the study prints of it.
extern "C" __global__ void record(const float* sum, float* errors, float* printed_errors, int* iterations,
                                  int iteration, int n) {
  const float error = sqrtf(*sum / static_cast<float>(n));
  if (iteration < kMostErrors) errors[iteration] = error;
  if (iteration % kPrintedEvery == 0 && iteration / kPrintedEvery < kPrintedErrors)
    printed_errors[iteration / kPrintedEvery] = error;
  *iterations = iteration + 1;
}

// Before the launch that adds to it.
extern "C" __global__ void clear(float* sum) {
  *sum = 0.0f;
}

// Stores the new value of a point, the ends' being their old one. Returns the square of the difference.
__device__ inline float update(const float* f_old, float* f, int i, int n) {
  const float old_value = f_old[i];
  const bool is_end = i == 0 || i == n - 1;
  const float new_value = is_end ? old_value : 0.5f * (f_old[i - 1] + f_old[i + 1]);
  f[i] = new_value;
  return (new_value - old_value) * (new_value - old_value);
}

// The warp's sum, in lane 0. All 32 lanes have to call it.
__device__ inline float warp_sum(float value) {
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    value += __shfl_down_sync(kAllLanes, value, distance);
  return value;
}

// The sum over a block of so many threads, in thread 0. All of them have to call it, with a barrier before a second call.
template <int threads>
__device__ float block_sum(float value) {
  static_assert(threads % kLanes == 0, "a block has to be made of whole warps");
  __shared__ float warp_sums[threads / kLanes];
  const int lane = threadIdx.x % kLanes;
  const int warp = threadIdx.x / kLanes;
  value = warp_sum(value);
  if (lane == 0) warp_sums[warp] = value;
  __syncthreads();
  if (warp > 0) return 0.0f;
  return warp_sum(lane < threads / kLanes ? warp_sums[lane] : 0.0f);
}
