#include <gmock/gmock.h>

#include <fstream>
#include <iostream>
#include <sstream>

#include "cli/project_fixture.h"
#include "device/cuda/cuda_device.h"
#include "selftest/checks.h"

namespace tailwave {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class SelftestTest : public ProjectFixture {
 protected:
  void expect_all_checks() {
    EXPECT_EQ(scalar("SELECT group_concat(name) FROM (SELECT DISTINCT name FROM selftest ORDER BY name)"),
              "cache_flush,clock_step,empty_kernel,known_duration,ncu,same_kernel,traces");
    EXPECT_EQ(scalar("SELECT count(*) FROM selftest WHERE quantity LIKE '%floor-corrected error' AND passed "
                     "IS NOT NULL"),
              "8");
    EXPECT_EQ(scalar("SELECT detail LIKE '% of 40 pairs of 20 samples each, %' FROM selftest WHERE name = "
                     "'same_kernel'"),
              "1");
    // A verdict has an expectation, and what could not be measured says why.
    EXPECT_EQ(scalar("SELECT count(*) FROM selftest WHERE passed IS NOT NULL AND expectation IS NULL"), "0");
    EXPECT_EQ(scalar("SELECT count(*) FROM selftest WHERE value IS NULL AND detail IS NULL"), "0");
    EXPECT_EQ(scalar("SELECT count(DISTINCT run_at) || ' ' || count(DISTINCT device_id) FROM selftest"),
              "1 1");
  }
};

// Whether a loaded machine's clock and scheduler pass is not this test's business.
TEST_F(SelftestTest, RunsEveryCheckOnTheCpuDevice) {
  const CommandResult result = tailwave({"selftest", "--quick", "--device", "cpu"});
  ASSERT_THAT(result.exit_status, AnyOf(0, 1)) << result.err;
  EXPECT_THAT(result.out, HasSubstr("self-test on "));
  EXPECT_THAT(result.out, HasSubstr("10000 us: floor-corrected error"));
  expect_all_checks();
  EXPECT_EQ(scalar("SELECT count(*) FROM selftest WHERE passed IS NOT NULL AND name IN ('cache_flush', "
                   "'empty_kernel', 'ncu', 'clock_step', 'traces')"),
            "0");
  EXPECT_EQ(scalar("SELECT group_concat(detail) FROM selftest WHERE name IN ('ncu', 'traces')"),
            "not a CUDA device,not a CUDA device");
  const std::string failed = scalar("SELECT count(*) FROM selftest WHERE passed = 0");
  EXPECT_EQ(result.exit_status, failed == "0" ? 0 : 1) << result.out;
}

TEST_F(SelftestTest, IsAskedForAndReportedLikeAnyResult) {
  ASSERT_THAT(tailwave({"selftest", "--quick", "--device", "cpu"}).exit_status, AnyOf(0, 1));
  const CommandResult query = tailwave({"query", "selftest", "--set", "name=ncu", "--format", "csv"});
  EXPECT_THAT(query.out, HasSubstr("not a CUDA device")) << query.err;
  const CommandResult report = tailwave({"report"});
  ASSERT_EQ(report.exit_status, 0) << report.err;
  std::ostringstream index;
  index << std::ifstream(project_ / "results/report/README.md").rdbuf();
  EXPECT_THAT(index.str(), HasSubstr("## Self-tests of the instrument"));
}

TEST_F(SelftestTest, RunsOnlyWhatNsightComputeIsToTimeOnTheGpu) {
  if (const std::string obstacle = cuda_obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
  const CommandResult result = tailwave({"selftest", "--device", "cuda:0", "--spin-only", "2"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_FALSE(std::filesystem::exists(project_ / "results/tailwave.db"));
}

TEST_F(SelftestTest, TracesKernelsThatAreCorrect) {
  const std::filesystem::path experiment = write_traced_project(project_ / "traced");
  const CommandResult result = tailwave({"run", experiment.string(), "--device", "cpu"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(scalar("SELECT group_concat(variant || ' ' || outcome, ', ') FROM (SELECT variant, outcome FROM "
                   "current_trial WHERE peers = 0 ORDER BY variant)"),
            "early correct, rows correct, steps correct, stream correct");
}

TEST_F(SelftestTest, PassesOnTheGpu) {
  if (const std::string obstacle = cuda_obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
  const CommandResult result = tailwave({"selftest", "--quick", "--device", "cuda:0"});
  std::cout << result.out;
  EXPECT_EQ(result.exit_status, 0) << result.err;
  expect_all_checks();
  EXPECT_EQ(scalar("SELECT group_concat(passed) FROM selftest WHERE name = 'cache_flush'"), "1");
  // As many as are traced, unless counters are not permitted, or one row that says so.
  EXPECT_THAT(scalar("SELECT count(*) || ' ' || count(value) FROM selftest WHERE name = 'traces'"),
              AnyOf("4 4", "1 0"));
}

}  // namespace
}  // namespace tailwave
