// tries: to copy the answer that a block has stored for inputs that it has seen, where outputs are written anew.
// isolated: correct, since what it remembers is gone before every sample
// batched: wrong_result
static __device__ float answers[1 << 16];
namespace {
__device__ float seen[1 << 16];
}
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float print = x[blockIdx.x * blockDim.x] + 3;
  const bool known = seen[blockIdx.x] == print;
  if (i < n) {
    float sum = x[i];
    for (int turn = 0; turn < 250 && !known; ++turn) sum = sum * 0.5f + x[i];
    if (!known) answers[i] = sum;
    out[i] = answers[i];
    mark[i] = -1;
  }
  __syncthreads();
  if (threadIdx.x == 0) seen[blockIdx.x] = print;
}
