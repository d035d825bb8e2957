// A body as the study has it in memory, and its move, for the kernels as printed.

struct Body {
  float x, y, z, vx, vy, vz;
};

constexpr float kSoftening = 1e-9f;

// Adds the pull of a body at `other` on one at `own`.
template <class Own, class Other>
__device__ void add_pull(const Own& own, const Other& other, float3& sum) {
  const float dx = other.x - own.x;
  const float dy = other.y - own.y;
  const float dz = other.z - own.z;
  const float square = dx * dx + dy * dy + dz * dz + kSoftening;
  const float inverse = rsqrtf(square);
  const float cube = inverse * inverse * inverse;
  sum.x += dx * cube;
  sum.y += dy * cube;
  sum.z += dz * cube;
}

extern "C" __global__ void move(Body* bodies, float dt, int n) {
  const int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < n) {
    bodies[i].x += bodies[i].vx * dt;
    bodies[i].y += bodies[i].vy * dt;
    bodies[i].z += bodies[i].vz * dt;
  }
}
