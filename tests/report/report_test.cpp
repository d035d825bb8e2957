#include "report/report.h"

#include <gtest/gtest.h>

#include <map>

#include "report/report_fixture.h"
#include "report/study_reader.h"
#include "report/summary.h"
#include "report/traces.h"
#include "report/winner.h"
#include "store/sample_counters.h"

namespace tailwave {
namespace {

using Report = samples::ReportFixture;

TEST_F(Report, IndexAnswersEveryExperimentInOneLine) {
  render();
  std::string text = page("README.md");
  const std::size_t counts = text.find("- NVIDIA H200: ");
  ASSERT_NE(counts, std::string::npos) << text;
  text.replace(counts, text.find('\n', counts) - counts, "- NVIDIA H200: (counts)");  // new with every claim
  samples::expect_file(text, "report_index.md");
}

TEST_F(Report, HasAPageOfClaimsBySystem) {
  samples::add_printed_block_sizes(database_);
  const ReportSummary summary = render();
  EXPECT_EQ(summary.claims, folder_ / "report/claims.md");
  const std::string text = page("claims.md");
  EXPECT_NE(
      text.find(
          "\n## nbody\n\n| claim | source | device | verdict | evidence | explanation | on the study's GPU |"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("(`nbody_1025_is_a_failed_launch`) | N-body on A100, N = 4096: 784e9 interactions/s"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| NVIDIA H200 | confirmed | exceeds_device_limit: "), std::string::npos) << text;
  EXPECT_NE(text.find("| NVIDIA H200 | **differs here** | Block size 1 takes 1100.0 us"), std::string::npos)
      << text;
}

TEST_F(Report, PageShowsResultsBesideThePublishedOnesForEachDevice) {
  render();
  samples::expect_file(page("nbody/basic_block_size.md"), "report_basic_block_size.md");
}

TEST_F(Report, PageSaysOnWhichDrawsAndProblemsItsResultsWereVerified) {
  ResultStore store(database_);
  const DeviceDescription device = samples::gpu();
  const std::int64_t run = store.begin_run(samples::run("verified", "2025-05-01T10:00:00Z"), device);
  Trial once = samples::trial("basic", {{"BLOCK_SIZE", 1}}, {1e5});
  Trial thorough = samples::trial("tuned", {{"BLOCK_SIZE", 32}}, {1e5});
  Verification one = once.verifications.front();
  // Repetitions look at the second draw each, the last one at a third.
  for (const char* phase : {"while", "while", "after"}) {
    one.phase = phase;
    thorough.verifications.push_back(one);
  }
  one.phase = "before";
  for (const char* problem : {"N = 129", "N = 33", "N = 1", "N = 5", "N = 7"}) {
    one.other_problem = problem;
    thorough.verifications.push_back(one);
  }
  store.add_trial(run, device, once);
  store.add_trial(run, device, thorough);
  store.set_domains("nbody", {{"tuned", "BLOCK_SIZE % 32 == 0"}, {"absent", "N > 1"}});
  render();
  EXPECT_NE(
      page("nbody/verified.md")
          .find("\nVerified with 1 to 3 draws of the inputs, and for other problems: N = 1; N = 5; N = 7; "
                "N = 33; 1 more in the table `verification`.\n\n"
                "Made for, and verified on, some problems only: `tuned` where `BLOCK_SIZE % 32 == 0`.\n\n"),
      std::string::npos)
      << page("nbody/verified.md");
}

TEST_F(Report, PageOfVariantsTellsThemApart) {
  render();
  samples::expect_file(page("nbody/variants.md"), "report_variants.md");
}

TEST_F(Report, PageOfATimeMetricShowsTimesOnly) {
  render();
  samples::expect_file(page("jacobi/block_size.md"), "report_block_size.md");
}

TEST_F(Report, HasParametersInTheOrderOfTheSpec) {
  ResultStore store(database_);
  RunRecord record = samples::run("ordered", "2025-05-01T10:00:00Z");
  record.spec_text =
      R"({"problem": {"N": [1]}, "cases": [{"variant": "basic", "parameters": {"UNROLL": [1, 2], "BLOCK_SIZE": [32, 64]}}]})";
  const std::int64_t run = store.begin_run(record, samples::gpu());
  for (const int size : {32, 64})
    for (const int unroll : {2, 1})
      store.add_trial(
          run, samples::gpu(),
          samples::trial("basic", {{"ALIAS", size / unroll}, {"BLOCK_SIZE", size}, {"UNROLL", unroll}},
                         {1000.0 * size * unroll}));
  EXPECT_EQ(tailwave::render(summary_table(database_, "ordered", "NVIDIA H200").shown, TableFormat::csv)
                .substr(0, 41),
            "UNROLL,BLOCK_SIZE,ALIAS,outcome,median us");
  render();
  const std::string text = page("nbody/ordered.md");
  EXPECT_NE(text.find("| UNROLL | BLOCK_SIZE | ALIAS | median |"), std::string::npos) << text;
  const std::vector<std::string> rows{"\n| 1 | 32 | 32 |", "\n| 1 | 64 | 64 |", "\n| 2 | 32 | 16 |",
                                      "\n| 2 | 64 | 32 |"};
  for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_LT(text.find(rows[i - 1]), text.find(rows[i])) << text;
}

TEST_F(Report, HasAPageOfAnExperimentThatWasOnlyTraced) {
  samples::add_trace(database_, "nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096", samples::seven_blocks(), 2, 2);
  database_.execute("UPDATE trace SET experiment = 'watched'");
  render();
  EXPECT_NE(page("README.md")
                .find("| [nbody/watched](nbody/watched.md) |  | NVIDIA H200 | not run, only observed "
                      "(`tailwave trace`, `curve`, `counters`, `timeline`) |"),
            std::string::npos)
      << page("README.md");
  EXPECT_TRUE(
      page("nbody/watched.md")
          .starts_with(
              "# nbody: watched\n\n**Answer.** On NVIDIA H200: not run, only observed (`tailwave trace`, "
              "`curve`, `counters`, `timeline`).\n\n## NVIDIA H200\n\n### Observed waves\n\nFrom the SM, "
              "start and en"))
      << page("nbody/watched.md");
  EXPECT_NE(
      page("nbody/watched.md").find("\n| `nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096` | `body_force` | 7 |"),
      std::string::npos)
      << page("nbody/watched.md");
}

TEST_F(Report, ShowsTheCountersOfItsConfigurationsWhoeverCountedThem) {
  std::map<std::string, double> values = samples::counted_values();
  samples::add_counted(database_, samples::counted("basic", {{"BLOCK_SIZE", 32}}, values),
                       "2025-05-02T10:00:00Z", "elsewhere");
  values["sm__inst_executed_pipe_fma.sum"] = 1e9;
  samples::add_counted(database_, samples::counted("basic", {{"BLOCK_SIZE", 64}}, values),
                       "2025-05-02T10:00:00Z", "close");
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("close", "2025-05-01T10:00:00Z"), samples::gpu());
  for (const int size : {32, 128})
    store.add_trial(run, samples::gpu(), samples::trial("basic", {{"BLOCK_SIZE", size}}, {1e5}));
  render();
  const std::string text = page("nbody/close.md");
  const std::size_t begin = text.find("\n### Hardware counters\n");
  ASSERT_NE(begin, std::string::npos) << text;
  samples::expect_file(text.substr(begin), "report_counters.md");
  EXPECT_EQ(page("jacobi/block_size.md").find("Hardware counters"), std::string::npos);
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
  EXPECT_NE(
      text.find("less than 1 % ahead of the runner-up `BLOCK_SIZE 128`, tied with all 2 others; 3 of 3"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("In all rows: outcome correct, samples 20, standing tied [1].\n"), std::string::npos)
      << text;
  EXPECT_NE(
      text.find(
          "1. Not shown to be slower than the best with the same problem by more than 5 % and more than "
          "the samples scatter, as one of the two has one repetition only (bootstrap, "),
      std::string::npos)
      << text;
}

TEST_F(Report, SaysByWhichMarginRepeatedTimesAreTied) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("close", "2025-05-01T10:00:00Z"), samples::gpu());
  for (const int size : {64, 128}) {
    Trial trial = samples::trial("basic", {{"BLOCK_SIZE", size}}, std::vector<double>(20, 1e5 + 3.0 * size));
    for (Sample& sample : trial.samples) sample.repetition = sample.position % 2;
    store.add_trial(run, samples::gpu(), trial);
  }
  render();
  EXPECT_NE(
      page("nbody/close.md")
          .find(
              "1. Not shown to be slower than the best with the same problem by more than 1 % (bootstrap, "),
      std::string::npos);
}

TEST_F(Report, ShowsTheLineOfACompilersErrorThatSaysWhatIsWrong) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("broken", "2025-05-01T10:00:00Z"), samples::gpu());
  store.add_trial(run, samples::gpu(),
                  samples::failed("basic", {}, Outcome::compile_error,
                                  "k.cu: In function 'f':\nk.cu:3:1: error: 'x' is not there\n  x;\n"));
  render();
  EXPECT_NE(page("nbody/broken.md").find("| compile_error | k.cu:3:1: error: 'x' is not there |"),
            std::string::npos)
      << page("nbody/broken.md");
}

TEST_F(Report, AnswersWithAKernelWhateverTheHostVariantsTake) {
  ResultStore store(database_);
  samples::add_run_beside_host(store);
  render();
  const std::string text = page("nbody/beside_host.md");
  EXPECT_NE(text.find("`BLOCK_SIZE 64` is the fastest: 16.78 G interactions/s"), std::string::npos) << text;
  EXPECT_NE(text.find("| cpu |  | the host, as reference | 100 us |"), std::string::npos) << text;
}

TEST_F(Report, AnswersWithAHostVariantWhereThereIsNothingElse) {
  ResultStore store(database_);
  samples::add_run_beside_host(store, false);
  render();
  const std::string text = page("nbody/beside_host.md");
  EXPECT_NE(text.find("`cpu` is the fastest: 167.8 G interactions/s"), std::string::npos) << text;
}

TEST_F(Report, CallsUnclearWhatFewSamplesLeaveOpen) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("few", "2025-01-05T10:00:00Z"), samples::gpu());
  store.add_trial(run, samples::gpu(), samples::trial("basic", {{"BLOCK_SIZE", 32}}, {1e3, 1e3, 7e5}));
  store.add_trial(run, samples::gpu(), samples::trial("basic", {{"BLOCK_SIZE", 64}}, {6.36e5, 6.5e5, 7e5}));
  render();
  const std::string text = page("nbody/few.md");
  EXPECT_NE(text.find("the samples do not show whether the other one is slower; 2 of 2"), std::string::npos)
      << text;
  EXPECT_NE(text.find("| unclear (3 samples) [2] |"), std::string::npos) << text;
}

