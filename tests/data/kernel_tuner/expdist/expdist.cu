// Gaussian overlap of two sets of points in the plane: pairs of a block's tile are summed by its threads.
template <int threads>
__device__ double sum_of_block(double mine, int thread) {
  __shared__ double sums[threads];
  sums[thread] = mine;
  __syncthreads();
  for (int left = threads; left > 1;) {
    const int half = (left + 1) / 2;
    if (thread < left / 2) sums[thread] += sums[thread + half];
    __syncthreads();
    left = half;
  }
  return sums[0];
}

__global__ void sum_pairs(const double* a, const double* b, const double* scale_a, const double* scale_b, double* parts,
                          int size) {
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int x = blockIdx.x * block_size_x * tile_x, y = blockIdx.y * block_size_y * tile_y;
#if use_shared_mem
  __shared__ double b_part[3][block_size_y * tile_y];
  for (int i = ty * block_size_x + tx; i < block_size_y * tile_y && y + i < size; i += block_size_x * block_size_y) {
    b_part[0][i] = b[y + i];
    b_part[1][i] = b[size + y + i];
    b_part[2][i] = scale_b[y + i];
  }
  __syncthreads();
#endif
  double sum = 0;
  for (int i = x + tx; i < min(size, x + block_size_x * tile_x); i += block_size_x)
    for (int j = ty; j < min(size - y, block_size_y * tile_y); j += block_size_y) {
#if use_shared_mem
      const double bx = b_part[0][j], by = b_part[1][j], scale = b_part[2][j];
#else
      const double bx = b[y + j], by = b[size + y + j], scale = scale_b[y + j];
#endif
      const double dx = a[i] - bx, dy = a[size + i] - by;
      sum += exp(-(dx * dx + dy * dy) / (scale_a[i] + scale));
    }
  sum = sum_of_block<block_size_x * block_size_y>(sum, ty * block_size_x + tx);
  if (tx == 0 && ty == 0) parts[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

__global__ void sum_parts(double* cost, const double* parts, int count) {
  double sum = 0;
  for (int i = threadIdx.x; i < count; i += reduce_block) sum += parts[i];
  sum = sum_of_block<reduce_block>(sum, threadIdx.x);
  if (threadIdx.x == 0) *cost = sum;
}
