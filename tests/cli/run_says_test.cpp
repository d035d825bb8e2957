// What a run says of its spec and of what became of configurations, and with which status it ends.
#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/project_fixture.h"
#include "cli/session.h"
#include "compile/nvrtc.h"
#include "compile/prelude.h"

namespace tailwave {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

// Two spellings of a kernel, the second of which no CUDA compiler takes, and code for the CPU alone.
constexpr const char* kTwoSpellings = R"cuda(
#ifdef TAILWAVE_CPU
#include <vector>
inline int one() { return static_cast<int>(std::vector<int>(1, 1).front()); }
#else
__device__ int one() { return 1; }
#endif
#if BREAK == 1
#define KERNEL
#else
#define KERNEL __global__
#endif
KERNEL void transpose(float* output, const float* input, int n) {
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < n && y < n) output[x * n + y] = input[y * n + x] * (BREAK == 2 ? 1 + 1.2e-7f : one());
}
)cuda";

const std::vector<std::string> kRunBroken{"run", "experiments/transpose/broken.json", "--device", "cpu"};

class RunSays : public ProjectFixture {
 protected:
  RunSays() { write("kernel_templates/transpose/tile.cu", kTwoSpellings); }

  void write_broken(const std::string& values) const {
    write("experiments/transpose/broken.json",
          R"({ "schema_version": 1, "name": "broken", "system": "transpose", "question": "What fails?",
               "cases": [ {"variant": "tile", "parameters": {"BREAK": )" +
              values + R"(}} ], "metric": {"name": "time"}, "measure": {"samples": 1, "precision": 0} })");
  }

  [[nodiscard]] CommandResult run(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = kRunBroken;
    words.insert(words.end(), more.begin(), more.end());
    return tailwave(words);
  }

  [[nodiscard]] std::string of(const std::string& column, int fault) const {
    return scalar(
        "SELECT " + column +
        " FROM trial JOIN configuration ON configuration.id = configuration_id WHERE name LIKE '%BREAK:" +
        std::to_string(fault) + "%' ORDER BY trial.id DESC");
  }
};

TEST_F(RunSays, WhatTimeWentByBesideWhatItNames) {
  const PhaseTimes phases{.wait = 1, .load = 0.25, .verify = 0.5, .measure = 2, .store = 0.25};
  const std::string named =
      " s: 1.00 waiting for builds, 0.25 loading, 0.50 verifying, 2.00 measuring, 0.25 storing";
  EXPECT_EQ(time_spent(phases, 4.5), "4.50" + named);
  EXPECT_EQ(time_spent(phases, 14),
            "14.00" + named + ", 10.00 on references, processes and waiting for the device");
}

TEST_F(RunSays, ThatNoCudaCompilerTakesAKernelOfTheCpuDevice) {
  std::string why_not;
  if (!NvrtcLibrary::load(why_not)) GTEST_SKIP() << why_not;
  write_broken("[0, 1]");
  const CommandResult result = run({"--target", "a100"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(of("outcome", 0), "correct") << of("detail", 0);
  EXPECT_EQ(of("outcome", 1), "compile_error");
  EXPECT_THAT(of("detail", 1), testing::ContainsRegex("^NVRTC [0-9.]+ does not compile it for a100:\n"));
  EXPECT_THAT(result.err, Not(HasSubstr("not asked")));
}

TEST_F(RunSays, ThatNoCudaCompilerWasAskedWhereThereIsNone) {
  write_broken("[1]");
  setenv("TAILWAVE_NVRTC", "/nowhere/libnvrtc.so", 1);
  const CommandResult result = run();
  unsetenv("TAILWAVE_NVRTC");
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("not asked whether a GPU's compiler takes the kernels: NVRTC "));
  EXPECT_EQ(of("outcome", 1), "correct") << of("detail", 1);
}

TEST_F(RunSays, WhatCheckWarnsOfOnceBeforeItBegins) {
  write("kernel_templates/transpose/system.json", [this] {
    std::string text = read_file(project_ / "kernel_templates/transpose/system.json");
    const std::string unread = R"("TILE": 8, )";
    return text.insert(text.find(unread), R"("UNREAD": 1, )");
  }());
  write_broken("[0]");
  const std::string warning =
      "warning: kernel_templates/transpose/system.json: /variants/tile/parameters/UNREAD: ";
  EXPECT_THAT(tailwave({"check", "experiments/transpose/broken.json"}).err, HasSubstr(warning));
  const CommandResult result = tailwave({"run", "experiments/transpose/broken.json",
                                         "experiments/transpose/tile_size.json", "--device", "cpu"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_LT(result.err.find(warning), result.err.find("made the database")) << result.err;
  EXPECT_EQ(result.err.rfind(warning), result.err.find(warning)) << result.err;
  const nlohmann::json document = nlohmann::json::parse(run({"--json"}).out);
  EXPECT_EQ(document.at("experiments").at(0).at("warnings").back().at("place"),
            "/variants/tile/parameters/UNREAD");
}

TEST_F(RunSays, ThatTimesOfTheCpuDeviceAreNotThoseOfAGpu) {
  const std::string remark = "\ntimes on the CPU device rank code for this CPU, not for a GPU\n";
  EXPECT_THAT(tailwave(kRun).out, HasSubstr(remark));
  write("experiments/transpose/host.json",
        R"({ "schema_version": 1, "name": "host", "system": "transpose", "question": "How long?",
             "cases": [ {"variant": "cpu"} ], "metric": {"name": "time"}, "measure": {"samples": 1} })");
  const CommandResult host = tailwave({"run", "experiments/transpose/host.json", "--device", "cpu"});
  ASSERT_EQ(host.exit_status, 0) << host.err;
  EXPECT_THAT(host.out, Not(HasSubstr(remark)));
}

TEST_F(RunSays, ThatAToleranceIsTooSmallForItsType) {
  std::string manifest = read_file(project_ / "kernel_templates/transpose/system.json");
  const std::string exact = R"({"norm": "exact", "tolerance": 0})";
  manifest.replace(manifest.find(exact), exact.size(), R"({"norm": "max_rel", "tolerance": 1e-12})");
  write("kernel_templates/transpose/system.json", manifest);
  write_broken("[2]");
  const CommandResult result = run();
  EXPECT_EQ(of("outcome", 2), "wrong_result");
  EXPECT_THAT(of("detail", 2),
              testing::ContainsRegex(
                  "; [12] units? in the last place: the tolerance is below the precision of float32"));
  EXPECT_THAT(result.out, HasSubstr("\nwrong_result: give a tolerance that the type can hold"));
  EXPECT_THAT(result.out, Not(HasSubstr("out of bounds")));
  EXPECT_THAT(result.err,
              HasSubstr("/reference/compare/output/tolerance: 1e-12 is less than what rounding to float32"));
  EXPECT_THAT(tailwave({"query", "failures"}).out, Not(HasSubstr("out of bounds")));
}

TEST_F(RunSays, ByItsStatusThatConfigurationsFailed) {
  write_broken("[0, 2]");
  EXPECT_EQ(run().exit_status, 0);
  // The second time they are in the database.
  const CommandResult failed = run({"--fail-on", "failed"});
  EXPECT_EQ(failed.exit_status, 3);
  EXPECT_THAT(failed.err,
              EndsWith("run: --fail-on failed fulfilled by 1 of 2 configurations (transpose/broken)\n"));
  EXPECT_EQ(run({"--fresh", "--fail-on", "compile_error", "--fail-on", "wrong_result"}).exit_status, 3);
  EXPECT_EQ(run({"--fail-on", "compile_error", "--fail-on", "all-failed"}).exit_status, 0);
  EXPECT_EQ(run({"--filter", "BREAK:0", "--fail-on", "failed"}).exit_status, 0);
  const CommandResult all = run({"--filter", "BREAK:2", "--fail-on", "all-failed"});
  EXPECT_EQ(all.exit_status, 3);
  EXPECT_THAT(all.out,
              HasSubstr(": 1 wrong_result, 1 from before\n"
                        "--filter chose 1 configuration: what follows is of all 2 that have results\n"));
  EXPECT_THAT(all.err,
              EndsWith("run: --fail-on all-failed fulfilled by 1 of 1 experiment (transpose/broken)\n"));
}

TEST_F(RunSays, WhyThereIsNoWinner) {
  write_broken("[2]");
  EXPECT_THAT(run().out, HasSubstr("\n\nno winner: none of 1 configuration is correct\n\nall: "));
  write("experiments/transpose/broken.json",
        R"({ "schema_version": 1, "name": "broken", "system": "transpose", "question": "Which?",
             "cases": [ {"variant": "tile"} ], "measure": {"samples": 1, "precision": 0},
             "metric": {"name": "lead", "value": "1e-9 - time", "goal": "max"} })");
  EXPECT_THAT(run().out, HasSubstr("\n\nno winner: no configuration has a value of 'lead': "));
}

// What no configuration can be blamed for is no result of one.
TEST_F(RunSays, OnceThatThereIsNoHostCompiler) {
  const std::string usual = std::getenv("PATH");
  setenv("CXX", "/nowhere/g++", 1);
  setenv("PATH", project_.c_str(), 1);
  const CommandResult result = tailwave(kRun);
  setenv("PATH", usual.c_str(), 1);
  unsetenv("CXX");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err,
              EndsWith("\nno host compiler found: none of $CXX, g++, clang++ and c++ answers to --version\n"
                       "  install one (Debian, Ubuntu: apt install g++), or name it with CXX\n"));
  EXPECT_EQ(scalar("SELECT count(*) FROM trial"), "0");
}

TEST_F(RunSays, WhichConstraintLeavesATryNothing) {
  write("experiments/transpose/broken.json",
        R"({ "schema_version": 1, "name": "broken", "system": "transpose", "question": "What fails?",
             "cases": [ {"variant": "tile", "parameters": {"TILE": [8, 16]}} ], "metric": {"name": "time"},
             "devices": {"cpu": {"constraints": ["TILE > 8"]}} })");
  const CommandResult result = run({"--set", "TILE=8"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(
      result.err,
      EndsWith(
          "experiments/transpose/broken.json: /devices/cpu/constraints/0: no configuration satisfies all "
          "constraints on the CPU device\n  'TILE > 8' is false for all of it\n"));
}

}  // namespace
}  // namespace tailwave
