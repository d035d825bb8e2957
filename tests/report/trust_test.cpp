#include "report/trust.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tailwave {
namespace {

constexpr double kGain = 0.1;

// As many right ones of margins from 2 on as `right`, and wrong ones of margins below 1.
std::vector<JudgedChange> judged(std::size_t right, std::size_t wrong) {
  std::vector<JudgedChange> all;
  for (std::size_t i = 0; i < right; ++i) all.push_back({i, kGain, 2 + 0.01 * static_cast<double>(i), 0.05});
  for (std::size_t i = 0; i < wrong; ++i)
    all.push_back({right + i, kGain, 0.01 * static_cast<double>(i), -0.05});
  return all;
}

TEST(Trust, IsInMarginsFromWhichOnEnoughWasRight) {
  const Trust trust(judged(20, 20));
  EXPECT_TRUE(trust.in(kGain, 2));
  EXPECT_FALSE(trust.in(kGain, 0.5));
  EXPECT_FALSE(trust.in(0.01, 5));  // no gain to speak of
}

TEST(Trust, IsInNothingWhereTooFewWereRight) {
  EXPECT_TRUE(Trust(judged(15, 0)).in(kGain, 2));
  EXPECT_FALSE(Trust(judged(14, 0)).in(kGain, 2));  // 15 of 16 is less than 94 %
  EXPECT_FALSE(Trust(std::vector<JudgedChange>(50, {0, kGain, 2, -0.01})).in(kGain, 9));
  EXPECT_FALSE(Trust().in(kGain, 9));
}

TEST(Trust, HasAFloorThatNoRecordCanLower) {
  const Trust trust(judged(20, 0), 2.1);
  EXPECT_FALSE(trust.in(kGain, 2.05));
  EXPECT_TRUE(trust.in(kGain, 2.1));
}

// Of 20 right ones each half has 10: neither is enough for the other. Of 40 they are.
TEST(Trust, JudgesEachHalfByTheOther) {
  const auto believed = [](std::size_t right) {
    const std::vector<bool> all = Trust(judged(right, 10)).believed();
    return std::count(all.begin(), all.end(), true);
  };
  EXPECT_EQ(believed(20), 0);
  EXPECT_EQ(believed(40), 39);  // the least margin of one half is above the other's
}

TEST(Trust, KeepsChangesOfAPointInOneHalf) {
  std::vector<JudgedChange> all = judged(40, 0);
  for (JudgedChange& one : all) one.point = 7;
  const std::vector<bool> believed = Trust(all).believed();
  EXPECT_EQ(std::count(believed.begin(), believed.end(), true), 0);
}

}  // namespace
}  // namespace tailwave
