#pragma once

// What the study's programs for one core share, and what is not timed: the start, and the arrays that are compared.

#include "host.h"
#include "printed.h"

extern "C" void place_structs(Particle* particles, double squeeze, int n) {
  for (int i = 0; i < n; ++i) particles[i] = placed(i, n, squeeze);
}

extern "C" void take_apart(const Particle* particles, Vector* positions, Vector* velocities, int n) {
  for (int i = 0; i < n; ++i) {
    positions[i] = {particles[i].x, particles[i].y};
    velocities[i] = {particles[i].vx, particles[i].vy};
  }
}

extern "C" void move_particles(Particle* particles, int n, double size) {
  for (int i = 0; i < n; ++i) move_one(particles[i], size);
}
