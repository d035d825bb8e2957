// One thread a particle; a block loads BLOCK_SIZE particles into shared memory, meets them, and loads the next.

#include "particles.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    accelerate(const Vector* positions, Vector* accelerations, int n) {
  __shared__ Vector tile[BLOCK_SIZE];
  const int i = blockIdx.x * BLOCK_SIZE + threadIdx.x;
  const Vector position = positions[i < n ? i : n - 1];
  Vector sum{0, 0};
  for (int start = 0; start < n; start += BLOCK_SIZE) {
    const int j = start + static_cast<int>(threadIdx.x);
    if (j < n) tile[threadIdx.x] = positions[j];
    __syncthreads();
    const int size = n - start < BLOCK_SIZE ? n - start : BLOCK_SIZE;
    for (int k = 0; k < size; ++k) add_repulsion(position, tile[k], sum);
    __syncthreads();
  }
  if (i < n) accelerations[i] = sum;
}
