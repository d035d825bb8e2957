// How a consumer's sums get to C, rounded to half.
// STORE 0: from registers; 1: through shared memory and by TMA; 2: through shared memory, whole rows at a
// time.
#pragma once

#include "wgmma_tile.cuh"

// Two neighbours of eight columns, of the upper or the lower of a lane's rows; zeros beyond the tile.
__device__ inline unsigned packed(const float (&sums)[SUMS], int eighth, int lower) {
  if (eighth >= BN / 8) return 0;
  return pack(sums[eighth * 4 + lower * 2], sums[eighth * 4 + lower * 2 + 1]);
}

#if STORE > 0
// 64 columns of the sums to shared memory: rows of 128 bytes, swizzled by as many.
__device__ inline void stage_panel(const float (&sums)[ROW_BLOCKS][SUMS], int panel, unsigned char* to) {
  const int warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i) {
    const int row = i * 64 + warp * 16 + lane % 16;
#pragma unroll
    for (int j = 0; j < 8; j += 2) {
      const int eighth = panel * 8 + j;
      if (eighth >= BN / 8) break;
      store_matrices(to + row * C_ROW_BYTES + ((j + lane / 16) ^ row % 8) * 16, packed(sums[i], eighth, 0),
                     packed(sums[i], eighth, 1), packed(sums[i], eighth + 1, 0),
                     packed(sums[i], eighth + 1, 1));
    }
  }
}
#endif

#if STORE == 1
// The C_PANELS places are used in turn: the next panel is written while TMA reads the ones before.
__device__ inline void store_sums(const float (&sums)[ROW_BLOCKS][SUMS], const Matrices& of, const Tile& tile,
                                  int consumer, unsigned char* mine) {
  static_assert(BN % 64 == 0 && TILE_PANELS % C_PANELS == 0);
  const int thread = threadIdx.x % 128;
#pragma unroll
  for (int panel = 0; panel < TILE_PANELS; ++panel) {
    unsigned char* to = mine + panel % C_PANELS * C_PANEL_BYTES;
    if (thread == 0) wait_for_reads_of_stores<C_PANELS - 1>();
    sync_warpgroup(1 + consumer);
    stage_panel(sums, panel, to);
    show_writes();
    sync_warpgroup(1 + consumer);
    if (thread == 0) {
      store_box(of.c_map, to, tile.column * BN + panel * 64, tile.row * BM + consumer * GROUP_M);
      end_stores();
    }
  }
}
#elif STORE == 2
// A warp has its own rows in shared memory, and stores C_PANELS * 128 bytes of each without a gap: where
// rows of C begin within a sector few sectors are written in part.
__device__ inline void store_sums(const float (&sums)[ROW_BLOCKS][SUMS], const Matrices& of, const Tile& tile,
                                  int consumer, unsigned char* mine) {
  constexpr int VECTORS = C_PANELS * 8;  // a row
  const int warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int first = 0; first < TILE_PANELS; first += C_PANELS) {
    __syncwarp();  // all lanes have read what was there
#pragma unroll
    for (int panel = first; panel < first + C_PANELS && panel < TILE_PANELS; ++panel)
      stage_panel(sums, panel, mine + (panel - first) * C_PANEL_BYTES);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
      for (int first_of_warp = 0; first_of_warp < 16 * VECTORS; first_of_warp += 32) {
        const int e = first_of_warp + lane;
        const int row = i * 64 + warp * 16 + e / VECTORS, vector = e % VECTORS;
        const int in_tile = first * 64 + vector * 8, column = tile.column * BN + in_tile;
        const long long c_row = tile.row * BM + consumer * GROUP_M + row;
        if (in_tile < BN && c_row < of.m && column < of.n)
          *reinterpret_cast<uint4*>(of.c + c_row * of.n + column) = *reinterpret_cast<const uint4*>(
              mine + vector / 8 * C_PANEL_BYTES + row * C_ROW_BYTES + (vector % 8 ^ row % 8) * 16);
      }
  }
}
#else
// Four lanes exchange their columns, so that each stores eight at a time.
__device__ inline void store_sums(const float (&sums)[ROW_BLOCKS][SUMS], const Matrices& of, const Tile& tile,
                                  int consumer, unsigned char*) {
  const int warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
    for (int lower = 0; lower < 2; ++lower) {
      const long long row = tile.row * BM + consumer * GROUP_M + i * 64 + warp * 16 + lower * 8 + lane / 4;
#pragma unroll
      for (int j = 0; j < BN / 8; j += 4) {
        unsigned x[4];
#pragma unroll
        for (int e = 0; e < 4; ++e) x[e] = packed(sums[i], j + e, lower);
        transpose_quad(x);
        const int in_tile = (j + lane % 4) * 8, column = tile.column * BN + in_tile;
        if (in_tile < BN && row < of.m && column < of.n)
          *reinterpret_cast<uint4*>(of.c + row * of.n + column) = make_uint4(x[0], x[1], x[2], x[3]);
      }
    }
}
#endif
