#include "compile/nvshmem_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "compile/cubin.h"
#include "compile/device_linker.h"
#include "compile/nvrtc_compiler.h"
#include "core/outcome.h"
#include "fakes/one_variant.h"
#include "fakes/scratch_folder.h"
#include "fakes/variable.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// What a wheel puts into a folder, as far as it is looked at.
fs::path write_home(const ScratchFolder& scratch, const std::string& folder) {
  scratch.write(folder + "/lib/libnvshmem_host.so.3", "");
  scratch.write(folder + "/lib/libnvshmem_device.a", "");
  scratch.write(folder + "/include/non_abi/nvshmem_version.h",
                "#define NVSHMEM_VENDOR_MAJOR_VERSION 3\n"
                "#define NVSHMEM_VENDOR_MINOR_VERSION 4\n"
                "#define NVSHMEM_VENDOR_PATCH_VERSION 5\n");
  return scratch.path() / folder;
}

TEST(NvshmemHome, IsWhereTheEnvironmentSays) {
  const ScratchFolder scratch;
  const fs::path folder = write_home(scratch, "here");
  const fakes::Variable named("NVSHMEM_HOME", folder.c_str());
  std::string why_not;
  const auto home = find_nvshmem("", why_not);
  ASSERT_TRUE(home) << why_not;
  EXPECT_EQ(home->version, "3.4.5");
  EXPECT_EQ(home->host_library, folder / "lib/libnvshmem_host.so.3");
  EXPECT_EQ(home->device_library, folder / "lib/libnvshmem_device.a");
}

TEST(NvshmemHome, IsBesideTheWheelOfNvrtc) {
  const ScratchFolder scratch;
  const fs::path folder = write_home(scratch, "site-packages/nvidia/nvshmem");
  const fakes::Variable named("NVSHMEM_HOME", "");
  std::string why_not;
  const auto home = find_nvshmem(scratch.path() / "site-packages/nvidia/cu13/lib/libnvrtc.so.13", why_not);
  ASSERT_TRUE(home) << why_not;
  EXPECT_EQ(home->folder, folder);
}

TEST(NvshmemHome, IsNowhereElseWhereTheEnvironmentNamesAFolderWithoutIt) {
  const fakes::Variable named("NVSHMEM_HOME", "/nowhere");
  std::string why_not;
  EXPECT_FALSE(find_nvshmem("", why_not));
  EXPECT_EQ(why_not,
            "NVSHMEM not found: NVSHMEM_HOME=/nowhere has no include/ and lib/ with libnvshmem_host.so.3 and "
            "libnvshmem_device.a");
}

TEST(DeviceLinker, SaysThatItCannotBeLoaded) {
  const fakes::Variable named("TAILWAVE_NVJITLINK", "/nowhere/libnvJitLink.so");
  std::string why_not;
  EXPECT_EQ(DeviceLinker::load("", why_not), nullptr);
  EXPECT_EQ(why_not, "nvJitLink cannot be loaded from TAILWAVE_NVJITLINK=/nowhere/libnvJitLink.so");
}

constexpr const char* kRing =
    "#include <nvshmem.h>\n"
    "#include <nvshmemx.h>\n"
    "#include <cub/block/block_reduce.cuh>\n"
    "__device__ int count, unused;\n"
    "static __device__ float latest = 1;\n"
    "__global__ void ring(float* x) {\n"
    "  ++count;\n"
    "  latest = x[0];\n"
    "  x[1] = nvshmem_float_g(x, (nvshmem_my_pe() + 1) % nvshmem_n_pes());\n"
    "}\n";

class Nvshmem : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    nvrtc_ = NvrtcLibrary::load(why_not);
    if (!nvrtc_) GTEST_SKIP() << why_not;
  }
  void require_nvshmem() {
    std::string why_not;
    if (nvrtc_ && !find_nvshmem(nvrtc_->file(), why_not)) GTEST_SKIP() << why_not;
    if (nvrtc_ && !DeviceLinker::load(nvrtc_->file(), why_not)) GTEST_SKIP() << why_not;
  }

  [[nodiscard]] Artifact build(const std::string& text) const {
    fakes::OneVariant source(VariantSpec::Target::cuda, text, {"ring"});
    source.variant().pes = Expression::parse("2");
    return NvrtcCompiler(nvrtc_, ArtifactCache(cache_.path()), 90).build(source.request());
  }
  [[nodiscard]] std::string failure_of(const std::string& text) const {
    try {
      static_cast<void>(build(text));
    } catch (const Failure& failure) {
      return std::string(to_string(failure.outcome())) + ": " + failure.what();
    }
    return "no failure";
  }

  ScratchFolder cache_;
  std::shared_ptr<const NvrtcLibrary> nvrtc_;
};

TEST_F(Nvshmem, IsMissedInOneLine) {
  const fakes::Variable named("NVSHMEM_HOME", "/nowhere");
  EXPECT_THAT(failure_of(kRing), HasSubstr("unavailable: NVSHMEM not found: NVSHMEM_HOME=/nowhere"));
}

TEST_F(Nvshmem, ItsLinkerIsMissedInOneLine) {
  const ScratchFolder scratch;
  const fakes::Variable home("NVSHMEM_HOME", write_home(scratch, "here").c_str());
  const fakes::Variable linker("TAILWAVE_NVJITLINK", "/nowhere");
  EXPECT_EQ(failure_of(kRing), "unavailable: nvJitLink cannot be loaded from TAILWAVE_NVJITLINK=/nowhere");
}

TEST_F(Nvshmem, IsLinkedWithKernelsThatUseIt) {
  require_nvshmem();
  if (IsSkipped()) return;
  const Artifact artifact = build(kRing);
  ASSERT_EQ(artifact.resources.size(), 1U);
  EXPECT_GT(artifact.resources.front().registers, 0);
  // Not the library's own, nor the constants of CUB.
  EXPECT_THAT(artifact.variables, UnorderedElementsAre("count", HasSubstr("latest")));
  EXPECT_EQ(artifact.symbols.at("ring"), "_Z4ringPf");
}

TEST_F(Nvshmem, WhatDoesNotLinkHasTheLinkersWords) {
  require_nvshmem();
  if (IsSkipped()) return;
  const std::string failure = failure_of(
      "extern \"C\" __device__ int nobody_has_this();\n"
      "__global__ void ring(int* x) { *x = nobody_has_this(); }\n");
  EXPECT_THAT(failure, testing::StartsWith("compile_error: "));
  EXPECT_THAT(failure, HasSubstr("nobody_has_this"));
}

}  // namespace
}  // namespace tailwave
