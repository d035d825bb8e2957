#include <gmock/gmock.h>

#include "cli/project_fixture.h"
#include "device/cuda/cuda_device.h"

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

}  // namespace
}  // namespace tailwave
