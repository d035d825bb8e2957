#include "analysis/report.h"

#include <gtest/gtest.h>

#include "analysis/fixture.h"
#include "store/recorded.h"

namespace tailwave {
namespace {

class Report : public samples::Fixture {
 protected:
  ReportSummary render(const std::string& folder = "report",
                       const std::vector<std::string>& experiments = {}) {
    return render_report(database_, {experiments, folder_ / folder});
  }
  std::string page(const std::string& name) { return samples::read_file(folder_ / ("report/" + name)); }
};

TEST_F(Report, IndexAnswersEveryExperimentInOneLine) {
  render();
  std::string text = page("README.md");
  const std::size_t counts = text.find("- NVIDIA H200: ");
  ASSERT_NE(counts, std::string::npos) << text;
  text.replace(counts, text.find('\n', counts) - counts, "- NVIDIA H200: (counts)");  // new with every claim
  samples::expect_file(text, "report_index.md");
}

TEST_F(Report, HasAPageOfClaimsBySystem) {
  const ReportSummary summary = render();
  EXPECT_EQ(summary.claims, folder_ / "report/claims.md");
  const std::string text = page("claims.md");
  EXPECT_NE(text.find("\n## nbody\n\n| claim | source | device | verdict | evidence | explanation |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("(`nbody_1025_is_a_failed_launch`) | N-body on A100, N = 4096: 784e9 interactions/s"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| NVIDIA H200 | confirmed | exceeds_device_limit: "), std::string::npos) << text;
  EXPECT_NE(text.find("| NVIDIA H200 | **refuted** | Block size 1 takes 1100.0 us"), std::string::npos)
      << text;
}

TEST_F(Report, PageShowsResultsBesideThePublishedOnesForEachDevice) {
  render();
  samples::expect_file(page("nbody/basic_block_size.md"), "report_basic_block_size.md");
}

TEST_F(Report, PageOfVariantsTellsThemApart) {
  render();
  samples::expect_file(page("nbody/variants.md"), "report_variants.md");
}

TEST_F(Report, PageOfATimeMetricShowsTimesOnly) {
  render();
  samples::expect_file(page("jacobi/block_size.md"), "report_block_size.md");
}

TEST_F(Report, MarksWhatIsTiedWithTheBest) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("close", "2025-05-01T10:00:00Z"), samples::gpu());
  for (const int size : {64, 128, 256})
    store.add_trial(
        run, samples::gpu(),
        samples::trial("basic", {{"BLOCK_SIZE", size}}, std::vector<double>(20, 1e5 + 3.0 * size)));
  render();
  const std::string text = page("nbody/close.md");
  EXPECT_NE(text.find("20 samples), tied with 2 others; 3 of 3"), std::string::npos) << text;
  EXPECT_NE(text.find("| 99.8 % | tied [1] |"), std::string::npos) << text;
  EXPECT_NE(text.find("1. Not shown to be slower than the best"), std::string::npos) << text;
}

TEST_F(Report, AnswersForEachProblem) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("sizes", "2025-05-01T10:00:00Z"), samples::gpu());
  for (const int n : {64, 128, 256, 512})
    for (const int size : {32, 64}) {
      Trial trial = samples::trial("basic", {{"BLOCK_SIZE", size}}, std::vector<double>(6, 1e4 * n / size));
      trial.configuration.problem["N"] = std::int64_t{n};
      store.add_trial(run, samples::gpu(), trial);
    }
  render();
  const std::string text = page("nbody/sizes.md");
  EXPECT_NE(text.find("- NVIDIA H200: of 4 problems the first and the last: `BLOCK_SIZE 64, N 64`: "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("; `BLOCK_SIZE 64, N 512`: "), std::string::npos) << text;
  EXPECT_EQ(text.find("`BLOCK_SIZE 64, N 128`"), std::string::npos) << text;
  EXPECT_NE(text.find("; 8 of 8 configurations correct."), std::string::npos) << text;
}

