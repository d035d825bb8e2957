// Attraction and repulsion with tiles of bodies in shared memory, for a multiple of BLOCK_SIZE bodies: neither kernel
// has a test. `pack` fills up to one, once and untimed, with bodies that have next to no mass. Body: x y z mass.

#include "force_law.cuh"

// Velocities of one step. Positions stay as they are until `move`: other blocks may still read them.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    accelerate(const float4* __restrict__ bodies, float3* velocities, float g, float h, float softening,
               float damp, float dt, int n) {
  __shared__ float4 tile[BLOCK_SIZE];
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  const Law law{g, h, softening};
  const float4 body = bodies[i];
  float3 sum = make_float3(0.0f, 0.0f, 0.0f);
  for (int start = 0; start < n; start += BLOCK_SIZE) {
    tile[threadIdx.x] = bodies[start + threadIdx.x];
    __syncthreads();
#pragma unroll kUnroll
    for (int k = 0; k < BLOCK_SIZE; ++k) add_pull(law, body, tile[k], sum);
    __syncthreads();
  }
  velocities[i] = accelerated(velocities[i], sum, body.w, damp, dt);
}

extern "C" __global__ void move(float4* bodies, const float3* velocities, float dt) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  bodies[i] = moved_by(bodies[i], velocities[i], dt);
}

extern "C" __global__ void pack(const float4* bodies, const float3* velocities, float4* padded_bodies,
                                float3* padded_velocities, int n) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  padded_bodies[i] = i < n ? bodies[i] : make_float4(0.0f, 0.0f, 0.0f, 1e-30f);
  padded_velocities[i] = i < n ? velocities[i] : make_float3(0.0f, 0.0f, 0.0f);
}

extern "C" __global__ void unpack(float4* bodies, float3* velocities, const float4* padded_bodies,
                                  const float3* padded_velocities, int n) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i >= n) return;
  bodies[i] = padded_bodies[i];
  velocities[i] = padded_velocities[i];
}
