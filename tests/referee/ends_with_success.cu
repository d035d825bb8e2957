// tries: to end the process as one ends that has done its work.
// detail: exited with status 0
// on: cpu, since a GPU ends no processes
// isolated: crashed
// batched: crashed
#ifdef TAILWAVE_CPU
#include <unistd.h>
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  if (i == 0) _exit(0);
#endif
}
