// The force law, as v1_rsqrt, v3_rsqrt and v5_rsqrt compute it. A body is x y z and its mass in w.

constexpr int kUnroll = UNROLL;

struct Law {
  float g, h, softening;
};

// Adds the acceleration of a body at `position` by `other`: 0 from the body itself, since the softening keeps the root
// finite there. The body's own mass cancels.
__device__ void add_pull(const Law& law, const float4& position, const float4& other, float3& sum) {
  const float dx = other.x - position.x;
  const float dy = other.y - position.y;
  const float dz = other.z - position.z;
  const float root = rsqrtf(law.softening + dx * dx + dy * dy + dz * dz);
  const float square = root * root;
  const float weight = other.w * root * square * (law.g - law.h * square);
  sum.x += dx * weight;
  sum.y += dy * weight;
  sum.z += dz * weight;
}

// The damping is a force against the velocity.
__device__ float3 accelerated(const float3& velocity, const float3& acceleration, float mass, float damp,
                              float dt) {
  const float friction = damp / mass;
  return make_float3(velocity.x + dt * (acceleration.x - friction * velocity.x),
                     velocity.y + dt * (acceleration.y - friction * velocity.y),
                     velocity.z + dt * (acceleration.z - friction * velocity.z));
}

__device__ float4 moved_by(const float4& body, const float3& velocity, float dt) {
  return make_float4(body.x + dt * velocity.x, body.y + dt * velocity.y, body.z + dt * velocity.z, body.w);
}
