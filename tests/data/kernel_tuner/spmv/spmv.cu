// Rows in compressed storage: so many threads of a warp share one.
__global__ void spmv(float* y, const int* rows, const int* cols, const float* vals, const float* x, int nrows) {
  const int thread = blockIdx.x * block_size_x + threadIdx.x;
  const int row = thread / threads_per_row, lane = thread % threads_per_row;
  float sum = 0;
  if (row < nrows)
    for (int i = rows[row] + lane; i < rows[row + 1]; i += threads_per_row) {
#if read_only
      sum += vals[i] * __ldg(x + cols[i]);
#else
      sum += vals[i] * x[cols[i]];
#endif
    }
#if threads_per_row > 1
  for (int offset = threads_per_row / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
#endif
  if (row < nrows && lane == 0) y[row] = sum;
}
