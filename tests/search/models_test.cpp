// The models that strategies learn with.
#include <gmock/gmock.h>

#include <cmath>

#include "search/candidates.h"
#include "search/features.h"
#include "search/gaussian_process.h"
#include "search/remaining.h"
#include "search/trees.h"

namespace tailwave::search {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::SizeIs;

SearchSpace blocks_and_tiles() {
  const Parameter x{"block_size_x", {std::int64_t{16}, std::int64_t{32}, std::int64_t{64}}};
  const Parameter y{"block_size_y", {std::int64_t{1}, std::int64_t{3}}};
  const Parameter fixed{"filter", {std::int64_t{15}}};
  const Parameter padding{"padding", {std::int64_t{0}, std::int64_t{1}}};
  const Parameter layout{"layout", {std::string("rows"), std::string("columns")}};
  return SearchSpace::of(ParameterSpace({x, y, fixed, padding, layout}, {}));
}

// 64 rows of two columns 0..7; the target is 1 where the columns' sum is at least 7, else 0.
struct Staircase {
  std::vector<float> rows, targets;
  Staircase() {
    for (int a = 0; a < 8; ++a) {
      for (int b = 0; b < 8; ++b) {
        rows.insert(rows.end(), {static_cast<float>(a), static_cast<float>(b)});
        targets.push_back(a + b >= 7 ? 1.0F : 0.0F);
      }
    }
  }
};

TEST(Trees, FitEveryTargetThatTheyWereGiven) {
  const Staircase data;
  Trees trees({Column::ordered, Column::unordered}, 8);
  Generator random(1);
  trees.fit(data.rows, data.targets, random);
  for (std::size_t i = 0; i < data.targets.size(); ++i)
    EXPECT_FLOAT_EQ(trees.forecast(&data.rows[2 * i]), data.targets[i]) << i;
}

TEST(Trees, ForecastAStepBetweenRowsThatTheyNeverSaw) {
  std::vector<float> rows, targets;
  for (int i = 0; i < 20; ++i) {
    rows.push_back(static_cast<float>(i));
    targets.push_back(i < 10 ? 1.0F : 5.0F);
  }
  Trees trees({Column::ordered}, 200);
  Generator random(1);
  trees.fit(rows, targets, random);
  const float left = 4.5F, right = 15.5F, on_the_step = 9.5F;
  EXPECT_FLOAT_EQ(trees.forecast(&left), 1);
  EXPECT_FLOAT_EQ(trees.forecast(&right), 5);
  EXPECT_NEAR(trees.forecast(&on_the_step), 3, 0.6);
}

TEST(Trees, ForecastAProductBetterWhereColumnsAreLogarithms) {
  const auto error = [](Column column) {
    Generator random(1);
    const auto draw = [&] { return static_cast<float>(8 * random.uniform()); };
    std::vector<float> rows, targets;
    const auto add = [&] {
      const float a = draw(), b = draw();
      rows.insert(rows.end(), {a, b});
      targets.push_back(a + b >= 8 ? 1.0F : 0.0F);
    };
    for (int i = 0; i < 60; ++i) add();
    Trees trees({column, column}, 50);
    trees.fit(rows, targets, random);
    for (int i = 0; i < 300; ++i) add();
    float sum = 0;
    for (std::size_t i = 60; i < targets.size(); ++i)
      sum += std::abs(trees.forecast(&rows[2 * i]) - targets[i]) / 300;
    return sum;
  };
  EXPECT_LT(error(Column::logarithmic), 0.8F * error(Column::ordered));
}

TEST(Trees, TakeUpARowMoreAndReplaceTheTargetOfOneThatIsThere) {
  Trees trees({Column::ordered, Column::unordered}, 8);
  Generator random(1);
  const std::vector<float> rows{0, 1, 4, 2}, targets{1, 2};
  trees.fit(rows, targets, random);
  std::vector<Trees::Leaf> touched;
  const std::vector<float> row{4, 3};
  trees.insert(row, 7, random, touched);
  EXPECT_THAT(touched, SizeIs(8));
  EXPECT_FLOAT_EQ(trees.forecast(row.data()), 7);
  EXPECT_FLOAT_EQ(trees.forecast(rows.data()), 1);
  EXPECT_FLOAT_EQ(trees.forecast(&rows[2]), 2);
  trees.insert(row, 3, random, touched);
  EXPECT_FLOAT_EQ(trees.forecast(row.data()), 3);
}

TEST(GaussianProcess, InterpolatesWhatItWasTold) {
  GaussianProcess process({1.0F}, 1e-6);
  for (int i = 0; i < 8; ++i) process.add(std::vector{static_cast<float>(i)}, std::sin(i));
  GaussianProcess::Forecast at_one, between, far;
  process.update(std::vector{1.0F}, at_one);
  process.update(std::vector{1.5F}, between);
  process.update(std::vector{100.0F}, far);
  EXPECT_NEAR(at_one.mean, std::sin(1), 1e-3);
  EXPECT_NEAR(at_one.variance, 0, 1e-3);
  EXPECT_NEAR(between.mean, std::sin(1.5), 0.05);
  EXPECT_NEAR(far.mean, 0, 1e-6);
  EXPECT_NEAR(far.variance, 1, 1e-6);
}

TEST(GaussianProcess, ForecastsTheSameWhetherItIsAskedEarlyOrLate) {
  GaussianProcess process({0.5F, 2.0F}, 1e-3);
  GaussianProcess::Forecast early, late;
  const std::vector<float> row{0.4F, 0.6F};
  std::vector<double> targets;
  for (int i = 0; i < 11; ++i) {
    targets.push_back(std::cos(i));
    process.add(std::vector{static_cast<float>(i % 4) / 3, static_cast<float>(i) / 10}, 0);
    process.update(row, early);
  }
  process.set_targets(targets);
  process.update_mean(early);
  process.update(row, late);
  EXPECT_NEAR(early.mean, late.mean, 1e-6);
  EXPECT_NEAR(early.variance, late.variance, 1e-6);
  EXPECT_GT(std::abs(late.mean), 0.01);
}

TEST(GaussianProcess, FindsThatAColumnWithoutInfluenceNeedsALongLength) {
  std::vector<float> rows;
  std::vector<double> targets;
  Generator random(3);
  for (int i = 0; i < 40; ++i) {
    rows.push_back(static_cast<float>(random.uniform()));
    rows.push_back(static_cast<float>(random.uniform()));
    targets.push_back(std::sin(8 * static_cast<double>(rows[2 * static_cast<std::size_t>(i)])));
  }
  const std::vector<float> lengths = likelier_lengths(rows, targets, {0.5F, 0.5F}, 1e-3);
  EXPECT_GE(lengths[1], 1);
  EXPECT_LE(lengths[0], 0.5F);
}

TEST(ExpectedImprovement, IsTheMeanOfWhatFallsBelowTheBest) {
  EXPECT_DOUBLE_EQ(expected_improvement(3, 1, 0), 2);
  EXPECT_DOUBLE_EQ(expected_improvement(1, 3, 0), 0);
  EXPECT_NEAR(expected_improvement(0, 0, 1), 0.3989423, 1e-7);
  EXPECT_NEAR(expected_improvement(1, 0, 1), 1.0833155, 1e-7);
}

TEST(Features, AreLogarithmsAndThreadsAndHowFullTheLastWarpIs) {
  const SearchSpace space = blocks_and_tiles();
  const Features features({&space, 10, 1, nullptr});
  EXPECT_THAT(features.columns(), ElementsAre(Column::logarithmic, Column::logarithmic, Column::ordered,
                                              Column::unordered, Column::logarithmic, Column::ordered));
  std::vector<float> row(features.columns().size());
  features.fill(*space.find(std::vector<std::uint16_t>{0, 1, 0, 1, 0}), row.data());
  EXPECT_THAT(row, ElementsAre(FloatEq(4), FloatEq(std::log2(3.0F)), 1, 0, FloatEq(std::log2(48.0F)),
                               FloatEq(0.75F)));
}

TEST(Features, EndWithWhatIsKnownAndSayWhereItIsNot) {
  const SearchSpace space = blocks_and_tiles();
  std::vector<PointFacts> facts(space.size(), {.features = {2.5F}, .predicted_cost = 8});
  facts[1].predicted_cost = std::nanf("");
  const Knowledge knowledge = Knowledge::of({"waves"}, facts);
  const Features features({&space, 10, 1, &knowledge});
  ASSERT_THAT(features.columns(), SizeIs(8));
  std::vector<float> row(8);
  features.fill(0, row.data());
  EXPECT_FLOAT_EQ(row[6], 2.5F);
  EXPECT_FLOAT_EQ(row[7], 3);
  features.fill(1, row.data());
  EXPECT_FLOAT_EQ(row[7], -1);
}

TEST(Candidates, PreferTheLowestForecastWhereTheTreesAgree) {
  const SearchSpace space = blocks_and_tiles();
  const SearchProblem problem{&space, 10, 1, nullptr};
  const Features features(problem);
  const std::size_t width = features.columns().size();
  std::vector<float> rows(space.size() * width), targets;
  for (Point point = 0; point < space.size(); ++point) {
    features.fill(point, &rows[point * width]);
    targets.push_back(point == 5 ? 1.0F : point == 9 ? 2.0F : 3.0F);
  }
  Trees trees(features.columns(), 4);
  Generator random(1);
  trees.fit(rows, targets, random);
  Candidates candidates(features, trees);
  Remaining remaining(problem);
  for (Point point = 0; point < space.size(); ++point) candidates.add(point);
  EXPECT_EQ(candidates.most_promising(0, remaining), 5U);
  remaining.take(5);
  EXPECT_EQ(candidates.most_promising(0, remaining), 9U);
  candidates.clear();
  EXPECT_EQ(candidates.most_promising(0, remaining), std::nullopt);
}

TEST(CostScale, IsTheSameForCostsInAnotherUnitAndBlindToHowBadTheBadAre) {
  CostScale scale, in_another_unit, far_worse;
  EXPECT_FALSE(scale.fit({kFailed, kFailed}, 0.5));
  EXPECT_TRUE(scale.fit({4, 1, kFailed, 2, 8}, 0.5));
  EXPECT_TRUE(in_another_unit.fit({4096, 1024, 2048, 8192}, 0.5));
  EXPECT_TRUE(far_worse.fit({4, 1, 2, 1e30}, 0.5));
  EXPECT_FLOAT_EQ(scale(2), std::log(2.0F));
  const std::vector<float> bad{scale(4), scale(8), scale(kFailed), in_another_unit(8192), far_worse(1e30)};
  EXPECT_THAT(bad, Each(FloatEq(std::log(4.0F))));
}

}  // namespace
}  // namespace tailwave::search
