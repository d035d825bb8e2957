// What a search takes from the database instead of measuring it.
#include <gmock/gmock.h>

#include "tune/tuner_fixture.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::Pair;

using KnownResults = fakes::TunerFixture;

TEST_F(KnownResults, ToldAgainIsWhatWasToldBefore) {
  double time_ns = 10000;
  device_.time_of = [&](std::span<const Launch> launches) {
    return time_ns + 200 * std::abs(static_cast<double>(launches.front().block.x) - 40);
  };
  const SearchSummary first = tune();
  time_ns = 5000;
  const SearchSummary again = tune();
  EXPECT_EQ(again.reused, 64U);
  const auto costs = [&](std::int64_t run) {
    return text("SELECT group_concat(cost) FROM (SELECT cost FROM search_step WHERE run_id = " +
                std::to_string(run) + " ORDER BY step)");
  };
  EXPECT_EQ(costs(again.run), costs(first.run));
  EXPECT_EQ(sequence(again.run), sequence(first.run));
}

TEST_F(KnownResults, SpendsNoDeviceTimeOnWhatTheDatabaseHas) {
  options_.final_count = 0;
  const SearchSummary first = tune();
  EXPECT_EQ(first.reused, 0U);
  device_.runs = 0;
  options_.seed = 2;
  const SearchSummary again = tune();
  EXPECT_EQ(again.reused, 64U);
  EXPECT_EQ(again.evaluations, 64U);
  EXPECT_EQ(device_.runs, 0);
  EXPECT_EQ(count("SELECT count(*) FROM trial"), 64);
  EXPECT_EQ(again.best, first.best);
  options_.fresh = true;
  EXPECT_EQ(tune().reused, 0U);
}

TEST_F(KnownResults, TakesWhatARunMeasured) {
  ResultStore store(database_);
  Measurer measurer(tools_);
  run_experiment(experiment_, measurer, store, {}, {}, progress_);
  EXPECT_EQ(tune().reused, 64U);
}

TEST_F(KnownResults, GivesARunNoneOfASearchsFewSamples) {
  experiment_.measure.repetitions = 3;  // those of final measurements, too
  options_.final_count = 0;
  tune();
  ResultStore store(database_);
  Measurer measurer(tools_);
  EXPECT_EQ(run_experiment(experiment_, measurer, store, {}, {}, progress_).reused, 0U);
}

TEST_F(KnownResults, TellsTheCostOfIdenticalCodeWithoutMeasuring) {
  kernels_.code_hash = "same";
  LaunchSpec& launch = experiment_.system.variants.at(0).launches.at(0);
  launch.grid[0] = Expression::parse("2");
  launch.block[0] = Expression::parse("32");
  const SearchSummary found = tune();
  EXPECT_THAT(found.outcomes, ElementsAre(Pair(Outcome::correct, 1U), Pair(Outcome::skipped_identical, 63U)));
  EXPECT_EQ(count("SELECT count(DISTINCT cost) FROM search_step"), 1);
  EXPECT_EQ(count("SELECT count(cost) FROM search_step"), 64);
  EXPECT_EQ(found.measured_again, 1U);
}

TEST_F(KnownResults, KnowsTheCodeOfWhatTheDatabaseHas) {
  kernels_.code_hash = "same";
  LaunchSpec& launch = experiment_.system.variants.at(0).launches.at(0);
  launch.grid[0] = Expression::parse("2");
  launch.block[0] = Expression::parse("32");
  options_.budget = {.evaluations = 1};
  options_.final_count = 0;
  tune();
  options_.budget = {.evaluations = 64};
  device_.runs = 0;
  const SearchSummary found = tune();
  EXPECT_EQ(found.reused, 1U);
  EXPECT_THAT(found.outcomes, ElementsAre(Pair(Outcome::skipped_identical, 63U)));
  EXPECT_EQ(device_.runs, 0);
  EXPECT_EQ(count("SELECT count(DISTINCT cost) FROM search_step"), 1);
  EXPECT_EQ(count("SELECT count(cost) FROM space_cost"), 64);
  EXPECT_EQ(tune().reused, 64U);
  EXPECT_EQ(count("SELECT count(cost) FROM search_step WHERE run_id = (SELECT max(run_id) FROM search)"), 64);
}

}  // namespace
}  // namespace tailwave
