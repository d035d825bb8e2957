#include "search/outlook.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

Outlook after(double gain, std::initializer_list<double> costs) {
  Outlook outlook(gain);
  for (const double cost : costs) outlook.tell(cost);
  return outlook;
}

void tell_again(Outlook& outlook, double cost, int times) {
  for (int i = 0; i < times; ++i) outlook.tell(cost);
}

TEST(Outlook, IsOpenAsLongAsNothingRan) {
  Outlook outlook(0.01);
  EXPECT_EQ(outlook.probability(), 1);
  tell_again(outlook, kFailed, 500);
  EXPECT_EQ(outlook.probability(), 1);
  outlook.tell(100);
  EXPECT_LT(outlook.probability(), 1);
}

// Worked out by hand from the formula in docs/searching.md.
TEST(Outlook, FollowsTheFormula) {
  Outlook outlook = after(0.01, {100, 90});
  tell_again(outlook, 95, 98);  // 100 evaluations, the last gain in the second
  EXPECT_NEAR(outlook.probability(), 0.0422, 0.0001);
  Outlook of_five_percent = after(0.05, {100, 90});
  tell_again(of_five_percent, 95, 98);
  EXPECT_NEAR(of_five_percent.probability(), 0.0240, 0.0001);
}

TEST(Outlook, BrightensWithEachGainAndOnlyThen) {
  Outlook outlook = after(0.01, {100});
  tell_again(outlook, 100, 120);
  const double before = outlook.probability();
  outlook.tell(99.5);  // less than 1 %
  EXPECT_LT(outlook.probability(), before);
  outlook.tell(98.9);  // small gains add up
  EXPECT_GT(outlook.probability(), 4 * before);
}

}  // namespace
}  // namespace tailwave
