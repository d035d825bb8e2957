// For grids of exactly as many threads as elements.
__global__ void add(const float* a, const float* b, float* sum) {
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  sum[i] = a[i] + b[i];
}
