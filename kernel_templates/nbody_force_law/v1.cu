// The study's v1: no tiles, no array of forces and one test, whether the thread has a body. Every thread reads all bodies
// from global memory.

#include "printed.cuh"

// Positions stay as they are until `move`: other blocks may still read them.
extern "C" __global__ void accelerate(float4* bodies, float3* velocities) {
  const unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i >= kN) return;
  const float4 body = bodies[i];
  float3 sum = make_float3(0.0f, 0.0f, 0.0f);
  for (int j = 0; j < kN; ++j) {
    const float4 other = bodies[j];
    add_force(body, other, other.w, body.w, sum);
  }
  apply_force(body, sum, velocities[i]);
}
