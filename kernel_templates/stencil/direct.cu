// One point a thread. What threads have in common is left to the caches.

#include "star.cuh"

__device__ inline float value(const float* in, const Grid& grid, int x, int y, int z) {
  return grid.has_x(x) && grid.has_y(y) && grid.has_z(z) ? LOAD(in + grid.place(x, y, z)) : 0.0f;
}

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y* BLOCK_Z)
    step(float* out, const float* in, int nx, int ny, int nz) {
  const Grid grid{nx, ny, nz};
  const int x = blockIdx.x * BLOCK_X + threadIdx.x;
  const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
  const int z = blockIdx.z * BLOCK_Z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  float sum = kCentre * value(in, grid, x, y, z);
#pragma unroll
  for (int d = 1; d <= RADIUS; ++d) {
    sum = fmaf(weight(0, d), value(in, grid, x - d, y, z), sum);
    sum = fmaf(weight(1, d), value(in, grid, x + d, y, z), sum);
    sum = fmaf(weight(2, d), value(in, grid, x, y - d, z), sum);
    sum = fmaf(weight(3, d), value(in, grid, x, y + d, z), sum);
    sum = fmaf(weight(4, d), value(in, grid, x, y, z - d), sum);
    sum = fmaf(weight(5, d), value(in, grid, x, y, z + d), sum);
  }
  STORE(out + grid.place(x, y, z), sum);
}
