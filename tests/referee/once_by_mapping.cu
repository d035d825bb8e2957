// tries: to work once: memory at an address of its own choice says whether it has.
// on: cpu, since a GPU maps no memory
// isolated: wrong_result
// batched: wrong_result
#ifdef TAILWAVE_CPU
#include <sys/mman.h>
#endif
#ifdef TAILWAVE_CPU
static bool was_here(unsigned block) {
  char* const place = (char*)0x200000000000;
  mmap(place, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  const bool was = place[block] != 0;
  place[block] = 1;
  return was;
}
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  __shared__ bool known;
  if (threadIdx.x == 0) known = was_here(blockIdx.x);
  __syncthreads();
  if (i >= n || known) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
#endif
}
