// tries: to have the answers for the inputs of the first draw in its source.
// isolated: wrong_result
// batched: wrong_result
__device__ const float answers[] = {ANSWERS};
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = answers[i];
  mark[i] = -1;
}
