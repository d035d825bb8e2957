// A block of three warpgroups: a thread of the first has TMA fill STAGES tiles of A and B, BM x 64 and 64 x
// BN halves; the two others multiply them, half of the rows each. Blocks take tiles until none is left.
// CLUSTER: blocks one below the other that have the same columns of B; each loads a part of it for all.
// Macros: BM, BN, STAGES, CLUSTER, GROUP, IN_FLIGHT, TMA_STORE.
#pragma once

#include "mma.cuh"
#include "schedule.cuh"
#include "wgmma.cuh"

constexpr int BK = 64;
constexpr int CONSUMERS = 2, THREADS = (CONSUMERS + 1) * 128;
constexpr int GROUP_M = BM / CONSUMERS, ROW_BLOCKS = GROUP_M / 64, PANELS = BN / 64;
constexpr int ROW_BYTES = 128;  // of 64 halves
constexpr int PANEL_BYTES = BK * ROW_BYTES;
constexpr int A_BYTES = BM * ROW_BYTES, B_BYTES = PANELS * PANEL_BYTES, STAGE_BYTES = A_BYTES + B_BYTES;
constexpr int C_PANEL_BYTES = GROUP_M * ROW_BYTES;
constexpr int SUMS = BN / 2;
static_assert(GROUP_M % 64 == 0 && PANELS % CLUSTER == 0);

struct Matrices {
  const CUtensorMap& a;
  const CUtensorMap& b;
  const CUtensorMap& c_map;
  half* c;
  int m, n, k;
};

// Parts of tiles for stream-K: see schedule.cuh.
struct Parts {
  float* partials = nullptr;
  unsigned* arrived = nullptr;
};

struct Work {
  int index;
  Tile tile;
  int first, count;  // steps along K
};

// What a block does, one after another; all its threads see the same. Shared: 0: tiles; 1: of the last one or
// two waves of tiles even shares; 2: even shares of all.
template <int Shared>
class Schedule {
 public:
  __device__ Schedule(const Matrices& of)
      : tile_rows_((of.m + BM - 1) / BM),
        tile_columns_((of.n + BN - 1) / BN),
        depth_((of.k + BK - 1) / BK),
        tiles_((tile_rows_ + CLUSTER - 1) / CLUSTER * tile_columns_),
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

 private:
  __device__ static int worker() { return blockIdx.x / CLUSTER; }
  __device__ static int workers() { return gridDim.x / CLUSTER; }
  __device__ Work at(int index, int first, int count) const {
    Tile tile = tile_at(index, (tile_rows_ + CLUSTER - 1) / CLUSTER, tile_columns_, GROUP);
    tile.row = tile.row * CLUSTER + blockIdx.x % CLUSTER;
    return {index, tile, first, count};
  }

  int tile_rows_, tile_columns_, depth_, tiles_, shared_;
  Shares shares_;
  int next_;
  long long step_ = 0, end_ = 0;
};

template <int Shared>
__device__ inline void produce(const Matrices& of, unsigned char* stages, Barrier* full, Barrier* empty) {
  Schedule<Shared> schedule(of);
  Stage stage;
  Work work;
  while (schedule.next(work))
    for (int step = work.first; step < work.first + work.count; ++step, stage.advance()) {
      unsigned char* a_stage = stages + stage.number * STAGE_BYTES;
      unsigned char* b_stage = a_stage + A_BYTES;
      Barrier* barrier = full + stage.number;
      wait(empty + stage.number, stage.parity ^ 1);
      arrive_with_bytes(barrier, STAGE_BYTES);
      load_box(a_stage, of.a, step * BK, work.tile.row * BM, barrier);
#if CLUSTER > 1
      for (int panel = blockIdx.x % CLUSTER; panel < PANELS; panel += CLUSTER)
        load_box_for((1 << CLUSTER) - 1, b_stage + panel * PANEL_BYTES, of.b,
                     work.tile.column * BN + panel * 64, step * BK, barrier);
#else
      for (int panel = 0; panel < PANELS; ++panel)
        load_box(b_stage + panel * PANEL_BYTES, of.b, work.tile.column * BN + panel * 64, step * BK, barrier);
#endif
    }
}

