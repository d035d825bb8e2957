#include "adopt/term_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adopt/lexemes.h"

namespace tailwave {
namespace {

// Every name in small letters means itself.
class Themselves : public NameMeanings {
 public:
  std::optional<Polynomial> meaning(const std::string& name) override {
    if (name == "sizeof Body") return Polynomial(24);
    return name == "UNKNOWN" ? std::nullopt : std::optional(Polynomial::factor(name));
  }
};

std::string text_of(const std::string& term) {
  Themselves names;
  const auto parsed = parse_term(lexemes_of(term));
  const auto value = parsed ? to_polynomial(*parsed, names) : std::nullopt;
  return value ? value->text() : "nothing";
}

TEST(TermValue, KnowsBlocksForARest) {
  EXPECT_EQ(text_of("n / 256 + (n % 256 != 0)"), "ceil_div(n, 256)");
  EXPECT_EQ(text_of("n / b + (n % b ? 1 : 0)"), "ceil_div(n, b)");
  EXPECT_EQ(text_of("n / b + (n % b == 0 ? 0 : 1)"), "ceil_div(n, b)");
  EXPECT_EQ(text_of("n / b + (m % b != 0 ? 1 : 0)"), "(1 if (m % b) != 0 else 0) + (n // b)");
  EXPECT_EQ(text_of("n / b + 1"), "(n // b) + 1");
  EXPECT_EQ(text_of("__mul24(n, m) + 1"), "m * n + 1");
}

TEST(TermValue, CollectsEqualProducts) {
  EXPECT_EQ(text_of("(n - 1) * m + m"), "m * n");
  EXPECT_EQ(text_of("2 * n + 3 * n - n"), "4 * n");
  EXPECT_EQ(text_of("(a + 1) * (a + 1)"), "a * a + 2 * a + 1");
  EXPECT_EQ(text_of("n - n"), "0");
  EXPECT_EQ(text_of("-n + m"), "m - n");
  EXPECT_EQ(text_of("1 << 20"), "1048576");
}

TEST(TermValue, DecidesConditionsOfNumbers) {
  EXPECT_EQ(text_of("3 > 2 && !(4 % 2) ? a : UNKNOWN"), "a");
  EXPECT_EQ(text_of("3 > 2 && false ? UNKNOWN : b"), "b");
  EXPECT_EQ(text_of("1 == 1 || n > 2 ? a : b"), "a") << "whatever n is";
  EXPECT_EQ(text_of("n > 2 ? a : b"), "(a if n > 2 else b)");
}

TEST(TermValue, KnowsQuotientsThatAreRoundedUp) {
  EXPECT_EQ(text_of("(n + 255) / 256"), "ceil_div(n, 256)");
  EXPECT_EQ(text_of("(n + b - 1) / b"), "ceil_div(n, b)");
  EXPECT_EQ(text_of("(n - 1 + b) / b"), "ceil_div(n, b)");
  EXPECT_EQ(text_of("(n - 2 + b - 1) / b"), "ceil_div(n - 2, b)") << "of a grid without a halo";
  EXPECT_EQ(text_of("(n - 2) / 256"), "((n - 2) // 256)");
  EXPECT_EQ(text_of("(n + 31) >> 5"), "ceil_div(n, 32)");
  EXPECT_EQ(text_of("(int)ceil((float)n / b)"), "ceil_div(n, b)");
  EXPECT_EQ(text_of("std::ceil(n / 256.0)"), "ceil_div(n, 256)");
  EXPECT_EQ(text_of("divUp(n, b)"), "ceil_div(n, b)");
  EXPECT_EQ(text_of("CEIL_DIV(n, 32)"), "ceil_div(n, 32)");
  EXPECT_EQ(text_of("(n - 1) / b + 1"), "ceil_div(n, b)");
}

TEST(TermValue, DividesWithoutARemainderWhereItCan) {
  EXPECT_EQ(text_of("n * 4 * b / b"), "4 * n");
  EXPECT_EQ(text_of("n / 2"), "(n // 2)");
  EXPECT_EQ(text_of("7 / 2"), "3");
  EXPECT_EQ(text_of("n / 0"), "nothing");
}

TEST(TermValue, TakesSizesCastsAndChoices) {
  EXPECT_EQ(text_of("n * sizeof(float)"), "4 * n");
  EXPECT_EQ(text_of("n * sizeof(Body)"), "24 * n");
  EXPECT_EQ(text_of("static_cast<size_t>(n) * sizeof(double)"), "8 * n");
  EXPECT_EQ(text_of("min(n, 1024)"), "min(n, 1024)");
  EXPECT_EQ(text_of("n > 3 ? n : 3"), "(n if n > 3 else 3)");
  EXPECT_EQ(text_of("n % 32"), "(n % 32)");
  EXPECT_EQ(text_of("3 << n"), "3 * pow2(n)");
}

TEST(TermValue, TakesMasksForMultiplesAndRemainders) {
  EXPECT_EQ(text_of("(n + 31) & ~31"), "32 * ceil_div(n, 32)");
  EXPECT_EQ(text_of("n & (8 - 1)"), "(n % 8)");
  EXPECT_EQ(text_of("n & 5"), "nothing");
}

TEST(TermValue, IsNothingWhereAPartHasNoMeaning) {
  EXPECT_EQ(text_of("n + UNKNOWN"), "nothing");
  EXPECT_EQ(text_of("n + f(m, 2, 3)"), "nothing");
  EXPECT_EQ(text_of("n * 0.5"), "nothing");
  EXPECT_EQ(text_of("a[n]"), "nothing");
}

}  // namespace
}  // namespace tailwave
