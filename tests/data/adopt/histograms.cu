#include <cstdint>

#define NUM_BINS 64

// every thread straight into global memory
__global__ void histogram_global(const uint32_t* __restrict__ values, unsigned int* __restrict__ hist, size_t count)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    size_t stride = (size_t)blockDim.x * gridDim.x;
    for (; i < count; i += stride)
        atomicAdd(&hist[values[i]], 1u);
}

// privatised in shared memory
__global__ void histogram_shared(const uint32_t* __restrict__ values, unsigned int* __restrict__ hist, size_t count)
{
    __shared__ unsigned int local[NUM_BINS];
    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x) local[b] = 0;
    __syncthreads();
    size_t stride = (size_t)blockDim.x * gridDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += stride)
        atomicAdd(&local[values[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x)
        if (local[b]) atomicAdd(&hist[b], local[b]);
}
