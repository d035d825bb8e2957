// `cells` in shares that are dealt out to blocks by SCHEDULE. A share is every BLOCK_STRIDE-th 32 of the particles of a
// tile: BLOCK_SIZE cells, 32 for each warp. All schedules run the same code on a share, with registers for RESIDENT blocks
// an SM.

#include "cells.cuh"
#include "schedule.cuh"

// taken: how many shares this step has stolen, and a count for the next step. They take turns, and each step clears the
// other one's.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, RESIDENT)
    run_step(Vector* positions, Vector* velocities, int* indices, int* counts, int* overflow,
             const int* progress, unsigned* taken, int step, int across, int n) {
  constexpr int kWarps = BLOCK_SIZE / kLanes;
  const int now = (*progress + step) % 6;
  if (blockIdx.x == 0 && threadIdx.x == 0) taken[(now + 1) % 2] = 0;

  const Places all{positions, velocities, indices, counts};
  const Cells cells = cells_of(across, n);
  const double side = side_of(n);
  const int warps = (across + kLanes - 1) / kLanes * across;
  const unsigned shares = (warps + kWarps - 1) / kWarps * BLOCK_STRIDE;
  for_each_share(shares, &taken[now % 2], [&](unsigned share) {
    const int warp = share / BLOCK_STRIDE * kWarps + threadIdx.x / kLanes;
    step_warp(all, cells, now, warp, share % BLOCK_STRIDE, BLOCK_STRIDE, side, overflow);
  });
}
