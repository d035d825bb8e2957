#include "verify/comparison_kernels.h"

#include <gtest/gtest.h>

#include "build/nvrtc.h"
#include "build/nvrtc_compiler.h"
#include "fakes/scratch_folder.h"

namespace tailwave {
namespace {

TEST(ComparisonKernels, AreNamedByNormAndType) {
  EXPECT_EQ(comparison_kernel(Comparison::Norm::max_rel, ScalarType::int64),
            "tailwave::compare_arrays<tailwave::DifferenceNorm::max_rel, signed long long>");
  EXPECT_EQ(comparison_kernel(Comparison::Norm::range, ScalarType::float32),
            "tailwave::compare_arrays<tailwave::DifferenceNorm::range, float>");
}

TEST(ComparisonKernels, CompileForOldAndNewDevices) {
  std::string why_not;
  const auto nvrtc = NvrtcLibrary::load(why_not);
  if (!nvrtc) GTEST_SKIP() << why_not;
  const ScratchFolder folder;
  for (const int capability : {75, 90}) {
    NvrtcCompiler compiler(nvrtc, ArtifactCache(folder.path() / "cache"), capability);
    const Artifact kernels = build_comparison_kernels(compiler, folder.path() / "source");
    EXPECT_EQ(kernels.symbols.size(), 50U);
    EXPECT_EQ(kernels.record.log, "");
    for (const KernelResources& kernel : kernels.resources) {
      // So that a multiprocessor has enough threads to read at the speed of memory.
      EXPECT_LE(kernel.registers, 80) << kernel.kernel;
      EXPECT_LE(kernel.spill_bytes, 160) << kernel.kernel;
    }
    EXPECT_TRUE(build_comparison_kernels(compiler, folder.path() / "source").record.from_cache);
  }
}

TEST(ComparisonKernels, CompileOneByOne) {
  std::string why_not;
  const auto nvrtc = NvrtcLibrary::load(why_not);
  if (!nvrtc) GTEST_SKIP() << why_not;
  const ScratchFolder folder;
  NvrtcCompiler compiler(nvrtc, ArtifactCache(folder.path() / "cache"), 90);
  const Artifact kernels = build_comparison_kernels(compiler, folder.path() / "source",
                                                    {{Comparison::Norm::max_abs, ScalarType::float32}});
  ASSERT_EQ(kernels.symbols.size(), 1U);
  EXPECT_TRUE(kernels.symbols.contains(comparison_kernel(Comparison::Norm::max_abs, ScalarType::float32)));
}

}  // namespace
}  // namespace tailwave
