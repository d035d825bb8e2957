// The study's first edition for one core (its serial_test_edition1.c): every REBUILD steps each particle lists those whose
// squared distance is within MAX_DISTANCE squared cutoffs, at most DENS of them; what comes after is left out.

#include "printed_host.h"

extern "C" void compute_forces(Particle* particles, int n, int step, int* near, int* near_counts) {
  if (step % REBUILD == 0) {
    for (int i = 0; i < n; ++i) {
      int count = 0;
      for (int j = 0; j < n; ++j) {
        if (square_between(particles[i], particles[j]) <= kCutoff * kCutoff * MAX_DISTANCE) {
          near[i * DENS + count] = j;
          ++count;
          if (count == DENS) break;
        }
      }
      near_counts[i] = count;
    }
  }

  for (int i = 0; i < n; ++i) {
    particles[i].ax = particles[i].ay = 0;
    for (int j = 0; j < near_counts[i]; ++j) apply_force(particles[i], particles[near[i * DENS + j]]);
  }
}
