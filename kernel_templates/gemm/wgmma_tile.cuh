// What a block of the wgmma kernels is cut into, and which tiles it takes.
// Macros: BM, BN, BK, CONSUMERS, STAGES, PANEL, CLUSTER_M, CLUSTER_N, GROUP, MIN_BLOCKS, C_PANELS.
#pragma once

#include "mma.cuh"
#include "schedule.cuh"
#include "wgmma.cuh"
#include "wgmma_products.cuh"

constexpr int THREADS = (CONSUMERS + 1) * 128;
constexpr int GROUP_M = BM / CONSUMERS, ROW_BLOCKS = GROUP_M / 64;  // rows of a consumer
constexpr int CLUSTER = CLUSTER_M * CLUSTER_N;
constexpr int SUMS = BN / 2;
static_assert(BM % (64 * CONSUMERS) == 0 && BN % 8 == 0 && BK % 64 == 0);

// A lies in parts of 64 columns, B in panels of PANEL columns, of which the last may be wider than the tile.
constexpr int A_ROW_BYTES = 128, A_PARTS = BK / 64, A_PART_BYTES = BM * A_ROW_BYTES;
constexpr int B_ROW_BYTES = 2 * PANEL, PANELS = (BN + PANEL - 1) / PANEL, PANEL_BYTES = BK * B_ROW_BYTES;
constexpr int A_BYTES = A_PARTS * A_PART_BYTES, STAGE_BYTES = A_BYTES + PANELS * PANEL_BYTES;
// C lies in panels of 64 columns, of which a consumer has room for C_PANELS.
constexpr int C_ROW_BYTES = 128, C_PANEL_BYTES = GROUP_M * C_ROW_BYTES;
constexpr int TILE_PANELS = (BN + 63) / 64;

// Registers of a thread when a block begins, and what becomes of them: all that the producer gives go to the
// consumers, in steps of 8.
constexpr int BEGIN_REGISTERS = 65536 / (MIN_BLOCKS * THREADS) / 8 * 8;
constexpr bool TRADE_REGISTERS = MIN_BLOCKS * THREADS > 256;  // else each may have all that there are
constexpr int PRODUCER_REGISTERS = BEGIN_REGISTERS >= 168 ? 40 : BEGIN_REGISTERS >= 128 ? 32 : 24;
constexpr int CONSUMER_REGISTERS =
    (BEGIN_REGISTERS * (CONSUMERS + 1) - PRODUCER_REGISTERS) / CONSUMERS / 8 * 8;

struct Matrices {
  const CUtensorMap& a;
  const CUtensorMap& b;
  const CUtensorMap& c_map;
  half* c;
  int m, n, k;
};

struct Work {
  int index;         // of the cluster's tile
  Tile tile;         // this block's
  int first, count;  // steps along K
};

// This block's place in its cluster: the blocks of a row of it have the same rows of A, those of a column the
// same columns of B.
__device__ inline int rank() {
  return blockIdx.x % CLUSTER;
}
__device__ inline int cluster_row() {
  return rank() % CLUSTER_M;
}
__device__ inline int cluster_column() {
  return rank() / CLUSTER_M;
}

// What a cluster does, one after another; all its threads see the same. Shared: 0: tiles; 1: of the last one
// or two waves of tiles even shares; 2: even shares of all.
template <int Shared>
class Schedule {
 public:
  __device__ Schedule(const Matrices& of)
      : rows_((of.m + BM * CLUSTER_M - 1) / (BM * CLUSTER_M)),
        columns_((of.n + BN * CLUSTER_N - 1) / (BN * CLUSTER_N)),
        depth_((of.k + BK - 1) / BK),
        tiles_(rows_ * columns_),
        shared_(Shared == 0 ? 0 : shared_tiles(tiles_, workers(), Shared == 1)),
        shares_(workers(), shared_, depth_),
        next_(shared_ + worker()) {
    if constexpr (Shared != 0) {
      step_ = shared_ == 0 ? 0 : shares_.begin(worker());
      end_ = shared_ == 0 ? 0 : shares_.begin(worker() + 1);
    }
  }

  __device__ bool next(Work& work) {
    if constexpr (Shared != 0) {
      if (step_ < end_) {
        const int index = step_ / depth_, first = step_ % depth_;
        work = at(index, first, min(static_cast<long long>(depth_ - first), end_ - step_));
        step_ += work.count;
        return true;
      }
    }
    if (next_ >= tiles_) return false;
    work = at(next_, 0, depth_);
    next_ += workers();
    return true;
  }

  __device__ bool whole(const Work& work) const { return Shared == 0 || work.count == depth_; }
  __device__ const Shares& shares() const { return shares_; }
  __device__ static int worker() { return blockIdx.x / CLUSTER; }

 private:
  __device__ static int workers() { return gridDim.x / CLUSTER; }
  __device__ Work at(int index, int first, int count) const {
    Tile tile = tile_at(index, rows_, columns_, GROUP);
    tile.row = tile.row * CLUSTER_M + cluster_row();
    tile.column = tile.column * CLUSTER_N + cluster_column();
    return {index, tile, first, count};
  }

  int rows_, columns_, depth_, tiles_, shared_;
  Shares shares_;
  int next_;
  long long step_ = 0, end_ = 0;
};
