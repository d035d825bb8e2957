#include "compile/nvcc_compiler.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>

#include "core/error.h"
#include "core/sandbox.h"
#include "core/temporary_folder.h"
#include "fakes/called_function.h"
#include "fakes/fake_nvcc.h"
#include "fakes/one_variant.h"
#include "fakes/variable.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

using fakes::called;
using fakes::failure_of;
using fakes::FakeNvcc;
using fakes::OneVariant;
using fakes::Variable;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

OneVariant variant_of(const std::string& text, const std::vector<std::string>& functions = {"value"},
                      Values parameters = {}) {
  return {VariantSpec::Target::library, text, functions, std::move(parameters)};
}

std::shared_ptr<const NvccToolchain> toolchain_of(const FakeNvcc& nvcc, int compute_capability = 90) {
  const Variable named("TAILWAVE_NVCC", nvcc.file().c_str());
  std::string why_not;
  auto toolchain = NvccToolchain::find(compute_capability, why_not);
  EXPECT_TRUE(toolchain) << why_not;
  return toolchain;
}

class NvccVariant : public testing::Test {
 protected:
  [[nodiscard]] NvccCompiler compiler_for(const OneVariant& source) const {
    return {source.cache(), toolchain_};
  }
  [[nodiscard]] std::string failure(const OneVariant& source) const {
    return failure_of([&] { compiler_for(source).build(source.request()); });
  }

  FakeNvcc nvcc_;
  std::shared_ptr<const NvccToolchain> toolchain_ = toolchain_of(nvcc_);
};

TEST_F(NvccVariant, IsALibraryWithTheParametersAsDefines) {
  OneVariant source = variant_of("extern \"C\" void value(double* out) { *out = SIZE + 1; }", {"value"},
                                 {{"SIZE", std::int64_t{4}}});
  source.variant().options.emplace_back("--use_fast_math", Expression::constant(true));
  NvccCompiler compiler = compiler_for(source);
  const Artifact artifact = compiler.build(source.request());
  EXPECT_EQ(artifact.kind, Artifact::Kind::gpu_library);
  EXPECT_EQ(artifact.record.target, "library");
  EXPECT_EQ(artifact.record.compiler, "nvcc 99.1.2, host compiler 12.3");
  EXPECT_EQ(artifact.record.key, compiler.key(source.request()));
  EXPECT_THAT(artifact.record.options,
              AllOf(StartsWith("-std=c++17 -O3 -arch=sm_90a --cudart=static"), EndsWith(" --use_fast_math")));
  EXPECT_FALSE(artifact.record.from_cache);
  EXPECT_EQ(called(artifact), 5);
}

TEST_F(NvccVariant, IsTakenFromTheCacheTheSecondTime) {
  const OneVariant source = variant_of("extern \"C\" void value(double* out) { *out = 7; }");
  NvccCompiler compiler = compiler_for(source);
  const Artifact first = compiler.build(source.request()), second = compiler.build(source.request());
  EXPECT_TRUE(second.record.from_cache);
  EXPECT_EQ(second.file, first.file);
  EXPECT_EQ(second.kind, Artifact::Kind::gpu_library);
  EXPECT_EQ(called(second), 7);
}

TEST_F(NvccVariant, IsBuiltAnewWhenAHeaderHasChanged) {
  const OneVariant source =
      variant_of("#include \"part.cuh\"\nextern \"C\" void value(double* out) { *out = PART; }");
  const auto header = source.folder().write("part.cuh", "#define PART 1\n");
  NvccCompiler compiler = compiler_for(source);
  const Artifact first = compiler.build(source.request());
  EXPECT_THAT(first.inputs, IsEmpty());
  const auto changed = source.folder().write("part.cuh", "#define PART 2\n");
  EXPECT_NE(compiler.key(source.request()), first.record.key);
  EXPECT_EQ(called(compiler.build(source.request())), 2);
}

