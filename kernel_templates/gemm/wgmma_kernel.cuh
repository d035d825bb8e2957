// A block of warpgroups: a thread of the first has TMA fill STAGES tiles of A and B, BM x BK and BK x BN
// halves; CONSUMERS others multiply them, each its share of the rows. Blocks take tiles until none is left.
// A cluster of CLUSTER_M x CLUSTER_N blocks has as many tiles beside one another; each block loads a part of
// what it shares with others for all of them.
// Macros: those of wgmma_tile.cuh, IN_FLIGHT, STORE.
#pragma once

#include "wgmma_store.cuh"

// Parts of tiles for stream-K: see schedule.cuh.
struct Parts {
  float* partials = nullptr;
  unsigned* arrived = nullptr;
};

// For this block, or where more than one needs it for all in `mask`.
template <int Blocks>
__device__ inline void load_for(unsigned short mask, void* to, const CUtensorMap& map, int x, int y,
                                Barrier* barrier) {
  if constexpr (Blocks == 1)
    load_box(to, map, x, y, barrier);
  else
    load_box_for(mask, to, map, x, y, barrier);
}

// Of what blocks share each loads an equal part: rows of A, and rows of B in all panels.
__device__ inline void start_copies(const Matrices& of, const Work& work, int step, unsigned char* stage,
                                    Barrier* barrier) {
  constexpr int A_ROWS = BM / CLUSTER_N, B_ROWS = BK / CLUSTER_M;
  constexpr unsigned ONE_ROW = CLUSTER_N == 1 ? 1 : 1 | 1 << CLUSTER_M;
  constexpr unsigned ONE_COLUMN = (1 << CLUSTER_M) - 1;
  static_assert(CLUSTER_M <= 2 && CLUSTER_N <= 2);
  const int a_row = cluster_column() * A_ROWS, b_row = cluster_row() * B_ROWS;
  for (int part = 0; part < A_PARTS; ++part)
    load_for<CLUSTER_N>(ONE_ROW << cluster_row(), stage + part * A_PART_BYTES + a_row * A_ROW_BYTES, of.a,
                        step * BK + part * 64, work.tile.row * BM + a_row, barrier);
  for (int panel = 0; panel < PANELS; ++panel)
    load_for<CLUSTER_M>(ONE_COLUMN << cluster_column() * CLUSTER_M,
                        stage + A_BYTES + panel * PANEL_BYTES + b_row * B_ROW_BYTES, of.b,
                        work.tile.column * BN + panel * PANEL, step * BK + b_row, barrier);
}

template <int Shared>
__device__ inline void produce(const Matrices& of, unsigned char* stages, Barrier* full, Barrier* empty) {
  Schedule<Shared> schedule(of);
  Stage stage;
  Work work;
  while (schedule.next(work))
    for (int step = work.first; step < work.first + work.count; ++step, stage.advance()) {
      wait(empty + stage.number, stage.parity ^ 1);
      arrive_with_bytes(full + stage.number, STAGE_BYTES);
      start_copies(of, work, step, stages + stage.number * STAGE_BYTES, full + stage.number);
    }
}

// A warp needs the stage no more.
__device__ inline void release(Barrier* empty) {
  const int lane = threadIdx.x % 32;
  if constexpr (CLUSTER > 1) {
    if (lane < CLUSTER) arrive_at(empty, lane);
  } else {
    if (lane == 0) arrive(empty);
  }
}

