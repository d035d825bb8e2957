// Two launches in different streams, of which the second reads what the first writes.
__global__ void writes(float* out, int n) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void reads(float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (out[n - 1 - i] == 2) out[n] = 0;
}
