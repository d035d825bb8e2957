#include "core/printable.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tailwave {
namespace {

TEST(Printable, ShowsWhatSteersATerminal) {
  EXPECT_EQ(printable("\x1b[2Jgone\a\x7f\b"), "\\x1b[2Jgone\\x07\\x7f\\x08");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\u009b2J");
}

TEST(Printable, ShowsWhatOrdersTextAnew) {
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b\xe2\x81\xa6"
                      "c"),
            "a\\u202eb\\u2066c");
}

TEST(Printable, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\xff|\xc0\xaf|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82"),
            "\\xff|\\xc0\\xaf|\\xed\\xa0\\x80|\\xf4\\x90\\x80\\x80|\\xe2\\x82");
}

TEST(Printable, LeavesOtherTextAsItIs) {
  const std::string text = "Gr\u00f6\u00dfe \u65e5\u672c \U0001F600 \\x1b \u00a0";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, KeepsLineEndsOrMakesThemSpaces) {
  EXPECT_EQ(printable("a\n\tb\r\nc\rd"), "a\n\tb\nc\\x0dd");
  EXPECT_EQ(printable("a\n\tb\r\nc\rd", LineEnds::as_spaces), "a  b c\\x0dd");
}

TEST(Printable, ReplacesEachCharacterOnce) {
  EXPECT_EQ(replace_characters("<a&b>", {{'&', "&amp;"}, {'<', "&lt;"}}), "&lt;a&amp;b>");
}

TEST(Printable, JsonSaysTheSameWithoutTheseCharacters) {
  const std::string text = "\x1b\x7f\xc2\x9b\xe2\x80\xae \u00e4\n";
  const std::string json = nlohmann::json({{"name", text}}).dump(1) + "\n";
  const std::string shown = printable_json(json);
  EXPECT_EQ(shown, "{\n \"name\": \"\\u001b\\u007f\\u009b\\u202e \u00e4\\n\"\n}\n");
  EXPECT_EQ(nlohmann::json::parse(shown).at("name"), text);
}

}  // namespace
}  // namespace tailwave
