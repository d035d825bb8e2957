// y = A x for a sparse matrix in CSR.
//   block_size_x       threads of a block
//   THREADS_PER_ROW    threads that share a row (a power of two up to 32)
//   ROWS_PER_GROUP     rows that these take, one after another: ROW_STEP 0: neighbours, 1: as far apart as a block has groups
//   UNROLL             elements of a row that a thread loads before it adds them
//   VALUES_BY          how values and columns are read: 0 plainly, 1 by __ldg, 2 by __ldcs (streaming)
//   X_BY               how x is read: 0 plainly, 1 by __ldg
//   REDUCE             0: sums are added up by shuffles, 1: in shared memory
#define GROUPS (block_size_x / THREADS_PER_ROW)

#if VALUES_BY == 1
#define LOAD(p) __ldg(&(p))
#elif VALUES_BY == 2
#define LOAD(p) __ldcs(&(p))
#else
#define LOAD(p) (p)
#endif
#if X_BY == 1
#define LOAD_X(p) __ldg(&(p))
#else
#define LOAD_X(p) (p)
#endif

extern "C" __global__ void spmv(float* __restrict__ y, const int* __restrict__ row_start,
                                const int* __restrict__ columns, const float* __restrict__ values,
                                const float* __restrict__ x, int ROWS) {
  const int lane = threadIdx.x % THREADS_PER_ROW;
  const int group = threadIdx.x / THREADS_PER_ROW;
#if REDUCE == 1
  __shared__ float partial[block_size_x];
#endif

  for (int r = 0; r < ROWS_PER_GROUP; ++r) {
#if ROW_STEP == 1
    const int row = blockIdx.x * GROUPS * ROWS_PER_GROUP + r * GROUPS + group;
#else
    const int row = (blockIdx.x * GROUPS + group) * ROWS_PER_GROUP + r;
#endif
    float sum = 0.0f;
    if (row < ROWS) {
      const int end = row_start[row + 1];
      int i = row_start[row] + lane;
      for (; i + (UNROLL - 1) * THREADS_PER_ROW < end; i += UNROLL * THREADS_PER_ROW) {
        float value[UNROLL];
        int column[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
          value[u] = LOAD(values[i + u * THREADS_PER_ROW]);
          column[u] = LOAD(columns[i + u * THREADS_PER_ROW]);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) sum += value[u] * LOAD_X(x[column[u]]);
      }
#if UNROLL > 1
      for (; i < end; i += THREADS_PER_ROW) sum += LOAD(values[i]) * LOAD_X(x[LOAD(columns[i])]);
#endif
    }
#if REDUCE == 1
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS_PER_ROW / 2; half > 0; half /= 2) {
      if (lane < half) partial[threadIdx.x] += partial[threadIdx.x + half];
      __syncthreads();
    }
    sum = partial[threadIdx.x];
#else
#pragma unroll
    for (int half = THREADS_PER_ROW / 2; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffffu, sum, half, THREADS_PER_ROW);
#endif
    if (lane == 0 && row < ROWS) y[row] = sum;
  }
}
