// Particles sorted by cells, O(n), on one core.

#include "host.h"
#include "host_cells.h"

extern "C" void accelerate(const Vector* positions, Vector* accelerations, int n) {
  const Cells cells = sorted_by_cell(positions, n);
  for (int i : cells.particles) {
    Vector sum{0, 0};
    for_each_near(cells, positions, i, [&](int j) { add_repulsion(positions[i], positions[j], sum); });
    accelerations[i] = sum;
  }
}
