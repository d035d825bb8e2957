#include "compile/nvrtc.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "compile/block_trace.h"
#include "compile/cubin.h"
#include "compile/device_linker.h"
#include "compile/grid_cut.h"
#include "compile/nvrtc_compiler.h"
#include "compile/prelude.h"
#include "compile/ptx_text.h"
#include "compile/standard_headers.h"
#include "core/error.h"
#include "core/outcome.h"
#include "core/process.h"
#include "fakes/scratch_folder.h"
#include "spec/experiment.h"
#include "spec/paths.h"
#include "spec/system.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(NearestTarget, IsTheCapabilityItselfWhereItCan) {
  const std::vector<int> targets{75, 80, 86, 89, 90, 100, 120};
  EXPECT_EQ(nearest_target(targets, 90), 90);
  EXPECT_EQ(nearest_target(targets, 87), 86);
  EXPECT_EQ(nearest_target(targets, 121), 120);
  EXPECT_EQ(nearest_target(targets, 61), 75);
  EXPECT_EQ(nearest_target(targets, 70), 75);
  EXPECT_EQ(nearest_target(targets, 130), 120);
  EXPECT_THROW(nearest_target({}, 90), Error);
}

std::shared_ptr<const NvrtcLibrary> load_or_explain(std::string& why_not) {
  static std::string reason;
  static const std::shared_ptr<const NvrtcLibrary> library = NvrtcLibrary::load(reason);
  why_not = reason;
  return library;
}

class Nvrtc : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    nvrtc_ = load_or_explain(why_not);
    if (!nvrtc_) GTEST_SKIP() << why_not;
    system_.name = "test";
    system_.directory = scratch_.path() / "system";
    variant_.name = "v";
  }

  void use_source(std::string_view text) { variant_.source = scratch_.write("system/v.cu", text); }
  void use_kernels(const std::vector<std::string>& kernels) {
    variant_.launches.clear();
    for (const std::string& kernel : kernels) {
      LaunchSpec& launch = variant_.launches.emplace_back();
      launch.kernel = kernel;
      launch.arguments = {BufferArgument{"p"}};
    }
  }
  [[nodiscard]] BuildRequest request() const {
    return {&system_, &variant_, Configuration{"test", "v", parameters_, {}}};
  }
  [[nodiscard]] NvrtcCompiler compiler(int compute_capability = 90) const {
    return {nvrtc_, ArtifactCache(scratch_.path() / "cache"), compute_capability};
  }
  [[nodiscard]] std::string failure() const {
    try {
      compiler().build(request());
    } catch (const Failure& error) {
      EXPECT_EQ(error.outcome(), Outcome::compile_error);
      return error.what();
    }
    return "no failure";
  }
  [[nodiscard]] std::string source_path() const { return variant_.source.string(); }

  ScratchFolder scratch_;
  std::shared_ptr<const NvrtcLibrary> nvrtc_;
  System system_;
  VariantSpec variant_;
  Values parameters_;
};

TEST_F(Nvrtc, BuildsPlainTemplatedAndCKernelsFromOneFile) {
  use_source(
      "extern \"C\" __global__ void c_kernel(float* p) { p[0] = 1; }\n"
      "__global__ void plain(float* p) { p[0] = 2; }\n"
      "template <int K> __global__ void reduce(float* p) { __shared__ float s[32 * K]; s[threadIdx.x] = "
      "p[0]; "
      "__syncthreads(); p[threadIdx.x] = s[31 - threadIdx.x]; }\n");
  use_kernels({"c_kernel", "plain", "reduce<4>", "reduce<SIZE>"});
  parameters_ = {{"SIZE", std::int64_t{8}}};
  const Artifact artifact = compiler().build(request());
  EXPECT_EQ(artifact.kind, Artifact::Kind::cubin);
  EXPECT_EQ(artifact.symbols.at("c_kernel"), "c_kernel");
  EXPECT_EQ(artifact.symbols.at("plain"), "_Z5plainPf");
  EXPECT_EQ(artifact.symbols.at("reduce<4>"), "_Z6reduceILi4EEvPf");
  EXPECT_EQ(artifact.symbols.at("reduce<SIZE>"), "_Z6reduceILi8EEvPf");
  ASSERT_EQ(artifact.resources.size(), 4U);
  EXPECT_EQ(artifact.resources[0].kernel, "c_kernel");
  EXPECT_EQ(artifact.resources[2].kernel, "reduce<4>");
  EXPECT_EQ(artifact.resources[2].static_shared_bytes, 512);
  EXPECT_EQ(artifact.resources[3].static_shared_bytes, 1024);
  EXPECT_EQ(artifact.record.target, "sm_90");
  EXPECT_EQ(artifact.record.compiler, nvrtc_->version());
  EXPECT_EQ(artifact.record.options,
            "--gpu-architecture=sm_90a --generate-line-info --no-cache --std=c++17 "
            "--device-as-default-execution-space");
  EXPECT_EQ(artifact.record.log, "");
  EXPECT_GT(artifact.record.seconds, 0);
  EXPECT_FALSE(artifact.record.from_cache);
  EXPECT_EQ(read_cubin(read_file(artifact.file)).code_hash, artifact.record.code_hash);
}

