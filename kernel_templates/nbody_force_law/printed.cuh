// What the study's v1, v3 and v5 compute for a pair of bodies, with its operations: a root and its reciprocal, two
// divisions, and both masses, though the body's own goes out of its acceleration. A body is x y z and its mass in w.

#include "study.cuh"

constexpr float kSoftening = STUDY_SOFTENING;

// The force is G or H times one mass and then the other: which is first decides whether a product leaves the loop.
__device__ void add_force(const float4& body, const float4& other, float mass, float then_mass, float3& sum) {
  const float dx = other.x - body.x;
  const float dy = other.y - body.y;
  const float dz = other.z - body.z;
  const float square = dx * dx + dy * dy + dz * dz + kSoftening;
  const float inverse = 1.0f / sqrtf(square);
  const float strength = (kG * mass * then_mass) / square - (kH * mass * then_mass) / (square * square);
  sum.x += strength * dx * inverse;
  sum.y += strength * dy * inverse;
  sum.z += strength * dz * inverse;
}

__device__ void apply_force(const float4& body, const float3& force, float3& velocity) {
  velocity.x += (force.x - kDamp * velocity.x) / body.w * kDt;
  velocity.y += (force.y - kDamp * velocity.y) / body.w * kDt;
  velocity.z += (force.z - kDamp * velocity.z) / body.w * kDt;
}

// The velocity of body i from all bodies in global memory: v1, and the remainder of v5.
__device__ void accelerate_without_tiles(float4* bodies, float3* velocities, unsigned i) {
  const float4 body = bodies[i];
  float3 sum = make_float3(0.0f, 0.0f, 0.0f);
  for (int j = 0; j < kN; ++j) {
    const float4 other = bodies[j];
    add_force(body, other, other.w, body.w, sum);
  }
  apply_force(body, sum, velocities[i]);
}

extern "C" __global__ void move(float4* bodies, float3* velocities) {
  const int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i >= kN) return;
  bodies[i].x += velocities[i].x * kDt;
  bodies[i].y += velocities[i].y * kDt;
  bodies[i].z += velocities[i].z * kDt;
}
