#include <gtest/gtest.h>

#include <algorithm>

#include "docs/markdown.h"
#include "docs/shell.h"

namespace tailwave::docs {
namespace {

// A table of `tailwave query` has a line of names and one of dashes above its rows.
bool has_rows(const std::string& table) {
  return std::count(table.begin(), table.end(), '\n') >= 3;
}

TEST(QueryCookbook, AnswersEveryQuestionFromTheRecordedResults) {
  const Shell shell;
  const Shell::Result import = shell.run("mkdir results && cd " TAILWAVE_SOURCE_DIR
                                         " && ls results/h200/*/*.json* | grep -v /spaces/ |"
                                         " xargs tailwave import --db $OLDPWD/results/tailwave.db");
  ASSERT_EQ(import.exit_status, 0) << import.output;
  int queries = 0;
  for (const Fence& fence : fences(read_text(TAILWAVE_SOURCE_DIR "/docs/queries.md"))) {
    SCOPED_TRACE("docs/queries.md: line " + std::to_string(fence.line));
    const bool sql = fence.info == "sql";
    ASSERT_TRUE(sql || fence.info == "sh") << fence.info;
    const Shell::Result result =
        shell.run(sql ? "tailwave query --sql \"$(cat <<'END'\n" + fence.text + "END\n)\"\n" : fence.text);
    EXPECT_EQ(result.exit_status, 0) << result.output;
    EXPECT_TRUE(has_rows(result.output)) << result.output;
    ++queries;
  }
  EXPECT_GE(queries, 15);
}

}  // namespace
}  // namespace tailwave::docs