TEST_F(Nvrtc, GivesPtxThatPtxasTakesWithAndWithoutTraces) {
  use_source(
      "template <int K> __global__ void sum(float* p) { __shared__ float s[K]; s[threadIdx.x] = "
      "p[threadIdx.x]; "
      "__syncthreads(); if (threadIdx.x > 40) return; for (int i = 0; i < K; ++i) p[blockIdx.x] += s[i] * "
      "s[i]; }\n");
  use_kernels({"sum<64>"});
  const std::optional<Ptx> ptx = compiler().ptx(request());
  ASSERT_TRUE(ptx);
  const fs::path ptxas = nvrtc_->file().parent_path().parent_path() / "bin/ptxas";
  if (!fs::exists(ptxas)) GTEST_SKIP() << "no " << ptxas;
  const auto registers = [&](const std::string& name, const std::string& text) {
    const fs::path file = scratch_.write(name + ".ptx", text);
    const fs::path cubin = scratch_.path() / (name + ".cubin");
    EXPECT_EQ(
        std::system(
            fmt::format("{} -arch=sm_90a {} -o {}", ptxas.string(), file.string(), cubin.string()).c_str()),
        0);
    return read_cubin(read_file(cubin)).kernels.at(0).registers;
  };
  const int plain = registers("plain", ptx->text);
  EXPECT_EQ(plain, compiler().build(request()).resources.at(0).registers);
  const std::string& symbol = ptx->symbols.at("sum<64>");
  const NotedEntry every{.noted = {.blocks = 100}, .warps = 2},
      some{.noted = {.blocks = 10'000, .shift = 3, .last = 132},
           .warps = 2,
           .grid = Dim3{100, 10, 10},
           .block = Dim3{8, 8}};
  for (const NotedEntry& entry : {every, some}) {
    // What is kept in a register takes it all the way; addresses of 64 bits are only needed at the end.
    EXPECT_LE(registers("traced", add_block_trace(ptx->text, {{symbol, entry}}, StartKept::in_register)),
              plain + 8);
    EXPECT_LE(registers("traced", add_block_trace(ptx->text, {{symbol, entry}}, StartKept::in_memory)),
              plain + 8);
  }
  EXPECT_LE(registers("cut", cut_grid(ptx->text, symbol, {5, 7, 3})), plain + 2);
  EXPECT_LE(registers("limited", limit_registers(ptx->text, {{ptx->symbols.at("sum<64>"), 24}})), 24);
}

TEST_F(Nvrtc, TakesTheSecondBuildFromTheCache) {
  use_source("__global__ void k(float* p) { p[0] = VALUE; }\n");
  use_kernels({"k"});
  parameters_ = {{"VALUE", std::int64_t{1}}};
  const Artifact first = compiler().build(request());
  const Artifact second = compiler().build(request());
  EXPECT_TRUE(second.record.from_cache);
  EXPECT_EQ(second.record.key, compiler().key(request()));
  EXPECT_EQ(second.file, first.file);
  EXPECT_EQ(second.symbols, first.symbols);
  EXPECT_EQ(second.resources, first.resources);
}

TEST_F(Nvrtc, KeysEverythingThatGoesIntoTheCode) {
  use_source("#include \"a.cuh\"\n__global__ void k() {}\n__global__ void l() {}\n");
  scratch_.write("system/a.cuh", "");
  use_kernels({"k"});
  parameters_ = {{"A", std::int64_t{1}}};
  std::vector<std::string> keys{compiler().key(request())};
  const auto expect_new_key = [&](const char* change, int capability = 90) {
    keys.push_back(compiler(capability).key(request()));
    EXPECT_EQ(std::count(keys.begin(), keys.end(), keys.back()), 1) << change;
  };
  expect_new_key("another target", 80);
  parameters_["A"] = std::int64_t{2};
  expect_new_key("a parameter");
  variant_.options = {{"--use_fast_math", Expression::parse("A == 2")}};
  expect_new_key("an option");
  use_kernels({"k", "l"});
  expect_new_key("the kernels");
  scratch_.write("system/a.cuh", "//");
  expect_new_key("a header");
  use_source("#include \"a.cuh\"\n__global__ void k() {}\n__global__ void l() { }\n");
  expect_new_key("the source");
  EXPECT_EQ(compiler().key(request()), keys.back());
}

TEST_F(Nvrtc, GivesIdenticalCodeForConfigurationsThatDifferInNothingThatMatters) {
  use_source("__global__ void k(float* p) { p[0] = 1; }\n");
  use_kernels({"k"});
  parameters_ = {{"UNUSED", std::int64_t{1}}};
  const Artifact first = compiler().build(request());
  parameters_ = {{"UNUSED", std::int64_t{2}}};
  const Artifact second = compiler().build(request());
  EXPECT_NE(first.record.key, second.record.key);
  EXPECT_EQ(first.record.code_hash, second.record.code_hash);
}

TEST_F(Nvrtc, PointsIntoTheUsersFile) {
  use_source("__global__ void k(float* p) {\n  p[0] = oops;\n}\n");
  use_kernels({"k"});
  parameters_ = {{"A", std::int64_t{1}}, {"B", std::int64_t{1}}};
  EXPECT_THAT(failure(), StartsWith(source_path() + "(2): error: identifier \"oops\" is undefined\n"));
}

TEST_F(Nvrtc, PointsIntoAHeader) {
  use_source("#include \"part/a.cuh\"\n__global__ void k(float* p) { p[0] = VALUE; }\n");
  scratch_.write("system/part/a.cuh", "#include \"b.cuh\"\n");
  scratch_.write("system/part/b.cuh", "\n__device__ int broken(;\n");
  use_kernels({"k"});
  EXPECT_THAT(failure(), StartsWith((scratch_.path() / "system/part/b.cuh").string() + "(2): error: "));
}

TEST_F(Nvrtc, SaysWhichKernelIsNotThere) {
  use_source(
      "__global__ void k(float* p) { p[0] = 1; }\ntemplate <int K> __global__ void reduce(float* p) {}\n");
  use_kernels({"k", "missing"});
  EXPECT_EQ(failure(), "kernel 'missing' not found in " + source_path() +
                           ": identifier \"missing\" is undefined; it has k, reduce<...>");
  use_kernels({"reduce"});
  EXPECT_THAT(failure(),
              StartsWith("kernel 'reduce' not found in " + source_path() + ": cannot determine which"));
}

TEST_F(Nvrtc, BlamesTheSourceRatherThanTheKernelWhenBothAreWrong) {
  use_source("__global__ void k(float* p) { p[0] = oops; }\n");
  use_kernels({"missing"});
  EXPECT_THAT(failure(), StartsWith(source_path() + "(1): error: identifier \"oops\" is undefined\n"));
}

TEST_F(Nvrtc, ReportsWhatPtxasAndTheOptionParserRefuse) {
  use_source(
      "__global__ void k(float* p) { __shared__ float s[100000]; s[threadIdx.x] = p[0]; __syncthreads(); "
      "p[threadIdx.x] = s[1 + threadIdx.x]; }\n");
  use_kernels({"k"});
  EXPECT_THAT(failure(), HasSubstr("uses too much shared data (0x61a80 bytes"));
  variant_.options = {{"--no-such-option", Expression::parse("true")}};
  EXPECT_THAT(failure(), HasSubstr("--no-such-option"));
}

TEST_F(Nvrtc, KeepsWarnings) {
  use_source("__global__ void k(float* p) {\n  int unused;\n  p[0] = 1;\n}\n");
  use_kernels({"k"});
  EXPECT_THAT(compiler().build(request()).record.log,
              StartsWith(source_path() + "(2): warning #177-D: variable \"unused\" was declared but never"));
}

TEST_F(Nvrtc, CompilesAtLeastForCpp17) {
  use_source("static_assert(__cplusplus == 201703L);\n__global__ void k(float* p) { p[0] = 1; }\n");
  use_kernels({"k"});
  for (const char* standard : {"-std=c++11", "--std=c++14", "-std=c++03"}) {
    variant_.options = {{standard, Expression::parse("true")}};
    EXPECT_EQ(compiler().build(request()).record.log, "") << standard;
  }
}

TEST_F(Nvrtc, LetsAVariantsOptionsWinOverTheCommonOnes) {
  use_source("static_assert(__cplusplus >= 202002L);\n__global__ void k(float* p) { p[0] = 1; }\n");
  use_kernels({"k"});
  variant_.options = {{"--std=c++20", Expression::parse("true")}};
  EXPECT_EQ(compiler().build(request()).record.options,
            "--gpu-architecture=sm_90a --generate-line-info --no-cache --device-as-default-execution-space "
            "--std=c++20");
}

TEST_F(Nvrtc, IsLeanOnlyWhereTheSourceAllows) {
  use_source("__global__ void k(float* p, cudaTextureObject_t t) { p[0] = tex1Dfetch<float>(t, 1); }\n");
  use_kernels({"k"});
  NvrtcCompiler one = compiler();
  EXPECT_EQ(one.build(request()).resources.size(), 1U);
  parameters_ = {{"AGAIN", std::int64_t{1}}};
  EXPECT_EQ(one.build(request()).resources.size(), 1U);
  use_source("__global__ void k(float* p) { p[0] = missing; }\n");
  EXPECT_THAT(failure(), HasSubstr("identifier \"missing\" is undefined"));
}

TEST_F(Nvrtc, MakesTheSameCodeLeanOrWhole) {
  if (nvrtc_->lean_option().empty()) GTEST_SKIP() << nvrtc_->version() << " has no lean builds";
  int variants = 0;
  for (const auto& manifest : find_manifests(TAILWAVE_SOURCE_DIR)) {
    Diagnostics diagnostics;
    const std::optional<System> system = load_system(manifest, diagnostics);
    ASSERT_TRUE(system) << Error(diagnostics).what();
    for (const VariantSpec& variant : system->variants) {
      if (variant.target != VariantSpec::Target::cuda) continue;
      Values problem;
      for (const auto& [name, quantity] : system->problem) problem[name] = quantity.default_value;
      const Configuration configuration = default_configuration(*system, variant, problem);
      std::vector<std::string> options = expand_options(variant, configuration);
      options.insert(options.end(), {"--gpu-architecture=sm_90", "--std=c++17",
                                     "--include-path=" + system->directory.string()});
      const auto code = [&] {
        const NvrtcResult compiled =
            nvrtc_->compile(prelude_lines(variant, configuration) + source_text(variant, configuration),
                            "v.cu", kernel_names(variant), options);
        return compiled.succeeded ? read_cubin(compiled.cubin).code_hash : compiled.log;
      };
      // NVRTC 13.0 gives gemm's double_buffered other code in 3 of 150 builds of the same text.
      constexpr int kBuilds = 4;
      std::set<std::string> whole, lean;
      const auto in_both = [&] {
        return std::ranges::any_of(lean, [&](auto& hash) { return whole.contains(hash); });
      };
      for (int build = 0; build < kBuilds && !in_both(); ++build) {
        whole.insert(code());
        options.push_back(nvrtc_->lean_option());
        lean.insert(code());
        options.pop_back();
      }
      EXPECT_TRUE(in_both()) << system->name << " " << variant.name
                             << " whole: " << testing::PrintToString(whole)
                             << " lean: " << testing::PrintToString(lean);
      ++variants;
    }
  }
  EXPECT_GT(variants, 20);
}

// With a driver, NVRTC 13.0 answered the second of these from a cache of its own, with the code of the first.
TEST_F(Nvrtc, GivesEachOptionItsOwnCode) {
  use_source("__global__ void k(float* p) { p[0] = rsqrtf(p[0]) * p[1]; }\n");
  use_kernels({"k"});
  const std::string exact = compiler().build(request()).record.code_hash;
  variant_.options = {{"--use_fast_math", Expression::parse("true")}};
  const std::string fast = compiler().build(request()).record.code_hash;
  EXPECT_NE(exact, fast);
}

TEST_F(Nvrtc, FindsTheHeadersOfTheToolkit) {
  if (nvrtc_->include_folders().empty()) GTEST_SKIP() << "no CUDA headers beside " << nvrtc_->file();
  use_source("#include <cuda_fp16.h>\n__global__ void k(__half* p) { p[0] = __float2half(1.0f); }\n");
  use_kernels({"k"});
  EXPECT_EQ(compiler().build(request()).resources.size(), 1U);
  EXPECT_THAT(nvrtc_->headers_version(), testing::MatchesRegex("CUDA [0-9]+, CCCL ([0-9]+|none)"));
}

TEST_F(Nvrtc, HasEachHeaderOfCAndCpp) {
  if (nvrtc_->include_folders().empty()) GTEST_SKIP() << "no CUDA headers beside " << nvrtc_->file();
  std::vector<std::string> names;
  for (const auto& [name, text] : standard_headers()) names.push_back(name);
  use_kernels({"k"});
  for (const bool backwards : {false, true}) {
    if (backwards) std::ranges::reverse(names);
    std::string source;
    for (const std::string& name : names) source += fmt::format("#include <{}>\n", name);
    use_source(source + "extern \"C\" __global__ void k(float* p) { p[0] = 1; }\n");
    EXPECT_EQ(compiler().build(request()).record.log, "");
  }
}

TEST_F(Nvrtc, WhatTheHeadersOfCAndCppDeclareCompiles) {
  if (nvrtc_->include_folders().empty()) GTEST_SKIP() << "no CUDA headers beside " << nvrtc_->file();
  use_source(R"(#include <algorithm>
#include <array>
#include <assert.h>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cub/cub.cuh>
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <iostream>
#include <limits>
#include <stdint.h>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
template <class T>
__device__ T larger(T a, T b) {
  static_assert(std::is_floating_point<T>::value && !std::is_same_v<T, int>);
  return std::max(a, std::sqrt(std::abs(b))) + std::numeric_limits<T>::epsilon();
}
extern "C" __global__ void k(float* x, uint32_t n, std::uint8_t small, int64_t large, std::size_t size) {
  typedef cub::BlockReduce<float, 128> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  const float sum = Reduce(storage).Sum(x[threadIdx.x]);
  std::array<float, 3> some{1, 2, 3};
  auto pair = std::make_tuple(1.0f, 2);
  auto moved = std::move(pair);
  assert(n > 3);
  if (n == 5) printf("%u\n", n);
  memcpy(x + 1, some.data(), sizeof some);
  x[0] = larger(sum, x[2]) + std::get<0>(moved) + std::fmin(1.0f, 2.0f) + std::pow(x[3], 2.0f) + FLT_MAX;
  x[4] = M_PI + INT32_MAX + INT_MAX + UINT_MAX + isnan(x[5]) + std::isnan(x[6]) + std::min<int>(small, 3) + size;
  x[7] = std::floor(2.5) + std::abs(-3) + abs(-2.5f) + large + DBL_EPSILON + static_cast<float>(LONG_MAX);
}
int main() {
  std::vector<float> values(128);
  float* x = nullptr;
  cudaMalloc(&x, 512);
  k<<<1, 128>>>(x, 1, 2, 3, 4);
  std::cout << values[0] << std::endl;
}
)");
  use_kernels({"k"});
  EXPECT_EQ(compiler().build(request()).resources.size(), 1U);
}

TEST_F(Nvrtc, AHeaderBesideTheSourceGoesBeforeOneOfThatName) {
  scratch_.write("system/stdint.h", "#define OWN 7\n");
  use_source("#include <stdint.h>\n__global__ void k(int* p) { p[0] = OWN; }\n");
  use_kernels({"k"});
  EXPECT_EQ(compiler().build(request()).resources.size(), 1U);
}

TEST_F(Nvrtc, SaysWhichFunctionsOfTheHostItLeftOut) {
  use_source(
      "#include <vector>\n__global__ void k(int* p) { p[0] = wrong; }\nint main() { std::vector<int> v; }\n");
  use_kernels({"k"});
  EXPECT_THAT(failure(),
              testing::AllOf(HasSubstr("v.cu(2): error: identifier \"wrong\" is undefined"),
                             testing::EndsWith("(left out, since it does not compile for a GPU: main)"),
                             testing::Not(HasSubstr("v.cu(3)"))));
}

// Whether a file is to be compiled without functions is asked of each configuration.
TEST_F(Nvrtc, LeavesOutWhatErrorsPointAtAndNothingElse) {
  if (nvrtc_->include_folders().empty()) GTEST_SKIP() << "no CUDA headers beside " << nvrtc_->file();
  scratch_.write("system/marks.h", "#define HD __host__ __device__\n");
  use_source(R"(#include "marks.h"
#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <vector>
using namespace std;
vector<float> values(12);
void compute(const std::vector<float>& values, FILE* file);
class Timer {
 public:
  Timer() : event_{} { cudaEventCreate(&event_); }
  cudaEvent_t event_;
};
template <class T>
void launch(T* x);
template <class T>
__device__ T doubled(T x) { return x; }
template <>
HD float doubled<float>(float x) { __shared__ float s[1000]; s[threadIdx.x] = x; __syncthreads(); return s[0]; }
float helper(float x) { return sqrt(x) + pow(x, 2.0f); }
extern "C" __global__ void k(float* p) { p[0] = doubled<float>(p[0]) + helper(p[1]) + fabs(p[2]); }
template <class T>
void launch(T* x) { k<<<1, 1>>>(x); }
template void launch<float>(float*);
int main() {
  Timer timer;
  std::cout << values.size() << std::endl;
  launch(static_cast<float*>(nullptr));
}
)");
  use_kernels({"k"});
  const Artifact artifact = compiler().build(request());
  EXPECT_EQ(artifact.resources.at(0).static_shared_bytes, 4000) << "the specialization of marks.h is there";
  EXPECT_THAT(artifact.record.log,
              testing::AllOf(testing::StartsWith("(left out, since it does not compile for a GPU: "),
                             HasSubstr("main"), HasSubstr("using namespace std"),
                             testing::Not(HasSubstr("helper")), testing::Not(HasSubstr("doubled"))));
}

TEST_F(Nvrtc, LeavesOutWhatIsTheHostsInHeadersOfTheProject) {
  scratch_.write("system/parts/log.hpp",
                 "#pragma once\n#include <string>\n"
                 "struct Log {\n  static void say(const std::string& what);\n};\n"
                 "inline int* numbers(int n) { return (int*)aligned_alloc(64, n * rand()); }\n"
                 "inline float twice(float x) { return 2 * x; }\n");
  scratch_.write("system/log.hpp", "#include \"parts/log.hpp\"\n");
  use_source(
      "#include \"log.hpp\"\n__global__ void k(float* p) { p[0] = twice(p[0]); }\nint main() { Log::say(\"\"); }\n");
  use_kernels({"k"});
  EXPECT_THAT(compiler().build(request()).record.log,
              testing::AllOf(HasSubstr("main"), HasSubstr("struct Log of log.hpp"),
                             HasSubstr("numbers of log.hpp"), testing::Not(HasSubstr("twice"))));
}

TEST_F(Nvrtc, SaysWhichFunctionNothingDefines) {
  use_source("__device__ float sine(float);\n__global__ void k(float* p) { p[0] = sine(p[0]); }\n");
  use_kernels({"k"});
  EXPECT_THAT(
      failure(),
      testing::AllOf(HasSubstr("v.cu: sine(float) is declared and called, and no file that is compiled "
                               "defines it: #include the one that does\n"),
                     HasSubstr("Unresolved extern function")));
}

TEST_F(Nvrtc, SaysErrorsBeforeWarnings) {
  use_source("typedef __attribute__((unheard)) float t;\n__global__ void k(float* p) { p[0] = wrong; }\n");
  use_kernels({"k"});
  const std::string why = failure();
  EXPECT_THAT(why.substr(0, why.find('\n')), HasSubstr("v.cu(2): error: identifier \"wrong\" is undefined"));
  EXPECT_THAT(why, HasSubstr("v.cu(1): warning"));
}

TEST_F(Nvrtc, AConfigurationThatFailsLeavesTheOthersTheirFunctions) {
  use_source(
      "float twice(float x) { return 2 * x; }\n__global__ void k(float* p) { static_assert(SIZE != 64, \"no 64\"); p[0] = twice(p[0]); }\n");
  use_kernels({"k"});
  NvrtcCompiler one = compiler();
  parameters_ = {{"SIZE", std::int64_t{64}}};
  std::string why;
  try {
    one.build(request());
  } catch (const Failure& error) {
    why = error.what();
  }
  EXPECT_THAT(why, testing::AllOf(HasSubstr("no 64"), testing::Not(HasSubstr("\"twice\""))));
  parameters_ = {{"SIZE", std::int64_t{128}}};
  EXPECT_EQ(one.build(request()).resources.size(), 1U);
}

TEST_F(Nvrtc, TakesCodeThatWasCompiledElsewhere) {
  use_source(
      "template <int K, class T> __global__ void scale(T* p) { p[threadIdx.x] *= K; }\n__global__ void plain(float* p) { p[0] = 2; }\n");
  use_kernels({"scale<4,float>", "plain"});
  const Artifact own = compiler().build(request());
  const std::string ptx = compiler().ptx(request())->text;
  variant_.source = scratch_.write("system/own.cubin", read_file(own.file));
  const Artifact cubin = compiler().build(request());
  EXPECT_EQ(cubin.symbols, own.symbols);
  EXPECT_EQ(cubin.record.code_hash, own.record.code_hash);
  EXPECT_EQ(cubin.resources.size(), 2U);
  const Argument buffer = BufferArgument{"x"};
  const Argument number = ScalarArgument{Expression::parse("1"), ScalarType::int32};
  for (LaunchSpec& launch : variant_.launches) launch.arguments = {buffer, number};
  EXPECT_THAT(failure(),
              testing::EndsWith("own.cubin: 'scale<4,float>' takes 1 parameter of 8 bytes, 'args' has 2"));
  for (LaunchSpec& launch : variant_.launches) launch.arguments = {number};
  EXPECT_THAT(failure(), testing::EndsWith(
                             "own.cubin: argument 1 of 'scale<4,float>' has 4 bytes, and the parameter 8"));
  use_kernels({"other"});
  EXPECT_THAT(failure(),
              testing::EndsWith("own.cubin: kernel 'other' not found: it has scale<4, float>, plain"));

  std::string why_not;
  if (DeviceLinker::load(nvrtc_->file(), why_not) == nullptr) GTEST_SKIP() << why_not;
  use_kernels({"_Z5plainPf"});
  variant_.source = scratch_.write("system/own.ptx", ptx);
  EXPECT_EQ(compiler().build(request()).symbols.at("_Z5plainPf"), "_Z5plainPf");
  EXPECT_NE(compiler().key(request()), compiler(80).key(request()));
  variant_.source = scratch_.write("system/bad.ptx", ".version 8.0\n.target sm_90\nnonsense\n");
  EXPECT_THAT(failure(), testing::AllOf(HasSubstr("bad.ptx: "), HasSubstr("error")));
  const auto refused = [&](std::string_view text) {
    variant_.source = scratch_.write("system/other.ptx", text);
    const std::string why = failure();
    return why.substr(why.find("other.ptx: ") + 11);
  };
  EXPECT_EQ(refused(".version 9.0\n.target sm_100\n"),
            "it is PTX for sm_100, of which no code for a GPU of sm_90 can be made");
  EXPECT_EQ(refused(".version 9.0\n.target sm_80a\n"),
            "it is PTX for sm_80a, of which no code for a GPU of sm_90 can be made");
  EXPECT_EQ(refused(""), "the file is empty");
  EXPECT_EQ(refused("int main() {}\n"), "it is no PTX: nothing in it says .target");
}

TEST_F(Nvrtc, RefusesMachineCodeOfAnotherGeneration) {
  use_source("__global__ void k(float* p) { p[0] = 1; }\n");
  use_kernels({"k"});
  const Artifact own = compiler(80).build(request());
  variant_.source = scratch_.write("system/own.cubin", read_file(own.file));
  EXPECT_EQ(compiler(86).build(request()).record.code_hash, own.record.code_hash);
  EXPECT_THAT(failure(),
              testing::EndsWith("own.cubin: it is code for sm_80, which a GPU of sm_90 does not run"));
}

TEST_F(Nvrtc, TakesTheCodeForTheGpuOutOfAFatbin) {
  const std::string nvcc = "/usr/local/cuda/bin/nvcc";
  if (!fs::exists(nvcc)) GTEST_SKIP() << "there is no " << nvcc;
  use_source(
      "template <int K> __global__ void scale(float* p) { p[threadIdx.x] *= K; }\ntemplate __global__ void scale<4>(float*);\n");
  const fs::path fatbin = scratch_ / "system/own.fatbin";
  const ProcessResult made =
      run_process({nvcc, "-fatbin", "-gencode=arch=compute_80,code=[sm_80,compute_80]",
                   "-gencode=arch=compute_90a,code=sm_90a", "-o", fatbin.string(), variant_.source.string()},
                  std::chrono::minutes(2));
  ASSERT_EQ(made.exit_status, 0) << made.output;
  variant_.source = fatbin;
  use_kernels({"scale<4>"});
  const Artifact hopper = compiler(90).build(request());
  EXPECT_EQ(hopper.record.compiler, "none");
  EXPECT_EQ(hopper.symbols.at("scale<4>"), "_Z5scaleILi4EEvPf");
  EXPECT_EQ(read_cubin(read_file(hopper.file)).target, 90);
  EXPECT_EQ(read_cubin(read_file(compiler(86).build(request()).file)).target, 80);
  std::string why_not;
  if (DeviceLinker::load(nvrtc_->file(), why_not) == nullptr) GTEST_SKIP() << why_not;
  const Artifact assembled = compiler(100).build(request());
  EXPECT_THAT(assembled.record.compiler, StartsWith("nvJitLink"));
  EXPECT_EQ(read_cubin(read_file(assembled.file)).target, 100);
  EXPECT_EQ(assembled.resources.size(), 1U);
}

TEST_F(Nvrtc, TakesWhatOneArchitectureAloneHas) {
  use_source("__global__ void k(float* p) { asm volatile(\"wgmma.fence.sync.aligned;\"); p[0] = 1; }\n");
  use_kernels({"k"});
  EXPECT_EQ(compiler(90).build(request()).record.target, "sm_90");
  variant_.options = {{"-O3", Expression::parse("true")},
                      {"--expt-relaxed-constexpr", Expression::parse("true")}};
  EXPECT_THAT(compiler(90).build(request()).record.options, testing::Not(HasSubstr("-O3")));
}

TEST_F(Nvrtc, TakesTheFunctionsOfDependentLaunches) {
  use_source(
      "__global__ void k(float* p) {\n"
      "  cudaTriggerProgrammaticLaunchCompletion();\n"
      "  cudaGridDependencySynchronize();\n"
      "  p[0] = 1;\n"
      "}\n");
  use_kernels({"k"});
  const Artifact artifact = compiler(90).build(request());
  EXPECT_EQ(artifact.record.target, "sm_90");
  EXPECT_EQ(artifact.record.log, "");
}

TEST_F(Nvrtc, KnowsTheNamesThatNvccHasWithoutAnInclude) {
  use_source(R"(typedef unsigned char ulong;
struct Item { int64_t n; float x; };
__global__ void k(float* y, uint* x, ushort s, ulong z, ssize_t n, u_char c) {
  constexpr int bits = __builtin_popcount(7) + __builtin_clz(8u) + __builtin_ctz(8) + __builtin_ffs(8);
  static_assert(bits == 3 + 28 + 3 + 4);
  constexpr float large = INFINITY;
  Item item{INT_MAX, NAN};
  x[0] = s + sizeof(z) + n + c + item.n + CHAR_BIT + bits + __builtin_popcountll(n);
  std::size_t first = 0;
  std::nullptr_t none = nullptr;
  y[first] = M_PI + HUGE_VALF + large + item.x + FLT_MAX + std::sqrt(y[1]) + std::abs(y[2]) + std::isnan(y[3]);
  __typeof__(y[0]) other = __builtin_sqrtf(y[4]) + (none == nullptr);
  y[1] = other + UINT32_MAX;
}
)");
  use_kernels({"k"});
  const Artifact artifact = compiler(90).build(request());
  EXPECT_EQ(artifact.record.log, "");
  EXPECT_THAT(artifact.record.options, HasSubstr("--std=c++17"));
}

TEST_F(Nvrtc, KnowsWhatNvccHasOfCppWithoutAnInclude) {
  if (nvrtc_->include_folders().empty()) GTEST_SKIP() << "no CUDA headers beside " << nvrtc_->file();
  use_source(R"(__global__ void k(float* y, int i) {
  static_assert(std::is_same<std::conditional_t<true, int, char>, int>::value);
  struct Item { int a; float b; };
  Item item{.a = 1, .b = 2};
  __int128 large = i;
  auto same = []<class T>(T x) { return x; };
  auto marked = [=] __host__ __device__(int j) { return i + j; };
  float low = 1, high = std::max(2.0f, y[0]);
  std::swap(low, high);
  y[0] = std::numeric_limits<float>::max() + std::sqrt(4) + same(item.b) + marked(2) + low + std::int32_t(3);
  y[1] = static_cast<float>(large);
}
)");
  use_kernels({"k"});
  const Artifact artifact = compiler(90).build(request());
  EXPECT_EQ(artifact.record.log, "");
  EXPECT_THAT(artifact.record.options, testing::AllOf(HasSubstr("--std=c++20"), HasSubstr("--device-int128"),
                                                      testing::Not(HasSubstr("c++17"))));
}

