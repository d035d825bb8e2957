#pragma once

// Kernels that several variants launch: the start, a move, and what the physical check gathers.

#include "particles.h"

extern "C" __global__ void place(Vector* positions, Vector* velocities, double squeeze, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) place_particle(i, n, squeeze, positions[i], velocities[i]);
}

extern "C" __global__ void move(Vector* positions, Vector* velocities, const Vector* accelerations, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) move_particle(positions[i], velocities[i], accelerations[i], side_of(n));
}

// pairs[0] and [1]: sum of distance / cutoff and number of the step's interacting pairs. `closest` holds the smallest so
// far; positive numbers are ordered as their bits are.
extern "C" __global__ void gather_closeness(const Vector* positions, double* pairs, double* closest, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  double least = 1;
  int count = 0;
  for (int j = 0; j < n; ++j) {
    const double square = squared_distance(positions[i], positions[j]);
    if (j == i || square > kCutoff * kCutoff) continue;
    const double closeness = sqrt(square) / kCutoff;
    sum += closeness;
    least = closeness < least ? closeness : least;
    ++count;
  }
  if (count == 0) return;
  atomicAdd(&pairs[0], sum);
  atomicAdd(&pairs[1], static_cast<double>(count));
  atomicMin(reinterpret_cast<unsigned long long*>(closest),
            static_cast<unsigned long long>(__double_as_longlong(least)));
}

// pairs[2] and [3]: sum of the steps' averages and number of steps that had pairs.
extern "C" __global__ void average_closeness(double* pairs, double* mean_closeness) {
  if (pairs[1] == 0) return;
  pairs[2] += pairs[0] / pairs[1];
  pairs[3] += 1;
  pairs[0] = pairs[1] = 0;
  *mean_closeness = pairs[2] / pairs[3];
}
