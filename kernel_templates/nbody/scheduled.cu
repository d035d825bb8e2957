// `shared` with its shares dealt out to blocks by SCHEDULE. All schedules run the same code on a share.

#include "schedule.cuh"
#include "shared.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) body_force(float* bodies, unsigned* taken, float dt, int n) {
  __shared__ Tile tile;
  const unsigned shares = (n + BLOCK_SIZE - 1) / BLOCK_SIZE * BLOCK_STRIDE;
  for_each_share(shares, taken, [&](unsigned share) { add_pulls_of_share<true>(bodies, dt, n, share, tile); });
}

// Also begins the count of stolen shares anew, for the next execution.
extern "C" __global__ void move(float* bodies, unsigned* taken, float dt, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *taken = 0;
  move_body(bodies, dt, n);
}
