// A step in one launch, a warp for every 32 cells of a row.

#include "cells.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    run_step(Vector* positions, Vector* velocities, int* indices, int* counts, int* overflow,
             const int* progress, int step, int across, int n) {
  const int warp = (blockIdx.x * BLOCK_SIZE + threadIdx.x) / kLanes;
  step_warp({positions, velocities, indices, counts}, cells_of(across, n), (*progress + step) % 6, warp, 0, 1,
            side_of(n), overflow);
}