TEST_F(Nvrtc, NamesThePartsOfGccsLanguageThatItLacks) {
  use_source(R"(__global__ void k(float* y) {
  y[0] = y[1] ?: 2;
  y[1] = ({ int a = 1; a; });
  switch (static_cast<int>(y[0])) {
    case 1 ... 3: y[0] = 2;
  }
}
)");
  use_kernels({"k"});
  EXPECT_THAT(failure(), testing::AllOf(HasSubstr("write a ? a : b)"), HasSubstr("({ ... }) is GCC's"),
                                        HasSubstr("case a ... b is GCC's")));
}

TEST_F(Nvrtc, TakesProgramsWithTheUsualHeadersOfTheHost) {
  if (nvrtc_->include_folders().empty()) GTEST_SKIP() << "no CUDA headers beside " << nvrtc_->file();
  use_source(R"(#include <boost/program_options.hpp>
#include <cub/device/device_reduce.cuh>
#include <cublas_v2.h>
#include <cuda_profiler_api.h>
#include <cusolverDn.h>
#include <helper_cuda.h>
#include <nvtx3/nvToolsExt.h>
#include <omp.h>
#include <thrust/complex.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/random.h>
#include <thrust/sort.h>
struct Scale {
  float a;
  __host__ __device__ float operator()(float x) const { return a * x; }
};
__global__ void k(float* x) {
  thrust::complex<float> z(x[0], 1);
  z = thrust::exp(z) * z;
  thrust::default_random_engine engine(3);
  x[0] = Scale{2}(x[1]) + thrust::plus<float>()(1, 2) + z.real() + engine();
}
void sorted(thrust::device_vector<float>& v) { thrust::sort(v.begin(), v.end()); }
int main() {
  cublasHandle_t handle;
  thrust::device_vector<float> v(4);
  sorted(v);
  k<<<1, 1>>>(nullptr);
}
)");
  use_kernels({"k"});
  EXPECT_EQ(compiler().build(request()).record.log,
            "(left out, since it does not compile for a GPU: sorted, main)\n"
            "(left out, since it was not found: <boost/program_options.hpp>)");
}

