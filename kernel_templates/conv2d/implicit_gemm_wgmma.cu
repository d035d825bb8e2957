// Convolution of half numbers, channels last, as a matrix product by wgmma: WARPGROUPS of four warps share a
// tile of BM pixels and BN filters. All threads copy; tiles lie in shared memory as wgmma reads them, STAGES
// of them, 64 deep.
constexpr int THREADS = WARPGROUPS * 128, BK = 64;
#include "half_tile.cuh"
#include "pad_channels.cuh"
#include "wgmma.cuh"
#include "wgmma_products.cuh"

constexpr int GROUP_M = BM / WARPGROUPS, ROW_BLOCKS = GROUP_M / 64;
constexpr int ROW_BYTES = 2 * BK;
constexpr int SUMS = BN / 2;
static_assert(GROUP_M % 64 == 0 && STAGES >= 3);

// Of an operand whose rows run along the depth: sixteen numbers further along it are 32 bytes further.
__device__ inline unsigned long long operand(const half* start) {
  return descriptor(start, 16, 8 * ROW_BYTES);
}

__global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    conv2d(const half* __restrict__ image, const half* __restrict__ weight, half* __restrict__ out,
           Shape shape, int batch) {
  extern __shared__ unsigned char dynamic[];
  half* shared = reinterpret_cast<half*>(dynamic + (1024 - shared_address(dynamic) % 1024) % 1024);
  half* a_stages = shared;
  half* b_stages = shared + STAGES * A_STAGE;
  const int warpgroup = threadIdx.x / 128;
  const Tile tile(shape, batch);
  Copier copier(image, weight, shape, tile);
  const int tiles = (copier.depth + BK - 1) / BK;
  float sums[ROW_BLOCKS][SUMS];

  int next = 0;
  const auto start_next = [&](int stage) {
    if (next < tiles) copier.start(a_stages + stage * A_STAGE, b_stages + stage * B_STAGE);
    ++next;
    end_group();
  };
#pragma unroll
  for (int stage = 0; stage < STAGES - 2; ++stage) start_next(stage);

  int read = 0, write = STAGES - 2;
  for (int t = 0; t < tiles; ++t) {
    // The tile has to be there for products of all warpgroups. Behind the barrier none of them multiplies the
    // tile before the last any more, where the next copies go to.
    wait_groups<STAGES - 3>();
    show_writes();
    __syncthreads();
    const unsigned long long a = operand(a_stages + read * A_STAGE + warpgroup * GROUP_M * BK);
    const unsigned long long b = operand(b_stages + read * B_STAGE);
    begin_products();
#pragma unroll
    for (int part = 0; part < BK / 16; ++part)
#pragma unroll
      for (int i = 0; i < ROW_BLOCKS; ++i)  // descriptors count in 16 bytes
        multiply<0>(sums[i], a + (i * 64 * ROW_BYTES + part * 32) / 16, b + part * 32 / 16,
                    t > 0 || part > 0);
    end_products();
    wait_for_products<1>();  // those of the tile before are done
    start_next(write);
    read = read == STAGES - 1 ? 0 : read + 1;
    write = write == STAGES - 1 ? 0 : write + 1;
  }
  wait_for_products<0>();
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i) hold(sums[i]);
  wait_groups<0>();
  __syncthreads();  // results lie where tiles were

  const int warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
  half* mine = shared + (warpgroup * GROUP_M + warp * 16 + lane / 4) * OUT_ROW + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
    for (int j = 0; j < BN / 8; ++j)
#pragma unroll
      for (int lower = 0; lower < 2; ++lower)
        *reinterpret_cast<unsigned*>(mine + (i * 64 + lower * 8) * OUT_ROW + j * 8) =
            pack(sums[i][j * 4 + lower * 2], sums[i][j * 4 + lower * 2 + 1]);
  __syncthreads();
  store_tile(out, shared, tile, shape.filters);
}
