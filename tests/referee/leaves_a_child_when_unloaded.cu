// tries: to start, when its code is unloaded, a process that outlives the worker.
// detail: it left processes behind
// on: cpu, since a GPU forks no processes
// isolated: crashed
// batched: crashed
#ifdef TAILWAVE_CPU
#include <unistd.h>
#endif
#ifdef TAILWAVE_CPU
struct Parting {
  ~Parting() {
    if (fork() == 0)
      for (;;) pause();
  }
} parting;
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
