#pragma once

// CUDA C++ for a host compiler: compiled before a .cu template by the CPU device. A thread is a fiber that runs
// this code as it is; what needs other threads (barriers, warp operations) goes to the program through
// tailwave_abi.h. See docs/cpu_device.md for what is supported.

#define TAILWAVE_CPU 1

#include "cuda_on_cpu/atomics.h"
#include "cuda_on_cpu/entry.h"
#include "cuda_on_cpu/execution.h"
#include "cuda_on_cpu/integers.h"
#include "cuda_on_cpu/keywords.h"
#include "cuda_on_cpu/math.h"
#include "cuda_on_cpu/math_extra.h"
#include "cuda_on_cpu/math_intrinsics.h"
#include "cuda_on_cpu/math_special.h"
#include "cuda_on_cpu/vector_types.h"
#include "cuda_on_cpu/warp.h"
#include "cuda_on_cpu/word_parts.h"

// After the headers of the C library, some of which ask for it.
#define __CUDACC__ 1
