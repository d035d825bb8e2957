#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "compile/nvrtc.h"
#include "compile/nvrtc_compiler.h"
#include "device/all_comparison_kernels.h"
#include "device/comparison_kernels.h"
#include "fakes/scratch_folder.h"

namespace tailwave {
namespace {

TEST(ComparisonKernels, AreNamedByNormAndType) {
  EXPECT_EQ(comparison_kernel(Comparison::Norm::max_rel, ScalarType::int64),
            "tailwave::compare_arrays<tailwave::DifferenceNorm::max_rel, signed long long>");
  EXPECT_EQ(comparison_kernel(Comparison::Norm::range, ScalarType::float32),
            "tailwave::compare_arrays<tailwave::DifferenceNorm::range, float>");
  EXPECT_EQ(comparison_kernel(Comparison::Norm::exact, ScalarType::bfloat16),
            "tailwave::compare_arrays<tailwave::DifferenceNorm::exact, tailwave::SmallFloat<8, 7, true>>");
}

std::shared_ptr<const NvrtcLibrary> nvrtc_or(std::string& why_not) {
  static std::string reason;
  static const std::shared_ptr<const NvrtcLibrary> library = NvrtcLibrary::load(reason);
  why_not = reason;
  return library;
}

// So few registers that a multiprocessor has enough threads to read at the speed of memory.
void expect_lean(const Artifact& kernels) {
  EXPECT_EQ(kernels.record.log, "");
  EXPECT_EQ(kernels.resources.size(), kernels.symbols.size());
  for (const KernelResources& kernel : kernels.resources) {
    EXPECT_LE(kernel.registers, 65536 / (kComparisonBlocksPerSm * kComparisonBlockThreads)) << kernel.kernel;
    EXPECT_LE(kernel.spill_bytes, 320) << kernel.kernel;
  }
}

// Norm by norm, so that they compile at the same time.
class ComparisonKernelsOfNorm : public testing::TestWithParam<Comparison::Norm> {};

TEST_P(ComparisonKernelsOfNorm, CompileForEachType) {
  std::string why_not;
  const auto nvrtc = nvrtc_or(why_not);
  if (!nvrtc) GTEST_SKIP() << why_not;
  const ScratchFolder folder;
  NvrtcCompiler compiler(nvrtc, ArtifactCache(folder.path() / "cache"), 90);
  ComparisonKernels some = fakes::all_comparison_kernels();
  std::erase_if(some, [](const auto& kernel) { return kernel.first != GetParam(); });
  const Artifact kernels = build_comparison_kernels(compiler, folder.path() / "source", some);
  EXPECT_EQ(kernels.symbols.size(), fakes::kAllTypes.size());
  expect_lean(kernels);
}

INSTANTIATE_TEST_SUITE_P(Norms, ComparisonKernelsOfNorm, testing::ValuesIn(fakes::kAllNorms),
                         [](const auto& norm) { return std::string(to_string(norm.param)); });

TEST(ComparisonKernels, CompileForOldDevices) {
  std::string why_not;
  const auto nvrtc = nvrtc_or(why_not);
  if (!nvrtc) GTEST_SKIP() << why_not;
  const ScratchFolder folder;
  NvrtcCompiler compiler(nvrtc, ArtifactCache(folder.path() / "cache"), 75);
  ComparisonKernels some = fakes::all_comparison_kernels();
  std::erase_if(some, [](const auto& kernel) {
    return kernel.second != ScalarType::uint8 && kernel.second != ScalarType::int64 &&
           kernel.second != ScalarType::float64 && kernel.second != ScalarType::float8_e4m3;
  });
  expect_lean(build_comparison_kernels(compiler, folder.path() / "source", some));
}

TEST(ComparisonKernels, CompileOneByOne) {
  std::string why_not;
  const auto nvrtc = nvrtc_or(why_not);
  if (!nvrtc) GTEST_SKIP() << why_not;
  const ScratchFolder folder;
  NvrtcCompiler compiler(nvrtc, ArtifactCache(folder.path() / "cache"), 90);
  const ComparisonKernels one{{Comparison::Norm::max_abs, ScalarType::float32}};
  const Artifact kernels = build_comparison_kernels(compiler, folder.path() / "source", one);
  ASSERT_EQ(kernels.symbols.size(), 1U);
  EXPECT_TRUE(kernels.symbols.contains(comparison_kernel(Comparison::Norm::max_abs, ScalarType::float32)));
  EXPECT_TRUE(build_comparison_kernels(compiler, folder.path() / "source", one).record.from_cache);
}

}  // namespace
}  // namespace tailwave
