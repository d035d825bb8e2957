#include "tune/plan.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "fakes/fake_device.h"
#include "fakes/one_variant.h"
#include "fakes/sample_experiment.h"
#include "occupancy/occupancy.h"
#include "tune/plan_view.h"

namespace tailwave {
namespace {

using testing::ElementsAre;

// Builds in processes of their own are counted in a file.
class CountingCompiler : public fakes::FakeCompiler {
 public:
  Artifact build(const BuildRequest& request) override {
    std::ofstream(log_, std::ios::app) << '.';
    return FakeCompiler::build(request);
  }
  [[nodiscard]] std::size_t builds_in_all() const {
    return std::filesystem::exists(log_) ? std::filesystem::file_size(log_) : 0;
  }

 private:
  ScratchFolder folder_;
  std::filesystem::path log_ = folder_.path() / "builds";
};

class PlanTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!occupancy_available()) GTEST_SKIP() << "built without cuda_occupancy.h";
  }

  PlannedDevice device(const char* name, int target) { return {find_device(name), &compiler_, target}; }

  static std::vector<std::string> column(const Table& table, const std::string& name) {
    const auto at = std::find(table.columns.begin(), table.columns.end(), name) - table.columns.begin();
    std::vector<std::string> texts;
    for (const auto& row : table.rows) {
      Table one{{name}, {{row.at(static_cast<std::size_t>(at))}}};
      const std::string csv = render(one, TableFormat::csv);
      texts.push_back(csv.substr(name.size() + 1, csv.size() - name.size() - 2));
    }
    return texts;
  }

  CountingCompiler compiler_;
  Experiment experiment_ = fakes::twice_experiment({std::int64_t{32}, std::int64_t{64}});
};

TEST_F(PlanTest, HasARowForEachConfigurationAndLaunchOfCudaVariants) {
  experiment_.problem = {{"N", {std::int64_t{400000}}}};
  experiment_.cases.push_back({"host_twice", {}});
  experiment_.system.variants[0].launches.push_back(experiment_.system.variants[0].launches[0]);
  const Table table = plan_table(experiment_, planned_configurations(experiment_), device("a100", 80), 2);
  EXPECT_THAT(column(table, "configuration"),
              ElementsAre("twice/twice/BLOCK_SIZE:32/N:400000", "twice/twice/BLOCK_SIZE:32/N:400000",
                          "twice/twice/BLOCK_SIZE:64/N:400000", "twice/twice/BLOCK_SIZE:64/N:400000"));
  EXPECT_THAT(column(table, "blocks_per_sm"), ElementsAre("32", "32", "32", "32"));
  EXPECT_THAT(column(table, "full_waves"), ElementsAre("3", "3", "1", "1"));
  EXPECT_THAT(column(table, "active_sms"), ElementsAre("108", "108", "108", "108"));
}

TEST_F(PlanTest, CanBeLimitedToSomeConfigurations) {
  const Table table =
      plan_table(experiment_, planned_configurations(experiment_, "BLOCK_SIZE=64"), device("h100", 90), 1);
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(column(table, "block"), std::vector<std::string>{"64"});
  EXPECT_THROW((void)planned_configurations(experiment_, "BLOCK_SIZE=65"), Error);
}

Table plan_of(std::vector<std::vector<Cell>> rows) {
  return {{"configuration", "kernel", "outcome", "grid", "obstacle"}, std::move(rows)};
}

TEST(ShortenPlan, HasAKernelThatIsAlwaysTheSameOnce) {
  const Cell none;
  const Table plan = plan_of({{"a", "move", "planned", 32, none},
                              {"a", "step", "planned", 1, none},
                              {"b", "move", "planned", 32, none},
                              {"b", "step", "planned", 2, none},
                              {"c", none, "compile_error", none, none}});
  EXPECT_EQ(render(shorten_plan(plan), TableFormat::csv),
            "configuration,kernel,outcome,grid\na,step,planned,1\nb,step,planned,2\nc,,compile_error,\n"
            "2 configurations alike,move,planned,32\n");
}

