// tries: to make the error of a relative norm infinity over infinity.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = __int_as_float(0x7f800000);
  mark[i] = -1;
}
