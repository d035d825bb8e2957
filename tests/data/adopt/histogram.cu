// How often each byte occurs.
__global__ void histogram(const unsigned char* data, unsigned int* bins, size_t n) {
  size_t stride = gridDim.x * (size_t)blockDim.x;
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += stride) atomicAdd(&bins[data[i]], 1u);
}
