// The study's v5, for any number of bodies: v3 for those of whole blocks, whose last tile may have fewer, and v1 for the
// remainder, of which each thread has one: neither tests whether its body exists. END_OF_TILE is what stands between the use
// of a tile and the next.

#include "printed.cuh"

extern "C" __global__ void accelerate(float4* bodies, float3* velocities) {
  __shared__ float4 tile[BLOCK_SIZE];
  const unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
  const float4 body = bodies[i];
  float3 sum = make_float3(0.0f, 0.0f, 0.0f);
  for (int j = threadIdx.x; true; j += blockDim.x) {
    if (j < kN) tile[threadIdx.x] = bodies[j];
    const int count = __syncthreads_count(j < kN);
    if (count == 0) break;
    for (int k = 0; k < count; ++k) add_force(body, tile[k], body.w, tile[k].w, sum);
    END_OF_TILE;
  }
  apply_force(body, sum, velocities[i]);
}

extern "C" __global__ void accelerate_remainder(float4* bodies, float3* velocities, int offset) {
  accelerate_without_tiles(bodies, velocities, threadIdx.x + blockDim.x * blockIdx.x + offset);
}