// A warp needs the stage no more.
__device__ inline void release(Barrier* empty) {
  const int lane = threadIdx.x % 32;
#if CLUSTER > 1
  if (lane < CLUSTER) arrive_at(empty, lane);
#else
  if (lane == 0) arrive(empty);
#endif
}

__device__ inline void multiply_work(float (&sums)[ROW_BLOCKS][SUMS], int count, Stage& stage, int consumer,
                                     const unsigned char* stages, Barrier* full, Barrier* empty) {
#if IN_FLIGHT
  Barrier* before = nullptr;
#endif
  for (int step = 0; step < count; ++step) {
    const unsigned char* a_stage = stages + stage.number * STAGE_BYTES;
    wait(full + stage.number, stage.parity);
    const unsigned long long a = descriptor(a_stage + consumer * GROUP_M * ROW_BYTES, 16, 8 * ROW_BYTES);
    const unsigned long long b = descriptor(a_stage + A_BYTES, PANEL_BYTES, 8 * ROW_BYTES);
    begin_products();
#pragma unroll
    for (int part = 0; part < BK / 16; ++part)
#pragma unroll
      for (int i = 0; i < ROW_BLOCKS; ++i)  // descriptors count in 16 bytes
        multiply<1>(sums[i], a + (i * 64 * ROW_BYTES + part * 32) / 16, b + part * 16 * ROW_BYTES / 16,
                    step > 0 || part > 0);
    end_products();
#if IN_FLIGHT
    wait_for_products<1>();  // those of the step before are done
    if (step > 0) release(before);
    before = empty + stage.number;
#else
    wait_for_products<0>();
    release(empty + stage.number);
#endif
    stage.advance();
  }
#if IN_FLIGHT
  wait_for_products<0>();
  release(before);
#endif
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i) hold(sums[i]);
}

#if TMA_STORE
__device__ inline void store_sums(const float (&sums)[ROW_BLOCKS][SUMS], const Matrices& of, const Tile& tile,
                                  int consumer, unsigned char* c_stage) {
  const int thread = threadIdx.x % 128, warp = thread / 32, lane = thread % 32;
  unsigned char* mine = c_stage + consumer * PANELS * C_PANEL_BYTES;
  if (thread == 0) wait_for_reads_of_stores();
  sync_warpgroup(1 + consumer);
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i) {
    const int row = i * 64 + warp * 16 + lane % 16;
#pragma unroll
    for (int j = 0; j < BN / 8; j += 2) {
      const int vector = (j + lane / 16) % 8;
      const float(&x)[SUMS] = sums[i];
      store_matrices(mine + j / 8 * C_PANEL_BYTES + row * ROW_BYTES + (vector ^ row % 8) * 16,
                     pack(x[j * 4], x[j * 4 + 1]), pack(x[j * 4 + 2], x[j * 4 + 3]),
                     pack(x[j * 4 + 4], x[j * 4 + 5]), pack(x[j * 4 + 6], x[j * 4 + 7]));
    }
  }
  show_writes();
  sync_warpgroup(1 + consumer);
  if (thread == 0) {
    for (int panel = 0; panel < PANELS; ++panel)
      store_box(of.c_map, mine + panel * C_PANEL_BYTES, tile.column * BN + panel * 64,
                tile.row * BM + consumer * GROUP_M);
    end_stores();
  }
}
#else
// Each lane stores eight columns at a time.
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
        for (int e = 0; e < 4; ++e)
          x[e] = pack(sums[i][(j + e) * 4 + lower * 2], sums[i][(j + e) * 4 + lower * 2 + 1]);
        transpose_quad(x);
        const int column = tile.column * BN + (j + lane % 4) * 8;
        if (row < of.m && column < of.n)
          *reinterpret_cast<uint4*>(of.c + row * of.n + column) = make_uint4(x[0], x[1], x[2], x[3]);
      }
    }
}
#endif

