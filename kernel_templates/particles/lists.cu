// The study's fifth edition (gpu5.cu): every REBUILD steps a thread lists the particles within MAX_DISTANCE cutoffs of
// its own, at most DENS of them; what comes after is left out, and nobody is told. A list lies in one piece.

#include "printed.cuh"

extern "C" __global__ void compute_forces(Particle* particles, int n, int step, int* near, int* near_counts) {
  const int tid = particle_of_row();
  if (tid >= n) return;

  if (step % REBUILD == 0) {
    int count = 0;
    for (int j = 0; j < n; ++j) {
      if (square_between(particles[tid], particles[j]) <= kCutoff * kCutoff * MAX_DISTANCE * MAX_DISTANCE) {
        near[tid * DENS + count] = j;
        ++count;
        if (count == DENS) break;
      }
    }
    near_counts[tid] = count;
  }

  particles[tid].ax = particles[tid].ay = 0;
  for (int j = 0; j < near_counts[tid]; ++j)
    apply_force(particles[tid], particles[near[tid * DENS + j]]);
}
