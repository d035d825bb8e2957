#pragma once

// The start, a move and the physical check for host variants; particles.cuh has them for kernels.

#include "particles.h"

extern "C" void place(Vector* positions, Vector* velocities, double squeeze, int n) {
  for (int i = 0; i < n; ++i) place_particle(i, n, squeeze, positions[i], velocities[i]);
}

extern "C" void move(Vector* positions, Vector* velocities, const Vector* accelerations, int n) {
  const double side = side_of(n);
  for (int i = 0; i < n; ++i) move_particle(positions[i], velocities[i], accelerations[i], side);
}

// pairs: sum of the steps' averages and number of steps that had pairs.
extern "C" void check_closeness(const Vector* positions, double* pairs, double* closest,
                                double* mean_closeness, int n) {
  double sum = 0;
  int count = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      const double square = squared_distance(positions[i], positions[j]);
      if (square > kCutoff * kCutoff) continue;
      const double closeness = sqrt(square) / kCutoff;
      sum += closeness;
      if (closeness < *closest) *closest = closeness;
      ++count;
    }
  if (count == 0) return;
  pairs[2] += sum / count;
  pairs[3] += 1;
  *mean_closeness = pairs[2] / pairs[3];
}
