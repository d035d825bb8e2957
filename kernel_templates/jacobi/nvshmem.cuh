#pragma once

// What the study's kernels for several GPUs need around them, and what repairs their start.

#include <nvshmem.h>

#include "jacobi.cuh"

// initialize() of every point of a part, its last one, too.
__global__ void initialize_all(float* f, float T_left, float T_right, int N) {
  const int idx = threadIdx.x + blockIdx.x * blockDim.x;
  if (idx >= N) return;
  if (idx == 0 && nvshmem_my_pe() == 0)
    f[idx] = T_left;
  else if (idx == N - 1 && nvshmem_my_pe() == nvshmem_n_pes() - 1)
    f[idx] = T_right;
  else
    f[idx] = 0.0f;
}

// Nothing is recorded yet. With at least kMostErrors threads.
extern "C" __global__ void begin_records(float* errors, float* printed_errors, int* iterations) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kMostErrors) errors[i] = 0.0f;
  if (i < kPrintedErrors) printed_errors[i] = 0.0f;
  if (i == 0) *iterations = 0;
}

// A PE's part of all points, into both of its arrays: ends are never written again.
extern "C" __global__ void take_part(const float* all, float* part_old, float* part, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  part_old[i] = all[nvshmem_my_pe() * count + i];
  part[i] = part_old[i];
}

// The parts of all PEs, into an array of the one that asks for them.
extern "C" __global__ void gather(const float* part, float* all, int count, const float* l2_norm, float* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count * nvshmem_n_pes()) all[i] = nvshmem_float_g(&part[i % count], i / count);
  if (i == 0) *sum = *l2_norm;
}
