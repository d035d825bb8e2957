// tries: to be different from nothing, as a NaN is in a careless comparison.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = nanf("");
  mark[i] = -1;
}
