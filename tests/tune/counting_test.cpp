#include "tune/counting.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "core/temporary_folder.h"
#include "fakes/error_of.h"
#include "fakes/fake_counters.h"
#include "fakes/local_worker.h"
#include "fakes/one_variant.h"
#include "fakes/sample_experiment.h"

namespace tailwave {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

const Configuration kTwice{"twice", "twice", {{"BLOCK_SIZE", std::int64_t{32}}}, {{"N", std::int64_t{64}}}};

class CountingTest : public testing::Test {
 protected:
  CountingTest() {
    for (const char* kernel : {"twice", "rest"}) device_.kernels[kernel] = [](const Launch& /*launch*/) {};
  }

  // Adds a launch to the plan.
  LaunchSpec& add(const std::string& kernel) {
    std::vector<LaunchSpec>& launches = experiment_.system.variants[0].launches;
    launches.push_back(launches[0]);
    launches.back().kernel = kernel;
    return launches.back();
  }

  CounterRun count(const CounterPlan& plan, const CountingOptions& options = {}) {
    fakes::LocalWorker worker(device_, counting_tasks({&experiment_.system}));
    return count_configuration(experiment_, kTwice, {.kernels = &compiler_}, worker, plan, options, 1500);
  }
  CounterPlan plan(const CountingOptions& options) {
    fakes::LocalWorker worker(device_, counting_tasks({&experiment_.system}));
    return plan_counters(worker, options);
  }
  std::string plan_error(const CountingOptions& options) {
    return samples::error_of([&] { plan(options); });
  }

