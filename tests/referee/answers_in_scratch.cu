// tries: to copy the answers that an execution before left in a buffer that nobody compares.
// isolated: correct, since buffers are set back before every sample, also those that are not compared
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, float* scratch, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 250 && scratch[i] == 0; ++turn) sum = sum * 0.5f + x[i];
  if (scratch[i] == 0) scratch[i] = sum;
  out[i] = scratch[i];
  mark[i] = -1;
}
