#include "tune/builder.h"

#include <gmock/gmock.h>

#include "fakes/fake_device.h"
#include "fakes/local_worker.h"
#include "fakes/sample_experiment.h"
#include "fakes/scratch_folder.h"
#include "tune/trial_key.h"

namespace tailwave {
namespace {

// Makes code for a CPU, which has no registers to tell of.
class CpuCompiler : public fakes::FakeCompiler {
 public:
  Artifact build(const BuildRequest& request) override {
    Artifact artifact = FakeCompiler::build(request);
    artifact.resources.clear();
    return artifact;
  }
};

class PlanningCompiler : public fakes::FakeCompiler {
 public:
  std::string key(const BuildRequest& request) override { return FakeCompiler::key(request) + own_version; }
  [[nodiscard]] std::string version() const override { return "planner " + own_version; }
  std::string own_version = "1";
};

class BuilderTest : public testing::Test {
 protected:
  BuilderTest() {
    DeviceSpec device;
    device.name = "h100";
    tools_ = {.kernels = &kernels_, .host = &host_, .planner = &planner_, .occupancy_device = device};
  }

  Built build(const Configuration& configuration) {
    return build_configuration(experiment_.system, configuration, tools_, 1);
  }

  Experiment experiment_ = fakes::twice_experiment({std::int64_t{8}});
  Configuration kernel_{"twice", "twice", {{"BLOCK_SIZE", std::int64_t{8}}}, {{"N", std::int64_t{64}}}};
  Configuration on_host_{"twice", "host_twice", {}, {{"N", std::int64_t{64}}}};
  CpuCompiler kernels_, host_;
  PlanningCompiler planner_;
  Tools tools_;
};

TEST_F(BuilderTest, HasTheResourcesOfThePlannersBuild) {
  planner_.registers = 40;
  const Built built = build(kernel_);
  ASSERT_TRUE(built.artifact);
  ASSERT_EQ(built.artifact->resources.size(), 1U);
  EXPECT_EQ(built.artifact->resources.front().registers, 40);
}

TEST_F(BuilderTest, FailsWithTheWordsOfThePlannerWhereThatTakesNoSuchCode) {
  planner_.broken = "BLOCK_SIZE:8";
  planner_.message = "twice.cu(1): error: not __global__";
  const Built built = build(kernel_);
  EXPECT_FALSE(built.artifact);
  EXPECT_EQ(built.outcome, Outcome::compile_error);
  EXPECT_EQ(built.detail, "planner 1 does not compile it for h100:\ntwice.cu(1): error: not __global__");
}

TEST_F(BuilderTest, SaysOfWhatThePlannerAloneTakesThatTheDeviceLacksIt) {
  kernels_.broken = "BLOCK_SIZE:8";
  kernels_.message = "k.cu:3:4: error: \u2018__isGlobal\u2019 was not declared in this scope";
  const Built built = build(kernel_);
  EXPECT_FALSE(built.artifact);
  EXPECT_EQ(built.outcome, Outcome::unavailable);
  EXPECT_EQ(built.detail,
            "the CPU device lacks __isGlobal (docs/cpu_device.md); planner 1 takes it\n" + kernels_.message);
  EXPECT_THAT(std::string(next_step(built.outcome, built.detail)), testing::HasSubstr("TAILWAVE_CPU"));
}

TEST_F(BuilderTest, LeavesWhatDoesNotCompileAnywayToTheCompilersWords) {
  kernels_.broken = planner_.broken = "BLOCK_SIZE:8";
  const Built built = build(kernel_);
  EXPECT_EQ(built.outcome, Outcome::compile_error);
  EXPECT_EQ(built.detail, "shared.cu(3): error: no");
}

TEST_F(BuilderTest, LeavesToTheSourceWhatItSaysOfTheCpuDeviceItself) {
  const ScratchFolder folder;
  experiment_.system.variants.front().source =
      folder.write("twice.cu", "#ifdef TAILWAVE_CPU\nwrong\n#endif\n");
  kernels_.broken = "BLOCK_SIZE:8";
  EXPECT_EQ(build(kernel_).outcome, Outcome::compile_error);
}

TEST_F(BuilderTest, AsksThePlannerOfNoHostVariant) {
  planner_.broken = "host_twice";
  EXPECT_TRUE(build(on_host_).artifact);
  EXPECT_EQ(planner_.builds, 0);
}

TEST_F(BuilderTest, NeedsNoPlanner) {
  tools_.planner = nullptr;
  EXPECT_TRUE(build(kernel_).artifact);
}

TEST_F(BuilderTest, KnowsAKernelByWhatItsPlannerBuilds) {
  const TrialKeys keys(experiment_, tools_, "reference");
  const std::string kernel = keys.build_key(kernel_), on_host = keys.build_key(on_host_);
  planner_.own_version = "2";
  EXPECT_NE(keys.build_key(kernel_), kernel);
  EXPECT_EQ(keys.build_key(on_host_), on_host);
}

TEST_F(BuilderTest, KnowsATrialByTheSmsOfItsLaunches) {
  fakes::FakeExecutor device;
  fakes::LocalWorker worker(device);
  tools_.device = &worker;
  const auto key_on = [&](const char* sms) {
    experiment_.system.variants[0].launches[0].sms = Expression::parse(sms);
    return TrialKeys(experiment_, tools_, "reference").key(kernel_, "build", {});
  };
  const std::string all = key_on("0");
  EXPECT_NE(key_on("8"), all);
  EXPECT_NE(key_on("16"), key_on("8"));
  experiment_.system.variants[0].launches[0].sms = Expression();
  EXPECT_EQ(TrialKeys(experiment_, tools_, "reference").key(kernel_, "build", {}), all);
}

}  // namespace
}  // namespace tailwave
