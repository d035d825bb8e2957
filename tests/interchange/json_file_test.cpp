#include "interchange/json_file.h"

#include <gtest/gtest.h>

#include "interchange/tuner_files.h"
#include "store/sample_data.h"

namespace tailwave {
namespace {

using nlohmann::json;
using samples::error_of;
using samples::gzipped;
using samples::TemporaryFolder;
using samples::write_file;

class JsonFileTest : public ::testing::Test {
 protected:
  JsonFile read(const std::string& text) { return read_json_file(write_file(folder_ / "file.json", text)); }
  // Without the name of the file.
  std::string error(const std::string& text) {
    const std::string all = error_of([&] { read(text); });
    const std::string prefix = (folder_ / "file.json").string() + ": ";
    return all.starts_with(prefix) ? all.substr(prefix.size()) : all;
  }

  TemporaryFolder folder_;
};

TEST_F(JsonFileTest, IsWhatNlohmannReads) {
  const std::string text =
      R"({"a": [1, -2, 3.5, 18446744073709551615, true, null, "text \u00e9", [], {}, [[1]]], "b": {"c": {"d": ""}}})";
  EXPECT_EQ(read(text).document, json::parse(text));
  EXPECT_FALSE(read(text).mended);
  EXPECT_EQ(read(gzipped(text)).document, json::parse(text));
  EXPECT_EQ(read("[1, 2]").document, json::parse("[1, 2]"));
  EXPECT_EQ(read(" 3 ").document, json(3));
}

TEST_F(JsonFileTest, IsRefusedWhereItIsEmptyOrNotJson) {
  EXPECT_EQ(error(""), "is empty\n  fetch or export it again");
  EXPECT_EQ(error(" \n"), "is empty\n  fetch or export it again");
  EXPECT_EQ(error("{\n\"a\": 1,\n\"b\": oops}"),
            "line 3: not JSON: the file is damaged or cut off\n  fetch or export it again");
  EXPECT_EQ(error(gzipped("not JSON")),
            "line 1: not JSON: the file is damaged or cut off\n  fetch or export it again");
}

TEST_F(JsonFileTest, NamesThePlaceOfNaNAndInfinity) {
  EXPECT_EQ(error(R"({"a": [{"b": 1}, {"c/d": [1, NaN]}]})"),
            "/a/1/c~1d/1: NaN is not a number that JSON has\n  leave it out, or give a number");
  EXPECT_EQ(error(R"({"a": {"b": -Infinity}})"),
            "/a/b: Infinity is not a number that JSON has\n  leave it out, or give a number");
}

TEST_F(JsonFileTest, NamesAMemberThatAnObjectHasTwice) {
  EXPECT_EQ(error(R"({"a": [[], {"b": 1, "c": 2, "b": 1}]})"),
            "/a/1/b: is there twice\n  keep one of the two");
  EXPECT_EQ(read(R"([{"b": 1}, {"b": 1}])").document.size(), 2U);
}

TEST_F(JsonFileTest, IsRefusedWhereItIsNestedTooDeeply) {
  const std::string cause =
      "objects and arrays are nested more than 100 deep\n  results are not: fetch or export it again";
  for (const int depth : {101, 200'000}) {
    const auto levels = static_cast<std::size_t>(depth);
    EXPECT_EQ(error(std::string(levels, '[') + std::string(levels, ']')), cause);
    EXPECT_EQ(error("{\"cache\": " + std::string(levels, '[')), cause);
  }
  EXPECT_EQ(read(std::string(100, '[') + std::string(100, ']')).document.size(), 1U);
}

TEST_F(JsonFileTest, NamesAWholeNumberThatItWouldChange) {
  EXPECT_EQ(error(R"({"a": [18446744073709551617]})"),
            "/a/0: 18446744073709551617 needs more than 64 bits\n  give fewer digits, or text");
  EXPECT_EQ(error("[-9223372036854775809]"),
            "/0: -9223372036854775809 needs more than 64 bits\n  give fewer digits, or text");
  EXPECT_EQ(read("[100000000000000000000, 1e20]").document, json::parse("[1e20, 1e20]"));
}

TEST_F(JsonFileTest, IsCompletedWhereItIsTheCachefileOfARunInProgress) {
  const json whole = json::parse(R"({"device_name": "GPU", "cache": {"1": {"time": 1}, "2": {"time": 2}}})");
  for (const char* end : {"},\n", "}", "}}", "}, \n\n"}) {
    const JsonFile file =
        read(R"({"device_name": "GPU", "cache": {"1": {"time": 1}, "2": {"time": 2)" + std::string(end));
    EXPECT_TRUE(file.mended) << end;
    EXPECT_EQ(file.document, whole) << end;
  }
  EXPECT_EQ(read(R"({"cache": {)").document, json::parse(R"({"cache": {}})"));
}

TEST_F(JsonFileTest, IsNotCompletedWhereMoreThanClosingBracesIsMissing) {
  for (const char* text :
       {R"({"cache": {"1": {"time": 1}, "2": {"time": 2)", R"({"cache": {"1": {"time": 1}, "2")",
        R"({"results": [{"a": 1},)", R"({"trials": {"1": {"a": 1},)", R"({"cache": {"1": {}}},)",
        R"({"cache": {"1": {"times": [1,)"}) {
    EXPECT_EQ(error(text), "line 1: not JSON: the file is damaged or cut off\n  fetch or export it again")
        << text;
  }
}

}  // namespace
}  // namespace tailwave
