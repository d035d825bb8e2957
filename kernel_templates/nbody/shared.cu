// All-pairs softened gravity with tiles of bodies in shared memory. BLOCK_STRIDE blocks share one tile of BLOCK_SIZE
// bodies.

#include "shared.cuh"

extern "C" __global__ void body_force(float* bodies, float dt, int n) {
  __shared__ Tile tile;
  add_pulls_of_share<false>(bodies, dt, n, blockIdx.x, tile);
}

extern "C" __global__ void move(float* bodies, float dt, int n) {
  move_body(bodies, dt, n);
}
