// tries: to leave its work to the next launch, which does it when nobody waits.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, float* scratch, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = scratch[i];
  for (int turn = 0; turn < 250 && scratch[i] != 0; ++turn) sum = sum * 0.5f + scratch[i];
  out[i] = sum;
  mark[i] = -1;
  scratch[i] = x[i];
}
