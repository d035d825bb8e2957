#include "compile/cpu/toolkit_headers.h"

#include <fmt/format.h>

namespace tailwave {
namespace {

constexpr const char* kOfCpp[] = {
    "array",       "atomic",   "bit",        "cassert",          "cfloat",   "chrono",      "climits",
    "cmath",       "complex",  "concepts",   "cstddef",          "cstdint",  "cstdlib",     "cstring",
    "ctime",       "expected", "functional", "initializer_list", "iterator", "latch",       "limits",
    "numbers",     "optional", "ratio",      "semaphore",        "span",     "string_view", "tuple",
    "type_traits", "utility",  "variant",    "version"};

constexpr const char* kOfTheRuntime[] = {"builtin_types.h",
                                         "channel_descriptor.h",
                                         "common_functions.h",
                                         "cuda_device_runtime_api.h",
                                         "cuda_runtime_api.h",
                                         "device_atomic_functions.h",
                                         "device_double_functions.h",
                                         "device_functions.h",
                                         "device_types.h",
                                         "driver_types.h",
                                         "host_config.h",
                                         "host_defines.h",
                                         "math_functions.h",
                                         "sm_20_atomic_functions.h",
                                         "sm_20_intrinsics.h",
                                         "sm_30_intrinsics.h",
                                         "sm_32_atomic_functions.h",
                                         "sm_32_intrinsics.h",
                                         "sm_35_intrinsics.h",
                                         "sm_60_atomic_functions.h",
                                         "sm_61_intrinsics.h",
                                         "vector_functions.h"};

constexpr const char* kLacking[] = {"cub/block/block_load.cuh",
                                    "cub/block/block_reduce.cuh",
                                    "cub/block/block_scan.cuh",
                                    "cub/cub.cuh",
                                    "cuda/annotated_ptr",
                                    "cuda/ptx",
                                    "cuda_awbarrier.h",
                                    "cuda_awbarrier_primitives.h",
                                    "cuda_fp4.h",
                                    "cuda_fp6.h",
                                    "curand.h",
                                    "curand_kernel.h",
                                    "curand_mrg32k3a.h",
                                    "curand_normal.h",
                                    "curand_philox4x32_x.h",
                                    "curand_uniform.h",
                                    "mma.h",
                                    "surface_indirect_functions.h",
                                    "texture_indirect_functions.h"};

std::map<std::string, std::string> made_headers() {
  std::map<std::string, std::string> headers;
  for (const char* name : kOfCpp)
    headers.emplace(
        fmt::format("cuda/std/{}", name),
        fmt::format("#pragma once\n#include <{}>\nnamespace cuda::std {{\nusing namespace ::std;\n}}\n",
                    name));
  for (const char* name : kOfTheRuntime)
    headers.emplace(name, "#pragma once\n#include \"tailwave_cuda.h\"\n");
  for (const char* name : kLacking)
    headers.emplace(name, fmt::format("#error the CPU device lacks <{}>\n", name));
  headers.emplace("cuda_pipeline_primitives.h", "#pragma once\n#include \"cuda_pipeline.h\"\n");
  return headers;
}

}  // namespace

const std::map<std::string, std::string>& cpu_toolkit_headers() {
  static const std::map<std::string, std::string> headers = made_headers();
  return headers;
}

}  // namespace tailwave