__device__ inline void multiply_work(float (&sums)[ROW_BLOCKS][SUMS], int count, Stage& stage, int consumer,
                                     const unsigned char* stages, Barrier* full, Barrier* empty) {
#if IN_FLIGHT
  Barrier* before = nullptr;
#endif
  for (int step = 0; step < count; ++step) {
    const unsigned char* a_stage = stages + stage.number * STAGE_BYTES;
    wait(full + stage.number, stage.parity);
    const unsigned long long a =
        descriptor(a_stage + consumer * GROUP_M * A_ROW_BYTES, 16, 8 * A_ROW_BYTES, A_ROW_BYTES);
    const unsigned long long b = descriptor(a_stage + A_BYTES, PANEL_BYTES, 8 * B_ROW_BYTES, B_ROW_BYTES);
    begin_products();
#pragma unroll
    for (int k = 0; k < BK; k += 16)
#pragma unroll
      for (int i = 0; i < ROW_BLOCKS; ++i)  // descriptors count in 16 bytes
        multiply<1>(sums[i], a + (k / 64 * A_PART_BYTES + i * 64 * A_ROW_BYTES + k % 64 * 2) / 16,
                    b + k * B_ROW_BYTES / 16, step > 0 || k > 0);
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

// The same where no row of the consumer is in C: others still wait for it to give stages back.
__device__ inline void pass_over(int count, Stage& stage, Barrier* full, Barrier* empty) {
  for (int step = 0; step < count; ++step, stage.advance()) {
    wait(full + stage.number, stage.parity);
    release(empty + stage.number);
  }
}

// Leaves the part of a tile for who is done last. True: this warpgroup is, and `sums` is the whole now, added
// in the blocks' order so that it does not depend on who is last.
template <int Shared>
__device__ inline bool add_parts(float (&sums)[ROW_BLOCKS][SUMS], const Schedule<Shared>& schedule,
                                 const Work& work, int consumer, const Parts& parts) {
  __shared__ bool last[CONSUMERS];
  const int thread = threadIdx.x % 128, worker = schedule.worker();
  const Shares& shares = schedule.shares();
  const int first_worker = shares.first_block(work.index), last_worker = shares.last_block(work.index);
  unsigned* arrived = parts.arrived + (work.index * CLUSTER + rank()) * CONSUMERS + consumer;
  const auto part_of = [&](int of_worker) {
    const long long slot = (shares.slot(of_worker, work.index) * CLUSTER + rank()) * CONSUMERS + consumer;
    return parts.partials + slot * (GROUP_M * BN) + thread;
  };
  const auto add = [&](int of_worker) {
    const float* from = part_of(of_worker);
#pragma unroll
    for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
      for (int j = 0; j < SUMS; ++j) sums[i][j] += __ldcg(from + (i * SUMS + j) * 128);
  };

  // Two parts have one sum, whichever comes first: where the other one is there, this one stays in registers.
  if (thread == 0)
    last[consumer] = last_worker - first_worker == 1 && *static_cast<volatile unsigned*>(arrived) == 1;
  sync_warpgroup(1 + consumer);
  if (last[consumer]) {
    __threadfence();
    if (thread == 0) *arrived = 0;
    add(worker == first_worker ? last_worker : first_worker);
    return true;
  }

  float* mine = part_of(worker);
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
    for (int j = 0; j < SUMS; ++j) mine[(i * SUMS + j) * 128] = sums[i][j];
  __threadfence();
  sync_warpgroup(1 + consumer);
  if (thread == 0)
    last[consumer] = atomicAdd(arrived, 1u) == static_cast<unsigned>(last_worker - first_worker);
  sync_warpgroup(1 + consumer);
  if (!last[consumer]) return false;
  __threadfence();
  if (thread == 0) *arrived = 0;
#pragma unroll
  for (int i = 0; i < ROW_BLOCKS; ++i)
#pragma unroll
    for (int j = 0; j < SUMS; ++j) sums[i][j] = 0;
  for (int other = first_worker; other <= last_worker; ++other) add(other);
  return true;
}

template <int Shared>
__device__ inline void consume(const Matrices& of, const Parts& parts, int consumer, unsigned char* stages,
                               Barrier* full, Barrier* empty) {
  Schedule<Shared> schedule(of);
  Stage stage;
  Work work;
  float sums[ROW_BLOCKS][SUMS];
  unsigned char* c_stage = stages + STAGES * STAGE_BYTES + consumer * C_PANELS * C_PANEL_BYTES;
  while (schedule.next(work)) {
    if (work.tile.row * BM + consumer * GROUP_M >= of.m || work.tile.column * BN >= of.n) {
      pass_over(work.count, stage, full, empty);
      continue;
    }
    multiply_work(sums, work.count, stage, consumer, stages, full, empty);
    if constexpr (Shared != 0)
      if (!schedule.whole(work) && !add_parts(sums, schedule, work, consumer, parts)) continue;
    store_sums(sums, of, work.tile, consumer, c_stage);
  }
#if STORE == 1
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
  if constexpr (CLUSTER > 1) sync_cluster();
  if (warpgroup == 0) {
    if constexpr (TRADE_REGISTERS) give_registers<PRODUCER_REGISTERS>();
    if (threadIdx.x == 0) produce<Shared>(of, stages, full, empty);
    __syncwarp();
  } else {
    if constexpr (TRADE_REGISTERS) take_registers<CONSUMER_REGISTERS>();
    consume<Shared>(of, parts, warpgroup - 1, stages, full, empty);
  }
  if constexpr (CLUSTER > 1) sync_cluster();  // another block may still arrive at barriers of this one
}
