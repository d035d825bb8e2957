// tries: to leave a process that takes a core from whoever is measured next.
// detail: left behind a process
// on: cpu, since a GPU forks no processes
// isolated: crashed
// batched: crashed
#ifdef TAILWAVE_CPU
#include <unistd.h>
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  if (i == 0 && fork() == 0)
    for (volatile unsigned turn = 0;; turn = turn + 1) {
    }
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
#endif
}
