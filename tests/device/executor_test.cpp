#include "device/executor.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "fakes/fake_device.h"
#include "fakes/one_variant.h"

namespace tailwave {
namespace {

std::string refusal_of(const RunOptions& options, std::size_t launches) {
  try {
    require_valid(options, std::vector<Launch>(launches));
  } catch (const std::invalid_argument& refusal) {
    return refusal.what();
  }
  return "";
}

TEST(RunOptions, AreRefusedWithTheRuleThatTheyBreak) {
  EXPECT_EQ(refusal_of({.executions = 0}, 1), "at least one execution is needed");
  EXPECT_EQ(refusal_of({.executions = -1}, 1), "at least one execution is needed");
  EXPECT_EQ(refusal_of({.sets = 0}, 1), "at least one set of launches is needed");
  EXPECT_EQ(refusal_of({.sets = 3}, 4), "every set needs the same number of launches");
  EXPECT_EQ(refusal_of({.executions = 2, .flush_cache = true}, 1),
            "the cache is flushed before one execution only");
}

TEST(RunOptions, AreTakenForAnythingElse) {
  EXPECT_EQ(refusal_of({}, 0), "");
  EXPECT_EQ(refusal_of({.executions = 5, .sets = 2, .graph = true}, 4), "");
  EXPECT_EQ(refusal_of({.sets = 2, .graph = true, .flush_cache = true}, 4), "");
}

TEST(RunOptions, AreRefusedForAGraphOfALoopThatEndsOnAValue) {
  std::vector<Launch> plan(2);
  plan[1].exit = LoopExit{.next = 2};
  EXPECT_NO_THROW(require_valid({}, plan));
  EXPECT_THROW(require_valid({.graph = true}, plan), std::invalid_argument);
}

template <class Number>
bool ends_at(ScalarType type, Number value, double at_most) {
  return leaves({.type = type, .at_most = at_most}, std::as_bytes(std::span(&value, 1)));
}

TEST(LoopExit, IsTakenByAValueOfAnyTypeThatIsSmallEnough) {
  EXPECT_TRUE(ends_at(ScalarType::float32, 0.5F, 0.5));
  EXPECT_FALSE(ends_at(ScalarType::float32, 0.75F, 0.5));
  EXPECT_TRUE(ends_at(ScalarType::float64, -1.0, 0));
  EXPECT_TRUE(ends_at(ScalarType::int32, -3, -3));
  EXPECT_FALSE(ends_at(ScalarType::int64, std::int64_t{1} << 40, 5));
  EXPECT_FALSE(ends_at(ScalarType::uint32, 0xffffffffU, 0));
  EXPECT_FALSE(ends_at(ScalarType::float64, std::numeric_limits<double>::quiet_NaN(), 1e300));
  EXPECT_THROW(ends_at(ScalarType::float64, 1.0F, 0), std::invalid_argument);
}

// One first run and two that begin afresh.
TEST(Executor, RunsOnceAndDownloadsThroughRepeatAndRead) {
  fakes::FakeExecutor executor;
  executor.times_ns = {10, 20, 30};
  const auto buffer = executor.allocate(sizeof(float)), pristine = executor.allocate(sizeof(float));
  const std::vector<float> half{0.5F};
  executor.upload(*pristine, std::as_bytes(std::span(half)));
  executor.kernels["twice"] = [](const Launch& launch) {
    fakes::FakeExecutor::buffer_argument(launch, 0).floats()[0] *= 2;
  };
  const auto program = executor.load({});
  const std::vector<Launch> plan{{"twice", {}, {}, 0, {buffer.get()}}};
  executor.upload(*buffer, std::as_bytes(std::span(half)));
  EXPECT_EQ(executor.run(*program, plan, {.executions = 3}).time_ns, 10);
  float value = 0;
  executor.download(*buffer, std::as_writable_bytes(std::span(&value, 1)));
  EXPECT_EQ(value, 4);
  const auto runs = executor.repeat(*program, {{{buffer.get(), pristine.get()}}, {}}, plan, {}, 2);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[1].time_ns, 30);
  executor.download(*buffer, std::as_writable_bytes(std::span(&value, 1)));
  EXPECT_EQ(value, 1);
  std::array<std::byte, 3> fewer{};
  EXPECT_THROW(executor.download(*buffer, fewer), std::invalid_argument);
}

TEST(Executor, TracesAndSharesOnlyWhereItCan) {
  fakes::FakeExecutor executor;
  const auto program = executor.load({});
  EXPECT_EQ(fakes::failure_of([&] { executor.trace(*program, {}, {}); }),
            "launch_failed: this device cannot trace blocks");
  EXPECT_TRUE(executor.share(*executor.allocate(4)).empty());
  EXPECT_EQ(executor.memory_rates().copy, 0);
  EXPECT_TRUE(executor.usable());
}

TEST(RunOptions, LetTheSetsTakeTurns) {
  const std::vector<int> launches{10, 11, 20, 21, 30, 31};
  const RunOptions options{.executions = 5, .sets = 3};
  std::vector<int> run;
  for (int execution = 0; execution < options.executions; ++execution) {
    const auto plan = plan_of(std::span(launches), options, execution);
    run.insert(run.end(), plan.begin(), plan.end());
  }
  EXPECT_EQ(run, (std::vector<int>{10, 11, 20, 21, 30, 31, 10, 11, 20, 21}));
}

}  // namespace
}  // namespace tailwave
