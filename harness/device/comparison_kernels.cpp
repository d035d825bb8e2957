#include "device/comparison_kernels.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "compile/prelude.h"
#include "core/error.h"
#include "device/embedded.h"
#include "verify/verdict.h"

namespace tailwave {
namespace {

// As kernels know it, whatever the host's own name for the type is.
template <class T>
std::string device_type(T /*number*/) {
  if constexpr (kIsFloating<T>) return sizeof(T) == 4 ? "float" : "double";
  constexpr std::array<const char*, 9> kIntegers{"", "char", "short", "", "int", "", "", "", "long long"};
  return std::string(kIsSigned<T> ? "signed " : "unsigned ") + kIntegers[sizeof(T)];
}
template <int exponent_bits, int mantissa_bits, bool infinities>
std::string device_type(SmallFloat<exponent_bits, mantissa_bits, infinities> /*number*/) {
  return fmt::format("tailwave::SmallFloat<{}, {}, {}>", exponent_bits, mantissa_bits, infinities);
}

}  // namespace

std::string comparison_kernel(Comparison::Norm norm, ScalarType type) {
  return fmt::format("tailwave::compare_arrays<tailwave::DifferenceNorm::{}, {}>", to_string(norm),
                     visit_scalar(type, [](auto number) { return device_type(number); }));
}

Artifact build_comparison_kernels(Compiler& compiler, const std::filesystem::path& folder,
                                  const ComparisonKernels& kernels) {
  for (const auto& [path, text] : embedded::device::files())
    write_own_source(folder / std::filesystem::path(path).filename(), text);
  VariantSpec variant;
  variant.name = "comparison";
  variant.source = folder / "comparison_kernels.cu";
  for (const auto& [norm, type] : kernels) {
    LaunchSpec launch;
    launch.kernel = comparison_kernel(norm, type);
    variant.launches.push_back(std::move(launch));
  }
  System system;
  system.name = "verify";
  system.directory = folder;
  system.file = folder / "system.json";
  return compiler.build({&system, &variant, {system.name, variant.name, {}, {}}});
}

}  // namespace tailwave
