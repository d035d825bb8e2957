// Broken, as published: all steps in one launch, with barriers of a block only. Blocks do not wait for each other, so a
// particle meets particles of other blocks where they were steps ago, or will be.

#include "particles.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    run_steps(Vector* positions, Vector* velocities, int steps, int n) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  const double side = side_of(n);
  for (int step = 0; step < steps; ++step) {
    Vector sum{0, 0};
    if (i < n)
      for (int j = 0; j < n; ++j) add_repulsion(positions[i], positions[j], sum);
    __syncthreads();
    if (i < n) move_particle(positions[i], velocities[i], sum, side);
    __syncthreads();
  }
}
