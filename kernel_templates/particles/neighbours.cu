// A list of the particles within RADIUS cutoffs for each particle, at most LIST_LENGTH of them. Entry k of all particles
// lies together, so that the threads of a warp read neighbouring words.

#include "particles.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    build_list(const Vector* positions, int* list, int* lengths, int* overflow, int n) {
  constexpr double radius = RADIUS * kCutoff;
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i >= n) return;
  const Vector position = positions[i];
  int length = 0;
  for (int j = 0; j < n; ++j) {
    if (j == i || squared_distance(position, positions[j]) > radius * radius) continue;
    if (length < LIST_LENGTH)
      list[static_cast<long long>(length++) * n + i] = j;
    else
      *overflow = 1;
  }
  lengths[i] = length;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    accelerate(const Vector* positions, Vector* accelerations, const int* list, const int* lengths, int n) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i >= n) return;
  const Vector position = positions[i];
  const int length = lengths[i];
  Vector sum{0, 0};
  for (int k = 0; k < length; ++k)
    add_repulsion(position, positions[list[static_cast<long long>(k) * n + i]], sum);
  accelerations[i] = sum;
}