TEST_F(Report, MarksANoisyMedian) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("noisy", "2025-01-05T10:00:00Z"), samples::gpu());
  std::vector<double> steady, noisy;
  for (int i = 0; i < 20; ++i) {
    steady.push_back(1e5 + i);
    noisy.push_back(1e5 + 1e4 * i);
  }
  store.add_trial(run, samples::gpu(), samples::trial("basic", {{"BLOCK_SIZE", 32}}, steady));
  store.add_trial(run, samples::gpu(), samples::trial("basic", {{"BLOCK_SIZE", 64}}, noisy));
  render();
  const std::string text = page("nbody/noisy.md");
  EXPECT_NE(text.find("\n1. Noisy: the 95 % interval is wider than 10 % of the median."), std::string::npos)
      << text;
  EXPECT_EQ(samples::csv(summary_table(database_, "noisy", "NVIDIA H200").shown),
            "BLOCK_SIZE,outcome,median us,noise,G interactions/s,of the best,blocks/SM,limiter,waves\n"
            "32,correct,100,,167.8,1,,,\n"
            "64,correct,195,46 %,86.04,0.5129,,,\n");
}

TEST_F(Report, MarksWhatWasMeasuredBesideOtherProcesses) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("beside", "2025-01-05T10:00:00Z"), samples::gpu());
  const auto add = [&](int size, std::optional<std::int64_t> others) {
    Trial trial = samples::trial("basic", {{"BLOCK_SIZE", size}}, std::vector<double>(20, 1e5));
    trial.samples.back().other_processes = others;
    store.add_trial(run, samples::gpu(), trial);
  };
  add(32, std::nullopt);
  add(64, 0);
  add(128, 2);
  render();
  const std::string text = page("nbody/beside.md");
  EXPECT_NE(
      text.find(
          "\n2. Other processes had the GPU open, or ran on the CPU device's cores, while this was measured"),
      std::string::npos)
      << text;
  EXPECT_EQ(samples::csv(summary_table(database_, "beside", "NVIDIA H200").shown),
            "BLOCK_SIZE,outcome,median us,noise,G interactions/s,of the best,blocks/SM,limiter,waves\n"
            "32,correct,100,,167.8,1,,,\n"
            "64,correct,100,,167.8,1,,,\n"
            "128,correct,100,2 other processes,167.8,1,,,\n");
}

