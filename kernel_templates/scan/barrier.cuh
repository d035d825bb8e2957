#pragma once

// Barriers in shared memory that count arrivals and bytes, and copies of many bytes that arrive there (compute
// capability 9.0 on). On the CPU device, where a block's threads take turns, copies are made at once.

#include <cstring>

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#error "copies that arrive at barriers are of compute capability 9.0 on"
#endif

#ifdef __CUDA_ARCH__
using Barrier = unsigned long long;

__device__ inline unsigned shared_address(const void* x) {
  return static_cast<unsigned>(__cvta_generic_to_shared(x));
}
#else
struct Barrier {
  int count, missing, phase;
};
#endif

// A barrier's phases have parities 0, 1, 0, ...; a phase ends when `count` have arrived and all bytes that
// were announced are there.
__device__ inline void start_barrier(Barrier* barrier, int count) {
#ifdef __CUDA_ARCH__
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count)
               : "memory");
#else
  *barrier = {count, count, 0};
#endif
}

// Makes started barriers known to the copies.
__device__ inline void show_barriers() {
#ifdef __CUDA_ARCH__
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
#endif
}

// What the thread did before is seen by those that wait for the end of the phase.
__device__ inline void arrive(Barrier* barrier) {
#ifdef __CUDA_ARCH__
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
#else
  if (--barrier->missing == 0) {
    barrier->missing = barrier->count;
    ++barrier->phase;
  }
#endif
}

// Waits for the end of a phase with this parity; the one before the first has parity 1.
__device__ inline void wait(Barrier* barrier, int parity) {
#ifdef __CUDA_ARCH__
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
#else
  while (barrier->phase % 2 == parity) __nanosleep(1);
#endif
}

// Arrives, and has `bytes` copied, a multiple of 16, which the phase's end waits for. Both places lie at
// multiples of 16.
__device__ inline void arrive_with_copy(Barrier* barrier, void* to, const void* from, int bytes) {
#ifdef __CUDA_ARCH__
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
  if (bytes == 0) return;
#if EVICT_FIRST
  unsigned long long policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%0], [%1], %2, [%3], %4;" ::"r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier)), "l"(policy)
      : "memory");
#else
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
#endif
#else
  memcpy(to, from, static_cast<size_t>(bytes));
  arrive(barrier);
#endif
}
