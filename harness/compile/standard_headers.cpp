#include "compile/standard_headers.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "compile/host_headers.h"
#include "core/hash.h"

namespace tailwave {
namespace {

constexpr auto kOfLibcu =
    std::to_array<std::string_view>({"array",           "atomic",   "barrier",    "bit",
                                     "bitset",          "cassert",  "chrono",     "complex",
                                     "concepts",        "cstddef",  "cstdlib",    "cstring",
                                     "ctime",           "expected", "functional", "initializer_list",
                                     "inplace_vector",  "iterator", "latch",      "limits",
                                     "mdspan",          "memory",   "numbers",    "numeric",
                                     "optional",        "ranges",   "ratio",      "semaphore",
                                     "source_location", "span",     "tuple",      "type_traits",
                                     "utility",         "variant",  "version"});

// Each begins with what it is in C++.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kOfC{{{"assert.h", "cassert"},
                                                                              {"inttypes.h", "cstdint"},
                                                                              {"complex.h", "complex"},
                                                                              {"float.h", "cfloat"},
                                                                              {"limits.h", "climits"},
                                                                              {"math.h", "cmath"},
                                                                              {"stddef.h", "cstddef"},
                                                                              {"stdint.h", "cstdint"},
                                                                              {"stdlib.h", "cstdlib"},
                                                                              {"string.h", "cstring"}}};

// CUB's parts for blocks, warps and threads; the rest is the host's.
constexpr auto kOfCub = std::to_array<std::string_view>({"block/block_adjacent_difference",
                                                         "block/block_discontinuity",
                                                         "block/block_exchange",
                                                         "block/block_histogram",
                                                         "block/block_load",
                                                         "block/block_merge_sort",
                                                         "block/block_radix_sort",
                                                         "block/block_reduce",
                                                         "block/block_run_length_decode",
                                                         "block/block_scan",
                                                         "block/block_shuffle",
                                                         "block/block_store",
                                                         "warp/warp_exchange",
                                                         "warp/warp_load",
                                                         "warp/warp_merge_sort",
                                                         "warp/warp_reduce",
                                                         "warp/warp_scan",
                                                         "warp/warp_store",
                                                         "thread/thread_load",
                                                         "thread/thread_operators",
                                                         "thread/thread_reduce",
                                                         "thread/thread_scan",
                                                         "thread/thread_search",
                                                         "thread/thread_store"});

constexpr std::string_view kMathMacros = R"(
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
#ifndef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#define NAN __builtin_bit_cast(float, 0x7fc00000)
#endif
#ifndef HUGE_VAL
#define HUGE_VAL __builtin_bit_cast(double, 0x7ff0000000000000)
#define HUGE_VALF __builtin_bit_cast(float, 0x7f800000)
#endif
)";

// Of the IEEE types that a GPU has; libcu++ has them under other names.
constexpr std::string_view kFloatLimits = R"(
#ifndef FLT_MAX
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MAX_10_EXP 38
#define FLT_MAX 3.402823466385288598117e+38F
#define FLT_EPSILON 1.192092895507812500000e-07F
#define FLT_MIN 1.175494350822287507969e-38F
#define FLT_TRUE_MIN 1.401298464324817070924e-45F
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_MIN_10_EXP (-307)
#define DBL_MAX_10_EXP 308
#define DBL_MAX 1.797693134862315708145e+308
#define DBL_EPSILON 2.220446049250313080847e-16
#define DBL_MIN 2.225073858507201383090e-308
#define DBL_TRUE_MIN 4.940656458412465441766e-324
#endif
)";

constexpr std::string_view kIntegerLimits = R"(
#ifndef INT_MAX
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LLONG_MIN (-9223372036854775807LL - 1)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#define LONG_MAX 9223372036854775807L
#define LONG_MIN (-9223372036854775807L - 1)
#define ULONG_MAX 18446744073709551615UL
#endif
)";

// glibc has them, and nvcc's own headers include it.
constexpr std::string_view kShortNames = R"(
typedef unsigned int uint;
typedef unsigned short ushort;
)";

// A header's text: what libcu++ has of that name, if anything, whose names are std's from then on.
std::string header(std::string_view of_libcu, std::string_view more = "") {
  std::string text = "#pragma once\n";
  if (!of_libcu.empty()) text += fmt::format("#include <cuda/std/{}>\n", of_libcu);
  return text + "namespace cuda { namespace std {} }\nnamespace std { using namespace ::cuda::std; }\n" +
         std::string(more);
}

std::string all_of_cub() {
  std::string text = "#pragma once\n";
  for (const std::string_view name : kOfCub) text += fmt::format("#include <cub/{}.cuh>\n", name);
  return text;
}

// Of Thrust, where functions that are the host's keep all of it from being compiled; what they take is declared.
std::string thrust_for_devices(std::string_view name) {
  return fmt::format(
      "#pragma once\n"
      "namespace std {{\n"
      "template <class C> struct char_traits;\n"
      "template <class C, class T> class basic_ostream;\n"
      "template <class C, class T> class basic_istream;\n"
      "}}\n"
      "#pragma nv_diag_suppress 20036\n"  // what is the device's here is the host's, too, further on
      "#undef __host__\n#define __host__\n"
      "#include <thrust/detail/../{}>\n"
      "#undef __host__\n#define __host__ __location__(host)\n",
      name);
}

std::map<std::string, std::string> make_headers() {
  std::map<std::string, std::string> headers;
  for (std::string& name : host_headers()) headers.emplace(std::move(name), "#pragma once\n");
  headers.emplace("hip/hip_runtime.h", "#pragma once\n");  // its kernel language is CUDA's
  headers.emplace("stdbool.h", "#pragma once\n");
  for (const std::string_view name : kOfLibcu) headers.emplace(name, header(name));
  headers["algorithm"] = header("__algorithm_");
  headers["cstdint"] = header("cstdint");
  headers["cmath"] = header("cmath", kMathMacros);
  headers["cfloat"] = header("cfloat", kFloatLimits);
  headers["climits"] = header("climits", kIntegerLimits);
  for (const auto& [of_c, of_cpp] : kOfC)
    headers.emplace(of_c, fmt::format("#pragma once\n#include <{}>\n", of_cpp));
  headers["cstdlib"] = header("cstdlib", kShortNames);
  headers["sys/types.h"] = "#pragma once\n" + std::string(kShortNames);
  headers["tailwave/math_macros.h"] = "#pragma once\n" + std::string(kMathMacros);
  for (const char* name : {"complex.h", "random.h"})
    headers[std::string("thrust/") + name] = thrust_for_devices(name);
  headers["cub/cub.cuh"] = all_of_cub();
  return headers;
}

}  // namespace

const std::map<std::string, std::string>& standard_headers() {
  static const std::map<std::string, std::string> headers = make_headers();
  return headers;
}

const std::string& standard_headers_digest() {
  static const std::string digest = [] {
    FieldHasher hasher;
    for (const auto& [name, text] : standard_headers()) hasher.add(name).add(text);
    return hasher.digest();
  }();
  return digest;
}

}  // namespace tailwave
