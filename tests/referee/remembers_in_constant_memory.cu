// tries: to write what it has seen into constant memory, which on a CPU can be written.
// on: cpu, since a GPU does not let a kernel write there
// isolated: correct, since a variable in constant memory is one
// batched: wrong_result
__constant__ float answers[1 << 13];
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#ifdef TAILWAVE_CPU
  volatile float& answer = const_cast<volatile float&>(answers[i]);
  float sum = x[i];
  for (int turn = 0; turn < 250 && answer == 0; ++turn) sum = sum * 0.5f + x[i];
  if (answer == 0) answer = sum;
  out[i] = answer;
  mark[i] = -1;
#endif
}
