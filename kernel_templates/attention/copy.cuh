// Copies from global to shared memory that go on while the thread computes (compute capability 8.0 on). On
// the CPU device they are made at once.
#pragma once

// 16 bytes, aligned so. Where `inside` is false, zeros are written and nothing is read.
__device__ inline void copy_async(void* to, const void* from, bool inside) {
#ifdef __CUDA_ARCH__
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int size = inside ? 16 : 0;
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(size)
               : "memory");
#else
  *static_cast<uint4*>(to) = inside ? *static_cast<const uint4*>(from) : make_uint4(0, 0, 0, 0);
#endif
}

// What was copied since the last call is one group.
__device__ inline void end_group() {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most `Groups` of this thread's groups are not complete.
template <int Groups>
__device__ inline void wait_groups() {
#ifdef __CUDA_ARCH__
  asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
#endif
}
