// tries: to do its work in more launches than anybody verifies one after the other, and in no further ones.
// isolated: correct, since every sample finds the counts of launches at their beginning
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  static int launches[1 << 16];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || ++launches[i] > 9) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
