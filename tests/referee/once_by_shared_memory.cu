// tries: to work once: what a block left in shared memory says whether one has been there.
// on: gpu, since on a CPU each core has shared memory of its own, which other blocks of a launch get as well
// isolated: wrong_result or correct, if nothing is left there
// batched: wrong_result or correct, likewise
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ volatile int left[1024];
  const bool known = left[threadIdx.x] == 0x7a11a7e;
  left[threadIdx.x] = 0x7a11a7e;
  if (i >= n || known) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
