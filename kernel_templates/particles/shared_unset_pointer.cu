// Broken, as published: the block shares a pointer to particles, not particles. Nobody sets it; every thread writes
// through it. Kept to show that the published time is of a kernel that stopped there.

#include "particles.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    accelerate(const Vector* positions, Vector* accelerations, int n) {
  // volatile: else a compiler may see that it is never set, and leave out the stores.
  __shared__ Vector* volatile shared_positions;
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i >= n) return;
  shared_positions[i] = positions[i];
  __syncthreads();
  Vector sum{0, 0};
  for (int j = 0; j < n; ++j) add_repulsion(shared_positions[i], shared_positions[j], sum);
  accelerations[i] = sum;
}
