#include "compile/host_headers.h"

#include <fmt/format.h>

#include <array>

#include "spec/tokens.h"

namespace tailwave {
namespace {

// stdio.h is one of them: printf() is NVRTC's own.
constexpr auto kOfTheHost = std::to_array<std::string_view>({"any",
                                                             "cctype",
                                                             "cerrno",
                                                             "codecvt",
                                                             "condition_variable",
                                                             "csignal",
                                                             "cstdarg",
                                                             "cstdio",
                                                             "cwchar",
                                                             "deque",
                                                             "exception",
                                                             "filesystem",
                                                             "forward_list",
                                                             "fstream",
                                                             "future",
                                                             "iomanip",
                                                             "ios",
                                                             "iosfwd",
                                                             "iostream",
                                                             "istream",
                                                             "list",
                                                             "locale",
                                                             "map",
                                                             "mutex",
                                                             "new",
                                                             "ostream",
                                                             "queue",
                                                             "random",
                                                             "regex",
                                                             "set",
                                                             "sstream",
                                                             "stack",
                                                             "stdexcept",
                                                             "stdio.h",
                                                             "streambuf",
                                                             "string",
                                                             "string_view",
                                                             "system_error",
                                                             "thread",
                                                             "typeinfo",
                                                             "unordered_map",
                                                             "unordered_set",
                                                             "vector",
                                                             "ctype.h",
                                                             "errno.h",
                                                             "stdarg.h",
                                                             "cinttypes",
                                                             "signal.h",
                                                             "unistd.h",
                                                             "sys/time.h",
                                                             "time.h",
                                                             "execution",
                                                             "format",
                                                             "print",
                                                             "charconv",
                                                             "cfenv",
                                                             "clocale",
                                                             "shared_mutex",
                                                             "valarray",
                                                             "memory_resource",
                                                             "typeindex",
                                                             "fenv.h",
                                                             "fcntl.h",
                                                             "getopt.h",
                                                             "immintrin.h",
                                                             "x86intrin.h",
                                                             "xmmintrin.h",
                                                             "emmintrin.h",
                                                             "malloc.h",
                                                             "memory.h",
                                                             "omp.h",
                                                             "pthread.h",
                                                             "sched.h",
                                                             "strings.h",
                                                             "values.h",
                                                             "wchar.h",
                                                             "sys/mman.h",
                                                             "sys/resource.h",
                                                             "sys/stat.h"});

// Of the toolkit, and of its samples, what calls from the host.
constexpr auto kOfHostLibraries = std::to_array<std::string_view>({"cublas.h",
                                                                   "cublas_api.h",
                                                                   "cublas_v2.h",
                                                                   "cublasLt.h",
                                                                   "cublasXt.h",
                                                                   "cuda_gl_interop.h",
                                                                   "cuda_profiler_api.h",
                                                                   "cudnn.h",
                                                                   "cufftw.h",
                                                                   "cupti.h",
                                                                   "cusolverDn.h",
                                                                   "cusolverMg.h",
                                                                   "cusolverSp.h",
                                                                   "cusparse.h",
                                                                   "cusparse_v2.h",
                                                                   "helper_cuda.h",
                                                                   "helper_functions.h",
                                                                   "helper_image.h",
                                                                   "helper_string.h",
                                                                   "helper_timer.h",
                                                                   "mpi.h",
                                                                   "nccl.h",
                                                                   "nvJitLink.h",
                                                                   "nvrtc.h",
                                                                   "nvToolsExt.h",
                                                                   "nvtx3/nvToolsExt.h",
                                                                   "nvtx3/nvToolsExtCuda.h",
                                                                   "nvtx3/nvToolsExtCudaRt.h",
                                                                   "nvtx3/nvtx3.hpp"});

// Thrust's and CUB's algorithms, which the host calls, and what holds their data.
constexpr auto kOfThrustsHost = std::to_array<std::string_view>({"adjacent_difference",
                                                                 "allocate_unique",
                                                                 "binary_search",
                                                                 "copy",
                                                                 "count",
                                                                 "device_allocator",
                                                                 "device_delete",
                                                                 "device_free",
                                                                 "device_make_unique",
                                                                 "device_malloc",
                                                                 "device_malloc_allocator",
                                                                 "device_new",
                                                                 "device_new_allocator",
                                                                 "device_ptr",
                                                                 "device_reference",
                                                                 "device_vector",
                                                                 "equal",
                                                                 "execution_policy",
                                                                 "extrema",
                                                                 "fill",
                                                                 "find",
                                                                 "for_each",
                                                                 "gather",
                                                                 "generate",
                                                                 "host_vector",
                                                                 "inner_product",
                                                                 "logical",
                                                                 "memory",
                                                                 "merge",
                                                                 "mismatch",
                                                                 "partition",
                                                                 "per_device_resource",
                                                                 "reduce",
                                                                 "remove",
                                                                 "replace",
                                                                 "reverse",
                                                                 "scan",
                                                                 "scatter",
                                                                 "sequence",
                                                                 "set_operations",
                                                                 "shuffle",
                                                                 "sort",
                                                                 "swap",
                                                                 "system_error",
                                                                 "tabulate",
                                                                 "transform",
                                                                 "transform_reduce",
                                                                 "transform_scan",
                                                                 "uninitialized_copy",
                                                                 "uninitialized_fill",
                                                                 "unique",
                                                                 "universal_allocator",
                                                                 "universal_ptr",
                                                                 "universal_vector"});
constexpr auto kOfCubsHost = std::to_array<std::string_view>(
    {"device_adjacent_difference", "device_copy", "device_for", "device_histogram", "device_memcpy",
     "device_merge", "device_merge_sort", "device_partition", "device_radix_sort", "device_reduce",
     "device_run_length_encode", "device_scan", "device_segmented_radix_sort", "device_segmented_reduce",
     "device_segmented_sort", "device_select", "device_transform"});

}  // namespace

std::vector<std::string> host_headers() {
  std::vector<std::string> names(kOfTheHost.begin(), kOfTheHost.end());
  names.insert(names.end(), kOfHostLibraries.begin(), kOfHostLibraries.end());
  for (const std::string_view name : kOfThrustsHost) names.push_back(fmt::format("thrust/{}.h", name));
  for (const std::string_view name : kOfCubsHost) names.push_back(fmt::format("cub/device/{}.cuh", name));
  return names;
}

bool is_of_a_host_library(std::string_view name) {
  const auto has = [&](std::string_view folder, const auto& names, std::string_view ending) {
    return name.starts_with(folder) && name.ends_with(ending) &&
           name.size() > folder.size() + ending.size() &&
           among(name.substr(folder.size(), name.size() - folder.size() - ending.size()), names);
  };
  return among(name, kOfHostLibraries) || has("thrust/", kOfThrustsHost, ".h") ||
         has("cub/device/", kOfCubsHost, ".cuh");
}

}  // namespace tailwave
