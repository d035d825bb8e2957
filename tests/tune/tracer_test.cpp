#include "tune/tracer.h"

#include <gmock/gmock.h>

#include <utility>
#include <vector>

#include "fakes/fake_device.h"
#include "fakes/local_worker.h"
#include "fakes/one_variant.h"
#include "fakes/sample_experiment.h"

namespace tailwave {
namespace {

using fakes::FakeExecutor;

// Its blocks begin one after the other, 10 ns each.
class TracingExecutor : public FakeExecutor {
 public:
  TracingExecutor() : FakeExecutor(DeviceKind::cpu) {}

  std::vector<double> deadlines_s;  // that it was told since the program before was loaded; 0: none

  std::unique_ptr<Program> load(const Artifact& artifact) override {
    deadlines_s.push_back(std::exchange(deadline_s, 0));
    return FakeExecutor::load(artifact);
  }

  LaunchTrace trace(Program& /*program*/, const Launch& launch, const NotedEntry& /*noted*/) override {
    LaunchTrace traced;
    for (std::int64_t i = 0; i < launch.grid.count(); ++i)
      traced.blocks.push_back({10 * i, 10 * i + 10, 10 * i + 10, i});
    return traced;
  }
};

class TracerTest : public testing::Test {
 protected:
  TracerTest() {
    host_.kernels["host_twice"] = twice;
    device_.kernels["twice"] = twice;
    device_.kernels["rest"] = [](const Launch& /*launch*/) {};
  }

  static void twice(const Launch& launch) {
    fakes::FakeBuffer& x = FakeExecutor::buffer_argument(launch, 0);
    for (std::size_t i = 0; i < x.size_bytes() / sizeof(float); ++i) x.floats()[i] *= 2;
  }

  // Adds a launch of `rest` to the plan.
  LaunchSpec& add_rest() {
    std::vector<LaunchSpec>& launches = experiment_.system.variants[0].launches;
    launches.push_back(launches[0]);
    launches.back().kernel = "rest";
    return launches.back();
  }

  Trace trace() {
    fakes::LocalWorker worker(device_, tracing_tasks({&experiment_.system})), host(host_);
    Measurer measurer({.kernels = &compiler_,
                       .host = &compiler_,
                       .device = &worker,
                       .host_device = &host,
                       .reference = {.host_compiler = &compiler_, .cpu = &host}});
    return trace_configuration(
        experiment_, {"twice", "twice", {{"BLOCK_SIZE", std::int64_t{32}}}, {{"N", std::int64_t{64}}}},
        measurer, ArtifactCache(folder_.path()), {});
  }

  ScratchFolder folder_;
  Experiment experiment_ = fakes::twice_experiment({std::int64_t{32}});
  fakes::FakeCompiler compiler_;
  FakeExecutor host_{DeviceKind::cpu};
  TracingExecutor device_;
};

TEST_F(TracerTest, TracesEachShapeOfThePlanOnce) {
  add_rest();
  add_rest();
  const Trace traced = trace();
  ASSERT_EQ(traced.launches.size(), 2U);
  EXPECT_EQ(traced.launches[0].kernel, "twice");
  EXPECT_EQ(traced.launches[1].kernel, "rest");
  EXPECT_EQ(traced.launches[1].blocks.size(), 2U);
  EXPECT_EQ(traced.clock_step_ns, 10);
}

TEST_F(TracerTest, HoldsTheDeadlineOfTheExperimentWhileItTimesAndTraces) {
  experiment_.measure.deadline_s = 7;
  trace();
  const std::size_t both_and_the_trace = 2 * TraceOptions{}.turns + 1;
  EXPECT_THAT(device_.deadlines_s, testing::AllOf(testing::SizeIs(both_and_the_trace), testing::Each(7)));
}

TEST_F(TracerTest, TracesALaunchOnSomeOfTheWorkersByItself) {
  add_rest().sms = Expression::parse("3");
  add_rest().sms = Expression::parse("100");
  const Trace traced = trace();
  ASSERT_EQ(traced.launches.size(), 3U);
  EXPECT_EQ(traced.launches[0].sms, 4);
  EXPECT_EQ(traced.launches[1].sms, 3);
  EXPECT_EQ(traced.launches[2].sms, 4);
}

TEST(DescribeChange, SaysWhatOfATraceCannotBeTrusted) {
  EXPECT_EQ(describe_change(100, 102.9, 0.03), "");
  EXPECT_EQ(describe_change(100, 97.1, 0.03), "");
  EXPECT_EQ(
      describe_change(100, 125, 0.03),
      "25.0 % slower, more than 3 %: how long blocks last and slots stay empty between them cannot be trusted, by "
      "20.0 points of the slots' time");
  EXPECT_EQ(
      describe_change(100, 95, 0.03),
      "5.0 % faster, more than 3 %: how long blocks last and slots stay empty between them cannot be trusted, by "
      "5.3 points of the slots' time");
}

TEST_F(TracerTest, LeavesOutLaunchesOnOtherGpus) {
  add_rest().gpu = Expression::parse("1");
  const Trace traced = trace();
  ASSERT_EQ(traced.launches.size(), 1U);
  EXPECT_EQ(traced.launches[0].kernel, "twice");
}

TEST_F(TracerTest, RefusesAPlanWithoutALaunchOnTheFirstGpu) {
  experiment_.system.variants[0].launches[0].gpu = Expression::parse("1");
  EXPECT_EQ(fakes::failure_of([&] { trace(); }), "launch_failed: the plan has no launch on the first GPU");
}

}  // namespace
}  // namespace tailwave
