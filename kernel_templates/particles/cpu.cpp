// All pairs on one core, as plain as it gets.

#include "host.h"

extern "C" void accelerate(const Vector* positions, Vector* accelerations, int n) {
  for (int i = 0; i < n; ++i) {
    Vector sum{0, 0};
    for (int j = 0; j < n; ++j) add_repulsion(positions[i], positions[j], sum);
    accelerations[i] = sum;
  }
}
