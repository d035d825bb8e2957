// Which pages a report has, in Markdown and in HTML, and that no text becomes markup in them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "interchange/export.h"
#include "interchange/import.h"
#include "report/report_fixture.h"

namespace tailwave {
namespace {

using Report = samples::ReportFixture;

TEST_F(Report, IsHtmlTooWithTheClaimsOfTheSystemOnEachPage) {
  const ReportSummary summary = render();
  EXPECT_EQ(summary.html, folder_ / "report/index.html");
  EXPECT_NE(page("index.html").find("<a href=\"nbody/variants.html\">nbody/variants</a>"), std::string::npos);
  const std::string text = page("nbody/variants.html");
  EXPECT_NE(text.find("<h1>nbody: variants</h1>"), std::string::npos) << text;
  EXPECT_NE(text.find("What the study claims</h2>"), std::string::npos) << text;
  EXPECT_NE(text.find("(<code>nbody_best_stride_32</code>)"), std::string::npos) << text;
  EXPECT_EQ(text.find("jacobi_"), std::string::npos) << text;
  EXPECT_EQ(page("nbody/variants.md").find("nbody_best_stride_32"), std::string::npos);
}

TEST_F(Report, HasAnExplorerInItsHtmlAlone) {
  render();
  const std::string html = page("nbody/basic_block_size.html");
  EXPECT_NE(html.find("<h2><span id=\"explorer\"></span>Explorer</h2>\n<div class=\"explorer\">"),
            std::string::npos);
  EXPECT_NE(html.find("<script defer src=\"../assets/explorer.js\"></script>"), std::string::npos);
  EXPECT_NE(html.find("<link rel=\"stylesheet\" href=\"../assets/explorer.css\">"), std::string::npos);
  EXPECT_EQ(page("nbody/basic_block_size.md").find("xplorer"), std::string::npos);
  EXPECT_NE(page("assets/explorer.js").find("class Parallel"), std::string::npos);
  EXPECT_NE(page("assets/explorer.css").find(".explorer {"), std::string::npos);
  EXPECT_EQ(page("claims.html").find("explorer.js"), std::string::npos);
}

TEST_F(Report, SaysAClaimBesideEachOfItsVerdictsInHtml) {
  ResultStore store(database_);
  const std::string sentence = "The best stride is 32";
  DeviceDescription other = samples::gpu();
  other.name = "NVIDIA A100";
  const std::int64_t run = store.begin_run(samples::run("variants", "2025-05-01T10:00:00Z"), other);
  store.add_trial(run, other, samples::trial("basic", {{"BLOCK_SIZE", 32}}, {1e5}));
  render();
  const auto times = [&](const std::string& file) {
    const std::string text = page(file);
    int count = 0;
    for (std::size_t at = 0; (at = text.find(sentence, at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(times("claims.md"), 1);
  EXPECT_EQ(times("claims.html"), 2);
}

TEST_F(Report, WritesThePagesAskedForAndThoseThatTheIndexWouldMiss) {
  EXPECT_EQ(render("report", {"variants"}).pages.size(), 3U);
  const ReportSummary again = render("report", {"nbody/variants"});
  ASSERT_EQ(again.pages.size(), 1U);
  EXPECT_EQ(again.pages[0], folder_ / "report/nbody/variants.md");
  std::filesystem::remove(folder_ / "report/jacobi/block_size.html");
  EXPECT_EQ(render("report", {"variants"}).pages.size(), 2U);
}

TEST_F(Report, OfSomeExperimentsInALargeDatabaseNamesTheOthers) {
  const std::int64_t run =
      ResultStore(database_).begin_run(samples::run("many", "2025-06-01T10:00:00Z"), samples::gpu());
  database_.execute(
      "WITH RECURSIVE one (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM one WHERE i < 20001) INSERT INTO "
      "configuration "
      "SELECT 1000 + i, 'made ' || i, 'nbody', 'made', '{}', '{}' FROM one;"
      "INSERT INTO trial (run_id, device_id, configuration_id, key, outcome, work) SELECT " +
      std::to_string(run) + ", 1, id, '', 'timeout', '{}' FROM configuration WHERE variant = 'made'");
  EXPECT_EQ(render("report", {"nbody/variants"}).pages.size(), 1U);
  EXPECT_EQ(render("report", {"jacobi/block_size"}).pages.size(), 1U);
  const std::string text = page("README.md");
  EXPECT_NE(text.find("| [jacobi/block_size](jacobi/block_size.md) | Which block size? |"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\n## Other experiments\n\nNot part of this report; `tailwave report` writes about all "
                      "of them. Linked "
                      "are the pages of earlier reports.\n\n- nbody/basic_block_size\n- nbody/many\n"
                      "- [nbody/variants](nbody/variants.md)\n"),
            std::string::npos)
      << text;
}

TEST_F(Report, SuggestsTheExperimentThatWasMeant) {
  EXPECT_EQ(
      samples::error_of([&] { render("report", {"varaints"}); }),
      (folder_ / "results.db").string() + ": no trials of experiment 'varaints'\n  did you mean 'variants'?");
}

TEST_F(Report, LetsNoTextBecomeMarkupOrACell) {
  RunRecord record = samples::run("hostile", "2025-05-01T10:00:00Z");
  record.question = "Is <b>this</b> | that *bold*?";
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(record, samples::gpu());
  store.add_trial(run, samples::gpu(),
                  samples::failed("basic", {{"NAME", std::string("a|b<script>")}}, Outcome::compile_error,
                                  "error: <script>alert('|')</script>"));
  store.add_trial(run, samples::gpu(), samples::trial("basic", {{"NAME", std::string("`c`")}}, {1e5}));
  render();
  const std::string text = page("nbody/hostile.md");
  EXPECT_EQ(text.find("<script>"), std::string::npos);
  EXPECT_EQ(text.find("<b>"), std::string::npos);
  EXPECT_NE(text.find("Is &lt;b&gt;this&lt;/b&gt; \\| that \\*bold\\*?"), std::string::npos) << text;
  EXPECT_NE(text.find("error: &lt;script&gt;alert('\\|')&lt;/script&gt; |"), std::string::npos) << text;
  EXPECT_NE(text.find("<code>nbody/basic/NAME:a&#124;b&lt;script&gt;/"), std::string::npos) << text;
  const std::string html = page("nbody/hostile.html");
  EXPECT_NE(html.find("Is &lt;b&gt;this&lt;/b&gt; | that *bold*?"), std::string::npos) << html;
  EXPECT_NE(html.find("<td>error: &lt;script&gt;alert('|')&lt;/script&gt;</td>"), std::string::npos) << html;
  EXPECT_NE(html.find("<code>nbody/basic/NAME:a|b&lt;script&gt;/"), std::string::npos) << html;
  EXPECT_EQ(html.find("<script>"), std::string::npos);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
}

TEST_F(Report, SaysWhereRecordedResultsComeFrom) {
  const auto file = folder_ / "h200.json";
  std::ofstream(file) << export_recorded(database_, "basic_block_size", "NVIDIA H200");
  Database other(folder_ / "other.db", Database::Mode::read_write);
  import_recorded(other, file);
  render_report(other, {{}, folder_ / "report"});
  EXPECT_NE(page("nbody/basic_block_size.md").find("Recorded results, imported from `h200.json`."),
            std::string::npos);
}

}  // namespace
}  // namespace tailwave
