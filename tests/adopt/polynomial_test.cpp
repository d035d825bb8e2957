#include "adopt/polynomial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tailwave {
namespace {

TEST(Polynomial, TellsWhatMultipliesAFactor) {
  const Polynomial n = Polynomial::factor("n"), x = Polynomial::factor("x");
  const Polynomial index = n * x + n * 3 + 2;
  EXPECT_EQ(index.coefficient_of("x"), n);
  EXPECT_EQ(index.number(), 2);
  EXPECT_EQ(index.leading(), n * x);
  EXPECT_EQ((n - 1).without_slack(), n);
  EXPECT_EQ(Polynomial(-1).without_slack(), Polynomial(-1));
}

TEST(Polynomial, PutsANumberWhereverANameStands) {
  const Polynomial blocks = ceil_div(Polynomial::factor("n"), Polynomial(2) * Polynomial::factor("B"));
  EXPECT_EQ((blocks * Polynomial::factor("B")).with_number("B", 32).text(), "32 * ceil_div(n, 2 * 32)");
  EXPECT_EQ(Polynomial::factor("(n // B)").with_number("B", 2).text(), "(n // 2)");
  EXPECT_EQ(blocks.value({{"n", std::int64_t{100}}, {"B", std::int64_t{8}}}), 7);
  EXPECT_EQ(blocks.value({{"n", std::int64_t{100}}}), std::nullopt);
}

}  // namespace
}  // namespace tailwave
