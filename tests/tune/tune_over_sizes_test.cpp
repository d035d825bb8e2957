#include "tune/tune_over_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tune/tuner_fixture.h"

namespace tailwave::fakes {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

Values problem(std::int64_t n) {
  return {{"N", n}};
}

// With N 64 a block of 16 is the best, with N 128 one of 48, and one of 32 is between them.
class TuneOverSizes : public TunerFixture {
 protected:
  TuneOverSizes() {
    experiment_.cases.at(0).parameters.at(0).values = {std::int64_t{16}, std::int64_t{32}, std::int64_t{48}};
    experiment_.sizes = {{problem(64)}, {problem(128)}};
    device_.time_of = [](std::span<const Launch> launches) {
      const std::int64_t block = launches.front().block.x;
      const bool large = block * launches.front().grid.x > 100;
      return 10000 + 100 * std::abs(static_cast<double>(block) - (large ? 48 : 16));
    };
    options_.final_count = 1;
  }

  OverSizesSummary tune_over(const OverSizesOptions& over) {
    ResultStore store(database_);
    Measurer measurer(tools_);
    TuneOptions search = options_;
    search.final_count = 0;
    searches_ = tune_experiment(experiment_, measurer, store, {}, search, progress_);
    return tune_over_sizes(experiment_, measurer, store, {}, options_, over, searches_, progress_);
  }

  static std::vector<std::string> blocks(const std::vector<Configuration>& configurations) {
    std::vector<std::string> blocks;
    for (const Configuration& one : configurations)
      blocks.push_back(to_string(one.parameters.at("BLOCK_SIZE")));
    return blocks;
  }

  std::vector<SearchSummary> searches_;
};

TEST_F(TuneOverSizes, MeasuresCandidatesOnAllSizesInOneRunAndKeepsTheBest) {
  const OverSizesSummary worst = tune_over({.goal = SizesGoal::worst_case});
  EXPECT_THAT(blocks(worst.answer.kept), ElementsAre("32"));
  EXPECT_NEAR(worst.answer.choice.worst_case, 1.16, 1e-9);
  EXPECT_EQ(count("SELECT count(*) FROM trial WHERE run_id = " + std::to_string(*worst.run)),
            static_cast<std::int64_t>(2 * worst.candidates));
  const OverSizesSummary two = tune_over({.keep = 2});
  EXPECT_THAT(blocks(two.answer.kept), UnorderedElementsAre("16", "48"));
  EXPECT_NEAR(two.answer.choice.geometric_mean, 1, 1e-9);
  EXPECT_TRUE(two.answer.choice.exact);
}

TEST_F(TuneOverSizes, WeighsSizesAsTheSpecDoes) {
  EXPECT_THAT(blocks(tune_over({}).answer.kept), ElementsAre("16"));
  experiment_.sizes.at(1).weight = 3;
  EXPECT_THAT(blocks(tune_over({}).answer.kept), ElementsAre("48"));
}

TEST_F(TuneOverSizes, LeavesOutWhatFailsAtASize) {
  device_.kernels["twice"] = [&](const Launch& launch) {
    if (launch.block.x != 16 || launch.grid.x < 5) twice(launch);
  };
  const OverSizesSummary one = tune_over({});
  EXPECT_THAT(blocks(one.answer.kept), ElementsAre("48"));
  EXPECT_EQ(one.answer.failed, 1U);
  EXPECT_NEAR(one.answer.sizes.at(0).ratio, 1.32, 1e-9);
}

TEST_F(TuneOverSizes, GuessesWhatASearchDidNotEvaluate) {
  const auto block = [](std::int64_t size) {
    return Configuration{"twice", "twice", {{"BLOCK_SIZE", size}, {"UNROLL", size / 2}}, {}};
  };
  const auto on = [](Configuration one, std::int64_t n) {
    one.problem = problem(n);
    return one;
  };
  std::vector<SearchSummary> searches(2);
  searches[0].start.problem = problem(64);
  searches[0].evaluated = {{on(block(16), 64), 10}, {on(block(64), 64), 20}};
  searches[1].start.problem = problem(128);
  searches[1].evaluated = {{on(block(32), 128), 5}, {on(block(48), 128), 15}, {on(block(64), 128), kFailed}};
  Configuration near = block(48);
  near.parameters["BLOCK_SIZE"] = std::int64_t{47};
  searches[0].evaluated.emplace_back(on(near, 64), 12);
  const GuessedSizes guessed =
      guess_over_sizes(searches, [&](const Configuration& one) { return one != on(block(16), 128); });
  // 64 fails with N 128.
  EXPECT_THAT(guessed.configurations, ElementsAre(block(16), near, block(32), block(48)));
  EXPECT_THAT(guessed.ratios[0], ElementsAre(1, kNotAtSize));
  EXPECT_THAT(guessed.ratios[1], ElementsAre(1.2, 3));  // as 48, which shares UNROLL
  EXPECT_THAT(guessed.ratios[3], ElementsAre(1.2, 3));
  const std::vector<double> weights{1, 1};
  EXPECT_THAT(candidates_over_sizes(searches, guessed, 1, weights, {}), ElementsAre(block(16), block(32)));
  EXPECT_THAT(candidates_over_sizes(searches, guessed, 2, weights, {}),
              UnorderedElementsAre(block(16), block(32), near));
}

TEST_F(TuneOverSizes, SaysWhatNothingServes) {
  device_.kernels["twice"] = [&](const Launch& launch) {
    if (launch.block.x * launch.grid.x < 100) twice(launch);
  };
  EXPECT_EQ(tune_over({.keep = 2}).answer.why_none, "nothing ran correctly with N = 128");
}

}  // namespace
}  // namespace tailwave::fakes
