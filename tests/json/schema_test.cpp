#include "json/schema.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "json/parser.h"

namespace tailwave {
namespace {

// All that is wrong with a document.
std::string wrong(const std::string& schema, const std::string& document) {
  Diagnostics diagnostics;
  check_schema(require_json(schema, "schema"), require_json(document, ""), diagnostics);
  std::string all;
  for (const Diagnostic& diagnostic : diagnostics) all += (all.empty() ? "" : "\n") + to_string(diagnostic);
  return all;
}

TEST(Schema, JudgesTypes) {
  EXPECT_EQ(wrong(R"({"type": "integer"})", "1"), "");
  EXPECT_EQ(wrong(R"({"type": "number"})", "1"), "");
  EXPECT_EQ(wrong(R"({"type": "integer"})", "1.5"), "expected an integer, found a number");
  EXPECT_EQ(wrong(R"({"type": ["string", "boolean"]})", "null"),
            "expected a string or a boolean, found null");
  EXPECT_EQ(wrong(R"({"type": "array"})", "\"a\""), "expected an array, found a string\n  write [\"a\"]");
}

TEST(Schema, JudgesValues) {
  EXPECT_EQ(wrong(R"({"enum": ["hot", "cold"]})", "\"hot\""), "");
  EXPECT_EQ(wrong(R"({"enum": ["hot", "cold"]})", "\"cild\""),
            "expected one of 'hot', 'cold', found 'cild'\n  did you mean 'cold'?");
  EXPECT_EQ(wrong(R"({"enum": [0, 1]})", "2"), "expected one of '0', '1', found '2'");
  EXPECT_EQ(wrong(R"({"minimum": 1})", "1"), "");
  EXPECT_EQ(wrong(R"({"minimum": 1})", "0.5"), "expected at least 1, found 0.5");
  EXPECT_EQ(wrong(R"({"maximum": 1})", "2"), "expected at most 1, found 2");
  EXPECT_EQ(wrong(R"({"exclusiveMinimum": 0})", "0"), "expected more than 0, found 0");
}

TEST(Schema, JudgesObjects) {
  const std::string schema =
      R"({"required": ["name"], "properties": {"name": {"type": "string", "description": "what it is called"}}, )";
  EXPECT_EQ(wrong(schema + R"("additionalProperties": false})", R"({"name": "a"})"), "");
  EXPECT_EQ(wrong(schema + R"("additionalProperties": false})", R"({"nam": "a"})"),
            "missing key 'name'\n  what it is called\n/nam: unknown key 'nam'\n  did you mean 'name'?");
  EXPECT_EQ(wrong(schema + R"("additionalProperties": true})", R"({"name": "a", "other": 1})"), "");
  EXPECT_EQ(wrong(schema + R"("additionalProperties": {"type": "integer"}})", R"({"name": 1, "other": "a"})"),
            "/name: expected a string, found an integer\n/other: expected an integer, found a string");
  EXPECT_EQ(wrong(R"({"minProperties": 1})", "{}"), "the object is empty");
  EXPECT_EQ(wrong(R"({"minProperties": 2})", R"({"a": 1})"), "expected at least 2 members, found 1");
}

TEST(Schema, JudgesArrays) {
  EXPECT_EQ(wrong(R"({"items": {"type": "integer"}})", R"([1, "a"])"),
            "/1: expected an integer, found a string");
  EXPECT_EQ(wrong(R"({"minItems": 1})", "[]"), "the array is empty");
  EXPECT_EQ(wrong(R"({"minItems": 2})", "[1]"), "expected at least 2 items, found 1");
  EXPECT_EQ(wrong(R"({"maxItems": 1})", "[1, 2]"), "expected at most 1 items, found 2");
}

TEST(Schema, FollowsReferencesAndTakesTheAlternativeThatFits) {
  const std::string schema =
      R"({"anyOf": [{"$ref": "#/definitions/size"}, {"type": "array", "items": {"$ref": "#/definitions/size"}}],
    "x-hint": "a size, or several", "definitions": {"size": {"type": "integer", "minimum": 1}}})";
  EXPECT_EQ(wrong(schema, "3"), "");
  EXPECT_EQ(wrong(schema, "0"), "expected at least 1, found 0");
  EXPECT_EQ(wrong(schema, "[1, 0]"), "/1: expected at least 1, found 0");
  EXPECT_EQ(wrong(schema, "true"), "expected an integer or an array, found a boolean\n  a size, or several");
}

// Whether check_schema() judges by this keyword, or it says nothing of what is valid.
bool is_schema_keyword(std::string_view keyword) {
  constexpr std::array<std::string_view, 20> kKnown{"$ref",          "additionalProperties",
                                                    "anyOf",         "definitions",
                                                    "enum",          "exclusiveMinimum",
                                                    "items",         "maxItems",
                                                    "maximum",       "minItems",
                                                    "minProperties", "minimum",
                                                    "properties",    "required",
                                                    "type",          "$schema",
                                                    "default",       "description",
                                                    "examples",      "title"};
  return keyword.starts_with("x-") || std::find(kKnown.begin(), kKnown.end(), keyword) != kKnown.end();
}

// Where a schema is, with all its keywords that the judge does not know.
std::string unknown_keywords(const Json& schema) {
  std::string unknown;
  for (const auto& [keyword, value] : schema.members()) {
    if (!is_schema_keyword(keyword)) unknown += value.pointer() + '\n';
    if (keyword == "properties" || keyword == "definitions")
      for (const auto& member : value.members()) unknown += unknown_keywords(member.second);
    if (keyword == "items" || keyword == "additionalProperties") unknown += unknown_keywords(value);
    if (keyword == "anyOf")
      for (const Json& alternative : value.items()) unknown += unknown_keywords(alternative);
  }
  return unknown;
}

TEST(Schema, KnowsEachKeywordOfOurSchemas) {
  EXPECT_EQ(
      unknown_keywords(require_json(
          R"({"x-name": "a", "properties": {"pattern": {"items": {"pattern": "."}}}, "anyOf": [{"not": {}}]})",
          "")),
      "/properties/pattern/items/pattern\n/anyOf/0/not\n");
  int schemas = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(TAILWAVE_SOURCE_DIR) / "harness/spec")) {
    if (!entry.path().filename().string().ends_with(".schema.json")) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    EXPECT_EQ(unknown_keywords(require_json(text.str(), entry.path().string())), "") << entry.path();
    ++schemas;
  }
  EXPECT_EQ(schemas, 3);
}

}  // namespace
}  // namespace tailwave
