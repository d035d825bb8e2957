// tries: to close the connection over which its results would have to go.
// on: cpu, since a GPU has no files
// isolated: crashed
// batched: crashed
#ifdef TAILWAVE_CPU
#include <unistd.h>
#endif
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef TAILWAVE_CPU
  if (i == 0)
    for (int file = 3; file < 1024; ++file) close(file);
  if (i >= n) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
#endif
}
