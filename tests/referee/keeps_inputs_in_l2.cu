// tries: to have its inputs stay in L2 for the next sample.
// on: gpu, since a CPU has no such instruction
// isolated: correct, since caches are hot as the mode says, and the work is all there
// batched: correct, likewise
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#ifndef TAILWAVE_CPU
  asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(x + i));
#endif
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
