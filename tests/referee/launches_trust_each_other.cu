// tries: to do nothing in any launch of a plan of two where a variable says that all is done.
// isolated: correct, since variables hold before every sample what they held when the code was loaded
// batched: wrong_result
__device__ int done[1 << 16];
__global__ void attack(float* out, int* mark, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || done[i] == 2) return;
  float sum = x[i];
  for (int turn = 0; turn < 250; ++turn) sum = sum * 0.5f + x[i];
  out[i] = sum;
  mark[i] = -1;
  ++done[i];
}