TEST_F(NvccVariant, HasAKeyOfCompilerGpuAndEnvironment) {
  const OneVariant source = variant_of("");
  const auto key = [&](const std::shared_ptr<const NvccToolchain>& toolchain) {
    return NvccCompiler(source.cache(), toolchain).key(source.request());
  };
  const std::string base = key(toolchain_);
  EXPECT_EQ(key(toolchain_), base);
  const FakeNvcc newer("99.2.0"), other_host("99.1.2", "13.1");
  EXPECT_NE(key(toolchain_of(newer)), base);
  EXPECT_NE(key(toolchain_of(other_host)), base);
  EXPECT_NE(key(toolchain_of(nvcc_, 80)), base);
  EXPECT_NE(key(nullptr), base);
  const Variable more("NVCC_APPEND_FLAGS", "-DMORE");
  EXPECT_NE(key(toolchain_), base);
}

TEST_F(NvccVariant, GivesTheCompilersWordsWithTheUsersFileAndLine) {
  const OneVariant source = variant_of("// one\nextern \"C\" void value(double* out) {\n  *out = sise;\n}\n");
  EXPECT_THAT(failure(source), AllOf(StartsWith("compile_error: "), HasSubstr("sise"),
                                     HasSubstr(source.request().variant->source.string() + ":3:")));
}

TEST_F(NvccVariant, NamesAFunctionThatTheSourceLacks) {
  const OneVariant source =
      variant_of("extern \"C\" void value(double* out) { *out = 1; }", {"value", "valve"});
  EXPECT_THAT(failure(source), StartsWith("compile_error: function 'valve' not found in " +
                                          source.request().variant->source.string() + ": "));
}

TEST_F(NvccVariant, IsWhole) {
  const OneVariant source =
      variant_of("double nowhere();\nextern \"C\" void value(double* out) { *out = nowhere(); }");
  EXPECT_THAT(failure(source), AllOf(StartsWith("compile_error: "), HasSubstr("nowhere")));
}

TEST_F(NvccVariant, EndsWithADeadline) {
  const OneVariant source = variant_of("");
  const auto file = source.folder().write("slow", "#!/bin/sh\nsleep 600\n");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  NvccCompiler compiler(source.cache(),
                        std::make_shared<const NvccToolchain>(std::vector{file.string()}, "90a", "slow", ""));
  BuildRequest request = source.request();
  request.deadline_s = 0.5;
  EXPECT_EQ(failure_of([&] { compiler.build(request); }), "compile_timeout: nvcc took longer than 0.5 s");
}

TEST(NvccCompiler, SaysWhyThereIsNone) {
  const OneVariant source = variant_of("extern \"C\" void value(double*) {}");
  NvccCompiler compiler(source.cache(), nullptr, "no nvcc found: nowhere");
  EXPECT_EQ(failure_of([&] { compiler.build(source.request()); }), "unavailable: no nvcc found: nowhere");
  EXPECT_EQ(compiler.version(), "none");
  EXPECT_EQ(compiler.obstacle(), "") << "other configurations of the run can be built";
}

// With NVIDIA's own.
class RealNvccVariant : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    toolchain_ = NvccToolchain::find(90, why_not);
    if (!toolchain_) GTEST_SKIP() << why_not;
  }
  [[nodiscard]] Artifact built(const OneVariant& source) const {
    return NvccCompiler(source.cache(), toolchain_).build(source.request());
  }

  std::shared_ptr<const NvccToolchain> toolchain_;
};

TEST_F(RealNvccVariant, HasKernelsOfItsOwnAndTheRuntime) {
  const OneVariant source = variant_of(R"cuda(#include "part.cuh"
#include <cub/version.cuh>
__global__ void set(double* out) { *out = kPart; }
extern "C" void value(double* out) {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  *out = kPart + (CUB_VERSION > 0) + (status == cudaSuccess ? 0 : 0);
  if (false) set<<<1, 1, 0, static_cast<cudaStream_t>(tailwave_stream())>>>(out);
}
)cuda");
  const auto header = source.folder().write("part.cuh", "#pragma once\nconstexpr int kPart = 6;\n");
  const Artifact artifact = built(source);
  EXPECT_THAT(artifact.inputs, IsEmpty()) << "of the toolkit";
  EXPECT_THAT(artifact.record.compiler, StartsWith("nvcc "));
  EXPECT_EQ(artifact.record.log, "");
  EXPECT_EQ(called(artifact), 7);
}

