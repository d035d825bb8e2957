#include "selftest/selftest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "compile/nvrtc_compiler.h"
#include "core/outcome.h"
#include "fakes/fake_device.h"
#include "fakes/local_worker.h"
#include "fakes/one_variant.h"

namespace tailwave {
namespace {

using ::testing::ElementsAre;

TEST(Selftest, GoesOnWithTheNextCheckWhenTheDeviceFails) {
  fakes::FakeExecutor device(DeviceKind::cpu);
  device.kernels["selftest_empty"] = [](const Launch& /*launch*/) {};
  fakes::LocalWorker worker(device, selftest_tasks());
  const std::vector<Check> checks = run_selftest(worker, {}, {}, "cpu");
  std::vector<std::string> rows;
  for (const Check& check : checks) rows.push_back(check.name + ": " + check.detail);
  EXPECT_THAT(rows, ElementsAre("known_duration: launch_failed: no kernel 'selftest_timer_step'",
                                "same_kernel: launch_failed: no kernel 'selftest_work'",
                                "cache_flush: launch_failed: no kernel 'selftest_read'",
                                "empty_kernel: launch_failed: no kernel 'selftest_spin'",
                                "ncu: not a CUDA device", "clock_step: the device does not tell its clock"));
  EXPECT_EQ(checks.front().passed, false);
  EXPECT_FALSE(all_passed(checks));
  EXPECT_EQ(render(selftest_table({checks.front()}), TableFormat::csv),
            "check,quantity,value,unit,expectation,verdict,detail\n"
            "known_duration,outcome,,,runs,FAIL,launch_failed: no kernel 'selftest_timer_step'\n");
}

TEST(Selftest, IsPassedWhenNoRowFailed) {
  EXPECT_TRUE(all_passed({{.name = "a", .passed = true}, {.name = "b"}}));
}

TEST(Selftest, TakesOneKernelForTheSameOnADeviceThatRepeatsItself) {
  fakes::FakeExecutor device;
  device.kernels["selftest_work"] = [](const Launch& /*launch*/) {};
  int launches = 0;
  device.time_of = [&](std::span<const Launch> /*launches*/) {
    const int place = launches++ % 4;
    return place == 0 || place == 3 ? 20200 : 20000;
  };
  Instrument instrument(device, {});
  const Check check = check_same_kernel(instrument, 200).at(0);
  EXPECT_TRUE(check.passed) << *check.value << " % told apart";
}

TEST(Selftest, RunsTheProfiledKernelsInOneRunInTheirOrder) {
  fakes::FakeExecutor device;
  std::string order;
  device.kernels["selftest_empty"] = [&](const Launch& /*launch*/) { order += "empty "; };
  device.kernels["selftest_spin"] = [&](const Launch& launch) {
    std::int64_t nanoseconds = 0;
    std::memcpy(&nanoseconds, std::get<ScalarBytes>(launch.arguments.at(0)).bytes.data(), sizeof nanoseconds);
    order += std::to_string(nanoseconds) + " ";
  };
  Instrument instrument(device, {});
  run_profiled_kernels(instrument, 2);
  EXPECT_EQ(device.runs, 1);
  EXPECT_EQ(order, "empty 20000 50000 100000 1000000 empty 20000 50000 100000 1000000 ");
}

// A program called ncu, first on the PATH while this object lives.
class FakeNcu {
 public:
  explicit FakeNcu(const std::string& script) : path_(std::getenv("PATH")) {
    std::filesystem::permissions(folder_.write("ncu", "#!/bin/sh\n" + script),
                                 std::filesystem::perms::owner_all);
    setenv("PATH", (folder_.path().string() + ":" + path_).c_str(), 1);
  }
  ~FakeNcu() { setenv("PATH", path_.c_str(), 1); }
  FakeNcu(const FakeNcu&) = delete;
  FakeNcu& operator=(const FakeNcu&) = delete;

 private:
  ScratchFolder folder_;
  std::string path_;
};

std::string ncu_detail(const std::string& script) {
  const FakeNcu ncu(script);
  return profile_with_ncu({.kind = DeviceKind::cuda}, "cuda:1").obstacle;
}

TEST(Selftest, RunsNsightComputeOnTheSameDevice) {
  const std::string arguments = ncu_detail("echo \"$@\"");
  EXPECT_THAT(arguments,
              ::testing::MatchesRegex(
                  "ncu printed no time \\(--target-processes all --clock-control none --cache-control none "
                  "--kernel-name .* --metrics gpu__time_duration.sum --csv /.*selftest_test selftest "
                  "--device cuda:1 --spin-only 7\\)"));
}

TEST(Selftest, TakesTheRefusalOfNsightComputeInItsWords) {
  EXPECT_EQ(ncu_detail("echo '==ERROR== ERR_NVGPUCTRPERM - no permission' >&2; exit 1"),
            "ERR_NVGPUCTRPERM - no permission");
}

TEST(Selftest, SaysWhereThereIsNoNsightCompute) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  EXPECT_EQ(profile_with_ncu({.kind = DeviceKind::cuda}, "cuda:0").obstacle,
            "ncu: cannot be started: No such file or directory");
  setenv("PATH", path.c_str(), 1);
}

TEST(Selftest, KernelsCompileWithNvrtc) {
  std::string why_not;
  const auto nvrtc = NvrtcLibrary::load(why_not);
  if (!nvrtc) GTEST_SKIP() << why_not;
  const ScratchFolder folder;
  NvrtcCompiler compiler(nvrtc, ArtifactCache(folder.path() / "cache"), 90);
  const Artifact kernels = build_selftest_kernels(compiler, folder.path() / "source");
  EXPECT_EQ(kernels.symbols.size(), 5U);
}

}  // namespace
}  // namespace tailwave
