// tries: to write all right values, two of them in the wrong place.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i < 2 ? 1 - i : i] = sum;
  mark[i] = -1;
}
