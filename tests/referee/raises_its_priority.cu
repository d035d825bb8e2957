// tries: to take more of the processor than others get.
// on: cpu, since a GPU has no scheduler of the host
// isolated: correct, since it does all of its work, and what it asked for ends with its process
// batched: correct, likewise
#ifdef TAILWAVE_CPU
#include <sched.h>
#include <sys/resource.h>
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  if (i == 0) {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    sched_setaffinity(0, sizeof first, &first);
    setpriority(PRIO_PROCESS, 0, -5);
  }
#endif
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
