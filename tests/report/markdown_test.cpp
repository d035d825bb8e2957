#include "report/markdown.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

TEST(MarkdownTable, SaysOnceWhatAllRowsHave) {
  MarkdownTable table({"size:", "outcome", "samples:", "note"});
  table.add({"1", "correct", "20", "a"});
  table.add({"2", "correct", "20", ""});
  EXPECT_EQ(table.text_said_once(), table.text()) << "two rows are no column";
  table.add({"3", "correct", "20", ""});
  EXPECT_EQ(
      table.text_said_once(),
      "In all rows: outcome correct, samples 20.\n\n| size | note |\n| ---: | --- |\n| 1 | a |\n| 2 |  |\n| 3 |  |\n");
}

TEST(MarkdownTable, AlignsTextToTheLeft) {
  MarkdownTable table({"variant", "MODE:", "time:", "value:"});
  table.add({"a", "fast", "2 us", "7"});
  table.add({"b", "`x`", "wrong_result", "8"});
  table.add({"c", "", "3 us", "9"});
  EXPECT_NE(table.text().find("\n| --- | --- | ---: | ---: |\n"), std::string::npos) << table.text();
}

}  // namespace
}  // namespace tailwave
