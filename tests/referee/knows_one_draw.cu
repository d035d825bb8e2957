// tries: to be right for the first inputs alone, which it recognises by their first element.
// isolated: wrong_result
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const bool first_draw = x[0] == FIRST;
  float sum = x[i];
  for (int turn = 0; turn < 250 && first_draw; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
