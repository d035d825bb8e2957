// All steps in one cooperative launch. A step reads positions from one array and stores moved ones in the other, so that
// one barrier of the whole grid ends it. The last positions are in `positions` again.

#include <cooperative_groups.h>

#include "particles.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    run_steps(Vector* positions, Vector* moved, Vector* velocities, int steps, int n) {
  const int first = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  const int stride = gridDim.x * BLOCK_SIZE;
  const double side = side_of(n);
  Vector* now = positions;
  Vector* next = moved;
  for (int step = 0; step < steps; ++step) {
    for (int i = first; i < n; i += stride) {
      Vector position = now[i];
      Vector sum{0, 0};
      for (int j = 0; j < n; ++j) add_repulsion(position, now[j], sum);
      move_particle(position, velocities[i], sum, side);
      next[i] = position;
    }
    cooperative_groups::this_grid().sync();
    Vector* const free = now;
    now = next;
    next = free;
  }
  if (now == moved)
    for (int i = first; i < n; i += stride) positions[i] = moved[i];
}
