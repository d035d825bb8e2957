// The study's v1: no tiles, no array of forces and one test, whether the thread has a body. Every thread reads all bodies
// from global memory.

#include "printed.cuh"

// Positions stay as they are until `move`: other blocks may still read them.
extern "C" __global__ void accelerate(float4* bodies, float3* velocities) {
  const unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < kN) accelerate_without_tiles(bodies, velocities, i);
}
