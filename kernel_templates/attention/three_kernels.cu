// Attention as it is written down, in float32 and without tensor cores: all scores, then a softmax of each row,
// then weighted sums of values. TILE x TILE elements a block, 4 x 4 a thread.
#include <cuda_fp16.h>

constexpr int SIDE = TILE / 4, THREADS = SIDE * SIDE;
constexpr int DEPTH = 16;

struct Tile {
  float left[DEPTH][TILE + 4], right[DEPTH][TILE + 4];
};

__device__ inline void multiply(float (&sum)[4][4], const Tile& tile) {
#pragma unroll
  for (int p = 0; p < DEPTH; ++p) {
    float left[4], right[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) left[i] = tile.left[p][threadIdx.y * 4 + i];
#pragma unroll
    for (int j = 0; j < 4; ++j) right[j] = tile.right[p][threadIdx.x * 4 + j];
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) sum[i][j] += left[i] * right[j];
  }
}

__global__ void __launch_bounds__(THREADS)
    scores(const half* __restrict__ q, const half* __restrict__ k, float* __restrict__ score, int queries,
           int keys, float scale, int causal) {
  __shared__ Tile tile;
  const int thread = threadIdx.y * SIDE + threadIdx.x;
  const long long head = blockIdx.z;
  const int first_query = blockIdx.y * TILE, first_key = blockIdx.x * TILE;
  if (causal && first_key > min(first_query + TILE, queries) - 1 + keys - queries) return;
  q += head * queries * HEAD_DIM;
  k += head * keys * HEAD_DIM;
  float sum[4][4] = {};
  for (int start = 0; start < HEAD_DIM; start += DEPTH) {
    for (int i = thread; i < TILE * DEPTH; i += THREADS) {
      const int row = i / DEPTH, p = i % DEPTH;
      const long long query = min(first_query + row, queries - 1), key = min(first_key + row, keys - 1);
      tile.left[p][row] = __half2float(q[query * HEAD_DIM + start + p]);
      tile.right[p][row] = __half2float(k[key * HEAD_DIM + start + p]);
    }
    __syncthreads();
    multiply(sum, tile);
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const int query = first_query + threadIdx.y * 4 + i, key = first_key + threadIdx.x * 4 + j;
      if (query < queries && key < keys) score[(head * queries + query) * keys + key] = sum[i][j] * scale;
    }
}

__device__ inline float largest(float x, float y) {
  return fmaxf(x, y);
}
__device__ inline float total(float x, float y) {
  return x + y;
}

template <float combine(float, float)>
__device__ float over_block(float x) {
  __shared__ float of_warp[SOFTMAX_BLOCK / 32];
  for (int distance = 16; distance > 0; distance /= 2)
    x = combine(x, __shfl_xor_sync(0xffffffff, x, distance));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = x;
  __syncthreads();
  x = of_warp[0];
  for (int i = 1; i < SOFTMAX_BLOCK / 32; ++i) x = combine(x, of_warp[i]);
  __syncthreads();
  return x;
}

// A block a query. Keys that it does not see get no weight.
__global__ void __launch_bounds__(SOFTMAX_BLOCK)
    softmax(float* __restrict__ score, int queries, int keys, int causal) {
  const int query = blockIdx.x % queries, seen = causal ? query + keys - queries + 1 : keys;
  float* row = score + static_cast<long long>(blockIdx.x) * keys;
  float top = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < seen; i += SOFTMAX_BLOCK) top = fmaxf(top, row[i]);
  top = over_block<largest>(top);
  for (int i = threadIdx.x; i < seen; i += SOFTMAX_BLOCK) sum += row[i] = expf(row[i] - top);
  const float share = 1 / over_block<total>(sum);
  for (int i = threadIdx.x; i < keys; i += SOFTMAX_BLOCK) row[i] = i < seen ? row[i] * share : 0;
}

__global__ void __launch_bounds__(THREADS) weigh(const float* __restrict__ weight, const half* __restrict__ v,
                                                 half* __restrict__ out, int queries, int keys, int causal) {
  __shared__ Tile tile;
  const int thread = threadIdx.y * SIDE + threadIdx.x;
  const long long head = blockIdx.z;
  const int first_query = blockIdx.y * TILE, first_dim = blockIdx.x * TILE;
  const int seen = causal ? min(keys, min(first_query + TILE, queries) + keys - queries) : keys;
  weight += head * queries * keys;
  v += head * keys * HEAD_DIM;
  float sum[4][4] = {};
  for (int start = 0; start < seen; start += DEPTH) {
    for (int i = thread; i < TILE * DEPTH; i += THREADS) {
      const int row = i / DEPTH, p = i % DEPTH;
      const long long query = min(first_query + row, queries - 1);
      tile.left[p][row] = start + p < seen ? weight[query * keys + start + p] : 0;
    }
    for (int i = thread; i < TILE * DEPTH; i += THREADS) {
      const int p = i / TILE, column = i % TILE;
      const long long key = min(start + p, keys - 1);
      tile.right[p][column] = __half2float(v[key * HEAD_DIM + first_dim + column]);
    }
    __syncthreads();
    multiply(sum, tile);
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      const int query = first_query + threadIdx.y * 4 + i, dim = first_dim + threadIdx.x * 4 + j;
      if (query < queries) out[(head * queries + query) * HEAD_DIM + dim] = __float2half_rn(sum[i][j]);
    }
}
