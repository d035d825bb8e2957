#pragma once

// What `shared` and `scheduled` do with one share of the work: BLOCK_STRIDE shares for each tile of BLOCK_SIZE bodies.
// Share s sums the pulls on tile s / BLOCK_STRIDE from every BLOCK_STRIDE-th tile, beginning with s % BLOCK_STRIDE.
// A tile is stored by component, so that one load fetches the same coordinate of several bodies.
// Body: x y z vx vy vz.

constexpr float kSoftening = 1e-9f;
constexpr int kUnroll = UNROLL;

struct Tile {
  float x[BLOCK_SIZE], y[BLOCK_SIZE], z[BLOCK_SIZE];
};

__device__ inline void add_pull(const float3& position, const Tile& tile, int k, float3& sum) {
  const float dx = tile.x[k] - position.x;
  const float dy = tile.y[k] - position.y;
  const float dz = tile.z[k] - position.z;
  const float root = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening);
  const float weight = root * root * root;
  sum.x += dx * weight;
  sum.y += dy * weight;
  sum.z += dz * weight;
}

__device__ inline float3 position_of(const float* bodies, int i) {
  return make_float3(bodies[6 * i], bodies[6 * i + 1], bodies[6 * i + 2]);
}

// Velocities of one step, by all threads of a block; several blocks add to the same one. Positions stay as they are.
// With `sums_tiles` the pulls of a tile are summed on their own: one float32 sum of 65536 would be off by 2e-5.
template <bool sums_tiles>
__device__ void add_pulls_of_share(float* bodies, float dt, int n, unsigned share, Tile& tile) {
  const int i = share / BLOCK_STRIDE * BLOCK_SIZE + threadIdx.x;
  const float3 position = position_of(bodies, i < n ? i : 0);
  float3 sum = make_float3(0.0f, 0.0f, 0.0f);
  float3 total = sum;

  for (int start = share % BLOCK_STRIDE * BLOCK_SIZE; start < n; start += BLOCK_STRIDE * BLOCK_SIZE) {
    const int j = start + threadIdx.x;
    if (j < n) {
      tile.x[threadIdx.x] = bodies[6 * j];
      tile.y[threadIdx.x] = bodies[6 * j + 1];
      tile.z[threadIdx.x] = bodies[6 * j + 2];
    }
    __syncthreads();
    if (start + BLOCK_SIZE <= n) {
#pragma unroll kUnroll
      for (int k = 0; k < BLOCK_SIZE; ++k) add_pull(position, tile, k, sum);
    } else {
#pragma unroll 1
      for (int k = 0; k < n - start; ++k) add_pull(position, tile, k, sum);
    }
    __syncthreads();
    if constexpr (sums_tiles) {
      total.x += sum.x;
      total.y += sum.y;
      total.z += sum.z;
      sum = make_float3(0.0f, 0.0f, 0.0f);
    }
  }

  if (i >= n) return;
  if constexpr (sums_tiles) sum = total;
  atomicAdd(&bodies[6 * i + 3], dt * sum.x);
  atomicAdd(&bodies[6 * i + 4], dt * sum.y);
  atomicAdd(&bodies[6 * i + 5], dt * sum.z);
}

__device__ inline void move_body(float* bodies, float dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float* body = bodies + 6 * i;
  body[0] += dt * body[3];
  body[1] += dt * body[4];
  body[2] += dt * body[5];
}
