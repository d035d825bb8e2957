// The study's second kernel: tiles of bodies in shared memory, and BLOCK_STRIDE blocks for each tile of bodies that are
// pulled, which add with atomics. What is left of N beyond whole tiles pulls nobody.

#include "body.cuh"

extern "C" __global__ void body_force(Body* bodies, float dt, int n) {
  const int i = threadIdx.x + static_cast<int>(blockIdx.x / BLOCK_STRIDE) * blockDim.x;
  const int first = blockIdx.x % BLOCK_STRIDE;
  if (i < n) {
    const int tiles = n / BLOCK_SIZE;
    const Body own = bodies[i];
    __shared__ float3 tile[BLOCK_SIZE];
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (int t = first; t < tiles; t += BLOCK_STRIDE) {
      const Body other = bodies[t * BLOCK_SIZE + threadIdx.x];
      tile[threadIdx.x] = make_float3(other.x, other.y, other.z);
      __syncthreads();
      for (int k = 0; k < BLOCK_SIZE; ++k) add_pull(own, tile[k], sum);
      __syncthreads();
    }
    atomicAdd(&bodies[i].vx, dt * sum.x);
    atomicAdd(&bodies[i].vy, dt * sum.y);
    atomicAdd(&bodies[i].vz, dt * sum.z);
  }
}