TEST(ShortenPlan, LeavesEveryConfigurationARow) {
  const Cell none;
  const Table alike = plan_of({{"a", "step", "planned", 1, "x"}, {"b", "step", "planned", 1, "x"}});
  EXPECT_EQ(render(shorten_plan(alike), TableFormat::csv), render(alike, TableFormat::csv));
  const Table different = plan_of({{"a", "move", "planned", 1, "x"},
                                   {"a", "step", "planned", 1, "x"},
                                   {"b", "move", "planned", 2, "x"},
                                   {"b", "step", "planned", 2, "x"}});
  EXPECT_EQ(render(shorten_plan(different), TableFormat::csv), render(different, TableFormat::csv));
}

TEST_F(PlanTest, ForecastsTheTimeOverThatOfFullWaves) {
  experiment_ = fakes::twice_experiment({std::int64_t{64}});
  experiment_.problem = {{"N", {std::int64_t{64 * 5184}}}};  // 1.5 waves on 108 SMs with 32 blocks each
  const Table table = plan_table(experiment_, planned_configurations(experiment_), device("a100", 80), 1);
  EXPECT_THAT(column(table, "waves"), ElementsAre("1.5"));
  EXPECT_THAT(column(table, "quantisation_efficiency"), ElementsAre("0.75"));
  EXPECT_THAT(column(table, "staircase"), ElementsAre("1.3333333333333333"));
  EXPECT_THAT(column(table, "partial_wave"), ElementsAre("1"));
  EXPECT_THAT(column(table, "uneven_blocks"), ElementsAre(testing::StartsWith("1.4")));
}

TEST_F(PlanTest, SaysWhatShareOfLanesHasAThread) {
  experiment_ = fakes::twice_experiment({std::int64_t{8}, std::int64_t{48}, std::int64_t{64}});
  const Table table = plan_table(experiment_, planned_configurations(experiment_), device("a100", 80), 1);
  EXPECT_THAT(column(table, "lanes"), ElementsAre("0.25", "0.75", "1"));
}

TEST_F(PlanTest, CountsTheWavesOfALaunchByItsSms) {
  LaunchSpec& launch = experiment_.system.variants[0].launches[0];
  launch.sms = Expression::parse("N // 100000");
  experiment_.problem = {{"N", {std::int64_t{3000000}, std::int64_t{20000000}}}};
  const Table table =
      plan_table(experiment_, planned_configurations(experiment_, "BLOCK_SIZE=32"), device("h200", 90), 1);
  EXPECT_THAT(column(table, "sms_asked"), ElementsAre("30", "200"));
  EXPECT_THAT(column(table, "sms"), ElementsAre("32", ""));
  EXPECT_THAT(column(table, "full_waves"), ElementsAre("91", ""));  // of 32 x 32 blocks
  EXPECT_THAT(column(table, "active_sms"), ElementsAre("32", ""));
  EXPECT_THAT(column(table, "outcome"), ElementsAre("planned", "exceeds_device_limit"));
  EXPECT_THAT(column(table, "obstacle"), ElementsAre("", "200 SMs exceed the 132 that the device has"));
}

TEST_F(PlanTest, CountsTheWavesOfALaunchByItsClusters) {
  LaunchSpec& launch = experiment_.system.variants[0].launches[0];
  const auto one = Expression::parse("1");
  launch.cluster = {Expression::parse("BLOCK_SIZE // 16"), one, one};
  launch.dynamic_shared_bytes = Expression::parse("200000");  // one block an SM
  experiment_.problem = {{"N", {std::int64_t{32 * 256}}}};
  const Table table = plan_table(experiment_, planned_configurations(experiment_), device("h200", 90), 1);
  EXPECT_THAT(column(table, "cluster"), ElementsAre("2", "4"));
  EXPECT_THAT(column(table, "active_clusters"), ElementsAre("66", "32"));
  EXPECT_THAT(column(table, "waves"), ElementsAre(testing::StartsWith("1.9393"), "1"));
  EXPECT_THAT(column(table, "active_sms"), ElementsAre("132", "128"));
  EXPECT_THAT(column(table, "staircase"), ElementsAre(testing::StartsWith("1.03"), "1"));
  const Table old = plan_table(experiment_, planned_configurations(experiment_), device("rtx4090", 89), 1);
  EXPECT_THAT(column(old, "outcome"), ElementsAre("exceeds_device_limit", "exceeds_device_limit"));
  EXPECT_THAT(column(old, "obstacle").at(0), "clusters of 2 blocks need compute capability 9.0");
}

