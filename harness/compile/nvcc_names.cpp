#include "compile/nvcc_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "spec/tokens.h"

namespace tailwave {
namespace {

constexpr std::string_view kUsing = "namespace std { using ::";

// Of glibc's headers. Where libcu++ has one, too, it is the same type.
constexpr std::array<std::pair<std::string_view, std::string_view>, 19> kTypesOfTheHost{
    {{"uint", "unsigned int"},
     {"ushort", "unsigned short"},
     {"ulong", "unsigned long"},
     {"u_int", "unsigned int"},
     {"u_short", "unsigned short"},
     {"u_long", "unsigned long"},
     {"u_char", "unsigned char"},
     {"int8_t", "signed char"},
     {"uint8_t", "unsigned char"},
     {"int16_t", "short"},
     {"uint16_t", "unsigned short"},
     {"int32_t", "int"},
     {"uint32_t", "unsigned int"},
     {"int64_t", "long long"},
     {"uint64_t", "unsigned long long"},
     {"intptr_t", "long long"},
     {"uintptr_t", "unsigned long long"},
     {"ssize_t", "long"},
     {"off_t", "long"}}};

constexpr auto kNamesOfIntegerLimits = std::to_array<std::string_view>(
    {"CHAR_BIT", "SCHAR_MIN", "SCHAR_MAX", "UCHAR_MAX", "CHAR_MIN", "CHAR_MAX", "SHRT_MIN", "SHRT_MAX",
     "USHRT_MAX", "INT_MIN", "INT_MAX", "UINT_MAX", "LONG_MIN", "LONG_MAX", "ULONG_MAX", "LLONG_MIN",
     "LLONG_MAX", "ULLONG_MAX"});
constexpr auto kNamesOfRealLimits =
    std::to_array<std::string_view>({"FLT_MAX", "FLT_MIN", "FLT_EPSILON", "FLT_DIG", "FLT_MANT_DIG",
                                     "DBL_MAX", "DBL_MIN", "DBL_EPSILON", "DBL_DIG", "DBL_MANT_DIG"});
constexpr auto kNamesOfSizedLimits = std::to_array<std::string_view>(
    {"INT8_MIN", "INT8_MAX", "UINT8_MAX", "INT16_MIN", "INT16_MAX", "UINT16_MAX", "INT32_MIN", "INT32_MAX",
     "UINT32_MAX", "INT64_MIN", "INT64_MAX", "UINT64_MAX", "SIZE_MAX", "INTPTR_MAX", "UINTPTR_MAX",
     "intmax_t", "uintmax_t"});
constexpr auto kInfinities = std::to_array<std::string_view>({"INFINITY", "NAN", "HUGE_VAL", "HUGE_VALF"});
constexpr auto kOfDependentLaunches = std::to_array<std::string_view>(
    {"cudaGridDependencySynchronize", "cudaTriggerProgrammaticLaunchCompletion"});
constexpr auto kTypeOf = std::to_array<std::string_view>({"__typeof__", "__typeof"});

// NVRTC has them at global scope.
constexpr auto kGlobalFunctions = std::to_array<std::string_view>(
    {"abs",      "fabs",      "sqrt",      "cbrt",      "exp",    "exp2",   "expm1",  "log",      "log2",
     "log10",    "log1p",     "sin",       "cos",       "tan",    "asin",   "acos",   "atan",     "atan2",
     "sinh",     "cosh",      "tanh",      "asinh",     "acosh",  "atanh",  "pow",    "fmod",     "fma",
     "fmin",     "fmax",      "fdim",      "floor",     "ceil",   "trunc",  "round",  "rint",     "lround",
     "lrint",    "llround",   "llrint",    "hypot",     "erf",    "erfc",   "tgamma", "lgamma",   "ldexp",
     "frexp",    "modf",      "scalbn",    "ilogb",     "logb",   "isnan",  "isinf",  "isfinite", "signbit",
     "copysign", "nextafter", "nearbyint", "remainder", "remquo", "memcpy", "memset", "printf",   "malloc",
     "free",     "size_t",    "ptrdiff_t", "clock",     "clock_t"});

constexpr auto kOfUtility = std::to_array<std::string_view>(
    {"pair", "make_pair", "move", "forward", "swap", "exchange", "declval", "as_const", "integer_sequence",
     "index_sequence", "make_integer_sequence", "make_index_sequence", "index_sequence_for"});
constexpr auto kOfAlgorithm = std::to_array<std::string_view>(
    {"max", "min", "fill", "fill_n", "copy", "copy_n", "equal", "iter_swap", "lower_bound"});
constexpr auto kOfTypeTraits = std::to_array<std::string_view>({"enable_if",
                                                                "enable_if_t",
                                                                "conditional",
                                                                "conditional_t",
                                                                "decay",
                                                                "decay_t",
                                                                "common_type",
                                                                "common_type_t",
                                                                "underlying_type",
                                                                "underlying_type_t",
                                                                "integral_constant",
                                                                "bool_constant",
                                                                "true_type",
                                                                "false_type",
                                                                "void_t",
                                                                "invoke_result",
                                                                "invoke_result_t",
                                                                "conjunction",
                                                                "conjunction_v",
                                                                "disjunction",
                                                                "disjunction_v",
                                                                "negation",
                                                                "negation_v",
                                                                "aligned_storage",
                                                                "aligned_storage_t",
                                                                "alignment_of",
                                                                "alignment_of_v",
                                                                "extent",
                                                                "extent_v",
                                                                "rank",
                                                                "rank_v",
                                                                "make_signed",
                                                                "make_signed_t",
                                                                "make_unsigned",
                                                                "make_unsigned_t"});

// nvcc includes what declares these in every file. The macro keeps the header from warning of the one that it includes.
constexpr std::string_view kDeviceRuntime =
    "#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__\n"
    "#include <cuda_device_runtime_api.h>\n"
    "#undef __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__\n";

// decltype() of what is an lvalue is a reference.
constexpr std::string_view kTypeOfMacros =
    R"(template <class T> struct tailwave_type_of { typedef T type; };
template <class T> struct tailwave_type_of<T&> { typedef T type; };
template <class T> struct tailwave_type_of<T&&> { typedef T type; };
#define __typeof__(...) typename tailwave_type_of<decltype(__VA_ARGS__)>::type
#define __typeof __typeof__
)";

// GCC's functions on bits, constants where their argument is one.
constexpr std::string_view kBitFunctions = R"(
constexpr int __builtin_popcountll(unsigned long long x) {
  if (!__builtin_is_constant_evaluated()) return __popcll(x);
  int n = 0;
  for (; x != 0; x &= x - 1) ++n;
  return n;
}
constexpr int __builtin_clzll(unsigned long long x) {
  if (!__builtin_is_constant_evaluated()) return __clzll(x);
  int n = 64;
  for (; x != 0; x >>= 1) --n;
  return n;
}
constexpr int __builtin_ffsll(long long x) {
  return x == 0 ? 0 : 64 - __builtin_clzll(x & (0ULL - x));
}
constexpr int __builtin_popcount(unsigned x) { return __builtin_popcountll(x); }
constexpr int __builtin_popcountl(unsigned long x) { return __builtin_popcountll(x); }
constexpr int __builtin_parity(unsigned x) { return __builtin_popcountll(x) & 1; }
constexpr int __builtin_parityll(unsigned long long x) { return __builtin_popcountll(x) & 1; }
constexpr int __builtin_clz(unsigned x) { return __builtin_clzll(x) - 32; }
constexpr int __builtin_clzl(unsigned long x) { return __builtin_clzll(x); }
constexpr int __builtin_ffs(int x) { return __builtin_ffsll(x); }
constexpr int __builtin_ffsl(long x) { return __builtin_ffsll(x); }
constexpr int __builtin_ctz(unsigned x) { return __builtin_ffsll(x) - 1; }
constexpr int __builtin_ctzl(unsigned long x) { return __builtin_ffsll(x) - 1; }
constexpr int __builtin_ctzll(unsigned long long x) { return __builtin_ffsll(x) - 1; }
)";

