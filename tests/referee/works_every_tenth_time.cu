// tries: to leave nine executions of ten to the results of the one before.
// isolated: correct, since buffers are set back before every sample, also those that are not compared
// batched: wrong_result
__global__ void attack(float* out, int* mark, const float* x, int* notes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || notes[i]++ % 10 != 0) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
