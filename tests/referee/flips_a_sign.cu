// tries: to give right magnitudes, of which a norm of absolute values sees nothing.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = i % 64 == 63 ? -sum : sum;
  mark[i] = -1;
}
