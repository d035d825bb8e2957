// A block walks along z. Planes of its tile, with RADIUS rows and columns around, go through a ring in shared memory, AHEAD of them
// under way. KEEP: a thread holds its own points of 2 RADIUS + 1 planes in registers; else all neighbours are read
// from the ring, which is RADIUS planes longer.

#include "points.cuh"

constexpr int kWidth = BLOCK_X * VECTOR + 2 * kSide;
constexpr int kHeight = BLOCK_Y * ROWS + 2 * RADIUS;
constexpr int kPlane = kWidth * kHeight;
constexpr int kBehind = KEEP ? 0 : RADIUS;
constexpr int kRing = kBehind + RADIUS + 1 + AHEAD;
constexpr int kCopies = (kPlane / VECTOR + kThreads - 1) / kThreads;

__device__ inline void copy(float* to, const float* from, bool inside) {
#ifdef __CUDA_ARCH__
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int bytes = inside ? static_cast<int>(sizeof(Vector)) : 0;  // the rest becomes zeros
  if constexpr (VECTOR == 4)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(address), "l"(from), "r"(bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                 :
                 : "r"(address), "l"(from), "n"(4 * VECTOR), "r"(bytes)
                 : "memory");
#else
  for (int v = 0; v < VECTOR; ++v) to[v] = inside ? from[v] : 0.0f;
#endif
}

__device__ inline void end_group() {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.commit_group;" : : : "memory");
#endif
}

// Until all but the last AHEAD - 1 groups have arrived.
__device__ inline void wait_for_group() {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.wait_group %0;" : : "n"(AHEAD - 1) : "memory");
#endif
}

// What this thread copies of each plane.
struct Copier {
  const float* in;
  int offsets[kCopies];  // -1: outside of the grid

  __device__ Copier(const float* from, const Grid& grid, int x, int y) : in(from) {
#pragma unroll
    for (int c = 0; c < kCopies; ++c) {
      const int i = (c * kThreads + static_cast<int>(threadIdx.y * BLOCK_X + threadIdx.x)) * VECTOR;
      const int column = x - kSide + i % kWidth;
      const int row = y - RADIUS + i / kWidth;
      offsets[c] = grid.has_x(column) && grid.has_y(row) ? row * grid.nx + column : -1;
    }
  }

  __device__ void operator()(float* ring, const Grid& grid, int slot, int z) const {
    const float* plane = in + (grid.has_z(z) ? grid.place(0, 0, z) : 0);
#pragma unroll
    for (int c = 0; c < kCopies; ++c) {
      const int i = (c * kThreads + static_cast<int>(threadIdx.y * BLOCK_X + threadIdx.x)) * VECTOR;
      const bool inside = offsets[c] >= 0 && grid.has_z(z);
      if (i < kPlane) copy(ring + slot * kPlane + i, plane + (inside ? offsets[c] : 0), inside);
    }
    end_group();
  }
};

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    step(float* out, const float* in, int nx, int ny, int nz) {
  extern __shared__ __align__(16) float ring[];
  const Grid grid{nx, ny, nz};
  const int tile_x = blockIdx.x * BLOCK_X * VECTOR;
  const int tile_y = blockIdx.y * BLOCK_Y * ROWS;
  const int x = tile_x + threadIdx.x * VECTOR;
  const int y = tile_y + threadIdx.y * ROWS;
  const int first = blockIdx.z * PLANES;
  const int end = min(nz, first + PLANES);
  const int own = (threadIdx.y * ROWS + RADIUS) * kWidth + kSide + threadIdx.x * VECTOR;

  const Copier copy_plane(in, grid, tile_x, tile_y);
  for (int i = 0; i < kRing - 1; ++i) copy_plane(ring, grid, i, first - kBehind + i);
  int slot = kBehind;  // of plane z
  const auto slot_of = [&](int distance) {
    const int there = slot + distance;
    return there < 0 ? there + kRing : there >= kRing ? there - kRing : there;
  };

  Points queue[kQueue][ROWS];  // KEEP: plane `first` - RADIUS + i is in slot i % kQueue
  if (KEEP)
#pragma unroll
    for (int i = 0; i < 2 * RADIUS; ++i)
#pragma unroll
      for (int r = 0; r < ROWS; ++r) queue[i][r] = load(in, grid, x, y + r, first - RADIUS + i);

  for (int start = first; start < end; start += kQueue) {
#pragma unroll
    for (int u = 0; u < kQueue; ++u) {
      const int z = start + u;
      if (z >= end) break;
      wait_for_group();
      __syncthreads();  // plane z + RADIUS is there, and nobody needs the one before the ring
      copy_plane(ring, grid, slot_of(RADIUS + AHEAD), z + RADIUS + AHEAD);
      const int centre = (u + RADIUS) % kQueue;
      const float* plane = ring + slot * kPlane + own;
      Points middle[ROWS], sums[ROWS];
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        sums[r] = zeros();
        if (KEEP) {
          queue[(u + 2 * RADIUS) % kQueue][r] =
              read_shared(ring + slot_of(RADIUS) * kPlane + own + r * kWidth);
          middle[r] = queue[centre][r];
        } else {
          middle[r] = read_shared(plane + r * kWidth);
        }
      }
      add_from_plane<kWidth>(sums, plane, middle);
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        if (KEEP)
          add_planes(sums[r], queue, centre, r);
        else
#pragma unroll
          for (int d = 1; d <= RADIUS; ++d) {
            add(sums[r], weight(4, d), read_shared(ring + slot_of(-d) * kPlane + own + r * kWidth));
            add(sums[r], weight(5, d), read_shared(ring + slot_of(d) * kPlane + own + r * kWidth));
          }
        if (x < nx && y + r < ny) store(out + grid.place(x, y + r, z), sums[r]);
      }
      slot = slot_of(1);
    }
  }
}
