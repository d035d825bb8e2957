#include <gmock/gmock.h>

#include <set>

#include "tune/bench_fixture.h"
#include "tune/pipeline.h"
#include "tune/search_cost.h"
#include "tune/tuner_fixture.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr std::int64_t kQuick = 8, kSlow = 64;
constexpr double kHopelessNs = 4e9;

// Block sizes of which kSlow takes a million times as long as kQuick, which is measured first.
class GivingUp : public BenchFixture {
 protected:
  GivingUp() {
    experiment_.measure.give_up = 10;
    device_.kernels["twice"] = [this](const Launch& launch) {
      ++executions_[launch.block.x];
      twice(launch);
    };
    device_.time_of = [this](std::span<const Launch> launches) {
      return launches.front().block.x == kSlow ? slow_ns() : 4000.0;
    };
  }

  RunSummary run_one(std::int64_t block_size) {
    experiment_.cases.at(0).parameters.at(0).values = {block_size};
    return run();
  }
  RunSummary run() {
    ResultStore store(database_);
    progress_ = {};
    Measurer measurer(tools_);
    return run_experiment(experiment_, measurer, store, {}, {}, progress_);
  }
  RunSummary run_slow_beside_quick() {
    run_one(kQuick);
    experiment_.cases.at(0).parameters.at(0).values = {kQuick, kSlow};
    return run();
  }
  double slow_ns() { return executions_[kSlow] == 1 ? first_ns_ : later_ns_; }

  std::map<std::int64_t, int> executions_;  // by block size
  double first_ns_ = kHopelessNs, later_ns_ = kHopelessNs;
};

TEST_F(GivingUp, ExecutesOnceWhatIsHopelessAndKeepsItsLeastTime) {
  const RunSummary summary = run_slow_beside_quick();
  EXPECT_THAT(summary.outcomes, ElementsAre(Pair(Outcome::given_up, 1U)));
  EXPECT_EQ(executions_.at(kSlow), 1);
  EXPECT_EQ(text("SELECT at_least_ns || ' ' || detail FROM trial WHERE outcome = 'given_up'"),
            "4000000000.0 an execution takes at least 4 s, which beside the best is hopeless: beyond 0.001 s "
            "nothing more is measured");
  EXPECT_EQ(count("SELECT count(*) FROM verification JOIN trial ON trial.id = trial_id WHERE outcome = "
                  "'given_up' AND passed"),
            1);
  EXPECT_EQ(count("SELECT count(*) FROM sample JOIN trial ON trial.id = trial_id WHERE outcome = 'given_up'"),
            0);
}

TEST_F(GivingUp, HasNoTimeThatCounts) {
  run_slow_beside_quick();
  EXPECT_EQ(count("SELECT count(*) FROM space_cost"), 2);
  EXPECT_EQ(count("SELECT count(*) FROM space_cost WHERE outcome = 'given_up' AND cost IS NULL"), 1);
  EXPECT_FALSE(is_failure(Outcome::given_up));
}

TEST_F(GivingUp, IsNotMeasuredAgain) {
  run_slow_beside_quick();
  EXPECT_EQ(run().reused, 2U);
  EXPECT_EQ(executions_.at(kSlow), 1);
}

TEST_F(GivingUp, IsTakenBackWhereWhatItWasBesideIsGone) {
  run_slow_beside_quick();
  first_ns_ = later_ns_;
  const RunSummary alone = run_one(kSlow);  // the spec has lost its quick value
  EXPECT_EQ(alone.reused, 0U);
  EXPECT_THAT(alone.outcomes, ElementsAre(Pair(Outcome::correct, 1U)));
}

TEST_F(GivingUp, NeverHappensWithSeveralObjectives) {
  experiment_.objectives = {"time", "other"};
  EXPECT_THAT(run_slow_beside_quick().outcomes, ElementsAre(Pair(Outcome::correct, 1U)));
}

TEST_F(GivingUp, NeverHappensWhereItIsSwitchedOffOrNothingIsKnown) {
  EXPECT_THAT(run_one(kSlow).outcomes, ElementsAre(Pair(Outcome::correct, 1U)));
  for (const std::optional<double>& give_up : {std::optional(0.0), std::optional<double>()}) {
    experiment_.measure.give_up = give_up;
    experiment_.name += give_up ? "_0" : "_unsaid";
    EXPECT_THAT(run_slow_beside_quick().outcomes, ElementsAre(Pair(Outcome::correct, 1U)));
  }
}

TEST_F(GivingUp, LeavesToASecondExecutionWhatAShortFirstOneSays) {
  first_ns_ = 100e6;
  later_ns_ = 5000;
  EXPECT_THAT(run_slow_beside_quick().outcomes, ElementsAre(Pair(Outcome::correct, 1U)));
  experiment_.name = "another";
  executions_.clear();
  later_ns_ = 90e6;
  EXPECT_THAT(run_slow_beside_quick().outcomes, ElementsAre(Pair(Outcome::given_up, 1U)));
  EXPECT_EQ(executions_.at(kSlow), 2);
  EXPECT_EQ(count("SELECT CAST(at_least_ns AS INTEGER) FROM trial WHERE outcome = 'given_up'"), 90'000'000);
}

