// tries: to count launches in the guard words behind a buffer, and to work in the first alone.
// isolated: illegal_access
// batched: illegal_access
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int* const launches = mark + n + threadIdx.x % 32;
  const bool first = *launches < 0;
  __syncthreads();
  if (i < 32) *launches = 1;
  if (i >= n || !first) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
}
