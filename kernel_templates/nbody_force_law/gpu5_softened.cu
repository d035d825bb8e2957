// gpu5 for any number of bodies and with the softening of the other variants: a square root and five divisions for every
// pair, tests in the unrolled loop, and an array of forces that a second kernel reads. Body: x y z mass.

constexpr int kUnroll = UNROLL;

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    body_force(const float4* bodies, float3* forces, float g, float h, float softening, int n) {
  __shared__ float4 tile[BLOCK_SIZE];
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  const float4 body = bodies[min(i, n - 1)];
  float3 sum = make_float3(0.0f, 0.0f, 0.0f);
  for (int start = 0; start < n; start += BLOCK_SIZE) {
    tile[threadIdx.x] = bodies[min(start + static_cast<int>(threadIdx.x), n - 1)];
    __syncthreads();
#pragma unroll kUnroll
    for (int k = 0; k < BLOCK_SIZE; ++k) {
      const int j = start + k;
      if (i < n && j < n && i != j) {
        const float4 other = tile[k];
        const float dx = other.x - body.x;
        const float dy = other.y - body.y;
        const float dz = other.z - body.z;
        const float r = sqrtf(dx * dx + dy * dy + dz * dz + softening);
        const float force = g * body.w * other.w / (r * r) - h * body.w * other.w / (r * r * r * r);
        sum.x += force * dx / r;
        sum.y += force * dy / r;
        sum.z += force * dz / r;
      }
    }
    __syncthreads();
  }
  if (i < n) forces[i] = sum;
}

extern "C" __global__ void move(float4* bodies, float3* velocities, const float3* forces, float damp,
                                float dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 body = bodies[i];
  float3 velocity = velocities[i];
  velocity.x += dt * (forces[i].x - damp * velocity.x) / body.w;
  velocity.y += dt * (forces[i].y - damp * velocity.y) / body.w;
  velocity.z += dt * (forces[i].z - damp * velocity.z) / body.w;
  body.x += dt * velocity.x;
  body.y += dt * velocity.y;
  body.z += dt * velocity.z;
  velocities[i] = velocity;
  bodies[i] = body;
}
