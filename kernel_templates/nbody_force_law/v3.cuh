// The study's v3: v1 with tiles in shared memory, for a multiple of BLOCK_SIZE bodies, since no read has a test. END_OF_TILE
// is what stands between the use of a tile and the next.

#include "printed.cuh"

extern "C" __global__ void accelerate(float4* bodies, float3* velocities) {
  __shared__ float4 tile[BLOCK_SIZE];
  const unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
  const float4 body = bodies[i];
  float3 sum = make_float3(0.0f, 0.0f, 0.0f);
  for (int j = threadIdx.x; j < kN; j += blockDim.x) {
    tile[threadIdx.x] = bodies[j];
    __syncthreads();
    for (int k = 0; k < blockDim.x; ++k) add_force(body, tile[k], body.w, tile[k].w, sum);
    END_OF_TILE;
  }
  apply_force(body, sum, velocities[i]);
}