TEST_F(Report, TellsHowNearTheTightestLimitAConfigurationCame) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("limited", "2025-05-01T10:00:00Z"), samples::gpu());
  Trial trial = samples::trial("basic", {{"BLOCK_SIZE", 32}}, std::vector<double>(20, 1000));
  trial.limits = {{"copy", 100}, {"fp32_issue", 625}};
  store.add_trial(run, samples::gpu(), trial);
  render();
  const std::string text = page("nbody/limited.md");
  EXPECT_NE(text.find("| of the limit"), std::string::npos) << text;
  EXPECT_NE(text.find("| 62.5 % [1] |"), std::string::npos) << text;
  EXPECT_NE(text.find("1. The least time by the limit 'fp32_issue' of nbody's manifest, over the median."),
            std::string::npos)
      << text;
  EXPECT_EQ(
      samples::csv(database_,
                   "SELECT limit_name, limit_ns, share, place FROM trial_limit WHERE experiment = 'limited'"),
      "limit_name,limit_ns,share,place\nfp32_issue,625,0.625,1\ncopy,100,0.1,2\n");
}

TEST_F(Report, SaysThatARunWasInterrupted) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("cut", "2025-05-01T10:00:00Z"), samples::gpu());
  store.add_trial(run, samples::gpu(), samples::trial("basic", {}, {1e5}));
  store.finish_run(run, "interrupted", "2025-05-01T10:01:00Z");
  render();
  const std::string text = page("nbody/cut.md");
  EXPECT_NE(text.find("1 of 1 configuration correct; the last run is 'interrupted', so some may be missing"),
            std::string::npos)
      << text;
}

TEST_F(Report, ComparesWithTheStudyOnlyWhatRanOnThePagesDevice) {
  const auto published = [](const std::string& variant, double seconds) {
    return PublishedValue{"hosts", "Study", "a100", "time", "us", variant, {}, seconds, "", ""};
  };
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("hosts", "2025-05-01T10:00:00Z"), samples::gpu());
  store.add_trial(run, samples::cpu(), samples::trial("cpu", {}, {1e9}));
  store.add_trial(run, samples::gpu(), samples::trial("basic", {}, {1e5}));
  store.set_published("hosts", {published("cpu", 5), published("basic", 2e-4)}, "nbody");
  render();
  const std::string text = page("nbody/hosts.md");
  EXPECT_NE(text.find("Over 1 row valid on both sides, ours is 2 times as fast in the median (from 2 to 2)"),
            std::string::npos)
      << text;
}

TEST_F(Report, AnswersForADeviceThatRanNothingWithWhereTheTimeIsFrom) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("hosts", "2025-05-01T10:00:00Z"), samples::gpu());
  store.add_trial(run, samples::cpu(), samples::trial("cpu", {}, {2.1e8}));
  store.set_published("hosts", {{"hosts", "Study", "a100", "time", "us", "cpu", {}, 1, "", ""}}, "nbody");
  render();
  EXPECT_NE(page("README.md")
                .find("| NVIDIA H200 | no time on this device; the best on Test CPU (2 cores): "
                      "`cpu`: 79.89 M interactions/s (median 210 ms,"),
            std::string::npos)
      << page("README.md");
  EXPECT_NE(page("nbody/hosts.md").find("No row is valid on both sides."), std::string::npos);
}

TEST_F(Report, IndexEndsWithTheSelfTests) {
  ResultStore(database_).add_selftest(
      samples::gpu(), "2025-03-02T10:00:00Z",
      {{.name = "cache_flush",
        .quantity = "cold over hot",
        .unit = "ratio",
        .expectation = "above 1.2",
        .detail = "25 MiB | read",
        .value = 1.1,
        .passed = false},
       {.name = "empty_kernel", .quantity = "isolated", .unit = "us", .value = 2.0}});
  render();
  const std::string text = page("README.md");
  EXPECT_NE(text.find("\n## Self-tests of the instrument\n"), std::string::npos) << text;
  EXPECT_NE(text.find("| 1.1 ratio | above 1.2 | **fail** | 25 MiB \\| read |"), std::string::npos) << text;
  EXPECT_NE(text.find("| isolated | 2 us |"), std::string::npos) << text;
}

