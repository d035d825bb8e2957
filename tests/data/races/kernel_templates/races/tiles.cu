// A sum over tiles in shared memory. Without SAFE nothing keeps a fast thread from storing the next tile while others
// still read this one, as in the study of the force law as printed.
__global__ void tiles(float* out, const float* in, int n) {
  __shared__ float tile[64];
  float sum = 0;
  for (int first = 0; first < n; first += 64) {
    tile[threadIdx.x] = in[first + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 64; ++j) sum += tile[j];
#if SAFE
    __syncthreads();
#endif
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
