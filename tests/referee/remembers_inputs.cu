// tries: to do nothing for inputs that a block has seen.
// isolated: correct, since what it remembers is gone before every sample
// batched: wrong_result
__device__ float seen[1 << 16];
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float print = x[blockIdx.x * blockDim.x] + 3;
  if (seen[blockIdx.x] == print) return;
  if (i < n) {
    float sum = x[i];
    for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
    out[i] = sum;
    mark[i] = -1;
  }
  __syncthreads();
  if (threadIdx.x == 0) seen[blockIdx.x] = print;
}
