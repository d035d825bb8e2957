#include "report/html_folds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/html.h"

namespace tailwave {
namespace {

TEST(HtmlFolds, HideSectionsWithTablesBehindTheirHeadings) {
  const std::string text =
      html_body(
          "# Page\n\nAnswer\n\n## GPU\n\nText\n\n### Rows\n\n| a |\n| --- |\n| 1 |\n\nBelow\n\n### Charts\n\nSee\n",
          {}, Tables::folded)
          .text;
  EXPECT_THAT(text, testing::HasSubstr(
                        "<h2><span id=\"gpu\"></span>GPU</h2>\n<p>Text</p>\n<details>\n<summary>\n<h3><span "
                        "id=\"rows\"></span>Rows</h3>\n</summary>\n<div class=\"table\">"));
  EXPECT_THAT(text, testing::HasSubstr(
                        "<p>Below</p>\n</details>\n<h3><span id=\"charts\"></span>Charts</h3>\n<p>See</p>"));
}

TEST(HtmlFolds, AreNotMadeWhereTablesStayOpen) {
  EXPECT_THAT(html_body("## Rows\n\n| a |\n| --- |\n| 1 |\n").text,
              testing::Not(testing::HasSubstr("<details>")));
}

}  // namespace
}  // namespace tailwave
