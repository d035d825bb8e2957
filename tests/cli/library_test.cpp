#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "cli/project_fixture.h"
#include "compile/nvcc_toolchain.h"
#include "device/cuda/cuda_device.h"
#include "fakes/variable.h"

namespace tailwave {
namespace {

using testing::HasSubstr;

constexpr const char* kSystem = R"json({"schema_version": 1, "name": "fill", "title": "Fills",
  "problem": {"N": {"type": "int", "default": 100000}},
  "buffers": {"x": {"type": "uint32", "count": "N", "output_only": true}},
  "reference": {"variant": "host", "compare": {"x": {"norm": "exact"}}},
  "work": {"bytes": "4 * N"},
  "variants": {
    "host": {"source": "host.cpp", "launches": [{"function": "fill", "args": ["x", "N"]}]},
    "gpu": {"source": "fill.cu",
      "launches": [{"kernel": "fill", "grid": "ceil_div(N, 128)", "block": 128, "args": ["x", "N"]}]},
    "driver": {"target": "library", "source": "driver.cpp", "parameters": {"WORD": [7, 8]},
      "prepare": [{"function": "plan", "args": []}],
      "launches": [{"function": "fill", "args": ["x", "N"]}]}}})json";

// A library that every GPU has: the driver's own.
constexpr const char* kDriver = R"cpp(#include <dlfcn.h>
#include <cstdint>
#include <stdexcept>
                                      static int (*fill_words)(std::uint64_t, unsigned, std::uint64_t, void*);
                                      extern "C" void plan() {
                                        fill_words = reinterpret_cast<decltype(fill_words)>(
                                            dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemsetD32Async"));
                                        if (WORD == 9) throw std::runtime_error("there is no word 9");
                                      }
                                      extern "C" void fill(std::uint32_t* x, int n) {
                                        if (fill_words(reinterpret_cast<std::uint64_t>(x), WORD,
                                                       static_cast<std::uint64_t>(n), tailwave_stream()) != 0)
                                          throw std::runtime_error("cuMemsetD32Async fails");
                                      }
)cpp";

class LibraryTest : public ProjectFixture {
 protected:
  LibraryTest() {
    write("kernel_templates/fill/system.json", kSystem);
    write("kernel_templates/fill/host.cpp",
          "extern \"C\" void fill(unsigned* x, int n) { for (int i = 0; i < n; ++i) x[i] = 7; }\n");
    write(
        "kernel_templates/fill/fill.cu",
        "__global__ void fill(unsigned* x, int n) { int i = blockIdx.x * 128 + threadIdx.x; if (i < n) x[i] = 7; }\n");
    write("kernel_templates/fill/driver.cpp", kDriver);
  }
};

TEST_F(LibraryTest, IsCheckedAsFunctionsAreAndUnavailableOnTheCpuDevice) {
  EXPECT_EQ(tailwave({"check", "kernel_templates/fill/system.json"}).exit_status, 0);
  const CommandResult run = tailwave({"run", "kernel_templates/fill/system.json", "--device", "cpu"});
  EXPECT_THAT(run.err + run.out, HasSubstr("unavailable"));
  EXPECT_THAT(tailwave({"query", "failures", "--format", "csv"}).out,
              HasSubstr("its functions queue work on a GPU"));
  replace("kernel_templates/fill/system.json", R"("args": ["x", "N"]}]}}})", R"("args": ["x"]}]}}})");
  EXPECT_THAT(tailwave({"check", "kernel_templates/fill/system.json"}).err,
              HasSubstr("'fill' in kernel_templates/fill/driver.cpp has 2 parameters, 'args' has 1"));
}

TEST_F(LibraryTest, RefusesWhatOnlyKernelsHave) {
  replace("kernel_templates/fill/system.json", R"({"function": "fill", "args": ["x", "N"]}]}}})",
          R"({"kernel": "fill", "grid": 1, "block": 1, "args": ["x", "N"]}]}}})");
  const CommandResult refused = tailwave({"check", "kernel_templates/fill/system.json"});
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(refused.err, HasSubstr("'kernel' has no meaning in a library variant"));
  EXPECT_THAT(refused.err, HasSubstr("a library variant has 'function'"));
}

