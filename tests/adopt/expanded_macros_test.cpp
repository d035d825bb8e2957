#include "adopt/expanded_macros.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tailwave {
namespace {

using testing::HasSubstr;

TEST(ExpandedMacros, StandForWhatTheyAreDefinedAs) {
  EXPECT_THAT(with_expanded_macros("#define IDX(i, j) ((i) + NX * (j))\nx[IDX(a + 1, f(b, c))] = 0;\n"),
              HasSubstr("x[ ((a + 1) + NX * (f(b, c)))] = 0;"));
  EXPECT_THAT(
      with_expanded_macros("#define LOOP(i, n) \\\n  for (int i = 0; i < (n); ++i)\nLOOP(k, m) f(k);\n"),
      HasSubstr("for (int k = 0; k < (m); ++k) f(k);"));
}

TEST(ExpandedMacros, StandInOtherMacros) {
  const std::string text = with_expanded_macros(
      "#define TWICE(x) ADD(x, x)\n#define ADD(a, b) ((a) + (b))\n#define SIZE TWICE(N)\nint y = TWICE(ADD(1, 2));\n");
  EXPECT_THAT(text, HasSubstr("#define SIZE   ((N) + (N))\n"));
  EXPECT_THAT(text, HasSubstr("(( ((1) + (2))) + ( ((1) + (2))))"));
}

TEST(ExpandedMacros, AreLeftWhereNobodyKnowsWhatTheyStandFor) {
  for (const std::string text :
       {"#define F(x) x##1\nF(a);\n", "#define F(...) g(__VA_ARGS__)\nF(a);\n",
        "#define F(x) 1\n#define F(x) 2\nF(a);\n", "#define F(x) x\nF(a, b); F;\n", "#define F (x)\nF(a);\n"})
    EXPECT_EQ(with_expanded_macros(text), text);
}

TEST(ExpandedMacros, ThatWouldNotEndAreLeft) {
  EXPECT_LT(with_expanded_macros("#define F(x) F(x) + F(x)\nint y = F(1);\n").size(), 100000U);
}

}  // namespace
}  // namespace tailwave