// Leaves the part of a tile for who is done last. True: this warpgroup is, and `sums` is the whole now, added
// in the blocks' order so that it does not depend on who is last.
template <int Shared>
__device__ inline bool add_parts(float (&sums)[ROW_BLOCKS][SUMS], const Schedule<Shared>& schedule,
                                 const Work& work, int consumer, const Parts& parts) {
  __shared__ bool last[CONSUMERS];
  const int thread = threadIdx.x % 128;
  const Shares& shares = schedule.shares();
  const auto part_of = [&](int block) {
    return parts.partials +
           (static_cast<long long>(shares.slot(block, work.index)) * CONSUMERS + consumer) * (GROUP_M * BN) +
           thread;
  };
  float* mine = part_of(blockIdx.x);
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
    for (int j = 0; j < SUMS; ++j) mine[(i * SUMS + j) * 128] = sums[i][j];
  __threadfence();
  sync_warpgroup(1 + consumer);
  const int first_block = shares.first_block(work.index), last_block = shares.last_block(work.index);
  unsigned* arrived = parts.arrived + work.index * CONSUMERS + consumer;
  if (thread == 0) last[consumer] = atomicAdd(arrived, 1u) == static_cast<unsigned>(last_block - first_block);
  sync_warpgroup(1 + consumer);
  if (!last[consumer]) return false;
  __threadfence();
  if (thread == 0) *arrived = 0;
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
    for (int j = 0; j < SUMS; ++j) sums[i][j] = 0;
  for (int block = first_block; block <= last_block; ++block) {
    const float* from = part_of(block);
#pragma unroll
    for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
      for (int j = 0; j < SUMS; ++j) sums[i][j] += __ldcg(from + (i * SUMS + j) * 128);
  }
  return true;
}

template <int Shared>
__device__ inline void consume(const Matrices& of, const Parts& parts, int consumer, unsigned char* stages,
                               Barrier* full, Barrier* empty) {
  Schedule<Shared> schedule(of);
  Stage stage;
  Work work;
  float sums[ROW_BLOCKS][SUMS];
  while (schedule.next(work)) {
    multiply_work(sums, work.count, stage, consumer, stages, full, empty);
    if constexpr (Shared != 0)
      if (!schedule.whole(work) && !add_parts(sums, schedule, work, consumer, parts)) continue;
    store_sums(sums, of, work.tile, consumer, stages + STAGES * STAGE_BYTES);
  }
#if TMA_STORE
  if (threadIdx.x % 128 == 0) wait_for_stores();
#endif
}

template <int Shared>
__device__ inline void multiply_matrices(const Matrices& of, const Parts& parts) {
  extern __shared__ unsigned char dynamic[];
  __shared__ Barrier full[STAGES];
  __shared__ Barrier empty[STAGES];
  unsigned char* stages = dynamic + (1024 - shared_address(dynamic) % 1024) % 1024;
  const int warpgroup = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    prefetch(of.a);
    prefetch(of.b);
    for (int i = 0; i < STAGES; ++i) {
      start_barrier(full + i, 1);
      start_barrier(empty + i, CLUSTER * CONSUMERS * 4);
    }
    show_barriers();
  }
  __syncthreads();
#if CLUSTER > 1
  sync_cluster();
#endif
  if (warpgroup == 0) {
    give_registers<40>();
    if (threadIdx.x == 0) produce<Shared>(of, stages, full, empty);
    __syncwarp();
  } else {
    take_registers<232>();
    consume<Shared>(of, parts, warpgroup - 1, stages, full, empty);
  }
#if CLUSTER > 1
  sync_cluster();  // another block may still arrive at barriers of this one
#endif
}
