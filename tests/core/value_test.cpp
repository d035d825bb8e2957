#include "core/value.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

TEST(Value, ReadsAsPeopleWriteIt) {
  EXPECT_EQ(to_string(Value(true)), "true");
  EXPECT_EQ(to_string(Value(false)), "false");
  EXPECT_EQ(to_string(Value(std::int64_t{-42})), "-42");
  EXPECT_EQ(to_string(Value(0.1)), "0.1");
  EXPECT_EQ(to_string(Value(1e-9)), "1e-09");
  EXPECT_EQ(to_string(Value(std::string("sincos"))), "sincos");
}

TEST(Value, IsShownInQuotesWhereItWouldBeTakenForSomethingElse) {
  const auto shown = [](const char* text) { return to_shown(Value(std::string(text))); };
  EXPECT_EQ(shown("a b"), "a b");
  EXPECT_EQ(shown(""), "\"\"");
  EXPECT_EQ(shown("-"), "\"-\"");
  EXPECT_EQ(shown("8"), "\"8\"");
  EXPECT_EQ(shown("a/b:c,d"), "\"a/b:c,d\"");
  EXPECT_EQ(shown("a \"q\""), "\"a \"\"q\"\"\"");
  EXPECT_EQ(to_shown(Value(std::int64_t{8})), "8");
  std::string_view rest = "\"a \"\"q\"\"\",b";
  EXPECT_EQ(take_quoted(rest), "a \"q\"");
  EXPECT_EQ(rest, ",b");
  rest = "\"open";
  EXPECT_EQ(take_quoted(rest), std::nullopt);
}

TEST(Value, ReachesThePreprocessorAsANumberOrAWord) {
  EXPECT_EQ(to_define(Value(true)), "1");
  EXPECT_EQ(to_define(Value(false)), "0");
  EXPECT_EQ(to_define(Value(std::int64_t{128})), "128");
  EXPECT_EQ(to_define(Value(2.0)), "2.0");
  EXPECT_EQ(to_define(Value(0.5)), "0.5");
  EXPECT_EQ(to_define(Value(1e300)), "1e+300");
  EXPECT_EQ(to_define(Value(std::string("table"))), "table");
}

TEST(Value, ComesBackFromItsText) {
  for (const Value& value : {Value(true), Value(false), Value(std::int64_t{8}), Value(0.5), Value(1e-300),
                             Value(std::string("fast"))}) {
    EXPECT_EQ(parse_value(to_string(value)), value);
  }
}

TEST(Value, IsTextWhenNotWhollyANumber) {
  EXPECT_EQ(parse_value("8x"), Value(std::string("8x")));
  EXPECT_EQ(parse_value(""), Value(std::string()));
  EXPECT_EQ(parse_value("99999999999999999999"), Value(1e20));
}

}  // namespace
}  // namespace tailwave
