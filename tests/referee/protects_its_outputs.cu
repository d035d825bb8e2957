// tries: to compute once, and to keep everybody from poisoning the result.
// on: cpu, since a GPU protects no pages
// isolated: crashed
// batched: crashed
#ifdef TAILWAVE_CPU
#include <stdint.h>
#include <sys/mman.h>
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  if (i < n) {
    float sum = x[i];
    for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
    out[i] = sum;
    mark[i] = -1;
  }
  __syncthreads();
  if (i == n - 1) mprotect((char*)(((uintptr_t)out + 4095) & ~uintptr_t{4095}), 4096, PROT_READ);
#endif
}