std::string lines_for_builtin(std::string_view name) {
  constexpr std::string_view kPrefix = "__builtin_";
  if (!name.starts_with(kPrefix)) return "";
  const std::string_view of = name.substr(kPrefix.size());
  if (kBitFunctions.find(fmt::format(" {}(", name)) != std::string_view::npos)
    return std::string(kBitFunctions);
  if (of == "inff" || of == "huge_valf" || of == "inf" || of == "huge_val")
    return fmt::format("#include <tailwave/math_macros.h>\n#define {}() {}\n", name,
                       of.ends_with('f') && of != "inf" ? "HUGE_VALF" : "HUGE_VAL");
  const std::string_view of_double = of.ends_with('f') ? of.substr(0, of.size() - 1) : of;
  if (among(of, kGlobalFunctions) || among(of_double, kGlobalFunctions))
    return fmt::format("#define {} {}\n", name, of);
  return "";
}

bool is_trait(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kPrefixes{"is_", "has_", "add_", "remove_"};
  return among(name, kOfTypeTraits) ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::string include_of(std::string_view header) {
  return fmt::format("#include <{}>\n", header);
}

}  // namespace

std::string lines_for_name(std::string_view name) {
  const auto* const type = std::find_if(kTypesOfTheHost.begin(), kTypesOfTheHost.end(),
                                        [&](const auto& one) { return one.first == name; });
  if (type != kTypesOfTheHost.end()) return fmt::format("typedef {} {};\n", type->second, name);
  if (among(name, kInfinities) || name.starts_with("M_")) return include_of("tailwave/math_macros.h");
  if (among(name, kNamesOfIntegerLimits)) return include_of("climits");
  if (among(name, kNamesOfRealLimits)) return include_of("cfloat");
  if (among(name, kNamesOfSizedLimits)) return include_of("cstdint");
  if (among(name, kOfDependentLaunches)) return std::string(kDeviceRuntime);
  if (among(name, kTypeOf)) return std::string(kTypeOfMacros);
  return lines_for_builtin(name);
}

std::string lines_in_std(std::string_view name) {
  if (among(name, kGlobalFunctions)) return fmt::format("{}{}; }}\n", kUsing, name);
  if (name == "nullptr_t") return "namespace std { typedef decltype(nullptr) nullptr_t; }\n";
  if (name == "numeric_limits") return include_of("limits");
  if (among(name, kOfUtility)) return include_of("utility");
  if (among(name, kOfAlgorithm)) return include_of("algorithm");
  if (is_trait(name)) return include_of("type_traits");
  if (!lines_for_name(name).empty() && name.ends_with("_t")) return include_of("cstdint");
  return "";
}

bool needs_toolkit_headers(std::string_view lines) {
  return lines.find("#include <") != std::string_view::npos &&
         lines.find("#include <tailwave/") == std::string_view::npos;
}

bool is_of_global_scope(std::string_view lines) {
  return lines.starts_with(kUsing);
}

}  // namespace tailwave
