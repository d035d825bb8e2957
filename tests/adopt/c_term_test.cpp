#include "adopt/c_term.h"

#include <gtest/gtest.h>

#include "adopt/lexemes.h"

namespace tailwave {
namespace {

// With all brackets: "(a + (b * c))".
std::string shown(const CTerm& term) {
  std::string parts;
  for (const CTerm& part : term.parts) parts += (parts.empty() ? "" : ", ") + shown(part);
  switch (term.kind) {
    case CTerm::Kind::number:
    case CTerm::Kind::name:
      return term.text;
    case CTerm::Kind::call:
      return term.text + "(" + parts + ")";
    case CTerm::Kind::index:
      return shown(term.parts[0]) + "[" + shown(term.parts[1]) + "]";
    case CTerm::Kind::unary:
      return "(" + term.text + shown(term.parts[0]) + ")";
    case CTerm::Kind::binary:
      return "(" + shown(term.parts[0]) + " " + term.text + " " + shown(term.parts[1]) + ")";
    case CTerm::Kind::conditional:
      return "(" + shown(term.parts[0]) + " ? " + shown(term.parts[1]) + " : " + shown(term.parts[2]) + ")";
  }
  return "";
}

std::string parsed(const std::string& text) {
  const auto term = parse_term(lexemes_of(text));
  return term ? shown(*term) : "nothing";
}

TEST(CTerm, KnowsCastsToTypesOfTheSource) {
  EXPECT_EQ(parsed("(index_t)gridDim.x * n"), "(index_t(gridDim.x) * n)");
  EXPECT_EQ(parsed("(const T*)x + 1"), "(const T*(x) + 1)");
  EXPECT_EQ(parsed("(my::index)(n)"), "my::index(n)");
  EXPECT_EQ(parsed("(n) * m"), "(n * m)");
  EXPECT_EQ(parsed("std::size_t{1} << 12"), "(std::size_t(1) << 12)");
}

TEST(CTerm, BindsOperatorsAsCppDoes) {
  EXPECT_EQ(parsed("a + b * c"), "(a + (b * c))");
  EXPECT_EQ(parsed("a - b - c"), "((a - b) - c)");
  EXPECT_EQ(parsed("a < n && b < m || !c"), "(((a < n) && (b < m)) || (!c))");
  EXPECT_EQ(parsed("a << 2 + b"), "(a << (2 + b))");
  EXPECT_EQ(parsed("a < n ? x[a] : 0.f"), "((a < n) ? x[a] : 0.f)");
}

TEST(CTerm, KnowsMembersCallsAndCasts) {
  EXPECT_EQ(parsed("blockIdx.x * blockDim.x"), "(blockIdx.x * blockDim.x)");
  EXPECT_EQ(parsed("std::max(a, b)"), "std::max(a, b)");
  EXPECT_EQ(parsed("(unsigned int)a + b"), "(unsigned int(a) + b)");
  EXPECT_EQ(parsed("(a) + b"), "(a + b)");
  EXPECT_EQ(parsed("static_cast<size_t>(a) * 2"), "(size_t(a) * 2)");
  EXPECT_EQ(parsed("reinterpret_cast<float4*>(x)[i]"), "float4*(x)[i]");
  EXPECT_EQ(parsed("dim3(16, 16)"), "dim3(16, 16)");
  EXPECT_EQ(parsed("f<int>(a)"), "f(a)");
  EXPECT_EQ(parsed("sizeof(unsigned long)"), "sizeof(unsigned long)");
}

TEST(CTerm, IsNothingForWhatIsNoTerm) {
  for (const char* text : {"", "a +", "a b", "a = b", "[&](int x) { return x; }", "\"text\"", "(a", "{a, b}"})
    EXPECT_EQ(parsed(text), "nothing") << text;
  EXPECT_EQ(parsed(std::string(10'000, '(') + "a" + std::string(10'000, ')')), "nothing");
}

TEST(CTerm, StopsAtTheEndOfALeadingTerm) {
  const Lexemes lexemes = lexemes_of("a + b; c");
  const auto term = parse_leading_term(lexemes);
  ASSERT_TRUE(term);
  EXPECT_EQ(term->length, 3U);
}

TEST(CTerm, ReadsNumbers) {
  EXPECT_EQ(integer_of("0x10"), 16);
  EXPECT_EQ(integer_of("1'024ULL"), 1024);
  EXPECT_EQ(integer_of("010"), 8);
  EXPECT_EQ(integer_of("0b101"), 5);
  EXPECT_EQ(integer_of("1.0"), std::nullopt);
  EXPECT_EQ(integer_of("12monkeys"), std::nullopt);
  EXPECT_EQ(number_of("1e-3f"), 1e-3);
  EXPECT_EQ(number_of(".5"), 0.5);
  EXPECT_EQ(number_of("x"), std::nullopt);
}

}  // namespace
}  // namespace tailwave