TEST_F(Nvrtc, SaysWhichHeadersAreTheHosts) {
  if (nvrtc_->include_folders().empty()) GTEST_SKIP() << "no CUDA headers beside " << nvrtc_->file();
  use_source(
      "#include <thrust/sort.h>\n__global__ void k(float* x) { thrust::sort(thrust::seq, x, x + 4); }\n");
  use_kernels({"k"});
  EXPECT_THAT(failure(),
              testing::EndsWith("(for a GPU there is nothing in <thrust/sort.h>, which the host calls: put "
                                "what uses that under #ifndef __CUDACC_RTC__)"));
  use_source("#include \"elsewhere.h\"\n__global__ void k(float* p) { p[0] = 1; }\n");
  EXPECT_EQ(compiler().build(request()).record.log, "(left out, since it was not found: \"elsewhere.h\")");
  use_source("#include <nowhere/x.h>\n__global__ void k(float* x) { x[0] = nowhere::one; }\n");
  EXPECT_THAT(failure(),
              testing::EndsWith("(not found: <nowhere/x.h>; name its folder in an option, -I, or put what is "
                                "the host's under #ifndef __CUDACC_RTC__)"));
}

TEST_F(Nvrtc, SaysThatAParameterHasAnotherMeaningInTheSource) {
  use_source("\ntemplate <int V> __global__ void k(float* x) { x[0] = V; }\n");
  use_kernels({"k<V>"});
  parameters_ = {{"V", std::int64_t{2}}};
  EXPECT_THAT(failure(),
              StartsWith("'V' is a parameter (#define V 2) and the name of a template parameter, " +
                         source_path() + ":2; rename one\n"));
  use_source("__global__ void k(float* x, int V) { x[0] = V; }\n");
  use_kernels({"k"});
  EXPECT_THAT(failure(), StartsWith("'V' is a parameter (#define V 2) and a name that is declared, " +
                                    source_path() + ":1; rename one\n"));
}

