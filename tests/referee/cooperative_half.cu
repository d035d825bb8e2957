// tries: to let half of the blocks wait for the others in a cooperative launch.
// isolated: wrong_result
// batched: wrong_result
#include <cooperative_groups.h>
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && blockIdx.x < gridDim.x / 2) {
    float sum = x[i];
    for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
    out[i] = sum;
    mark[i] = -1;
  }
  cooperative_groups::this_grid().sync();
}