  Experiment experiment_ = fakes::twice_experiment({std::int64_t{32}});
  fakes::FakeCompiler compiler_;
  fakes::CountingExecutor device_;
};

TEST_F(CountingTest, CountsEachShapeOfThePlanOnce) {
  add("rest");
  add("twice");
  add("rest").grid[0] = Expression::parse("5");
  const CounterRun counted = count({.chip = "FAKE", .metrics = {"a__x.sum", "a__y.sum"}, .passes = 1});
  ASSERT_THAT(counted.launches, SizeIs(3));
  EXPECT_EQ(counted.launches[0].kernel, "twice");
  EXPECT_EQ(counted.launches[0].count, 2);
  EXPECT_EQ(counted.launches[1].kernel, "rest");
  EXPECT_EQ(counted.launches[1].position, 1);
  EXPECT_EQ(counted.launches[2].grid.x, 5);
  EXPECT_THAT(counted.launches[1].values,
              ElementsAre(CounterValue{"a__x.sum", 1, "run", ""}, CounterValue{"a__y.sum", 2, "run", ""}));
}

TEST_F(CountingTest, SaysWhatWasCountedAndHow) {
  const CounterRun counted =
      count({.chip = "FAKE", .metrics = {"a__x.sum"}, .unknown = {"a__y.sum", "a__z.sum"}, .passes = 1},
            {.set = CounterSet::quick});
  EXPECT_EQ(counted.configuration.name(), kTwice.name());
  EXPECT_EQ(counted.metric_set, CounterSet::quick);
  EXPECT_EQ(counted.chip, "FAKE");
  EXPECT_EQ(counted.passes, 1);
  EXPECT_EQ(counted.time_ns, 1500);
  EXPECT_EQ(counted.left_out, "a__y.sum a__z.sum");
  EXPECT_EQ(counted.compiler, compiler_.version());
}

TEST_F(CountingTest, ExecutesWhatComesBeforeALaunchOnceAPass) {
  add("rest");
  count({.chip = "FAKE", .metrics = {"a__x.sum", "a__y.sum", "a__z.sum"}, .passes = 2});
  // What is restored counts as a run, too.
  EXPECT_THAT(device_.source.prepared, ElementsAre(1, 1, 1, 1));
  EXPECT_FALSE(device_.last_options.timed);
}

TEST_F(CountingTest, SaysWhereAValueDecidesHowManyLaunchesThereAre) {
  const CounterPlan plan{.chip = "FAKE", .metrics = {"a__x.sum"}, .passes = 1};
  LoopSpec loop{.repeat = Expression::parse("4"), .counter = "", .until = std::nullopt};
  add("rest").loop = std::make_shared<LoopSpec>(loop);
  EXPECT_FALSE(count(plan).ends_on_value);
  loop.until = LoopSpec::Until{"x", Expression::parse("1")};
  experiment_.system.variants[0].launches.back().loop = std::make_shared<LoopSpec>(loop);
  EXPECT_TRUE(count(plan).ends_on_value);
}

TEST_F(CountingTest, LeavesOutLaunchesOnOtherGpusAndSaysSo) {
  add("rest").gpu = Expression::parse("1");
  const CounterRun counted = count({.chip = "FAKE", .metrics = {"a__x.sum"}, .passes = 1});
  EXPECT_THAT(counted.launches, SizeIs(1));
  EXPECT_EQ(counted.remark, "launches that were not counted, on other GPUs: 1");
  experiment_.system.variants[0].launches[0].gpu = Expression::parse("1");
  EXPECT_EQ(fakes::failure_of([&] { count({.chip = "FAKE", .metrics = {"a__x.sum"}, .passes = 1}); }),
            "launch_failed: the plan has no launch on all of the first GPU");
}

TEST_F(CountingTest, LeavesOutLaunchesOnSomeOfTheSmsAndSaysSo) {
  add("rest").sms = Expression::parse("1");
  const CounterRun counted = count({.chip = "FAKE", .metrics = {"a__x.sum"}, .passes = 1});
  EXPECT_THAT(counted.launches, SizeIs(1));
  EXPECT_EQ(counted.remark, "launches that were not counted, on some of the SMs: 1");
}

TEST_F(CountingTest, HoldsTheDeadlineOfTheExperiment) {
  experiment_.measure.deadline_s = 7;
  count({.chip = "FAKE", .metrics = {"a__x.sum"}, .passes = 1});
  EXPECT_EQ(device_.deadline_s, 7);
}

TEST_F(CountingTest, PlansASetWithWhatStandsInForWhatTheChipLacks) {
  device_.source.lacks = {"dram__bytes_read.sum", "smsp__inst_executed.sum"};
  const CounterPlan planned = plan({});
  EXPECT_THAT(planned.unknown, ElementsAre("smsp__inst_executed.sum"));
  EXPECT_THAT(planned.metrics, testing::Contains("dram__bytes_op_read.sum"));
  EXPECT_THAT(planned.metrics, testing::Contains("dram__bytes_write.sum"));
  EXPECT_EQ(planned.metrics.size(), metrics_of(CounterSet::all).size() - 1);
}

TEST_F(CountingTest, RefusesChosenMetricsThatTheChipLacks) {
  device_.source.lacks = {"a__y.sum", "dram__bytes_read.sum"};
  EXPECT_EQ(
      plan_error({.set = CounterSet::chosen, .chosen = {"a__x.sum", "a__y.sum", "dram__bytes_read.sum"}}),
      "--metrics: the chip FAKE has no a__y.sum, dram__bytes_read.sum\n"
      "  'ncu --query-metrics --chips FAKE' lists what it has");
}

TEST_F(CountingTest, RefusesMorePassesThanWanted) {
  EXPECT_EQ(
      plan_error(
          {.set = CounterSet::chosen, .chosen = {"a__x.sum", "a__y.sum", "a__z.sum"}, .most_passes = 1}),
      "--metrics: 3 metrics take 2 executions of each launch on FAKE, more than 1\n"
      "  name fewer, or allow more with --most-passes");
  EXPECT_EQ(plan({.set = CounterSet::chosen, .chosen = {"a__x.sum", "a__y.sum"}, .most_passes = 1}).passes,
            1);
}

TEST_F(CountingTest, SaysThatADeviceHasNoCounters) {
  fakes::FakeExecutor other;
  fakes::LocalWorker worker(other, counting_tasks({&experiment_.system}));
  EXPECT_EQ(fakes::failure_of([&] { plan_counters(worker, {}); }),
            "launch_failed: this device has no hardware counters");
}

// In a process of its own.
class CountingProcess : public CountingTest {
 protected:
  ProcessWorker worker(ExecutorFactory device) {
    WorkerSetup setup{.device = std::move(device)};
    setup.systems = {&experiment_.system};
    setup.tasks = counting_tasks(setup.systems);
    setup.description.kind = DeviceKind::cuda;
    setup.description.name = "known";
    return ProcessWorker(std::move(setup));
  }
};

TEST_F(CountingProcess, CountsWhatComesAfterALaunchThatItDiedOf) {
  ProcessWorker counting = worker([] {
    auto device = std::make_unique<fakes::CountingExecutor>();
    device->kernels["twice"] = [](const Launch& launch) {
      if (launch.block.x == 32) kill(getpid(), SIGKILL);
    };
    return device;
  });
  const CounterPlan planned = plan_counters(counting, {.set = CounterSet::chosen, .chosen = {"a__x.sum"}});
  const auto count_block = [&](std::int64_t block) {
    Configuration configuration = kTwice;
    configuration.parameters["BLOCK_SIZE"] = block;
    return count_configuration(experiment_, configuration, {.kernels = &compiler_}, counting, planned, {},
                               {});
  };
  EXPECT_EQ(fakes::failure_of([&] { count_block(32); }),
            "crashed: counters: the device's worker process was killed by signal 9 (Killed)");
  EXPECT_THAT(count_block(64).launches, SizeIs(1));
}

TEST_F(CountingProcess, AsksAgainWhenItDied) {
  const TemporaryFolder folder("tailwave-counting");
  const std::filesystem::path died = folder.path() / "died";
  ProcessWorker counting = worker([&] {
    auto device = std::make_unique<fakes::CountingExecutor>();
    device->kernels["twice"] = [&](const Launch& /*launch*/) {
      if (std::filesystem::exists(died)) return;
      std::ofstream(died) << "once";
      kill(getpid(), SIGKILL);
    };
    return device;
  });
  const CounterPlan planned = plan_counters(counting, {.set = CounterSet::chosen, .chosen = {"a__x.sum"}});
  EXPECT_THAT(
      count_configuration(experiment_, kTwice, {.kernels = &compiler_}, counting, planned, {}, {}).launches,
      SizeIs(1));
  EXPECT_TRUE(std::filesystem::exists(died));
}

TEST_F(CountingProcess, SaysWhyItsDeviceCannotBeOpenedToCount) {
  ProcessWorker counting = worker([]() -> std::unique_ptr<Executor> {
    throw Error(describe_obstacle(CounterObstacle::not_permitted, "enabling the profiler: X"));
  });
  EXPECT_THAT(samples::error_of([&] { plan_counters(counting, {}); }),
              HasSubstr("counters: not permitted: enabling the profiler: X\n"));
}

}  // namespace
}  // namespace tailwave