TEST_F(Report, SaysOfAWinnerThatOtherProgramsRanBesideWhatItBeats) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("beside", "2025-01-05T10:00:00Z"), samples::gpu());
  const auto tied = [&](int size, double time_ns, std::int64_t others) {
    std::vector<double> times;
    for (int i = 0; i < 20; ++i) times.push_back(time_ns + i);
    Trial trial = samples::trial("basic", {{"BLOCK_SIZE", size}}, times);
    trial.samples.back().other_processes = others;
    store.add_trial(run, samples::gpu(), trial);
    const Study study = load_results(database_, "beside", "NVIDIA H200");
    return tied_text(study, winners_of(database_, study.devices.front()).at(0));
  };
  EXPECT_EQ(tied(32, 1e5, 0), "");
  EXPECT_EQ(tied(64, 2e5, 0), "not tied (the other one is shown to be slower)");
  EXPECT_EQ(
      tied(128, 3e5, 1),
      "not tied (all 2 others are shown to be slower); but other programs ran beside 1 of all 3 while they "
      "were measured");
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
  EXPECT_NE(
      text.find(
          "On NVIDIA H200: `BLOCK_SIZE 64` has the lowest median at all 4 problems; what has it is shown to be the "
          "fastest at all 4; at N 512 `BLOCK_SIZE 64` is the "
          "fastest: "),
      std::string::npos)
      << text;
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
  store.finish_run(run, RunStatus::interrupted, "2025-05-01T10:01:00Z");
  render();
  const std::string text = page("nbody/cut.md");
  EXPECT_NE(text.find("1 of 1 configuration correct; the last run is 'interrupted', so some may be missing"),
            std::string::npos)
      << text;
}

