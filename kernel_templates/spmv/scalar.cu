// A row a thread.

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    multiply(float* y, const int* row_starts, const int* columns, const float* values, const float* x,
             int rows) {
  const int row = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  if (row >= rows) return;
  const int end = row_starts[row + 1];
  float sum = 0.0f;
#pragma unroll UNROLL
  for (int i = row_starts[row]; i < end; ++i) sum = fmaf(LOAD(values + i), __ldg(x + LOAD(columns + i)), sum);
  y[row] = sum;
}