TEST_F(Nvrtc, BuildsForTheNearestTargetAndSaysSo) {
  use_source("__global__ void k(float* p) { p[0] = 1; }\n");
  use_kernels({"k"});
  const int lowest = nvrtc_->targets().front();
  const NvrtcCompiler old(nvrtc_, ArtifactCache(scratch_.path() / "cache"), 30);
  EXPECT_EQ(old.target(), lowest);
  const Artifact artifact = compiler(30).build(request());
  EXPECT_EQ(artifact.record.target, "sm_" + std::to_string(lowest));
  EXPECT_EQ(artifact.record.log,
            nvrtc_->version() + " has no target sm_30; this is code for sm_" + std::to_string(lowest));
}

TEST(NvrtcLibrary, SaysInOneLineWhatItDidNotFind) {
  setenv("TAILWAVE_NVRTC", "/nowhere/libnvrtc.so", 1);
  std::string why_not;
  EXPECT_EQ(NvrtcLibrary::load(why_not), nullptr);
  unsetenv("TAILWAVE_NVRTC");
  EXPECT_THAT(why_not,
              testing::AnyOf("NVRTC is not available: tailwave was built without the CUDA headers",
                             "NVRTC cannot be loaded from TAILWAVE_NVRTC: /nowhere/libnvrtc.so: cannot "
                             "open shared object file: No such file or directory"));
}

