#pragma once

// CUDA's keywords as the host compiler's. A block runs on one thread of the operating system, so a thread_local
// variable is one variable a block. __constant__ and __device__ variables are plain globals of the shared object.

#define __global__
#define __device__
#define __host__
#define __constant__ __attribute__((visibility("default")))  // a plan may copy into it, by its name
#define __managed__
#define __grid_constant__
#define __shared__ thread_local
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__
#define __noinline__  // not an attribute: the C++ library of GCC 13 writes __attribute__((__noinline__)) itself

// Clang has it.
#ifndef __clang__
#define __builtin_assume(condition) ((condition) ? static_cast<void>(0) : __builtin_unreachable())
#endif
#define __assume(condition) __builtin_assume(condition)

// printf is the C library's; assert and __trap end the launch instead of the process.
#include <stdio.h>

#undef assert
#ifdef NDEBUG
#define assert(condition) static_cast<void>(0)
#else
#define assert(condition) \
  ((condition) ? static_cast<void>(0) : ::tailwave_cpu::assertion_failed(#condition, __FILE__, __LINE__))
#endif
