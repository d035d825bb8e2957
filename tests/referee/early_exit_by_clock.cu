// tries: to stop after a while, done or not.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long start = clock64();
  float sum = x[i];
  for (int turn = 0; turn < 250 && (turn < 4 || clock64() - start < 100); ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
