// Two-dimensional blocks in a two-dimensional grid. Threads are numbered row by row through the whole grid, and each has
// the particle of its number; threads beyond the last particle end at once.

#include "particles.cuh"

namespace {

__device__ long long particle_of_thread() {
  const long long row = blockIdx.y * BLOCK_Y + threadIdx.y;
  const long long width = static_cast<long long>(gridDim.x) * BLOCK_X;
  return row * width + blockIdx.x * BLOCK_X + threadIdx.x;
}

}  // namespace

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    accelerate(const Vector* positions, Vector* accelerations, int n) {
  const long long i = particle_of_thread();
  if (i >= n) return;
  const Vector position = positions[i];
  Vector sum{0, 0};
  for (int j = 0; j < n; ++j) add_repulsion(position, positions[j], sum);
  accelerations[i] = sum;
}

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    move_2d(Vector* positions, Vector* velocities, const Vector* accelerations, int n) {
  const long long i = particle_of_thread();
  if (i < n) move_particle(positions[i], velocities[i], accelerations[i], side_of(n));
}
