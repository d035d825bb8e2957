// Broken, as published (gpu3.cu): what the block shares is a pointer that nobody sets, and every thread copies all
// particles to where it points, without a barrier before they are read.

#include "printed.cuh"

extern "C" __global__ void compute_forces(Particle* particles, int n) {
  __shared__ Particle* shared_particles;
  for (int i = 0; i < n; ++i) {
    shared_particles[i].x = particles[i].x;
    shared_particles[i].y = particles[i].y;
    shared_particles[i].vx = particles[i].vx;
    shared_particles[i].vy = particles[i].vy;
    shared_particles[i].ax = particles[i].ax;
    shared_particles[i].ay = particles[i].ay;
  }

  const int tid = particle_of_row();
  if (tid >= n) return;
  particles[tid].ax = particles[tid].ay = 0;
  for (int j = 0; j < n; ++j) apply_force(particles[tid], shared_particles[j]);
}
