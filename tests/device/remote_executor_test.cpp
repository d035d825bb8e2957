#include "device/remote_executor.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

#include "core/error.h"
#include "device/trouble_executor.h"

namespace tailwave {
namespace {

using fakes::launch_of;
using fakes::RemoteExecutorTest;

TEST_F(RemoteExecutorTest, PassesOnLoopsCopiesAndFills) {
  load();
  const auto value = executor_.allocate(8);
  std::vector<Launch> plan(3, launch_of("fill"));
  for (std::size_t i = 0; i < plan.size(); ++i)
    plan[i].arguments = {value.get(), scalar(static_cast<unsigned char>(i))};
  plan[0].exit = LoopExit{value.get(), ScalarType::float64, 0, 3};
  executor_.run(*program_, plan, {});
  std::vector<std::byte> bytes(8, std::byte{9});
  executor_.download(*value, bytes);
  EXPECT_EQ(bytes, std::vector<std::byte>(8));
  EXPECT_EQ(executor_.copy_bandwidth(), 4e12);
  executor_.fill(*value, std::byte{5});
  executor_.download(*value, bytes);
  EXPECT_EQ(bytes, std::vector<std::byte>(8, std::byte{5}));
  Launch copy = launch_of("constant");
  copy.copied = value.get();
  EXPECT_EQ(executor_.run(*program_, std::span(&copy, 1), {}).throttle_reasons, "5");
}

TEST_F(RemoteExecutorTest, RunsEachTimeFromAFreshStart) {
  load();
  const auto pristine = executor_.allocate(8), live = executor_.allocate(8);
  executor_.fill(*pristine, std::byte{5});
  Launch note = launch_of("constant");  // notes what the buffer holds
  note.copied = live.get();
  Launch fill = launch_of("fill");
  fill.arguments = {live.get(), scalar(std::byte{7})};
  const std::vector<Launch> plan{note, fill};
  executor_.set_deadline_s(20);
  const std::vector<RunResult> runs =
      executor_.run_fresh(*program_, {{{live.get(), pristine.get()}}, {}}, plan, {.executions = 2}, 3);
  ASSERT_EQ(runs.size(), 3U);
  for (const RunResult& run : runs) {
    EXPECT_EQ(run.throttle_reasons, "5");
    EXPECT_EQ(run.time_ns, 22);
  }
  Launch prepare = launch_of("fill");
  prepare.arguments = {live.get(), scalar(std::byte{6})};
  EXPECT_EQ(
      executor_.run_fresh(*program_, {{}, std::span(&prepare, 1)}, plan, {}, 1).front().throttle_reasons,
      "6");
}

// Small contents travel in shared memory, large ones in packets.
TEST_F(RemoteExecutorTest, RunsAllPartsOfAPlanAndReadsWhatTheyLeave) {
  load();
  for (const std::size_t size : {std::size_t{1000}, std::size_t{5'000'001}}) {
    const auto first = executor_.allocate(size), second = executor_.allocate(100),
               third = executor_.allocate(8);
    const auto fill = [](const std::unique_ptr<Buffer>& buffer, char value) {
      Launch launch = launch_of("fill");
      launch.arguments = {buffer.get(), scalar(value)};
      return std::vector<Launch>{launch};
    };
    const std::vector<Launch> prepare = fill(first, 1), launches = fill(first, 2), finish = fill(second, 3);
    std::vector<std::byte> one(size), other(100);
    const Readings readings = executor_.run_and_read(
        *program_,
        {prepare, launches, finish, {first.get(), third.get()}, {{first.get(), one}, {second.get(), other}}});
    EXPECT_THAT(one, testing::Each(std::byte{2}));
    EXPECT_THAT(other, testing::Each(std::byte{3}));
    EXPECT_THAT(readings.damage, testing::ElementsAre(size % 2 == 0 ? "" : "odd", ""));
    EXPECT_GT(readings.run_s, 0);
  }
}

// Runs from a fresh start take as long as both, too.
TEST_F(RemoteExecutorTest, TimesWhatPreparesAPlanWithIt) {
  load();
  const std::vector<Launch> slow{launch_of("sleep")}, quick{launch_of("fine")};  // 0.4 s
  EXPECT_GE(executor_.run_and_read(*program_, {slow, quick, {}, {}, {}}).run_s, 0.4);
  EXPECT_GE(executor_.run_and_read(*program_, {{}, slow, quick, {}, {}}).run_s, 0.4);
  EXPECT_LT(executor_.run_and_read(*program_, {{}, quick, slow, {}, {}}).run_s, 0.4);
}

TEST_F(RemoteExecutorTest, UploadsMoreThanTheSharedMemoryHolds) {
  load();
  std::vector<std::unique_ptr<Buffer>> buffers;
  for (int i = 0; i < 10; ++i) {
    buffers.push_back(executor_.allocate(1'000'000));
    executor_.upload(*buffers.back(), std::vector<std::byte>(1'000'000, static_cast<std::byte>(i)));
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    std::vector<std::byte> bytes(1'000'000);
    executor_.run_and_read(*program_, {{}, {}, {}, {}, {{buffers[i].get(), bytes}}});
    EXPECT_THAT(bytes, testing::Each(static_cast<std::byte>(i)));
  }
}

TEST_F(RemoteExecutorTest, DescribesTheDeviceOfAnotherProcess) {
  EXPECT_EQ(executor_.description().kind, "trouble");
  EXPECT_EQ(executor_.timer(), "steady_clock");
  EXPECT_NE(worker(), getpid());
  EXPECT_EQ(executor_.description().properties.at("ratio"), Value(0.5));
  EXPECT_EQ(executor_.description().properties.at("note"), Value(std::string("text")));
  EXPECT_EQ(executor_.description().properties.at("flag"), Value(true));
}

TEST_F(RemoteExecutorTest, CarriesDataAndResultsBothWays) {
  std::vector<std::byte> bytes(3'000'001), back(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 31 >> 3);
  const auto first = executor_.allocate(bytes.size());
  const auto second = executor_.allocate(bytes.size());
  executor_.upload(*first, bytes);
  executor_.copy(*second, *first);
  executor_.download(*second, back);
  EXPECT_EQ(back, bytes);
  EXPECT_EQ(executor_.guard_damage(*first), "odd");
  expect_that_a_fill_works();

  Launch launch = launch_of("fill");
  launch.block.x = 96;
  launch.stream = 2;
  EXPECT_EQ(executor_.blocks_per_sm(*program_, std::span(&launch, 1)).front(), 98);
  launch.block.x = 2000;
  EXPECT_EQ(executor_.blocks_per_sm(*program_, std::span(&launch, 1)).front(), std::nullopt);
}

TEST_F(RemoteExecutorTest, PassesTheDeadlineOn) {
  load();
  executor_.set_deadline_s(40);
  EXPECT_EQ(executor_.run(*program_, {}, {.executions = 2}).time_ns, 42);
}

TEST_F(RemoteExecutorTest, CarriesOptionsThereAndResultsBack) {
  load();
  executor_.set_deadline_s(1);
  const std::vector<Launch> launches(6, launch_of("fine"));
  const RunResult several = executor_.run(*program_, launches, {.executions = 4, .sets = 3, .graph = true});
  EXPECT_EQ(several.time_ns, 5);
  EXPECT_EQ(several.sm_clock_mhz, 3);
  EXPECT_EQ(several.temperature_c, 35.5);
  EXPECT_EQ(several.throttle_reasons, "");

  const RunResult cold = executor_.run(*program_, launches, {.flush_cache = true});
  EXPECT_EQ(cold.sm_clock_mhz, std::nullopt);
  EXPECT_EQ(cold.temperature_c, std::nullopt);
  EXPECT_EQ(cold.throttle_reasons, "sw_power_cap+sw_thermal");
  EXPECT_EQ(executor_.run(*program_, launches, {.timed = false}).throttle_reasons, "not timed");
}

TEST_F(RemoteExecutorTest, RefusesInvalidOptionsItself) {
  load();
  const std::vector<Launch> launches(3, launch_of("crash"));
  EXPECT_THROW(executor_.run(*program_, launches, {.executions = 0}), std::invalid_argument);
  EXPECT_THROW(executor_.run(*program_, launches, {.sets = 2}), std::invalid_argument);
}

TEST_F(RemoteExecutorTest, KeepsItsWorkerAfterARefusal) {
  load();
  const pid_t before = worker();
  EXPECT_EQ(failure_of("refuse"), std::pair(Outcome::launch_failed, std::string("refused")));
  EXPECT_EQ(failure_of("fine"), std::pair(Outcome::correct, std::string()));
  const Launch broken = launch_of("break");
  EXPECT_THROW(executor_.run(*program_, std::span(&broken, 1), {}), Error);
  EXPECT_EQ(worker(), before);
}

TEST_F(RemoteExecutorTest, TellsOfACallThatDoesNotWaitWithTheNextResult) {
  load();
  const auto small = executor_.allocate(10);
  const auto large = executor_.allocate(2'000'000'000);
  executor_.copy(*small, *small);
  EXPECT_EQ(failure_of("fine"), std::pair(Outcome::out_of_memory, std::string("too much")));
  EXPECT_EQ(failure_of("fine"), std::pair(Outcome::correct, std::string()));
  EXPECT_EQ(executor_.guard_damage(*small), "");
  EXPECT_THROW(static_cast<void>(executor_.guard_damage(*large)), Failure);
  expect_that_a_fill_works();
}

TEST_F(RemoteExecutorTest, TellsNoConfigurationOfTheFailureOfAnEarlierOne) {
  { const auto large = executor_.allocate(2'000'000'000); }
  EXPECT_EQ(executor_.renew(), "");
  expect_that_a_fill_works();
}

TEST_F(RemoteExecutorTest, LosesACallThatDidNotWaitWithItsWorker) {
  const auto buffer = executor_.allocate(10);
  ASSERT_EQ(kill(worker(), SIGKILL), 0);
  try {
    static_cast<void>(executor_.guard_damage(*buffer));
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.outcome(), Outcome::crashed);
    EXPECT_THAT(failure.what(),
                testing::EndsWith("the device's worker process was killed by signal 9 (Killed)"));
  }
  expect_that_a_fill_works();
}

TEST_F(RemoteExecutorTest, BringsTracesBack) {
  load();
  const LaunchTrace trace = executor_.trace(*program_, launch_of("fill"));
  EXPECT_EQ(trace.blocks, (std::vector<BlockTime>{{10, 20, 1}, {15, 1, 2}}));
  EXPECT_EQ(trace.registers, 32);
  EXPECT_EQ(trace.local_bytes, 8);
}

}  // namespace
}  // namespace tailwave