TEST_F(PlanTest, ForSeveralDevicesHasARowOfTheMainLaunchForEach) {
  LaunchSpec second = experiment_.system.variants[0].launches[0];
  second.grid[0] = Expression::parse("1000");
  experiment_.system.variants[0].launches.push_back(second);
  const Table table = plan_table(experiment_, planned_configurations(experiment_),
                                 {device("v100", 75), device("h200", 90)}, 2);
  EXPECT_THAT(table.columns, testing::IsSupersetOf({"device", "code"}));
  EXPECT_THAT(column(table, "configuration"),
              ElementsAre("twice/twice/BLOCK_SIZE:32/N:64", "twice/twice/BLOCK_SIZE:32/N:64",
                          "twice/twice/BLOCK_SIZE:64/N:64", "twice/twice/BLOCK_SIZE:64/N:64"));
  EXPECT_THAT(column(table, "grid"), ElementsAre("1000", "1000", "1000", "1000"));
  EXPECT_THAT(column(table, "device"), ElementsAre("v100", "h200", "v100", "h200"));
  EXPECT_THAT(column(table, "code"), ElementsAre("sm_75 for sm_70", "sm_90", "sm_75 for sm_70", "sm_90"));
  EXPECT_THAT(column(table, "active_sms"), ElementsAre("80", "132", "80", "132"));
}

TEST_F(PlanTest, BuildsOncePerCompilerForDevicesThatShareIt) {
  CountingCompiler other;
  const PlannedDevice a10{find_device("a10"), &other, 86};
  plan_table(experiment_, planned_configurations(experiment_),
             {device("gt630", 75), a10, device("gtx1060", 75), device("t4", 75)}, 2);
  EXPECT_EQ(compiler_.builds_in_all(), 2U);
  EXPECT_EQ(other.builds_in_all(), 2U);
}

TEST_F(PlanTest, GivesAFailedBuildARowForEachDevice) {
  compiler_.broken = "BLOCK_SIZE:64";
  const Table table = plan_table(experiment_, planned_configurations(experiment_),
                                 {device("a100", 80), device("h200", 90)}, 1);
  EXPECT_THAT(column(table, "device"), ElementsAre("a100", "h200", "a100", "h200"));
  EXPECT_THAT(column(table, "outcome"), ElementsAre("planned", "planned", "compile_error", "compile_error"));
  EXPECT_THAT(column(table, "obstacle"),
              ElementsAre("", "", "shared.cu(3): error: no", "shared.cu(3): error: no"));
}

TEST_F(PlanTest, TellsResourcesOfADeviceThatTheCalculatorDoesNotKnow) {
  PlannedDevice old = device("gt630", 75);
  old.spec.compute_capability = 20;
  const Table table =
      plan_table(experiment_, planned_configurations(experiment_), {old, device("t4", 75)}, 1);
  EXPECT_THAT(column(table, "outcome"), ElementsAre("planned", "planned", "planned", "planned"));
  EXPECT_THAT(column(table, "code"), ElementsAre("sm_75 for sm_20", "sm_75", "sm_75 for sm_20", "sm_75"));
  EXPECT_THAT(column(table, "registers"), ElementsAre("32", "32", "32", "32"));
  EXPECT_THAT(column(table, "waves"), ElementsAre("", "0.003125", "", "0.0015625"));
  EXPECT_THAT(column(table, "obstacle"),
              ElementsAre("cuda_occupancy.h cannot answer for compute capability 2.0", "",
                          "cuda_occupancy.h cannot answer for compute capability 2.0", ""));
}

TEST_F(PlanTest, NamesTheLimitOfADeviceThatALaunchExceeds) {
  experiment_ = fakes::twice_experiment({std::int64_t{1025}});
  const Table table = plan_table(experiment_, planned_configurations(experiment_), device("a100", 80), 1);
  EXPECT_THAT(column(table, "outcome"), ElementsAre("exceeds_device_limit"));
  EXPECT_THAT(column(table, "obstacle"),
              ElementsAre("1025 threads a block exceed the 1024 that the device allows"));
}

}  // namespace
}  // namespace tailwave
