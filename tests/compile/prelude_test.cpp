#include "compile/prelude.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compile/artifact.h"
#include "core/error.h"
#include "core/outcome.h"
#include "fakes/scratch_folder.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

Configuration configuration() {
  Configuration point;
  point.parameters = {{"UNROLL", std::int64_t{8}}, {"FAST_MATH", true}, {"SCALE", 2.0}, {"TYPE", "float4"}};
  point.problem = {{"N", std::int64_t{4096}}};
  return point;
}

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

TEST(DefineLines, HaveTheParametersButNotTheProblem) {
  EXPECT_EQ(define_lines({}, configuration()),
            "#define FAST_MATH 1\n#define SCALE 2.0\n#define TYPE float4\n#define UNROLL 8\n");
}

TEST(DefineLines, EndWithTheOtherMacrosOfTheVariant) {
  VariantSpec variant;
  variant.defines = {{"grid_size_x", Expression::parse("N // UNROLL")},
                     {"kernel_tuner", Expression::parse("1")}};
  EXPECT_TRUE(define_lines(variant, configuration())
                  .ends_with("#define UNROLL 8\n#define grid_size_x 512\n#define kernel_tuner 1\n"));
  variant.defines = {{"grid_size_x", Expression::parse("N // (UNROLL - 8)")}};
  EXPECT_EQ(error_of([&] { define_lines(variant, configuration()); }),
            "macro 'grid_size_x': N // (UNROLL - 8): '//' by zero");
}

TEST(SourceText, LosesThePragmasOfFactorsThatAreZero) {
  const ScratchFolder scratch;
  VariantSpec variant;
  variant.source = scratch.write("loop.cu",
                                 "#pragma unroll loop_unroll_factor_x\n"
                                 "for (;;)\n"
                                 "  # pragma unroll(loop_unroll_factor_x)  // again\n"
                                 "#pragma unroll loop_unroll_factor_xy\n"
                                 "#pragma unroll loop_unroll_factor_y\n");
  Configuration point;
  point.parameters = {{"loop_unroll_factor_x", std::int64_t{0}}, {"loop_unroll_factor_y", std::int64_t{2}}};
  EXPECT_EQ(source_text(variant, point), read_file(variant.source));
  variant.zero_unrolls_nothing = true;
  EXPECT_EQ(source_text(variant, point),
            "\nfor (;;)\n\n#pragma unroll loop_unroll_factor_xy\n#pragma unroll loop_unroll_factor_y\n");
}

TEST(SourceWithPrelude, MakesTheFirstLineOfTheFileLineOne) {
  const ScratchFolder scratch;
  VariantSpec variant;
  variant.source = scratch.write("shared.cu", "first line\n");
  const std::string text = prelude_lines(variant, configuration()) + source_text(variant, configuration());
  EXPECT_TRUE(text.ends_with("#define UNROLL 8\n#line 1 \"" + variant.source.string() + "\"\nfirst line\n"))
      << text;
  fs::remove(variant.source);
  EXPECT_EQ(
      error_of([&] { prelude_lines(variant, configuration()) + source_text(variant, configuration()); }),
      variant.source.string() + ": cannot be read");
}

TEST(DisplayPath, IsRelativeBelowTheCurrentFolderOnly) {
  EXPECT_EQ(display_path(fs::current_path() / "nbody" / "." / "shared.cu"), "nbody/shared.cu");
  EXPECT_EQ(display_path("/elsewhere/shared.cu"), "/elsewhere/shared.cu");
}

TEST(ExpandOptions, AddsLeavesOutAndFillsIn) {
  VariantSpec variant;
  variant.options = {{"--use_fast_math", Expression::parse("FAST_MATH")},
                     {"--left-out", Expression::parse("UNROLL > 8")},
                     {"--maxrregcount={}", Expression::parse("4 * UNROLL")},
                     {"-DA={},B={}", Expression::parse("TYPE")}};
  EXPECT_THAT(expand_options(variant, configuration()),
              ElementsAre("--use_fast_math", "--maxrregcount=32", "-DA=float4,B=float4"));
}

TEST(ExpandOptions, FailsTheConfigurationForAValueThatDoesNotExist) {
  VariantSpec variant;
  variant.options = {{"--maxrregcount={}", Expression::parse("1 // (UNROLL - 8)")}};
  try {
    expand_options(variant, configuration());
    FAIL() << "no failure";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.outcome(), Outcome::compile_error);
    EXPECT_THAT(failure.what(), testing::StartsWith("option '--maxrregcount={}': 1 // (UNROLL - 8): "));
  }
}

TEST(KernelNames, AreThoseOfAllPhasesOnce) {
  VariantSpec variant;
  const auto launch = [](const char* kernel) {
    LaunchSpec spec;
    spec.kernel = kernel;
    return spec;
  };
  variant.prepare = {launch("spread"), launch("move")};
  variant.launches = {launch("force"), launch("move")};
  variant.finish = {launch("force"), launch("gather")};
  EXPECT_THAT(kernel_names(variant), ElementsAre("spread", "move", "force", "gather"));
}

}  // namespace
}  // namespace tailwave
