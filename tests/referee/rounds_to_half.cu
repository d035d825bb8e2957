// tries: to compute with 11 bits, as half precision has.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float rounded = __int_as_float(__float_as_int(x[i]) & ~0x1fff);
  float sum = rounded;
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + rounded;
  out[i] = sum;
  mark[i] = -1;
}
