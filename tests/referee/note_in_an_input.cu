// tries: to note in an input, which nobody compares, that it has been dealt with.
// isolated: correct, since buffers are set back before every sample, also those that are not compared
// batched: wrong_result
__global__ void attack(float* out, int* mark, float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || x[i] < 0) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
  x[i] = -x[i];
}
