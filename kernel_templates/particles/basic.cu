// One thread a particle, which reads all others from global memory.

#include "particles.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    accelerate(const Vector* positions, Vector* accelerations, int n) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i >= n) return;
  const Vector position = positions[i];
  Vector sum{0, 0};
  for (int j = 0; j < n; ++j) add_repulsion(position, positions[j], sum);
  accelerations[i] = sum;
}
