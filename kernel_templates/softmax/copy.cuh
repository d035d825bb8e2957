// Copies from global to shared memory that go on while the thread computes (compute capability 8.0 on). On
// the CPU device they are made at once.
#pragma once

// Bytes: 4, 8 or 16, aligned so. Where `inside` is false, zeros are written and nothing is read.
template <int Bytes>
__device__ inline void copy_async(void* to, const void* from, bool inside = true) {
#ifdef __CUDA_ARCH__
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int size = inside ? Bytes : 0;
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(size)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address), "l"(from), "n"(Bytes),
                 "r"(size)
                 : "memory");
#else
  for (int i = 0; i < Bytes / 4; ++i)
    static_cast<unsigned*>(to)[i] = inside ? static_cast<const unsigned*>(from)[i] : 0;
#endif
}

// The same where the whole is surely inside.
template <int Bytes>
__device__ inline void copy_async_whole(void* to, const void* from) {
#ifdef __CUDA_ARCH__
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(Bytes)
                 : "memory");
#else
  copy_async<Bytes>(to, from);
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
