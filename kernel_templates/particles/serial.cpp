// The study's program for one core (its serial.cpp), and its test of what the order of additions does: the same particles
// with the halves of the array exchanged.

#include "printed_host.h"

extern "C" void compute_forces(Particle* particles, int n) {
  for (int i = 0; i < n; ++i) {
    particles[i].ax = particles[i].ay = 0;
    for (int j = 0; j < n; ++j) apply_force(particles[i], particles[j]);
  }
}

extern "C" void exchange_halves(const Particle* particles, Particle* exchanged, int n) {
  for (int i = 0; i < n; ++i) exchanged[i] = particles[(i + n / 2) % n];
}

// How many particles are elsewhere in the two runs.
extern "C" void count_differing(const Particle* particles, const Particle* exchanged, int* differing, int n) {
  *differing = 0;
  for (int i = 0; i < n; ++i) {
    const Particle& one = particles[(i + n / 2) % n];
    if (one.x != exchanged[i].x || one.y != exchanged[i].y) ++*differing;
  }
}