TEST_F(GivingUp, IsNoWayRoundVerification) {
  device_.kernels["twice"] = [](const Launch& launch) {
    twice(launch);
    if (launch.block.x == kSlow) fakes::FakeExecutor::buffer_argument(launch, 0).floats()[0] += 1;
  };
  later_ns_ = kHopelessNs;
  EXPECT_THAT(run_slow_beside_quick().outcomes, ElementsAre(Pair(Outcome::wrong_result, 1U)));
}

TEST_F(GivingUp, ComparesCostsWhereTheWorkDiffers) {
  experiment_.system.work["items"] =
      Expression::parse("N * BLOCK_SIZE * BLOCK_SIZE * BLOCK_SIZE * BLOCK_SIZE");
  first_ns_ = later_ns_ = 4000 * 4096.0 * 9;  // 4096 times the work of the other
  EXPECT_THAT(run_slow_beside_quick().outcomes, ElementsAre(Pair(Outcome::correct, 1U)));
  experiment_.name = "another";
  executions_.clear();
  first_ns_ = later_ns_ = 4000 * 4096.0 * 11;
  EXPECT_THAT(run_slow_beside_quick().outcomes, ElementsAre(Pair(Outcome::given_up, 1U)));
}

TEST(CostOfANanosecond, IsNoneWhereATimeDoesNotTellWhatIsBetter) {
  EXPECT_EQ(cost_of_a_ns({.name = "time"}, {}), 1);
  EXPECT_EQ(cost_of_a_ns({.name = "items_per_second", .maximise = true}, {{"items", std::int64_t{4}}}), 0.25);
  EXPECT_EQ(cost_of_a_ns({.name = "time", .maximise = true}, {}), std::nullopt);
  Metric own{.name = "own"};
  own.value = Expression::parse("1");
  EXPECT_EQ(cost_of_a_ns(own, {}), std::nullopt);
}

class GivingUpInASearch : public fakes::TunerFixture {
 protected:
  GivingUpInASearch() {
    device_.time_of = [](std::span<const Launch> launches) {
      return launches.front().block.x < 32 ? kHopelessNs
                                           : 1000 * static_cast<double>(launches.front().block.x);
    };
    options_.final_count = 0;
  }
};

TEST_F(GivingUpInASearch, LeavesTheRunAfterItToMeasureWhatItGaveUp) {
  ASSERT_TRUE(tune().outcomes.contains(Outcome::given_up));
  ResultStore store(database_);
  SilentProgress progress;
  Measurer measurer(tools_);
  const RunSummary run = run_experiment(experiment_, measurer, store, {}, {}, progress);
  EXPECT_FALSE(run.outcomes.contains(Outcome::given_up));
  EXPECT_FALSE(run.reused_outcomes.contains(Outcome::given_up));
}

TEST_F(GivingUpInASearch, IsTakenBackWhereWhatItWasBesideIsGone) {
  ASSERT_TRUE(tune().outcomes.contains(Outcome::given_up));
  auto& values = experiment_.cases.at(0).parameters.at(0).values;
  std::erase_if(values, [](const Value& value) { return to_double(value) >= 32; });
  const SearchSummary found = tune();
  ASSERT_TRUE(found.best);
  EXPECT_FALSE(found.outcomes.contains(Outcome::given_up));
  EXPECT_EQ(found.outcomes.at(Outcome::correct) + found.reused, values.size());
}

TEST_F(GivingUpInASearch, TellsTheLeastCostAndRanksNothingThatWasGivenUp) {
  const SearchSummary found = tune();
  EXPECT_EQ(found.best->name(), "twice/twice/BLOCK_SIZE:32/N:64");
  ASSERT_TRUE(found.outcomes.contains(Outcome::given_up));
  EXPECT_EQ(count("SELECT count(*) FROM search_step WHERE cost IS NULL"),
            static_cast<std::int64_t>(found.outcomes.at(Outcome::given_up)));
  ResultStore store(database_);
  const StoredResult given_up =
      store.result_of(count("SELECT min(id) FROM trial WHERE outcome = 'given_up'"));
  EXPECT_EQ(stored_cost(experiment_.metric, given_up), kFailed);
  EXPECT_DOUBLE_EQ(stored_least_cost(experiment_.metric, given_up), kHopelessNs / 64);
  const SearchSummary again = tune();
  EXPECT_EQ(again.best, found.best);
  EXPECT_TRUE(again.outcomes.empty());
}

}  // namespace
}  // namespace tailwave
