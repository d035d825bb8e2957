#include "interchange/wave_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/statistics.h"

namespace tailwave {
namespace {

constexpr WaveSlots kH100{528, 132};  // 4 blocks on each SM

TEST(WaveTime, IsAStaircaseOfWavesWhereAllBlocksOfAnSmTakeAsLongAsOne) {
  EXPECT_EQ(wave_time(1, kH100, 4), 1);
  EXPECT_EQ(wave_time(528, kH100, 4), 1);
  EXPECT_EQ(wave_time(529, kH100, 4), 2);
}

TEST(WaveTime, CountsTheBlocksOfTheBusiestSmWhereOneFillsIt) {
  EXPECT_EQ(wave_time(132, kH100, 1), 1);
  EXPECT_EQ(wave_time(133, kH100, 1), 2);
  EXPECT_EQ(wave_time(529, kH100, 1), 5);
}

TEST(WaveTime, IsBetweenTheseWhereTwoBlocksFillAnSm) {
  EXPECT_EQ(wave_time(264, kH100, 2), 1);
  EXPECT_EQ(wave_time(265, kH100, 2), 1.5);
  EXPECT_EQ(wave_time(528, kH100, 2), 2);
  EXPECT_EQ(wave_time(529, kH100, 2), 3);
}

class WaveFitTest : public ::testing::Test {
 protected:
  // Times of sizes that a power of the size and waves make.
  void measure(double filling) {
    std::vector<Values> problems;
    for (int n = 4096; n < 300'000; n = n * 5 / 4) problems.push_back({{"N", n}});
    axes_ = size_axes(problems);
    for (const Values& problem : problems) {
      const double n = to_double(problem.at("N"));
      blocks_.emplace_back(std::ceil(n / 128));
      overhangs_.push_back(n / 128 / std::floor(n / 128));
      costs_.emplace_back(n * wave_time(*blocks_.back(), kH100, filling));
    }
  }
  WaveFit fit() const { return fit_waves(axes_, costs_, blocks_, overhangs_, kH100); }
  // Times with what hangs over to a power.
  void add_overhang(double power) {
    for (std::size_t i = 0; i < costs_.size(); ++i) *costs_[i] *= std::pow(overhangs_[i], power);
  }

  SizeAxes axes_;
  std::vector<std::optional<double>> costs_, blocks_;
  std::vector<double> overhangs_;
};

TEST_F(WaveFitTest, FindsHowManyBlocksFillAnSm) {
  for (const double filling : {1, 2, 3, 4}) {
    costs_.clear();
    blocks_.clear();
    overhangs_.clear();
    measure(filling);
    EXPECT_EQ(fit().filling, filling);
    EXPECT_NEAR(fit().error, 0, 1e-9);
  }
}

TEST_F(WaveFitTest, SaysHowFarProblemsAreOffThatHaveNeighbours) {
  measure(4);
  *costs_[5] *= 1.1;
  double squares = 0;
  std::size_t count = 0;
  for (const Between& one : all_between(axes_)) {
    const double off = one.middle == 5 ? -1 : one.low == 5 ? 1 - one.above : one.high == 5 ? one.above : 0;
    squares += off * off;
    ++count;
  }
  EXPECT_EQ(count, costs_.size() - 2);
  EXPECT_NEAR(fit().error, std::log(1.1) * std::sqrt(squares / static_cast<double>(count)), 1e-9);
}

TEST_F(WaveFitTest, HasNoWavesWhereTimesHaveNone) {
  measure(4);
  for (std::size_t i = 0; i < costs_.size(); ++i)
    costs_[i] = 1e4 * to_double(axes_.axes[0].places[axes_.points[i][0]][0]);
  EXPECT_EQ(fit().filling, 0);
}

TEST_F(WaveFitTest, HasNoWavesWhereAGridOrTheSlotsAreNotKnown) {
  measure(4);
  EXPECT_EQ(fit_waves(axes_, costs_, blocks_, overhangs_, std::nullopt).filling, 0);
  blocks_[3].reset();
  EXPECT_EQ(fit().filling, 0);
  costs_[3].reset();
  EXPECT_EQ(fit().filling, 4);
}

TEST_F(WaveFitTest, HasNoWavesWhereFewProblemsHaveNeighbours) {
  measure(4);
  costs_.resize(4);
  blocks_.resize(4);
  overhangs_.resize(4);
  axes_.points.resize(4);
  add_overhang(4);
  EXPECT_EQ(fit().filling, 0);
  EXPECT_EQ(fit().overhang_power, 0);
}

TEST_F(WaveFitTest, FindsHowTimesGrowWithWhatHangsOver) {
  for (const double filling : {1, 4}) {
    costs_.clear();
    blocks_.clear();
    overhangs_.clear();
    measure(filling);
    add_overhang(5);
    EXPECT_EQ(fit().filling, filling);
    EXPECT_NEAR(fit().overhang_power, 5, 1e-6);
    EXPECT_NEAR(fit().error, 0, 1e-9);
  }
}

TEST_F(WaveFitTest, FindsItWithoutSlots) {
  measure(4);
  for (std::size_t i = 0; i < costs_.size(); ++i)
    costs_[i] = 1e4 * to_double(axes_.axes[0].places[axes_.points[i][0]][0]);
  add_overhang(5);
  EXPECT_NEAR(fit_waves(axes_, costs_, blocks_, overhangs_, std::nullopt).overhang_power, 5, 1e-6);
}

TEST_F(WaveFitTest, HasNoOverhangWhereMoreOfItTakesLessTime) {
  measure(4);
  add_overhang(-5);
  EXPECT_EQ(fit().overhang_power, 0);
}

TEST_F(WaveFitTest, HasNoOverhangThatASingleProblemDecides) {
  measure(4);
  for (double& one : overhangs_) one = 1;
  overhangs_[5] = 1.05;
  add_overhang(5);
  EXPECT_EQ(fit().overhang_power, 0);
}

TEST_F(WaveFitTest, IsOffAtEachProblemAsFittedWithoutIt) {
  measure(4);
  add_overhang(5);
  *costs_[5] *= 1.05;
  const WaveFit found = fit();
  ASSERT_EQ(found.filling, 4);
  EXPECT_GT(std::fabs(found.overhang_power - 5), 1e-3);
  // By how much the neighbours of a problem are off at it.
  const auto off = [](const Between& one, const auto& value) {
    return (1 - one.above) * value(one.low) + one.above * value(one.high) - value(one.middle);
  };
  const auto cost = [this](std::size_t i) { return std::log(*costs_[i] / wave_time(*blocks_[i], kH100, 4)); };
  const auto overhang = [this](std::size_t i) { return std::log(overhangs_[i]); };
  std::vector<double> offs;
  for (const Between& one : all_between(axes_)) {
    double square = 0, product = 0;
    for (const Between& other : all_between(axes_)) {
      if (other.low == one.middle || other.middle == one.middle || other.high == one.middle) continue;
      square += off(other, overhang) * off(other, overhang);
      product += off(other, overhang) * off(other, cost);
    }
    offs.push_back(off(one, cost) - product / square * off(one, overhang));
  }
  EXPECT_NEAR(found.error, root_mean_square(offs), 1e-9);
}

}  // namespace
}  // namespace tailwave
