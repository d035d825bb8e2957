#include "json/json_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fakes/error_of.h"
#include "fakes/scratch_folder.h"
#include "fakes/written_file.h"

namespace tailwave {
namespace {

using nlohmann::ordered_json;
using samples::error_of;
using samples::gzipped;
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

  ScratchFolder folder_;
};

TEST_F(JsonFileTest, MayBeCompressed) {
  const std::string text = R"({"a": [1, true], "b": {"c": {"d": ""}}})";
  EXPECT_EQ(read(text).document.dump(), ordered_json::parse(text).dump());
  EXPECT_EQ(read(gzipped(text)).document.dump(), ordered_json::parse(text).dump());
  EXPECT_FALSE(read(text).mended);
}

TEST_F(JsonFileTest, IsRefusedWhereItIsEmptyOrNotJson) {
  EXPECT_EQ(error(""), "line 1, column 1: the file is empty\n  fetch or export it again");
  EXPECT_EQ(error(" \n"), "line 2, column 1: the file is empty\n  fetch or export it again");
  const std::string text = "{\n\"a\": 1,\n\"b\": oops}";
  for (const std::string& bytes : {text, gzipped(text)})
    EXPECT_EQ(error(bytes),
              "line 3, column 6: not valid JSON: while parsing value - invalid literal\n"
              "  \"b\": oops}\n"
              "       ^ fetch or export it again");
}

TEST_F(JsonFileTest, IsRefusedForTheFirstThatIsWrong) {
  EXPECT_EQ(error(R"({"a": 1, "a": 2, "b": 1, "b": 2})"), "/a: duplicate key 'a'\n  keep one of the two");
}

TEST_F(JsonFileTest, IsCompletedWhereItIsTheCachefileOfARunInProgress) {
  const std::string whole =
      ordered_json::parse(R"({"device_name": "GPU", "cache": {"1": {"time": 1}, "2": {"time": 2}}})").dump();
  for (const char* end : {"},\n", "}", "}}", "}, \n\n"}) {
    const JsonFile file =
        read(R"({"device_name": "GPU", "cache": {"1": {"time": 1}, "2": {"time": 2)" + std::string(end));
    EXPECT_TRUE(file.mended) << end;
    EXPECT_EQ(file.document.dump(), whole) << end;
  }
  EXPECT_EQ(read(R"({"cache": {)").document.dump(), R"({"cache":{}})");
}

TEST_F(JsonFileTest, IsNotCompletedWhereMoreThanClosingBracesIsMissing) {
  for (const char* text :
       {R"({"cache": {"1": {"time": 1}, "2": {"time": 2)", R"({"cache": {"1": {"time": 1}, "2")",
        R"({"results": [{"a": 1},)", R"({"trials": {"1": {"a": 1},)", R"({"cache": {"1": {"times": [1,)"}) {
    const std::string refusal = error(text);
    EXPECT_TRUE(refusal.starts_with("line 1, column ")) << refusal;
    EXPECT_NE(refusal.find("unexpected end of input"), std::string::npos) << refusal;
  }
  EXPECT_EQ(error(R"({"cache": {"1": {}}},)"),
            "line 1, column 21: not valid JSON: while parsing value - unexpected ','; expected end of input\n"
            "  {\"cache\": {\"1\": {}}},\n"
            "                      ^ fetch or export it again");
}

}  // namespace
}  // namespace tailwave
