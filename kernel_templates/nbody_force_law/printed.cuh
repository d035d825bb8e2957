// What the study's v1, v3 and v5 compute for a pair of bodies, with its operations: a root and its reciprocal, two
// divisions, and both masses, though the body's own goes out of its acceleration. A body is x y z and its mass in w.

struct Constants {
  float g, h, softening, damp, dt;
};

// The force is G or H times one mass and then the other: which is first decides whether a product leaves the loop.
__device__ void add_force(const Constants& use, const float4& body, const float4& other, float mass,
                          float then_mass, float3& sum) {
  const float dx = other.x - body.x;
  const float dy = other.y - body.y;
  const float dz = other.z - body.z;
  const float square = dx * dx + dy * dy + dz * dz + use.softening;
  const float inverse = 1.0f / sqrtf(square);
  const float strength = (use.g * mass * then_mass) / square - (use.h * mass * then_mass) / (square * square);
  sum.x += strength * dx * inverse;
  sum.y += strength * dy * inverse;
  sum.z += strength * dz * inverse;
}

__device__ void apply_force(const Constants& use, const float4& body, const float3& force, float3& velocity) {
  velocity.x += (force.x - use.damp * velocity.x) / body.w * use.dt;
  velocity.y += (force.y - use.damp * velocity.y) / body.w * use.dt;
  velocity.z += (force.z - use.damp * velocity.z) / body.w * use.dt;
}

extern "C" __global__ void move(float4* bodies, float3* velocities, float dt, int n) {
  const int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i >= n) return;
  bodies[i].x += velocities[i].x * dt;
  bodies[i].y += velocities[i].y * dt;
  bodies[i].z += velocities[i].z * dt;
}
