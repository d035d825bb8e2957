// NVSHMEM 3.4.5 uses these of namespace std, which NVRTC has no headers for.
#include <cuda/std/type_traits>
namespace std {
using cuda::std::conditional;
using cuda::std::enable_if;
using cuda::std::is_floating_point;
using cuda::std::is_integral;
using cuda::std::is_same;
using cuda::std::is_signed;
using cuda::std::is_unsigned;
}  // namespace std

#include <nvshmem.h>
#include <nvshmemx.h>

#define TAILWAVE_NVSHMEM(result, name, parameters, arguments)       \
  extern "C" __device__ result tailwave_##name parameters {         \
    return name arguments;                                          \
  }
#include "tailwave_nvshmem_functions.inc"
