// Broken, as published (gpu4.cu): all steps in one launch, as many as there are particles, with one barrier a step and
// that of a block only. Nothing waits between the forces and the move, nor one block for another.

#include "printed.cuh"

extern "C" __global__ void run_simulation(Particle* particles, int n, double size) {
  for (int step = 0; step < n; ++step) {
    const int tid = particle_of_row();
    if (tid >= n) return;
    meet_all(particles, tid, n);
    move_one(particles[tid], size);
    __syncthreads();
  }
}
