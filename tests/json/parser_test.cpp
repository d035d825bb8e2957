#include "json/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fakes/error_of.h"

namespace tailwave {
namespace {

using nlohmann::ordered_json;

std::string dump(const std::string& text) {
  return require_json(text, "file.json").dump();
}

// All that is wrong with a text.
std::string wrong(const std::string& text) {
  const ParsedJson parsed = parse_json(text, "file.json");
  std::string all;
  for (const Diagnostic& diagnostic : parsed.diagnostics)
    all += (all.empty() ? "" : "\n") + to_string(diagnostic);
  return all;
}

TEST(Parser, ReadsWhatNlohmannReads) {
  for (
      const char* text :
      {R"({"b": [1, -2, 3.5, 9223372036854775807, true, null, "text \u00e9", [], {}, [[1]]], "a": {"c": {"d": ""}}})",
       "[1, 2]", " 3 ", "\"a\"", "null"})
    EXPECT_EQ(dump(text), ordered_json::parse(text).dump());
}

TEST(Parser, RefusesANulByteAndWhatIsBehindIt) {
  using namespace std::string_view_literals;
  const ParsedJson parsed = parse_json("{\"a\": 1}\n\0 {}"sv, "x.json");
  EXPECT_FALSE(parsed.json);
  ASSERT_EQ(parsed.diagnostics.size(), 1U);
  EXPECT_EQ(parsed.diagnostics[0].place, "line 2, column 1");
  EXPECT_EQ(parsed.diagnostics[0].cause, "not valid JSON: a NUL byte");
}

TEST(Parser, SaysThatATextIsUtf16) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {"\xff\xfe{\0}\0"sv, "\xfe\xff\0{\0}"sv}) {
    const ParsedJson parsed = parse_json(text, "x.json");
    ASSERT_EQ(parsed.diagnostics.size(), 1U);
    EXPECT_EQ(parsed.diagnostics[0].cause, "it is UTF-16 text, and has to be UTF-8");
    EXPECT_EQ(parsed.diagnostics[0].hint, "save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8");
  }
}

TEST(Parser, KeepsTheOrderOfManyMembers) {
  ordered_json object = ordered_json::object();
  for (int i = 1000; i > 0; --i) object[std::to_string(i)] = {{"place", i}};
  EXPECT_EQ(dump(object.dump()), object.dump());
}

TEST(Parser, ShowsWhereTheSyntaxIsWrong) {
  EXPECT_EQ(
      wrong("{\"a\": [1],\n \t\"b\": 2,}"),
      "file.json: line 2, column 10: not valid JSON: while parsing object key - unexpected '}'; expected "
      "string literal\n"
      "  \"b\": 2,}\n"
      "         ^ remove the comma before it");
  EXPECT_EQ(wrong("// which\n{}"),
            "file.json: line 1, column 1: not valid JSON: while parsing value - invalid literal\n"
            "  // which\n"
            "  ^ JSON has no comments");
  EXPECT_EQ(
      wrong("{'a': 1}"),
      "file.json: line 1, column 2: not valid JSON: while parsing object key - invalid literal; expected "
      "string literal\n"
      "  {'a': 1}\n"
      "   ^ JSON has double quotes only");
  EXPECT_EQ(wrong("[1e999]"),
            "file.json: line 1, column 6: not valid JSON: number overflow parsing '1e999'\n"
            "  [1e999]\n"
            "       ^");
  EXPECT_EQ(wrong(""), "file.json: line 1, column 1: the file is empty");
}

TEST(Parser, ShowsWhereACommaIsMissing) {
  EXPECT_EQ(wrong("{\"a\": [1, 2]\n\n \"b\": 2}"),
            "file.json: line 1, column 13: not valid JSON: a comma is missing after this value\n"
            "  {\"a\": [1, 2]\n"
            "              ^");
  for (const char* next : {"\"a\"", "12", "-1.5", "true", "false", "null", "[1]", "{}"})
    EXPECT_EQ(wrong(std::string("[10 ") + next + "]"),
              "file.json: line 1, column 4: not valid JSON: a comma is missing after this value\n"
              "  [10 " +
                  std::string(next) +
                  "]\n"
                  "     ^");
  EXPECT_EQ(
      wrong("[1 : 2]"),
      "file.json: line 1, column 4: not valid JSON: while parsing array - unexpected ':'; expected ']'\n"
      "  [1 : 2]\n"
      "     ^");
  EXPECT_EQ(
      wrong("[1]\n2"),
      "file.json: line 2, column 1: not valid JSON: while parsing value - unexpected number literal; expected end "
      "of input\n"
      "  2\n"
      "  ^");
}

