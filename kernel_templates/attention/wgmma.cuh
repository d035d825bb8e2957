// Instructions of compute capability 9.0: barriers in shared memory that count bytes, copies of tiles by the
// tensor memory accelerator (TMA), and products of four warps (wgmma). They have no path for the CPU device,
// which has no tensor maps. Macros: STAGES, and CLUSTER where there are clusters.
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

// At the barrier that lies there in another block of the cluster.
__device__ inline void arrive_at(Barrier* barrier, int rank) {
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n"
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
#if CLUSTER > 1
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 ended, [%1], %2;\n"
#else
        "mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2;\n"
#endif
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
__device__ inline void wait_for_reads_of_stores() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
__device__ inline void wait_for_stores() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// What this thread has written to shared memory is seen by TMA.
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

// Where an operand lies and how. Rows are 128 bytes, swizzled by 128 bytes, so that eight of them are an atom
// of 1024 bytes. `leading` and `stride` are distances in bytes, see matrix descriptors of wgmma in the PTX
// manual: rows along K (A, or B with a row for each of its columns): stride is from one atom to the next, eight
// rows on; leading is not used. Rows along N (B): stride is from one atom to the next, eight rows of B on;
// leading is from 64 columns to the next 64.
__device__ inline unsigned long long descriptor(const void* start, int leading, int stride) {
  return static_cast<unsigned long long>((shared_address(start) & 0x3ffff) >> 4) |
         static_cast<unsigned long long>(leading >> 4) << 16 |
         static_cast<unsigned long long>(stride >> 4) << 32 | 1ull << 62;
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

// WGMMA_SUMS_n are n sums as operands, WGMMA_NAMES_n what the assembler calls them.
#define WGMMA_SUMS_8(i) \
  "+f"(sums[i]), "+f"(sums[i + 1]), "+f"(sums[i + 2]), "+f"(sums[i + 3]), "+f"(sums[i + 4]), "+f"(sums[i + 5]), \
      "+f"(sums[i + 6]), "+f"(sums[i + 7])
#define WGMMA_SUMS_32 WGMMA_SUMS_8(0), WGMMA_SUMS_8(8), WGMMA_SUMS_8(16), WGMMA_SUMS_8(24)
#define WGMMA_SUMS_40 WGMMA_SUMS_32, WGMMA_SUMS_8(32)
#define WGMMA_SUMS_48 WGMMA_SUMS_40, WGMMA_SUMS_8(40)
#define WGMMA_SUMS_56 WGMMA_SUMS_48, WGMMA_SUMS_8(48)
#define WGMMA_SUMS_64 WGMMA_SUMS_56, WGMMA_SUMS_8(56)
#define WGMMA_SUMS_72 WGMMA_SUMS_64, WGMMA_SUMS_8(64)
#define WGMMA_SUMS_80 WGMMA_SUMS_72, WGMMA_SUMS_8(72)
#define WGMMA_SUMS_88 WGMMA_SUMS_80, WGMMA_SUMS_8(80)
#define WGMMA_SUMS_96 WGMMA_SUMS_88, WGMMA_SUMS_8(88)
#define WGMMA_SUMS_112 WGMMA_SUMS_96, WGMMA_SUMS_8(96), WGMMA_SUMS_8(104)
#define WGMMA_SUMS_128 WGMMA_SUMS_112, WGMMA_SUMS_8(112), WGMMA_SUMS_8(120)
#define WGMMA_NAMES_32 \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define WGMMA_NAMES_40 WGMMA_NAMES_32 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define WGMMA_NAMES_48 WGMMA_NAMES_40 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define WGMMA_NAMES_56 WGMMA_NAMES_48 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define WGMMA_NAMES_64 WGMMA_NAMES_56 ", %56, %57, %58, %59, %60, %61, %62, %63"
#define WGMMA_NAMES_72 WGMMA_NAMES_64 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define WGMMA_NAMES_80 WGMMA_NAMES_72 ", %72, %73, %74, %75, %76, %77, %78, %79"
#define WGMMA_NAMES_88 WGMMA_NAMES_80 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define WGMMA_NAMES_96 WGMMA_NAMES_88 ", %88, %89, %90, %91, %92, %93, %94, %95"
#define WGMMA_NAMES_112 WGMMA_NAMES_96 \
  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111"
#define WGMMA_NAMES_128 WGMMA_NAMES_112 \
  ", %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// sums = a b, or sums += a b if `add`: 64 rows of A times 16 rows of B, in N = 2 * Count columns. Lane l of
// warp w holds for each eight columns those numbered l % 4 * 2 and the next, of row 16 * w + l / 4 and then
// of the eighth row after it. b is a descriptor, of B whose rows are along N (AlongN 1) or along K (0). So is
// a, with rows along K; or A is in registers, where a lane holds pairs of halves as it holds pairs of sums, of
// eight columns and then of the next eight.
#define WGMMA_MULTIPLY(columns, count, x1, x2, x3, x4, x5, x6, names, ...)                                       \
  template <int AlongN>                                                                                          \
  __device__ inline void multiply(float (&sums)[count], unsigned long long a, unsigned long long b, int add) {   \
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %" #x2 ", 0;\n"                                           \
                 "wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32.f16.f16 {" names "}, "                    \
                 "%" #count ", %" #x1 ", add, 1, 1, 0, %" #x3 ";\n}"                                             \
                 : __VA_ARGS__                                                                                   \
                 : "l"(a), "l"(b), "r"(add), "n"(AlongN)                                                         \
                 : "memory");                                                                                    \
  }                                                                                                              \
  template <int AlongN>                                                                                          \
  __device__ inline void multiply(float (&sums)[count], const unsigned (&a)[4], unsigned long long b, int add) { \
    asm volatile("{\n.reg .pred add;\nsetp.ne.b32 add, %" #x5 ", 0;\n"                                           \
                 "wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32.f16.f16 {" names "}, "                    \
                 "{%" #count ", %" #x1 ", %" #x2 ", %" #x3 "}, %" #x4 ", add, 1, 1, %" #x6 ";\n}"                \
                 : __VA_ARGS__                                                                                   \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add), "n"(AlongN)                     \
                 : "memory");                                                                                    \
  }
WGMMA_MULTIPLY(64, 32, 33, 34, 35, 36, 37, 38, WGMMA_NAMES_32, WGMMA_SUMS_32)
WGMMA_MULTIPLY(80, 40, 41, 42, 43, 44, 45, 46, WGMMA_NAMES_40, WGMMA_SUMS_40)
WGMMA_MULTIPLY(96, 48, 49, 50, 51, 52, 53, 54, WGMMA_NAMES_48, WGMMA_SUMS_48)
WGMMA_MULTIPLY(112, 56, 57, 58, 59, 60, 61, 62, WGMMA_NAMES_56, WGMMA_SUMS_56)
WGMMA_MULTIPLY(128, 64, 65, 66, 67, 68, 69, 70, WGMMA_NAMES_64, WGMMA_SUMS_64)
WGMMA_MULTIPLY(144, 72, 73, 74, 75, 76, 77, 78, WGMMA_NAMES_72, WGMMA_SUMS_72)
WGMMA_MULTIPLY(160, 80, 81, 82, 83, 84, 85, 86, WGMMA_NAMES_80, WGMMA_SUMS_80)
WGMMA_MULTIPLY(176, 88, 89, 90, 91, 92, 93, 94, WGMMA_NAMES_88, WGMMA_SUMS_88)
WGMMA_MULTIPLY(192, 96, 97, 98, 99, 100, 101, 102, WGMMA_NAMES_96, WGMMA_SUMS_96)
WGMMA_MULTIPLY(256, 128, 129, 130, 131, 132, 133, 134, WGMMA_NAMES_128, WGMMA_SUMS_128)