// Whether a process that is confined as compile processes are (cli/confinement.cpp) can build it.
bool builds_confined(NvccCompiler& compiler, const OneVariant& source, const NvccToolchain& toolchain) {
  const TemporaryFolder temporary;
  const pid_t process = fork();
  if (process == 0) {
    try {
      set_sandbox(Confined::compiler, {.read = {source.folder().path()},
                                       .write = {source.cache().artifacts()},
                                       .marks_files = true,
                                       .limits = {.data_bytes = 0, .file_bytes = 1 << 30, .tasks = 0}});
      extend_sandbox(Confined::compiler, {.read = toolchain.folders(), .write = {}});
      setenv("TMPDIR", temporary.path().c_str(), 1);  // of this process alone
      enter_sandbox(Confined::compiler);
      static_cast<void>(compiler.build(source.request()));
      _exit(0);
    } catch (const std::exception& error) {
      fprintf(stderr, "%s\n", error.what());
      _exit(1);
    }
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(RealNvccVariant, IsMadeByAConfinedProcess) {
  const OneVariant source = variant_of("extern \"C\" void value(double* out) { *out = 3; }");
  NvccCompiler compiler(source.cache(), toolchain_);
  EXPECT_TRUE(builds_confined(compiler, source, *toolchain_));
  const Artifact artifact = compiler.build(source.request());
  EXPECT_TRUE(artifact.record.from_cache);
  EXPECT_EQ(called(artifact), 3);
}

TEST_F(RealNvccVariant, SaysWhatIsWrongInTheUsersFile) {
  const OneVariant wrong = variant_of("#include \"part.cuh\"\nextern \"C\" void value(double* out) {}\n");
  const auto header = wrong.folder().write("part.cuh", "#pragma once\n\n__device__ int f() { return g; }\n");
  const std::string failure = failure_of([&] { (void)built(wrong); });
  EXPECT_THAT(failure, StartsWith("compile_error: " + header.string() +
                                  "(3): error: identifier \"g\" is undefined\n"));
  const OneVariant lacking = variant_of("extern \"C\" void value(double* out) {}\n", {"valve"});
  EXPECT_EQ(failure_of([&] { (void)built(lacking); }), "compile_error: function 'valve' not found in " +
                                                           lacking.request().variant->source.string() +
                                                           ": identifier \"valve\" is undefined");
}

TEST_F(RealNvccVariant, CompilesInEachSystemThatHasOne) {
  const ScratchFolder folder;
  NvccCompiler compiler(ArtifactCache(folder / "cache"), toolchain_);
  for (const char* name : {"scan", "histogram", "radix_sort"}) {
    Diagnostics diagnostics;
    const auto system = load_system(
        std::filesystem::path(TAILWAVE_SOURCE_DIR) / "kernel_templates" / name / "system.json", diagnostics);
    ASSERT_TRUE(system) << name;
    const auto variant = std::ranges::find_if(system->variants, &VariantSpec::is_nvcc_code);
    ASSERT_NE(variant, system->variants.end()) << name;
    const Values parameters(variant->parameters.begin(), variant->parameters.end());
    const Configuration configuration{name, variant->name, parameters, {}};
    constexpr double kDeadlineS = 600;  // on a machine that has much else to do
    EXPECT_EQ(failure_of([&] {
                compiler.build({&*system, &*variant, configuration, kDeadlineS});
              }),
              "")
        << name;
  }
}

}  // namespace
}  // namespace tailwave
