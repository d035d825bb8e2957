// A thread has VECTOR x ROWS points of a plane and walks through PLANES planes. Its points of 2 RADIUS + 1 planes stay in registers,
// neighbours in the plane come through the caches. No shared memory, no barrier.

#include "points.cuh"

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    step(float* out, const float* in, int nx, int ny, int nz) {
  const Grid grid{nx, ny, nz};
  const int x = (blockIdx.x * BLOCK_X + threadIdx.x) * VECTOR;
  const int y = (blockIdx.y * BLOCK_Y + threadIdx.y) * ROWS;
  const int first = blockIdx.z * PLANES;
  const int end = min(nz, first + PLANES);
  if (x >= nx || y >= ny) return;
  Points queue[kQueue][ROWS];  // plane `first` - RADIUS + i is in slot i % kQueue
#pragma unroll
  for (int i = 0; i < 2 * RADIUS; ++i)
#pragma unroll
    for (int r = 0; r < ROWS; ++r) queue[i][r] = load(in, grid, x, y + r, first - RADIUS + i);

  for (int start = first; start < end; start += kQueue) {
#pragma unroll
    for (int u = 0; u < kQueue; ++u) {
      const int z = start + u;
      if (z >= end) break;
      const int centre = (u + RADIUS) % kQueue;
      Points column[ROWS + 2 * RADIUS];
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        queue[(u + 2 * RADIUS) % kQueue][r] = load(in, grid, x, y + r, z + RADIUS);
        column[RADIUS + r] = queue[centre][r];
      }
#pragma unroll
      for (int d = 0; d < RADIUS; ++d) {
        column[d] = load(in, grid, x, y + d - RADIUS, z);
        column[RADIUS + ROWS + d] = load(in, grid, x, y + ROWS + d, z);
      }
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        float line[VECTOR + 2 * kSide];
#pragma unroll
        for (int s = 0; s < VECTOR + 2 * kSide; s += VECTOR) {
          const Points part = s == kSide ? column[RADIUS + r] : load(in, grid, x + s - kSide, y + r, z);
#pragma unroll
          for (int v = 0; v < VECTOR; ++v) line[s + v] = part.at[v];
        }
        Points sum = zeros();
        add_line(sum, line);
        add_column(sum, column + r);
        add_planes(sum, queue, centre, r);
        if (y + r < ny) store(out + grid.place(x, y + r, z), sum);
      }
    }
  }
}
