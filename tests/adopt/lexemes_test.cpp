#include "adopt/lexemes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tailwave {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts_of(const std::string& text) {
  std::vector<std::string> all;
  for (const Lexeme& each : lexemes_of(text)) all.emplace_back(each.text);
  return all;
}

TEST(Lexemes, KeepOperatorsWhole) {
  EXPECT_THAT(texts_of("a<=b && c->d <<1"), ElementsAre("a", "<=", "b", "&&", "c", "->", "d", "<<", "1"));
  EXPECT_THAT(texts_of("k<<<g, b>>>(x)"), ElementsAre("k", "<<<", "g", ",", "b", ">>>", "(", "x", ")"));
}

TEST(Lexemes, KeepNumbersWhole) {
  EXPECT_THAT(texts_of("1.5e-3f+2"), ElementsAre("1.5e-3f", "+", "2"));
  EXPECT_THAT(texts_of(".5 1. 0x1e+1 1'024u"), ElementsAre(".5", "1.", "0x1e", "+", "1", "1'024u"));
}

TEST(Lexemes, AreFoundWhereTheyStand) {
  const std::string text = "int  x; // a\ny";
  const Lexemes lexemes = lexemes_of(text);
  ASSERT_EQ(lexemes.size(), 4U);
  EXPECT_EQ(text.substr(lexemes[3].begin, lexemes[3].end - lexemes[3].begin), "y");
}

TEST(Lexemes, AreSplitAtCommasOutsideBrackets) {
  const Lexemes lexemes = lexemes_of("f(a, b), c[d, e], g");
  std::vector<std::string> parts;
  for (const LexemeSpan part : split_at_commas(lexemes)) parts.push_back(joined(part));
  EXPECT_THAT(parts, ElementsAre("f(a, b)", "c[d, e]", "g"));
  EXPECT_TRUE(split_at_commas({}).empty());
}

TEST(Lexemes, AreFoundBehindADivisionOfTheManifest) {
  EXPECT_TRUE(has_word("(n // heads)", "heads"));
  EXPECT_TRUE(has_word("'n' is 4", "n"));
  EXPECT_FALSE(has_word("n_heads + heads2", "heads"));
}

}  // namespace
}  // namespace tailwave
