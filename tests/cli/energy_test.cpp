#include <gmock/gmock.h>

#include <cstdlib>
#include <iostream>

#include "cli/project_fixture.h"
#include "device/cuda/cuda_device.h"

namespace tailwave {
namespace {

using testing::HasSubstr;

const std::string kEnergySpec = R"({ "schema_version": 1, "name": "tile_size",
  "system": "transpose", "question": "Which tile is best?", "problem": {"N": [SIDE]},
  "cases": [ {"variant": "tile", "parameters": {"TILE": TILES}} ],
  "metrics": [ {"name": "time"}, {"name": "energy"},
               {"name": "power_share", "value": "power / 1000", "goal": "min"} ],
  "energy": {"window_s": 2, "most": 1}, "measure": {"samples": 7, "time_cap_s": 60} })";

std::string energy_spec(const std::string& side, const std::string& tiles) {
  std::string text = kEnergySpec;
  text.replace(text.find("SIDE"), 4, side);
  return text.replace(text.find("TILES"), 5, tiles);
}

class EnergyOnCpu : public ProjectFixture {};

TEST_F(EnergyOnCpu, IsNotKnownAndSaysWhy) {
  write("experiments/transpose/tile_size.json", energy_spec("16", "[8, 16]"));
  const CommandResult result = tailwave(kRun);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("energy: not known of 1 configuration: its energy was not measured"));
  EXPECT_THAT(
      result.out,
      HasSubstr(
          "energy: not known of 1 configuration: this device does not count energy: GPUs do, through NVML"));
  EXPECT_EQ(scalar("SELECT count(*) FROM trial_energy WHERE missing IS NOT NULL"), "1");
  EXPECT_THAT(tailwave({"query", "energy", "--format", "csv"}).out,
              HasSubstr("this device does not count energy"));
  ASSERT_EQ(tailwave({"export", "--experiment", "tile_size", "--device", "cpu", "--out", "recorded.json"})
                .exit_status,
            0);
  ASSERT_EQ(tailwave({"import", "recorded.json", "--db", "other.db"}).exit_status, 0);
  EXPECT_THAT(tailwave({"query", "energy", "--format", "csv", "--db", "other.db"}).out,
              HasSubstr("this device does not count energy"));
  replace("recorded.json", "\"missing\": \"this device",
          "\"remark\": \"this device");  // an energy of nothing
  const CommandResult refused = tailwave({"import", "recorded.json", "--db", "third.db"});
  EXPECT_NE(refused.exit_status, 0);
  EXPECT_THAT(refused.err, HasSubstr("/energy: "));
}

// The same configuration, measured in two runs.
class EnergyGpu : public ProjectFixture {
 protected:
  void SetUp() override {
    if (const std::string obstacle = cuda_obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
    write("experiments/transpose/tile_size.json", energy_spec("2048", "[16]"));
    for (const bool fresh : {false, true}) {
      std::vector<std::string> command{"run", "experiments/transpose/tile_size.json", "--device", "cuda:0"};
      if (fresh) command.emplace_back("--fresh");
      const CommandResult result = tailwave(command);
      ASSERT_EQ(result.exit_status, 0) << result.err;
      std::cout << result.out;
    }
    ASSERT_EQ(scalar("SELECT count(*) FROM trial_energy"), "2");
    const std::string missing = scalar("SELECT coalesce(max(missing), '') FROM trial_energy");
    // Some machines lend a part of a GPU, whose energy nobody counts.
    if (missing.find("NVML does not tell the energy") != std::string::npos) GTEST_SKIP() << missing;
    ASSERT_EQ(missing, "");
  }

  [[nodiscard]] double number(const std::string& sql) const { return std::atof(scalar(sql).c_str()); }
};

TEST_F(EnergyGpu, IsPositiveAndItsPowerIsThatOfAGpu) {
  EXPECT_GT(number("SELECT min(joules) FROM trial_energy"), 0);
  EXPECT_GE(number("SELECT min(counted_s) FROM trial_energy"), 2);
  EXPECT_GT(number("SELECT min(joules / counted_s) FROM trial_energy"), 20);
  EXPECT_LT(number("SELECT max(joules / counted_s / power_limit_w) FROM trial_energy"), 1.2);
  EXPECT_GT(number("SELECT min(sm_clock_low_mhz) FROM trial_energy"), 100);
  EXPECT_EQ(number("SELECT count(*) FROM trial_metric WHERE name = 'energy' AND value > 0 AND unit = 'J'"),
            2);
}

TEST_F(EnergyGpu, AgreesBetweenTwoWindows) {
  EXPECT_LT(number("SELECT max(joules / counted_s) / min(joules / counted_s) FROM trial_energy"), 1.1);
  EXPECT_LT(number("SELECT max(energy) / min(energy) FROM "
                   "(SELECT joules / counted_s * window_s / executions AS energy FROM trial_energy)"),
            1.1);
}

TEST_F(EnergyGpu, StandsBesideTheBurstTime) {
  const double ratio = number(
      "SELECT max(window_s / executions / (median_ns / 1e9)) FROM trial_energy JOIN trial_time USING (trial_id)");
  std::cout << "  sustained over burst: " << ratio << "\n";
  EXPECT_GT(ratio, 0.5);
  EXPECT_LT(ratio, 10);
}

}  // namespace
}  // namespace tailwave
