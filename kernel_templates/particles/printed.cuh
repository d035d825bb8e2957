#pragma once

// Kernels that the study's programs share, and what is not timed: the start, and the arrays that are compared.

#include "particles.cuh"
#include "printed.h"

namespace {

__device__ int particle_of_row() {
  return threadIdx.x + blockIdx.x * blockDim.x;
}

__device__ void meet_all(Particle* particles, int tid, int n) {
  particles[tid].ax = particles[tid].ay = 0;
  for (int j = 0; j < n; ++j) apply_force(particles[tid], particles[j]);
}

}  // namespace

extern "C" __global__ void move_particles(Particle* particles, int n, double size) {
  const int tid = particle_of_row();
  if (tid >= n) return;
  move_one(particles[tid], size);
}

extern "C" __global__ void place_structs(Particle* particles, double squeeze, int n) {
  const int i = particle_of_row();
  if (i < n) particles[i] = placed(i, n, squeeze);
}

extern "C" __global__ void take_apart(const Particle* particles, Vector* positions, Vector* velocities, int n) {
  const int i = particle_of_row();
  if (i >= n) return;
  positions[i] = {particles[i].x, particles[i].y};
  velocities[i] = {particles[i].vx, particles[i].vy};
}
