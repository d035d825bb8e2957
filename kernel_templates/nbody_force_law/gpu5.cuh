// The study's gpu5, where it began: tiles in shared memory, a root and five divisions a pair, two tests in a loop that is
// unrolled by 32, and an array of forces that a second kernel reads. No softening. A body is x y z and its mass in w. For a
// multiple of BLOCK_SIZE bodies: the reads have no test. END_OF_TILE is what stands between the use of a tile and the next.

#include "study.cuh"

__device__ float3 force_between(const float4& body, const float4& other) {
  const float dx = other.x - body.x;
  const float dy = other.y - body.y;
  const float dz = other.z - body.z;
  const float square = dx * dx + dy * dy + dz * dz;
  const float distance = sqrtf(square);
  const float strength = (kG * body.w * other.w) / square - (kH * body.w * other.w) / (square * square);
  return make_float3(strength * dx / distance, strength * dy / distance, strength * dz / distance);
}

extern "C" __global__ void body_force(float4* bodies, float3* velocities, float3* forces) {
  __shared__ float4 tile[BLOCK_SIZE];
  const int i = threadIdx.x + blockDim.x * blockIdx.x;
  float3 sum = make_float3(0.0f, 0.0f, 0.0f);
  float4 body;
  body.x = bodies[i].x;
  body.y = bodies[i].y;
  body.z = bodies[i].z;
  body.w = bodies[i].w;
  for (int block = 0; block < gridDim.x; ++block) {
    tile[threadIdx.x] = bodies[threadIdx.x + blockDim.x * block];
    __syncthreads();
#pragma unroll 32
    for (int k = 0; k < blockDim.x; ++k) {
      const int j = k + blockDim.x * block;
      if (j != i && j < kN) {
        const float3 force = force_between(body, tile[k]);
        sum.x += force.x;
        sum.y += force.y;
        sum.z += force.z;
      }
    }
    END_OF_TILE;
  }
  if (i < kN) {
    forces[i].x = sum.x;
    forces[i].y = sum.y;
    forces[i].z = sum.z;
  }
}

extern "C" __global__ void move(float4* bodies, float3* velocities, float3* forces) {
  const int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < kN) {
    velocities[i].x += (forces[i].x - kDamp * velocities[i].x) / bodies[i].w * kDt;
    velocities[i].y += (forces[i].y - kDamp * velocities[i].y) / bodies[i].w * kDt;
    velocities[i].z += (forces[i].z - kDamp * velocities[i].z) / bodies[i].w * kDt;
    bodies[i].x += velocities[i].x * kDt;
    bodies[i].y += velocities[i].y * kDt;
    bodies[i].z += velocities[i].z * kDt;
  }
}
