// The study's first edition (gpu1.cu): blocks of two dimensions in a grid of two. Blocks are numbered row by row, and the
// threads of a block one after the other, so that a block has particles that are neighbours in memory. The study also
// tried one of the two kernels with blocks in a row.

#include "printed.cuh"

namespace {

__device__ int particle_of_block() {
  return (blockIdx.y * gridDim.x + blockIdx.x) * (blockDim.y * blockDim.x) + threadIdx.y * blockDim.x +
         threadIdx.x;
}

}  // namespace

extern "C" __global__ void compute_forces_2d(Particle* particles, int n) {
  const int tid = particle_of_block();
  if (tid >= n) return;
  meet_all(particles, tid, n);
}

extern "C" __global__ void move_particles_2d(Particle* particles, int n, double size) {
  const int tid = particle_of_block();
  if (tid >= n) return;
  move_one(particles[tid], size);
}

extern "C" __global__ void compute_forces(Particle* particles, int n) {
  const int tid = particle_of_row();
  if (tid >= n) return;
  meet_all(particles, tid, n);
}
