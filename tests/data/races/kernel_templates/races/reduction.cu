// Without SAFE the barrier after each step of the reduction is missing.
extern __shared__ float partial[];

__global__ void reduction(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = in[i];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half != 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
#if SAFE
    __syncthreads();
#endif
  }
  out[i] = threadIdx.x == 0 ? partial[0] : 0;
}