TEST_F(Report, ComparesWithTheStudyOnlyWhatRanOnThePagesDevice) {
  const auto published = [](const std::string& variant, double seconds) {
    return PublishedValue{"Study", "a100", "time", "us", variant, {}, seconds, "", ""};
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

TEST_F(Report, ShowsEachFigureThatAStudyHasForARow) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("twice", "2025-05-01T10:00:00Z"), samples::gpu());
  store.add_trial(run, samples::gpu(), samples::trial("basic", {}, {1e5}));
  store.set_published("twice",
                      {{"Study", "a100", "time", "us", "basic", {}, 2e-4, "", "from its table"},
                       {"Study", "a100", "time", "us", "basic", {}, 3e-4, "", "from its text"}},
                      "nbody");
  render();
  const std::string text = page("nbody/twice.md");
  EXPECT_NE(text.find("| 200 us [2], 300 us [3] | 2, 3 |"), std::string::npos) << text;
}

TEST_F(Report, HasVariantsInTheOrderOfTheSpec) {
  ResultStore store(database_);
  RunRecord record = samples::run("ordered", "2025-05-01T10:00:00Z");
  record.spec_text = R"({"cases": [{"variant": "shared"}, {"variant": "basic"}]})";
  const std::int64_t run = store.begin_run(record, samples::gpu());
  for (const char* variant : {"basic", "another", "shared"})
    store.add_trial(run, samples::gpu(), samples::trial(variant, {}, {1e5}));
  render();
  const std::string text = page("nbody/ordered.md");
  EXPECT_LT(text.find("| shared |"), text.find("| basic |")) << text;
  EXPECT_LT(text.find("| basic |"), text.find("| another |")) << text;
}

TEST_F(Report, AnswersForADeviceThatRanNothingWithWhereTheTimeIsFrom) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("hosts", "2025-05-01T10:00:00Z"), samples::gpu());
  store.add_trial(run, samples::cpu(), samples::trial("cpu", {}, {2.1e8}));
  store.set_published("hosts", {{"Study", "a100", "time", "us", "cpu", {}, 1, "", ""}}, "nbody");
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

// Path below the folder -> text.
std::map<std::string, std::string> files_of(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files.emplace(entry.path().lexically_relative(folder).string(), samples::read_file(entry.path()));
  return files;
}

TEST_F(Report, IsTheSameBytesForTheSameDatabase) {
  render("one");
  render("two");
  const auto files = files_of(folder_ / "one");
  std::vector<std::string> names;
  for (const auto& [name, text] : files) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{".tailwave_report",
                                             "README.md",
                                             "assets/charts.js",
                                             "assets/explorer.css",
                                             "assets/explorer.js",
                                             "assets/page.js",
                                             "assets/style.css",
                                             "assets/tables.js",
                                             "claims.html",
                                             "claims.md",
                                             "gains.html",
                                             "gains.md",
                                             "index.html",
                                             "jacobi/block_size.html",
                                             "jacobi/block_size.md",
                                             "jacobi/study.html",
                                             "jacobi/study.md",
                                             "nbody/basic_block_size.html",
                                             "nbody/basic_block_size.md",
                                             "nbody/study.html",
                                             "nbody/study.md",
                                             "nbody/variants.html",
                                             "nbody/variants.md"}));
  EXPECT_EQ(files, files_of(folder_ / "two"));
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
  EXPECT_NE(text.find("\n| 64 | 64 us |"), std::string::npos) << text;
  EXPECT_EQ(text.find("\n| 65 | 65 us |"), std::string::npos);
}

TEST_F(Report, OfAnEmptyDatabaseSaysSo) {
  Database empty(folder_ / "empty.db", Database::Mode::read_write);
  render_report(empty, {{}, folder_ / "report"});
  EXPECT_NE(page("README.md").find("There are no results yet"), std::string::npos);
  EXPECT_NE(page("index.html").find("There are no results yet"), std::string::npos);
  EXPECT_NE(page("claims.md").find("\n- no GPU: 0 confirmed, 0 refuted, "), std::string::npos);
}

}  // namespace
}  // namespace tailwave