// The same in CUDA C++, by a kernel of its own.
constexpr const char* kOwnKernel = R"cuda(#include "part.cuh"
#include <stdexcept>
__global__ void fill_words(unsigned* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = WORD;
}
extern "C" void plan() { if (WORD == 9) throw std::runtime_error("there is no word 9"); }
extern "C" void fill(unsigned* x, int n) {
  fill_words<<<blocks_for(n), 256, 0, static_cast<cudaStream_t>(tailwave_stream())>>>(x, n);
  if (cudaGetLastError() != cudaSuccess) throw std::runtime_error("fill_words fails");
}
)cuda";

class NvccLibraryTest : public LibraryTest {
 protected:
  NvccLibraryTest() {
    replace("kernel_templates/fill/system.json", "driver.cpp", "driver.cu");
    write("kernel_templates/fill/driver.cu", kOwnKernel);
    write("kernel_templates/fill/part.cuh", "inline int blocks_for(int n) { return (n + 255) / 256; }\n");
  }
  const fakes::Variable no_nvcc_{"TAILWAVE_NVCC", "/nowhere/nvcc"};
};

TEST_F(NvccLibraryTest, NeedsNoNvccOnTheCpuDevice) {
  EXPECT_EQ(tailwave({"check", "kernel_templates/fill/system.json"}).exit_status, 0);
  const CommandResult run = tailwave({"run", "kernel_templates/fill/system.json", "--device", "cpu"});
  EXPECT_THAT(run.err + run.out, HasSubstr("2 unavailable"));
  EXPECT_THAT(tailwave({"query", "failures", "--format", "csv"}).out,
              HasSubstr("its functions queue work on a GPU, and the CPU device is none"));
}

TEST_F(NvccLibraryTest, RefusesOptionsThatNvccMayNotHave) {
  replace(
      "kernel_templates/fill/system.json", R"("source": "driver.cu",)",
      R"("source": "driver.cu", "options": {"-arch=sm_80": true, "--use_fast_math": true, "--keep": true},)");
  const CommandResult refused = tailwave({"check", "kernel_templates/fill/system.json"});
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(refused.err,
              HasSubstr("/variants/driver/options/-arch=sm_80: the option '-arch=sm_80' names a GPU"));
  EXPECT_THAT(refused.err, HasSubstr("the option '--keep' is not among those that specs may have of nvcc"));
  EXPECT_THAT(refused.err, testing::Not(HasSubstr("fast_math")));
}

class LibraryGpuTest : public LibraryTest {
 protected:
  void SetUp() override {
    if (!cuda_obstacle().empty()) GTEST_SKIP() << cuda_obstacle();
  }
};

TEST_F(LibraryGpuTest, IsVerifiedTimedAndRankedBesideKernels) {
  const CommandResult run = tailwave({"run", "kernel_templates/fill/system.json"});
  EXPECT_THAT(run.err + run.out, HasSubstr("2 correct 1 wrong_result"));
  const std::string best = tailwave({"query", "best", "--format", "csv"}).out;
  EXPECT_THAT(best, HasSubstr(",cuda,1,2,fill/")) << "the best of both";
  EXPECT_EQ(scalar("SELECT count(DISTINCT peers) FROM ranked_trial WHERE outcome = 'correct'"), "1");
  EXPECT_EQ(
      scalar(
          "SELECT count(*) FROM launch JOIN trial ON trial.id = trial_id JOIN build ON build.id = build_id "
          "WHERE build.target = 'library' AND blocks_per_sm IS NOT NULL"),
      "0");
}

TEST_F(LibraryGpuTest, SaysWhatItsFunctionsThrow) {
  replace("kernel_templates/fill/system.json", "[7, 8]", "[9, 7]");
  const CommandResult run = tailwave({"run", "kernel_templates/fill/system.json"});
  EXPECT_THAT(run.err + run.out, HasSubstr("launch_failed"));
  EXPECT_THAT(tailwave({"query", "failures", "--format", "csv"}).out,
              HasSubstr("calling plan: there is no word 9"));
}

