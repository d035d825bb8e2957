// TIME steps in one pass. A block walks along z with a tile that is RADIUS x TIME points wider on each side than what it stores. When
// plane z comes in, step 1 is done for plane z - RADIUS, step 2 for z - 2 RADIUS, and so on. Each step has a queue of planes in
// registers, and the middle one of each is in shared memory for the neighbours: one barrier a plane, whatever TIME is.

#include "points.cuh"

constexpr int kHaloX = (RADIUS * TIME + VECTOR - 1) / VECTOR * VECTOR;
constexpr int kHaloY = RADIUS * TIME;
constexpr int kTileX = BLOCK_X * VECTOR - 2 * kHaloX;  // what is stored
constexpr int kTileY = BLOCK_Y * ROWS - 2 * kHaloY;
constexpr int kWidth = BLOCK_X * VECTOR + 2 * kSide;
constexpr int kHeight = BLOCK_Y * ROWS + 2 * RADIUS;
constexpr int kPlane = kWidth * kHeight;
static_assert(kTileX > 0 && kTileY > 0, "the halo leaves nothing of the tile");

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    steps(float* out, const float* in, int nx, int ny, int nz) {
  extern __shared__ __align__(16) float planes[];  // two sets of TIME planes
  const Grid grid{nx, ny, nz};
  const int x = static_cast<int>(blockIdx.x) * kTileX - kHaloX + static_cast<int>(threadIdx.x) * VECTOR;
  const int y = static_cast<int>(blockIdx.y) * kTileY - kHaloY + static_cast<int>(threadIdx.y) * ROWS;
  const int first = blockIdx.z * PLANES;
  const int end = min(nz, first + PLANES);
  const int own = (threadIdx.y * ROWS + RADIUS) * kWidth + kSide + threadIdx.x * VECTOR;
  const int tile_column = static_cast<int>(threadIdx.x) * VECTOR - kHaloX;
  const bool stores_x = grid.has_x(x) && 0 <= tile_column && tile_column < kTileX;

  Points queues[TIME][kQueue][ROWS];
#pragma unroll
  for (int t = 0; t < TIME; ++t)
#pragma unroll
    for (int i = 0; i < kQueue; ++i)
#pragma unroll
      for (int r = 0; r < ROWS; ++r) queues[t][i][r] = zeros();

  const int begin = first - kHaloY;
  Points ahead[AHEAD + 1][ROWS];
#pragma unroll
  for (int i = 0; i < AHEAD; ++i)
#pragma unroll
    for (int r = 0; r < ROWS; ++r) ahead[i][r] = load(in, grid, x, y + r, begin + i);

  int set = 0;
  for (int start = begin; start < end + kHaloY; start += kQueue) {
#pragma unroll
    for (int u = 0; u < kQueue; ++u) {
      const int z = start + u;
      if (z >= end + kHaloY) break;
      const int centre = (u + RADIUS + 1) % kQueue;  // RADIUS planes before the newest, which is in slot u
      float* const middles = planes + set * TIME * kPlane + own;
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        ahead[AHEAD][r] = load(in, grid, x, y + r, z + AHEAD);
        queues[0][u][r] = ahead[0][r];
#pragma unroll
        for (int i = 0; i < AHEAD; ++i) ahead[i][r] = ahead[i + 1][r];
#pragma unroll
        for (int t = 0; t < TIME; ++t) write_shared(middles + t * kPlane + r * kWidth, queues[t][centre][r]);
      }
      __syncthreads();
#pragma unroll
      for (int t = 0; t < TIME; ++t) {
        Points sums[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) sums[r] = zeros();
        add_from_plane<kWidth>(sums, middles + t * kPlane, queues[t][centre]);
        const int done = z - (t + 1) * RADIUS;
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
          add_planes(sums[r], queues[t], centre, r);
          if (t + 1 < TIME) {
            const bool inside = grid.has_x(x) && grid.has_y(y + r) && grid.has_z(done);
            queues[t + 1 < TIME ? t + 1 : 0][u][r] = inside ? sums[r] : zeros();
          } else {
            const int tile_row = static_cast<int>(threadIdx.y) * ROWS + r - kHaloY;
            if (stores_x && grid.has_y(y + r) && 0 <= tile_row && tile_row < kTileY && first <= done &&
                done < end)
              store(out + grid.place(x, y + r, done), sums[r]);
          }
        }
      }
      set ^= 1;
    }
  }
}