TEST(Parser, NamesAColonThatIsMissingAndANumberThatBeginsWithZero) {
  for (const char* next : {" \"b\"", " 1", ", \"b\"", " {}", "}"})
    EXPECT_THAT(wrong(std::string("{\"name\"") + next + "}"),
                testing::StartsWith(
                    "file.json: line 1, column 8: not valid JSON: a colon is missing after this key\n"))
        << next;
  for (const char* number : {"032", "-00"})
    EXPECT_THAT(wrong(std::string("[1, ") + number + "]"),
                testing::AllOf(testing::HasSubstr(": not valid JSON: a number begins with 0\n"),
                               testing::EndsWith("^ leave the 0 out: JSON has decimal numbers alone")));
}

TEST(Parser, ShowsThePartOfALongLine) {
  const std::string shown = wrong("[" + std::string(100'000, ' ') + "oops" + std::string(100'000, ' ') + "]");
  EXPECT_LT(shown.size(), 500U);
  EXPECT_NE(shown.find("oops"), std::string::npos) << shown;
}

TEST(Parser, NamesThePlaceOfNaNAndInfinity) {
  EXPECT_EQ(wrong(R"({"a": [{"b": 1}, {"c/d": [1, NaN]}]})"),
            "file.json: /a/1/c~1d/1: NaN is not a number that JSON has\n  leave it out, or give a number");
  EXPECT_EQ(wrong(R"({"a": {"b": -Infinity}})"),
            "file.json: /a/b: Infinity is not a number that JSON has\n  leave it out, or give a number");
}

TEST(Parser, ReportsAllMembersThatAreThereTwiceAndTakesTheLast) {
  const ParsedJson parsed =
      parse_json(R"({"a": [[], {"b": 1, "c": 2, "b": 3}], "a": {"b": 4}})", "file.json");
  ASSERT_EQ(parsed.diagnostics.size(), 2U);
  EXPECT_EQ(to_string(parsed.diagnostics[0]), "file.json: /a/1/b: duplicate key 'b'\n  keep one of the two");
  EXPECT_EQ(to_string(parsed.diagnostics[1]), "file.json: /a: duplicate key 'a'\n  keep one of the two");
  EXPECT_EQ(parsed.json->dump(), R"({"a":{"b":4}})");
  EXPECT_EQ(dump(R"([{"b": 1}, {"b": 1}])"), R"([{"b":1},{"b":1}])");
  ordered_json many = ordered_json::object();
  for (int i = 0; i < 100; ++i) many[std::to_string(i)] = i;
  const std::string text = many.dump();
  EXPECT_EQ(wrong(text.substr(0, text.size() - 1) + R"(, "7": 1, "99": 2})"),
            "file.json: /7: duplicate key '7'\n  keep one of the two\n"
            "file.json: /99: duplicate key '99'\n  keep one of the two");
}

TEST(Parser, RefusesWhatIsNestedTooDeeply) {
  const std::string cause = "file.json: objects and arrays are nested more than 100 deep";
  for (const int depth : {101, 200'000}) {
    const auto levels = static_cast<std::size_t>(depth);
    EXPECT_EQ(wrong(std::string(levels, '[') + std::string(levels, ']')), cause);
    EXPECT_EQ(wrong("{\"cache\": " + std::string(levels, '[')), cause);
  }
  EXPECT_EQ(wrong(std::string(100, '[') + std::string(100, ']')), "");
}

TEST(Parser, NamesAWholeNumberThatItWouldChange) {
  const std::string hint = "\n  whole numbers go up to 9223372036854775807";
  EXPECT_EQ(wrong(R"({"a": [18446744073709551615]})"),
            "file.json: /a/0: 18446744073709551615 does not fit 64 bits" + hint);
  EXPECT_EQ(wrong(R"({"a": [18446744073709551617]})"),
            "file.json: /a/0: 18446744073709551617 does not fit 64 bits" + hint);
  EXPECT_EQ(wrong("[-9223372036854775809]"),
            "file.json: /0: -9223372036854775809 does not fit 64 bits" + hint);
  EXPECT_EQ(dump("[100000000000000000000, 1e20, 9223372036854775808]"),
            ordered_json::parse("[1e20, 1e20, 9223372036854775808.0]").dump());
}

TEST(Parser, SaysWhereATextEndsTooEarly) {
  using Keys = std::vector<std::string>;
  EXPECT_EQ(parse_json(R"({"a": 1, "b": [{"c": 1,)", "").open, (Keys{"b", "", "c"}));
  EXPECT_EQ(parse_json(R"({"a": {}, )", "").open, Keys{"a"});
  EXPECT_EQ(parse_json(R"({"a": {}} })", "").open, Keys{});
  EXPECT_EQ(parse_json(R"({"a": oops)", "").open, Keys{});
}

TEST(Parser, ThrowsTheFirstThatIsWrong) {
  EXPECT_EQ(samples::error_of([] { (void)require_json(R"({"a": 1, "a": 2, "a": oops})", "file.json"); }),
            "file.json: /a: duplicate key 'a'\n  keep one of the two");
}

}  // namespace
}  // namespace tailwave
