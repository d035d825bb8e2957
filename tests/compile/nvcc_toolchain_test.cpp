#include "compile/nvcc_toolchain.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "core/hash.h"
#include "fakes/fake_nvcc.h"
#include "fakes/one_variant.h"
#include "fakes/variable.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using fakes::FakeNvcc;
using fakes::Variable;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Finds nothing of this machine but what programs need.
class NvccSearch : public testing::Test {
 protected:
  [[nodiscard]] std::string found(const std::vector<fs::path>& toolkits = {}) {
    toolchain_ = NvccToolchain::find(90, why_not_, toolkits);
    return toolchain_ ? toolchain_->version() : "none";
  }

  ScratchFolder empty_;
  std::shared_ptr<const NvccToolchain> toolchain_;
  std::string why_not_;
  Variable unset_{"TAILWAVE_NVCC", nullptr};
  Variable path_{"PATH", (empty_.path().string() + ":/usr/bin:/bin").c_str()};
};

TEST_F(NvccSearch, TakesTheOneThatIsNamed) {
  const FakeNvcc named("99.1.2"), other("98.7.6");
  const Variable path("PATH", (other.toolkit().string() + "/bin:/usr/bin:/bin").c_str());
  const Variable variable("TAILWAVE_NVCC", (named.file().string() + " -ccbin g++").c_str());
  EXPECT_EQ(found(), "nvcc 99.1.2, host compiler 12.3");
  EXPECT_THAT(toolchain_->folders(), Contains(fs::canonical(named.toolkit())));
}

TEST_F(NvccSearch, LooksOnPathBeforeTheToolkits) {
  const FakeNvcc on_path("99.1.2"), in_toolkit("98.7.6");
  EXPECT_THAT(found({"/nowhere", in_toolkit.toolkit()}), StartsWith("nvcc 98.7.6"));
  const Variable path("PATH", (on_path.toolkit().string() + "/bin:/usr/bin:/bin").c_str());
  EXPECT_THAT(found({in_toolkit.toolkit()}), StartsWith("nvcc 99.1.2"));
}

TEST_F(NvccSearch, SaysWhereItLooked) {
  EXPECT_EQ(found({"/nowhere", "/elsewhere"}), "none");
  EXPECT_EQ(
      why_not_,
      "no nvcc found: $TAILWAVE_NVCC is not set, and none answers to --version on PATH, in /nowhere/bin, "
      "in /elsewhere/bin");
}

TEST_F(NvccSearch, TakesNoOtherThanTheOneThatIsNamed) {
  const FakeNvcc in_toolkit;
  const Variable variable("TAILWAVE_NVCC", "/nowhere/nvcc -ccbin g++");
  EXPECT_EQ(found({in_toolkit.toolkit()}), "none");
  EXPECT_EQ(why_not_,
            "no nvcc: $TAILWAVE_NVCC, which is '/nowhere/nvcc -ccbin g++', does not answer to --version");
}

TEST_F(NvccSearch, KnowsItsHostCompiler) {
  const FakeNvcc one("99.1.2", "12.3"), other("99.1.2", "13.1");
  EXPECT_EQ(found({one.toolkit()}), "nvcc 99.1.2, host compiler 12.3");
  const std::string identity = toolchain_->identity();
  EXPECT_EQ(found({other.toolkit()}), "nvcc 99.1.2, host compiler 13.1");
  EXPECT_NE(toolchain_->identity(), identity);
}

TEST(NvccToolchain, MakesCodeForTheGpuAlone) {
  const NvccToolchain hopper({"nvcc"}, "90a", "nvcc", "#define __GNUC__ 12\n");
  EXPECT_THAT(
      hopper.base_flags(),
      AllOf(Contains("-arch=sm_90a"), Contains("--cudart=static"),
            Contains("-Xcompiler=-fPIC,-fvisibility=hidden,-fdiagnostics-color=never,-fno-gnu-unique")));
  const NvccToolchain clang({"nvcc"}, "80", "nvcc", "#define __clang__ 1\n");
  EXPECT_THAT(clang.base_flags(), Contains("-arch=sm_80"));
  EXPECT_THAT(clang.base_flags().back(), Not(HasSubstr("gnu-unique")));
}

TEST(NvccToolchain, TellsWhatTheEnvironmentAdds) {
  const Variable before("NVCC_PREPEND_FLAGS", "-DA  -DB"), after("NVCC_APPEND_FLAGS", "-O1");
  EXPECT_THAT(NvccToolchain::extra_flags(), ElementsAre("-DA", "-DB", "-O1"));
}

TEST(FirstErrors, BeginWithTheFirstErrorAndHowItsHeaderIsIncluded) {
  EXPECT_EQ(
      first_errors("a.cu(1): warning #1: w\nIn file included from a.cu:2:\n                 from b.cu:1:\n"
                   "c.h:3: error: x\nmore\n"),
      "In file included from a.cu:2:\n                 from b.cu:1:\nc.h:3: error: x\nmore");
  EXPECT_EQ(first_errors("no such word\nhere"), "no such word\nhere");
  EXPECT_EQ(first_errors("nvcc warning : w\nnvcc fatal   : Unsupported gpu architecture 'compute_1'"),
            "nvcc fatal   : Unsupported gpu architecture 'compute_1'");
}

TEST(FirstErrors, AreThirtyLinesAtMost) {
  std::string log = "a.cu(1): error: first\n";
  for (int line = 2; line <= 32; ++line) log += "line " + std::to_string(line) + "\n";
  const std::string errors = first_errors(log);
  EXPECT_THAT(errors, StartsWith("a.cu(1): error: first\nline 2\n"));
  EXPECT_THAT(errors, testing::EndsWith("line 30\n... and 2 lines more"));
}

}  // namespace
}  // namespace tailwave