TEST_F(Report, IsTheSameBytesForTheSameDatabase) {
  const ReportSummary first = render("one");
  const ReportSummary second = render("two");
  ASSERT_EQ(first.pages.size(), 3U);
  ASSERT_EQ(second.pages.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(samples::read_file(first.pages[i]), samples::read_file(second.pages[i]));
  EXPECT_EQ(samples::read_file(first.index), samples::read_file(second.index));
}

TEST_F(Report, WritesThePagesAskedForAndThoseThatTheIndexWouldMiss) {
  EXPECT_EQ(render("report", {"variants"}).pages.size(), 3U);
  const ReportSummary again = render("report", {"nbody/variants"});
  ASSERT_EQ(again.pages.size(), 1U);
  EXPECT_EQ(again.pages[0], folder_ / "report/nbody/variants.md");
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

TEST_F(Report, ShowsTheBestOfAVeryLargeExperiment) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("tuning", "2025-05-01T10:00:00Z"), samples::gpu());
  for (int i = 1; i <= 70; ++i)
    store.add_trial(run, samples::gpu(), samples::trial("basic", {{"BLOCK_SIZE", i}}, {1000.0 * i}));
  render();
  const std::string text = page("nbody/tuning.md");
  EXPECT_NE(text.find("The best 64 of 70; `tailwave export --format csv` writes all of them."),
            std::string::npos);
  EXPECT_NE(text.find("\n| 64 | correct |"), std::string::npos) << text;
  EXPECT_EQ(text.find("\n| 65 | correct |"), std::string::npos);
}

TEST_F(Report, OfAnEmptyDatabaseSaysSo) {
  Database empty(folder_ / "empty.db", Database::Mode::read_write);
  render_report(empty, {{}, folder_ / "report"});
  EXPECT_NE(page("README.md").find("There are no results yet"), std::string::npos);
  EXPECT_NE(page("claims.md").find("\n- no GPU: 0 confirmed, 0 refuted, "), std::string::npos);
}

TEST_F(Report, NamesAFileThatCannotBeWritten) {
  std::ofstream(folder_ / "blocked") << "a file where the folder should be";
  EXPECT_EQ(samples::error_of([&] { render("blocked"); }),
            (folder_ / "blocked/jacobi/block_size.md").string() +
                ": cannot be written\n  name another folder with --out");
}

TEST_F(Report, SummaryTableShowsARunAtAGlance) {
  EXPECT_EQ(tailwave::render(summary_table(database_, "basic_block_size", "NVIDIA H200"), TableFormat::table),
            "BLOCK_SIZE  outcome               median us  G interactions/s  of the best  blocks/SM  limiter  "
            "waves\n"
            "----------  --------------------  ---------  ----------------  -----------  ---------  -------  "
            "-----\n"
            "         1  correct                    1100             15.25       0.3182         32  blocks   "
            " 0.97\n"
            "         2  correct                     610              27.5       0.5738         32  blocks   "
            " 0.48\n"
            "        30  wrong_result                  -                 -            -          -  -        "
            "    -\n"
            "        32  correct                     350             47.93            1         32  blocks   "
            " 0.03\n"
            "      1025  exceeds_device_limit          -                 -            -          -  -        "
            "    -\n");
}

TEST_F(Report, SummaryTableNamesTheDeviceThatOccupancyIsPredictedFor) {
  const Table table = summary_table(database_, "nbody/basic_block_size", "Test CPU (2 cores)");
  EXPECT_EQ(table.columns[5], "blocks/SM (a100)");
  EXPECT_EQ(table.rows.size(), 2U);
}

TEST_F(Report, SummaryTableHasTheBestRowsOnlyWhenThereAreMany) {
  const Table table = summary_table(database_, "variants", "NVIDIA H200", 2);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(samples::csv(table),
            "FAST_MATH,outcome,median us,G interactions/s,of the best,blocks/SM,limiter,waves\n"
            "true,correct,14,1198,1,,,\nfalse,correct,21,798.9,0.6667,,,\n");
}

TEST_F(Report, SummaryTableRefusesADeviceWithoutTrials) {
  EXPECT_EQ(
      samples::error_of([&] { summary_table(database_, "variants", "NVIDIA A100"); }),
      (folder_ / "results.db").string() + ": no trials of experiment 'variants' on device 'NVIDIA A100'");
}

}  // namespace
}  // namespace tailwave
