#include "json/lines.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

constexpr const char* kText = R"({
  "name": "a \" } \\",
  "list": [1, {"deep": [
    true, {"x": null}]},
    "text"],
  "empty": {}, "a/b~": -1.5e3,
  "\u0041": 1
})";

TEST(Lines, AreThoseOfAMembersKeyAndOfAnItemsBeginning) {
  EXPECT_EQ(line_of(kText, ""), 1);
  EXPECT_EQ(line_of(kText, "/name"), 2);
  EXPECT_EQ(line_of(kText, "/list"), 3);
  EXPECT_EQ(line_of(kText, "/list/1/deep"), 3);
  EXPECT_EQ(line_of(kText, "/list/1/deep/1/x"), 4);
  EXPECT_EQ(line_of(kText, "/list/2"), 5);
  EXPECT_EQ(line_of(kText, "/empty"), 6);
  EXPECT_EQ(line_of(kText, "/a~1b~0"), 6);
  EXPECT_EQ(line_of(kText, "/A"), 7);
}

TEST(Lines, AreThoseOfTheNearestValueAroundWhatIsNotThere) {
  EXPECT_EQ(line_of(kText, "/nothing/of/it"), 1);
  EXPECT_EQ(line_of(kText, "/list/7"), 3);
  EXPECT_EQ(line_of(kText, "/list/2/of_text"), 5);
  EXPECT_EQ(line_of(kText, "/empty/key"), 6);
}

TEST(Lines, AreThoseOfTheLastOfTwoMembersWithOneKey) {
  EXPECT_EQ(line_of("{\"a\": 1,\n \"a\": {\n \"b\": 2}}", "/a/b"), 3);
}

}  // namespace
}  // namespace tailwave
