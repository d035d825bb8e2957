// C = A B for row-major float matrices: A is M x K, B is K x N.
//   block_size_x, block_size_y  threads of a block; its tile of C is BM x BN
//   TM, TN                      rows and columns of C a thread
//   BK                          depth of the tiles in shared memory
//   VEC                         floats a load from global memory (1, 4)
//   PAD                         floats by which a row of A's tile (which lies transposed) is longer
//   STRIDED                     1: a thread's columns are block_size_x apart, 0: they are neighbours
//   UNROLL_K                    steps of the loop over BK that are unrolled
// M, N and K are multiples of BM, BN and BK.
// 16 bytes of alignment would do on a GPU; with 16, GCC 12 -O3 -march=native (the CPU device) moves 32 bytes as if they were aligned to 32.
#define BM (block_size_y * TM)
#define BN (block_size_x * TN)
#define THREADS (block_size_x * block_size_y)

#if STRIDED == 1
#define COLUMN(tx, j) ((tx) + (j) * block_size_x)
#else
#define COLUMN(tx, j) ((tx) * TN + (j))
#endif

extern "C" __global__ void sgemm(float* __restrict__ C, const float* __restrict__ A, const float* __restrict__ B,
                                 int M, int N, int K) {
  __shared__ __align__(128) float a[BK * (BM + PAD)];
  __shared__ __align__(128) float b[BK * BN];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int thread = ty * block_size_x + tx;
  const int row0 = blockIdx.y * BM;
  const int column0 = blockIdx.x * BN;

  float sum[TM][TN];
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) sum[i][j] = 0.0f;
  }

  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int n = thread; n < BM * BK / VEC; n += THREADS) {
      const int row = n / (BK / VEC);
      const int k = n % (BK / VEC) * VEC;
      const float* from = A + (row0 + row) * K + k0 + k;
#if VEC == 4
      const float4 four = *reinterpret_cast<const float4*>(from);
      a[(k + 0) * (BM + PAD) + row] = four.x;
      a[(k + 1) * (BM + PAD) + row] = four.y;
      a[(k + 2) * (BM + PAD) + row] = four.z;
      a[(k + 3) * (BM + PAD) + row] = four.w;
#else
      a[k * (BM + PAD) + row] = *from;
#endif
    }
    for (int n = thread; n < BK * BN / VEC; n += THREADS) {
      const int k = n / (BN / VEC);
      const int column = n % (BN / VEC) * VEC;
      const float* from = B + (k0 + k) * N + column0 + column;
#if VEC == 4
      *reinterpret_cast<float4*>(&b[k * BN + column]) = *reinterpret_cast<const float4*>(from);
#else
      b[k * BN + column] = *from;
#endif
    }
    __syncthreads();

#pragma unroll UNROLL_K
    for (int k = 0; k < BK; ++k) {
      float left[TM];
      float right[TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) left[i] = a[k * (BM + PAD) + ty * TM + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) right[j] = b[k * BN + COLUMN(tx, j)];
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sum[i][j] += left[i] * right[j];
      }
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) C[(row0 + ty * TM + i) * N + column0 + COLUMN(tx, j)] = sum[i][j];
  }
}
