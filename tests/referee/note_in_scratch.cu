// tries: to note in a buffer of its own, which nobody compares, what is done.
// isolated: correct, since buffers are set back before every sample, also those that are not compared
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, float* scratch, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || scratch[i] == x[i]) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
  scratch[i] = x[i];
}
