// Instructions of compute capability 9.0: barriers in shared memory that count bytes, copies of tiles by the
// tensor memory accelerator (TMA), and what products of four warps (wgmma) need around them. They have no path
// for the CPU device, which has no tensor maps. Macro: STAGES.
#pragma once

#include <cuda.h>

#if defined(__CUDA_ARCH__) && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
#error "wgmma is of compute capability 9.0 alone (sm_90a)"
#endif

__device__ inline unsigned shared_address(const void* x) {
  return static_cast<unsigned>(__cvta_generic_to_shared(x));
}

// A barrier's phases have parities 0, 1, 0, ...; a phase ends when `count` have arrived and all bytes that
// were announced are there.
using Barrier = unsigned long long;

__device__ inline void start_barrier(Barrier* barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count)
               : "memory");
}

// Makes started barriers known to TMA and to the other blocks of the cluster.
__device__ inline void show_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
}

__device__ inline void arrive_with_bytes(Barrier* barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
}

__device__ inline void arrive(Barrier* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

// At the barrier that lies there in another block of the cluster. Without the scope of the cluster: that
// would wait for all memory of the warp, every time, and what is handed over is read and written by wgmma
// and TMA alone.
__device__ inline void arrive_at(Barrier* barrier, int rank) {
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
      "}" ::"r"(shared_address(barrier)),
      "r"(rank)
      : "memory");
}

// Waits for the end of a phase with this parity; the one before the first has parity 1.
__device__ inline void wait(Barrier* barrier, int parity) {
  unsigned done;
  do {
    asm volatile(
        "{\n"
        ".reg .pred ended;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2;\n"
        "selp.u32 %0, 1, 0, ended;\n"
        "}"
        : "=r"(done)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
  } while (!done);
}

__device__ inline void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Stages in turn, and the parity of their phase.
struct Stage {
  int number = 0, parity = 0;
  __device__ void advance() {
    if (++number == STAGES) number = 0, parity ^= 1;
  }
};

// A barrier for 128 threads of the block; 0 is that of __syncthreads().
__device__ inline void sync_warpgroup(int id) {
  asm volatile("bar.sync %0, 128;" ::"r"(id) : "memory");
}

__device__ inline void prefetch(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

// The map's box whose first element is in column x and row y; what lies outside of the matrix is zero.
__device__ inline void load_box(void* to, const CUtensorMap& map, int x, int y, Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
      "l"(&map), "r"(x), "r"(y), "r"(shared_address(barrier))
      : "memory");
}

// Of a map of several matrices: that with number z.
__device__ inline void load_box(void* to, const CUtensorMap& map, int x, int y, int z, Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to)),
      "l"(&map), "r"(x), "r"(y), "r"(z), "r"(shared_address(barrier))
      : "memory");
}

// As the first one, into shared memory of all blocks in `mask`, each of which has its own barrier told.
__device__ inline void load_box_for(unsigned short mask, void* to, const CUtensorMap& map, int x, int y,
                                    Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
      "l"(&map), "r"(x), "r"(y), "r"(shared_address(barrier)), "h"(mask)
      : "memory");
}

// What lies outside of the matrix is not written.
__device__ inline void store_box(const CUtensorMap& map, const void* from, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
               "r"(x), "r"(y), "r"(shared_address(from))
               : "memory");
}

__device__ inline void store_box(const CUtensorMap& map, const void* from, int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(&map),
      "r"(x), "r"(y), "r"(z), "r"(shared_address(from))
      : "memory");
}

__device__ inline void end_stores() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Until shared memory has been read for all but the last `Groups` groups of stores.
template <int Groups>
__device__ inline void wait_for_reads_of_stores() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Groups) : "memory");
}
__device__ inline void wait_for_stores() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// What this thread has written to shared memory is seen by TMA, and by products that begin after a barrier.
__device__ inline void show_writes() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Four matrices of 8 x 8 halves to shared memory: lane 8 * i + r has the address of row r of matrix i.
__device__ inline void store_matrices(void* row, unsigned x0, unsigned x1, unsigned x2, unsigned x3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(row)),
               "r"(x0), "r"(x1), "r"(x2), "r"(x3)
               : "memory");
}

template <int Registers>
__device__ inline void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <int Registers>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}

// Where an operand lies and how. Rows are `row_bytes` (128, 64 or 32), swizzled by as many bytes, so that
// eight of them are an atom. `leading` and `stride` are distances in bytes, see matrix descriptors of wgmma
// in the PTX manual:
// rows along K (A, or B with a row for each of its columns): stride is from one atom to the next, eight rows
// on; leading is not used.
// rows along N (B): stride is from one atom to the next, eight rows of B on; leading is from the columns of
// a row to the next ones.
__device__ inline unsigned long long descriptor(const void* start, int leading, int stride,
                                                int row_bytes = 128) {
  const unsigned long long swizzle = row_bytes == 128 ? 1 : row_bytes == 64 ? 2 : 3;
  return static_cast<unsigned long long>((shared_address(start) & 0x3ffff) >> 4) |
         static_cast<unsigned long long>(leading >> 4) << 16 |
         static_cast<unsigned long long>(stride >> 4) << 32 | swizzle << 62;
}

__device__ inline void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ inline void end_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits until at most `Groups` of begun groups of products are not complete.
template <int Groups>
__device__ inline void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Groups) : "memory");
}

// The compiler may neither read the sums earlier nor write them later than here.
template <int Count>
__device__ inline void hold(float (&sums)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}

// Nor these, which are an operand.
template <int Count>
__device__ inline void hold(unsigned (&operand)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) asm volatile("" : "+r"(operand[i])::"memory");
}
