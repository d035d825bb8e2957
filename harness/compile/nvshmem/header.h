#ifndef TAILWAVE_NVSHMEM_HEADER
#define TAILWAVE_NVSHMEM_HEADER

#define TAILWAVE_NVSHMEM(result, name, parameters, arguments) \
  extern "C" __device__ result tailwave_##name parameters;    \
  __device__ inline result name parameters {                  \
    return tailwave_##name arguments;                         \
  }
#include "tailwave_nvshmem_functions.h"
#undef TAILWAVE_NVSHMEM

#endif
