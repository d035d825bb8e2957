// Kernels of different kinds to count, which all give y = 2 x: what else they do is multiplied by `zero`.
extern "C" {

__global__ void counted_copy(const float* x, float* y, float zero, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

// A cache line for each thread. n is a power of 2.
__global__ void counted_gather(const float* x, float* y, float zero, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i] + zero * x[(i * 32 + i / 64) & (n - 1)];
}

// Rows of 64 in tiles of 32 x 32, read by columns; without padding a column lies in one bank.
#define COUNTED_TILE(name, padding)                                                     \
  __global__ void name(const float* x, float* y, float zero, int n) {                   \
    __shared__ float tile[32][32 + padding];                                            \
    const int i = (blockIdx.y * 32 + threadIdx.y) * 64 + blockIdx.x * 32 + threadIdx.x; \
    const float own = i < n ? x[i] : 0;                                                 \
    tile[threadIdx.y][threadIdx.x] = own;                                               \
    __syncthreads();                                                                    \
    if (i < n) y[i] = 2 * own + zero * tile[threadIdx.x][threadIdx.y];                  \
  }
COUNTED_TILE(counted_tile, 1)
COUNTED_TILE(counted_conflicts, 0)

// A cube of 16 x 16 planes.
__global__ void counted_neighbours(const float* x, float* y, float zero, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  const int plane = blockIdx.z * blockDim.z + threadIdx.z;
  const int i = (plane * 16 + row) * 16 + column;
  if (i >= n) return;
  const float sum = x[max(i - 1, 0)] + x[min(i + 1, n - 1)] + x[max(i - 16, 0)] + x[min(i + 16, n - 1)] +
                    x[max(i - 256, 0)] + x[min(i + 256, n - 1)];
  y[i] = 2 * x[i] + zero * sum;
}

// 256 fused multiplications and additions.
__global__ void counted_fp32(const float* x, float* y, float zero, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
#pragma unroll 16
  for (int k = 0; k < 256; ++k) sum = fmaf(sum, zero, 0.5f);
  y[i] = 2 * x[i] + zero * sum;
}

// 64 of them in FP64.
__global__ void counted_fp64(const float* x, float* y, float zero, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = x[i];
#pragma unroll 16
  for (int k = 0; k < 64; ++k) sum = fma(sum, static_cast<double>(zero), 0.5);
  y[i] = 2 * x[i] + zero * static_cast<float>(sum);
}

__global__ void counted_special(const float* x, float* y, float zero, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
#pragma unroll 4
  for (int k = 0; k < 16; ++k) sum = __sinf(sum) + rsqrtf(fabsf(sum) + 1);
  y[i] = 2 * x[i] + zero * sum;
}

__global__ void counted_atomics(const float* x, float* y, float zero, int n, unsigned* bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = 2 * x[i];
  atomicAdd(&bins[i & 1023], 1U);
}

__global__ void counted_shared_atomics(const float* x, float* y, float zero, int n, unsigned* bins) {
  __shared__ unsigned own[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  own[threadIdx.x] = 0;
  __syncthreads();
  const float value = i < n ? x[i] : 0;
  atomicAdd(&own[static_cast<int>((value + 1) * 127)], 1U);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
  if (i < n) y[i] = 2 * value;
}

// An array that is indexed at run time lies in local memory.
__global__ void counted_local(const float* x, float* y, float zero, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float scratch[64];
  for (int k = 0; k < 64; ++k) scratch[(k * 7 + n) & 63] = x[i] * k;
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += scratch[(i * 13 + k * n) & 63];
  y[i] = 2 * x[i] + zero * sum;
}

__global__ void counted_divergent(const float* x, float* y, float zero, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
#pragma unroll 1
  for (int k = 0; k < (i & 31); ++k) sum = fmaf(sum, zero, 0.25f);
  y[i] = 2 * x[i] + zero * sum;
}

__global__ void counted_barriers(const float* x, float* y, float zero, int n) {
  __shared__ float sums[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float own = i < n ? x[i] : 0;
  sums[threadIdx.x] = own;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  __syncthreads();
  if (i < n) y[i] = 2 * own + zero * sums[0];
}

// 16 products of tensor cores a warp.
__global__ void counted_tensor(const float* x, float* y, float zero, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  const unsigned a = __float_as_uint(zero);
#ifdef __CUDA_ARCH__
#pragma unroll 4
  for (int k = 0; k < 16; ++k)
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%0, %1, %2, %3};"
        : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3)
        : "r"(a));
#endif
  y[i] = 2 * x[i] + zero * (c0 + c1 + c2 + c3);
}

}  // extern "C"
