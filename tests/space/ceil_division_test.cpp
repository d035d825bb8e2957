#include "space/ceil_division.h"

#include <gtest/gtest.h>

#include <string>

namespace tailwave {
namespace {

std::string with(std::string_view operation, const char* text) {
  return with_ceil_div_as(operation, Expression::parse(text)).text();
}

TEST(CeilDivision, IsWrittenAsAnotherOperation) {
  EXPECT_EQ(with("/", "ceil_div(N, BLOCK_SIZE) * BLOCK_STRIDE"), "((N) / ( BLOCK_SIZE)) * BLOCK_STRIDE");
  EXPECT_EQ(with("//", "ceil_div(N, 128)"), "((N) // ( 128))");
}

TEST(CeilDivision, KeepsTheOrderOfWhatItDivides) {
  const Values scope{{"N", 1000}, {"B", 96}};
  const Expression grid = Expression::parse("max(1, ceil_div(min(N, 900) + 2, 2 * B)) * ceil_div(N - 1, B)");
  EXPECT_DOUBLE_EQ(with_ceil_div_as("/", grid).evaluate_double(scope), 902.0 / 192 * (999.0 / 96));
  EXPECT_EQ(with_ceil_div_as("//", grid).evaluate_int(scope), 4 * 10);
}

TEST(CeilDivision, IsFoundInItself) {
  const Expression grid = Expression::parse("ceil_div(ceil_div(N, 32) * 32, 128)");
  EXPECT_EQ(with_ceil_div_as("//", grid).evaluate_int({{"N", 1000}}), 7);
  EXPECT_DOUBLE_EQ(with_ceil_div_as("/", grid).evaluate_double({{"N", 1000}}), 1000.0 / 128);
}

TEST(CeilDivision, StaysInDivisorsAndInWhatNeedsWholeNumbers) {
  const Expression nested = Expression::parse("ceil_div(ROWS, ceil_div(ROWS, BLOCKS))");
  EXPECT_EQ(with_ceil_div_as("//", nested).evaluate_int({{"ROWS", 5}, {"BLOCKS", 8}}), 5);
  EXPECT_EQ(with("/", "pow2(ceil_div(N, 2))"), "pow2(ceil_div(N, 2))");
  EXPECT_EQ(with("/", "[ceil_div(N, 2)][0]"), "[ceil_div(N, 2)][0]");
}

TEST(CeilDivision, LeavesOtherCallsListsAndTextAsTheyAre) {
  for (const char* text : {"min(N, 4)", "[1, 2, 3][0] + N", "'ceil_div(a, b)' == MODE", "128", "(N, 2)[0]"})
    EXPECT_EQ(with("/", text), text);
  EXPECT_EQ(with("//", "ceil_div([N, 2][0], 3)"), "(([N, 2][0]) // ( 3))");
}

TEST(CeilDivision, NeverMakesAnExpressionLonger) {
  const std::string grid = "ceil_div(N,2)";
  for (const char* operation : {"/", "//"}) EXPECT_LE(with(operation, grid.c_str()).size(), grid.size());
}

}  // namespace
}  // namespace tailwave