TEST_F(LibraryGpuTest, RunsInBatchesAndAsAGraph) {
  for (const char* mode : {"batched", "graph"}) {
    write("experiments/fill/all.json",
          std::string(R"({"schema_version": 1, "name": "all", "system": "fill", "question": "?",
      "metric": {"name": "time", "goal": "min"}, "cases": [{"variant": "gpu"}, {"variant": "driver", "parameters": {"WORD": [7]}}],
      "measure": {"mode": ")") +
              mode + "\"}}");
    const CommandResult run = tailwave({"run", "experiments/fill/all.json", "--fresh"});
    EXPECT_THAT(run.err + run.out, HasSubstr("2 correct")) << mode;
  }
}

class NvccLibraryGpuTest : public NvccLibraryTest {
 protected:
  void SetUp() override {
    if (!cuda_obstacle().empty()) GTEST_SKIP() << cuda_obstacle();
  }
  // Whether there is NVIDIA's own to compile with.
  bool finds_nvcc() {
    unsetenv("TAILWAVE_NVCC");
    std::string why_not;
    return NvccToolchain::find(90, why_not) != nullptr;
  }
};

TEST_F(NvccLibraryGpuTest, IsUnavailableWithoutNvcc) {
  const CommandResult run = tailwave({"run", "kernel_templates/fill/system.json"});
  EXPECT_THAT(run.err + run.out, HasSubstr("1 correct 2 unavailable"));
  EXPECT_THAT(tailwave({"query", "failures", "--format", "csv"}).out,
              HasSubstr("no nvcc: $TAILWAVE_NVCC, which is '/nowhere/nvcc', does not answer to --version"));
}

TEST_F(NvccLibraryGpuTest, IsCompiledConfinedVerifiedAndRankedBesideKernels) {
  if (!finds_nvcc()) GTEST_SKIP() << "no nvcc";
  const CommandResult run = tailwave({"run", "kernel_templates/fill/system.json"});
  EXPECT_THAT(run.err + run.out, HasSubstr("2 correct 1 wrong_result"));
  EXPECT_EQ(scalar("SELECT count(DISTINCT peers) FROM ranked_trial WHERE outcome = 'correct'"), "1");
  replace("kernel_templates/fill/part.cuh", "return", "return nothing +");
  EXPECT_THAT(tailwave({"run", "kernel_templates/fill/system.json"}).out, HasSubstr("2 compile_error"));
  EXPECT_THAT(tailwave({"query", "failures", "--format", "csv"}).out,
              HasSubstr("kernel_templates/fill/part.cuh(1): error: identifier"));
}

TEST_F(NvccLibraryGpuTest, SaysWhatItsFunctionsThrow) {
  if (!finds_nvcc()) GTEST_SKIP() << "no nvcc";
  replace("kernel_templates/fill/system.json", "[7, 8]", "[9, 7]");
  EXPECT_THAT(tailwave({"run", "kernel_templates/fill/system.json"}).out, HasSubstr("launch_failed"));
  EXPECT_THAT(tailwave({"query", "failures", "--format", "csv"}).out,
              HasSubstr("calling plan: there is no word 9"));
}

// A system that comes with tailwave, at sizes and in modes of its own.
TEST_F(NvccLibraryGpuTest, OfScanIsCorrectInEveryMode) {
  if (!finds_nvcc()) GTEST_SKIP() << "no nvcc";
  std::filesystem::copy(std::filesystem::path(TAILWAVE_SOURCE_DIR) / "kernel_templates/scan",
                        project_ / "kernel_templates/scan");
  for (const char* mode : {"isolated", "batched", "graph"}) {
    write("experiments/scan/modes.json",
          std::string(R"({"schema_version": 1, "name": "modes", "system": "scan", "question": "?",
      "problem": {"N": [1, 1000003], "EXCLUSIVE": [0, 1]},
      "metric": {"name": "time", "goal": "min"}, "cases": [{"variant": "device_scan"}], "measure": {"mode": ")") +
              mode + "\"}}");
    const CommandResult run = tailwave({"run", "experiments/scan/modes.json", "--fresh"});
    EXPECT_THAT(run.err + run.out, HasSubstr("4 correct")) << mode << tailwave({"query", "failures"}).out;
  }
}

}  // namespace
}  // namespace tailwave
