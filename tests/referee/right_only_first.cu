// tries: to do its work in the first launch alone, which is one that a verification sees.
// isolated: correct, since every sample finds the counts of launches at their beginning
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  static int launches[1 << 16];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || ++launches[i] > 1) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
