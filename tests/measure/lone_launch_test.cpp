#include "measure/lone_launch.h"

#include <gmock/gmock.h>

#include "fakes/fake_device.h"
#include "fakes/sample_experiment.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Launch lone_candidate(const std::string& kernel, std::int64_t grid, std::int64_t block = 32) {
  return {kernel, {grid}, {block}, 0, {}};
}

LaunchRecord shape_of(const std::string& kernel, std::int64_t grid, std::int64_t block = 32) {
  LaunchRecord record;
  record.kernel = kernel;
  record.grid = {grid};
  record.block = {block};
  return record;
}

TEST(LoneLaunch, IsTheFirstOfItsShapeWithWhatComesBeforeIt) {
  const auto lone =
      lone_launch({lone_candidate("move", 4), lone_candidate("force", 4, 64), lone_candidate("force", 8),
                   lone_candidate("force", 4), lone_candidate("force", 4), lone_candidate("move", 4)},
                  shape_of("force", 4));
  ASSERT_TRUE(lone.has_value());
  EXPECT_EQ(lone->launch.kernel, "force");
  EXPECT_EQ(lone->before.size(), 3U);
}

TEST(LoneLaunch, HasTheSmsOfItsShape) {
  Launch few = lone_candidate("force", 4);
  few.sms = 8;
  LaunchRecord shape = shape_of("force", 4);
  EXPECT_EQ(lone_launch({few, lone_candidate("force", 4)}, shape)->before.size(), 1U);
  shape.sms_asked = 8;
  EXPECT_EQ(lone_launch({lone_candidate("force", 4), few}, shape)->launch.sms, 8);
}

TEST(LoneLaunch, WaitsForNothingAndLeavesNoLoop) {
  Launch step = lone_candidate("step", 4);
  step.exit = LoopExit{.next = 3};
  Launch force = lone_candidate("force", 4);
  force.exit = LoopExit{.next = 3};
  force.stream = 2;
  force.wait = {0, 1};
  const auto lone = lone_launch({step, force, lone_candidate("move", 4)}, shape_of("force", 4));
  ASSERT_TRUE(lone.has_value());
  EXPECT_FALSE(lone->launch.exit.has_value());
  EXPECT_EQ(lone->launch.stream, 0);
  EXPECT_THAT(lone->launch.wait, IsEmpty());
  ASSERT_EQ(lone->before.size(), 1U);
  EXPECT_FALSE(lone->before[0].exit.has_value());
}

TEST(LoneLaunch, IsNeitherACopyNorOnAnotherGpu) {
  fakes::FakeBuffer buffer(8);
  Launch copy = lone_candidate("force", 4);
  copy.copied = &buffer;
  Launch remote = lone_candidate("force", 4);
  remote.gpu = 1;
  EXPECT_FALSE(lone_launch({copy, remote}, shape_of("force", 4)).has_value());
  const auto lone = lone_launch({copy, remote, lone_candidate("force", 4)}, shape_of("force", 4));
  ASSERT_TRUE(lone.has_value());
  EXPECT_EQ(lone->before.size(), 2U);
}

TEST(LoneLaunch, HasFreshBuffersEveryTime) {
  Experiment experiment = fakes::twice_experiment({std::int64_t{32}});
  VariantSpec& variant = experiment.system.variants[0];
  variant.prepare = variant.launches;
  variant.launches.push_back(variant.launches[0]);
  variant.launches[1].kernel = "last";
  std::vector<std::string> executed;
  fakes::FakeExecutor device;
  device.kernels["twice"] = [&](const Launch& launch) {
    fakes::FakeBuffer& x = fakes::FakeExecutor::buffer_argument(launch, 0);
    x.floats()[0] *= 2;
    executed.push_back("twice " + std::to_string(x.floats()[0]));
  };
  const Values scope{{"N", std::int64_t{64}}, {"BLOCK_SIZE", std::int64_t{32}}};
  experiment.system.buffers["x"].fill = {.kind = Fill::Kind::constant, .value = 1};
  DeviceData data(device);
  const Workspace workspace(data, experiment.system, variant, scope);
  const auto lone = lone_launch(workspace.launches(), shape_of("last", 2));
  ASSERT_TRUE(lone.has_value());
  Program program;
  run_before(*lone, device, program, workspace);
  run_before(*lone, device, program, workspace);
  EXPECT_THAT(executed, ElementsAre("twice 2.000000", "twice 4.000000", "twice 2.000000", "twice 4.000000"));
  EXPECT_FALSE(device.last_options.timed);
}

}  // namespace
}  // namespace tailwave
