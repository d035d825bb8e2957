// Attraction and repulsion, one thread a body: every thread reads all bodies from global memory. Body: x y z mass.

#include "force_law.cuh"

// Velocities of one step. Positions stay as they are until `move`: other blocks may still read them.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    accelerate(const float4* __restrict__ bodies, float3* velocities, float g, float h, float softening,
               float damp, float dt, int n) {
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (i >= n) return;
  const Law law{g, h, softening};
  const float4 body = bodies[i];
  float3 sum = make_float3(0.0f, 0.0f, 0.0f);
#pragma unroll kUnroll
  for (int j = 0; j < n; ++j) add_pull(law, body, bodies[j], sum);
  velocities[i] = accelerated(velocities[i], sum, body.w, damp, dt);
}

extern "C" __global__ void move(float4* bodies, const float3* velocities, float dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bodies[i] = moved_by(bodies[i], velocities[i], dt);
}
