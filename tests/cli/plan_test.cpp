#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/project_fixture.h"
#include "occupancy/device_spec.h"

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kSpec = "experiments/transpose/tile_size.json";

class PlanCommandTest : public ProjectFixture {
 protected:
  void SetUp() override {
    const CommandResult result = tailwave({"plan", kSpec, "--target", "sm_90"});
    if (result.err.find("plan needs NVRTC") != std::string::npos) GTEST_SKIP() << result.err;
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }
};

TEST_F(PlanCommandTest, AnswersForAllDevicesAtOnce) {
  const CommandResult result = tailwave({"plan", kSpec, "--target", "all", "--format", "json"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const nlohmann::json rows = nlohmann::json::parse(result.out);
  EXPECT_EQ(rows.size(), 3 * known_devices().size());
  std::set<std::string> devices;
  for (const nlohmann::json& row : rows) {
    devices.insert(row.at("device"));
    EXPECT_EQ(row.at("outcome"), "planned");
    EXPECT_TRUE(row.at("waves").is_number()) << row;
  }
  EXPECT_EQ(devices.size(), known_devices().size());
}

TEST_F(PlanCommandTest, TakesAListOfDevicesInItsOrder) {
  const CommandResult result = tailwave({"plan", kSpec, "--target", "h200,a100,h200"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              StartsWith("tile_size on 2 devices, main launches, compiled for sm_80, sm_90 by NVRTC "));
  EXPECT_LT(result.out.find("h200"), result.out.find("a100"));
}

TEST_F(PlanCommandTest, SaysWhichDevicesHaveTheRegistersOfOtherCode) {
  const CommandResult result = tailwave({"plan", kSpec, "--target", "gt630,h200"});
  EXPECT_THAT(result.err, HasSubstr("gt630: NVRTC "));
  EXPECT_THAT(result.err,
              HasSubstr(" cannot compile for sm_30: registers, and what follows from them, are those of "
                        "code for sm_"));
  EXPECT_THAT(result.err, testing::Not(HasSubstr("h200")));
}

TEST_F(PlanCommandTest, ExplainsOneConfiguration) {
  const CommandResult result = tailwave({"plan", kSpec, "--target", "a100,h200", "--explain", "TILE=16"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              StartsWith("transpose/tile/BREAK:0/TILE:16/N:70\non NVIDIA A100-SXM4-40GB, 108 SMs, "));
  EXPECT_THAT(result.out, HasSubstr("transpose: grid 5 x 5 x 1 = 25, block 16 x 16 x 1 = 256\n"));
  EXPECT_THAT(result.out, HasSubstr("\n\ntranspose/tile/BREAK:0/TILE:16/N:70\non NVIDIA H200, 132 SMs, "));
}

TEST_F(PlanCommandTest, RefusesToExplainSeveralConfigurations) {
  const CommandResult result = tailwave({"plan", kSpec, "--explain", "variant=tile"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err,
              testing::EndsWith("tile_size.json: 3 configurations fit 'variant=tile', expected one\n"
                                "  say also:\n"
                                "    TILE: 4, 8, 16\n"));
}

TEST_F(PlanCommandTest, RefusesToExplainSeveralExperiments) {
  write("experiments/transpose/other.json", "{}");
  const CommandResult result = tailwave({"plan", "experiments", "--explain", "TILE=16"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.err, "--explain takes one experiment, there are 2\n  name one file\n");
}

}  // namespace
}  // namespace tailwave
