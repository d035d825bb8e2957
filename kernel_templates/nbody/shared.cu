// All-pairs softened gravity with tiles of bodies in shared memory. BLOCK_STRIDE blocks share one tile of BLOCK_SIZE
// bodies: block b sums the pulls on tile b / BLOCK_STRIDE from every BLOCK_STRIDE-th tile, beginning with
// b % BLOCK_STRIDE. Body: x y z vx vy vz.

constexpr float kSoftening = 1e-9f;
constexpr int kUnroll = UNROLL;

__device__ void add_pull(const float3& position, const float3& other, float3& sum) {
  const float dx = other.x - position.x;
  const float dy = other.y - position.y;
  const float dz = other.z - position.z;
  const float root = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening);
  const float weight = root * root * root;
  sum.x += dx * weight;
  sum.y += dy * weight;
  sum.z += dz * weight;
}

__device__ float3 position_of(const float* bodies, int i) {
  return make_float3(bodies[6 * i], bodies[6 * i + 1], bodies[6 * i + 2]);
}

// Velocities of one step; several blocks add to the same one. Positions stay as they are until `move`.
extern "C" __global__ void body_force(float* bodies, float dt, int n) {
  __shared__ float3 tile[BLOCK_SIZE];
  const int i = blockIdx.x / BLOCK_STRIDE * BLOCK_SIZE + threadIdx.x;
  const float3 position = position_of(bodies, i < n ? i : 0);
  float3 sum = make_float3(0.0f, 0.0f, 0.0f);

  for (int start = blockIdx.x % BLOCK_STRIDE * BLOCK_SIZE; start < n; start += BLOCK_STRIDE * BLOCK_SIZE) {
    const int j = start + threadIdx.x;
    if (j < n) tile[threadIdx.x] = position_of(bodies, j);
    __syncthreads();
    if (start + BLOCK_SIZE <= n) {
#pragma unroll kUnroll
      for (int k = 0; k < BLOCK_SIZE; ++k) add_pull(position, tile[k], sum);
    } else {
      for (int k = 0; k < n - start; ++k) add_pull(position, tile[k], sum);
    }
    __syncthreads();
  }

  if (i >= n) return;
  atomicAdd(&bodies[6 * i + 3], dt * sum.x);
  atomicAdd(&bodies[6 * i + 4], dt * sum.y);
  atomicAdd(&bodies[6 * i + 5], dt * sum.z);
}

extern "C" __global__ void move(float* bodies, float dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float* body = bodies + 6 * i;
  body[0] += dt * body[3];
  body[1] += dt * body[4];
  body[2] += dt * body[5];
}