// As pip installs it: headers beside it, and CCCL in a package that is not there.
TEST(NvrtcLibrary, TakesCcclFromAnotherToolkitWhereItsOwnLacksIt) {
  std::string why_not;
  const auto installed = NvrtcLibrary::load(why_not);
  if (!installed) GTEST_SKIP() << why_not;
  if (installed->include_folders().empty()) GTEST_SKIP() << "no CUDA headers beside " << installed->file();
  ScratchFolder wheel;
  const std::filesystem::path own = wheel / "lib" / "libnvrtc.so.13";
  std::filesystem::create_directories(wheel / "lib");
  std::filesystem::create_directories(wheel / "include");
  std::filesystem::copy_file(installed->file(), own);
  std::ofstream(wheel / "include" / "cuda.h") << "#define CUDA_VERSION 13000\n";
  setenv("TAILWAVE_NVRTC", own.c_str(), 1);
  const auto library = NvrtcLibrary::load(why_not);
  unsetenv("TAILWAVE_NVRTC");
  ASSERT_TRUE(library) << why_not;
  ASSERT_EQ(library->include_folders().size(), 2U);
  EXPECT_EQ(library->include_folders().front(), wheel / "include");
  EXPECT_TRUE(std::filesystem::is_directory(library->include_folders().back() / "cuda" / "std"));
}

TEST(NvrtcLibrary, IgnoresTheFlagsInTheEnvironmentAndNotesThem) {
  setenv("NVRTC_APPEND_FLAGS", "--maxrregcount=16", 1);
  std::string why_not;
  const auto library = NvrtcLibrary::load(why_not);
  if (!library) {
    unsetenv("NVRTC_APPEND_FLAGS");
    GTEST_SKIP() << why_not;
  }
  EXPECT_EQ(std::getenv("NVRTC_APPEND_FLAGS"), nullptr);
  EXPECT_EQ(library->note(), "NVRTC_APPEND_FLAGS='--maxrregcount=16' was ignored");
}

}  // namespace
}  // namespace tailwave
