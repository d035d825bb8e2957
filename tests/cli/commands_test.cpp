#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/project_fixture.h"
#include "fakes/strays.h"

namespace tailwave {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class CommandsTest : public ProjectFixture {
 protected:
  void run_experiment() {
    const CommandResult result = tailwave(kRun);
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }
};

const std::string kSizesHint =
    "  verified for no other sizes than those that are timed: '\"verify\": {\"problems\": [{\"N\": 101}]}' in "
    "kernel_templates/transpose/system.json adds one that no block divides\n";

TEST_F(CommandsTest, CheckCountsConfigurationsOfAGoodSpec) {
  const CommandResult result = tailwave({"check", "experiments", "kernel_templates/transpose"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(result.out,
            "experiments/transpose/tile_size.json: ok: experiment, 4 configurations\n"
            "kernel_templates/transpose/system.json: ok: system, 2 variants\n" +
                kSizesHint);
}

TEST_F(CommandsTest, CheckNamesEverythingThatIsWrongAndExitsWith2) {
  write("experiments/transpose/tile_size.json",
        R"({ "schema_version": 1, "name": "tile_size", "system": "transpose", "question": "?",
             "cases": [ {"variant": "tile", "parameters": {"TILE": [4]}} ],
             "constraints": ["TIL * 2 <= N", "N <"],
             "metric": {"name": "time", "goal": "min"} })");
  const CommandResult result = tailwave({"check", "experiments"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err,
              HasSubstr("experiments/transpose/tile_size.json: /constraints/0: unknown parameter 'TIL'\n"
                        "  TIL * 2 <= N\n"
                        "  ^ did you mean 'TILE'?"));
  EXPECT_THAT(result.err, HasSubstr("experiments/transpose/tile_size.json: /constraints/1: "));
}

TEST_F(CommandsTest, CheckPassesOverWhatIsNoJson) {
  write("kernel_templates/README.md", "# Systems");
  const std::vector<std::string> all{"check", "kernel_templates/README.md", "kernel_templates/transpose",
                                     "kernel_templates/transpose/tile.cu"};
  const CommandResult result = tailwave(all);
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.out, "kernel_templates/transpose/system.json: ok: system, 2 variants\n" + kSizesHint);
  EXPECT_EQ(result.err,
            "passed over, not JSON: kernel_templates/README.md, kernel_templates/transpose/tile.cu\n");
  std::vector<std::string> as_json = all;
  as_json.emplace_back("--json");
  EXPECT_THAT(tailwave(as_json).out, StartsWith("{\n"));
  const CommandResult nothing = tailwave({"check", "kernel_templates/README.md"});
  EXPECT_EQ(nothing.exit_status, 2);
  EXPECT_EQ(nothing.err,
            "kernel_templates/README.md: not a JSON file\n"
            "  name experiments, system.json files, or folders of them\n");
}

TEST_F(CommandsTest, CheckSaysWhereThereIsNothingToCheck) {
  std::filesystem::create_directory(project_ / "kernel_templates/empty");
  const CommandResult result = tailwave({"check", "kernel_templates/empty"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.err,
            "kernel_templates/empty: neither an experiment (*.json) nor a system.json in this folder\n"
            "  'tailwave new NAME' writes both to start from\n");
}

TEST_F(CommandsTest, CheckWarnsOnceOfWhatDoesNotFitTheSources) {
  write("kernel_templates/transpose/tile.cu", "__global__ void transpose(float* output, int n) {}");
  const CommandResult result = tailwave({"check", "."});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(
      result.err,
      "warning: kernel_templates/transpose/system.json: /variants/tile: 'transpose' in "
      "kernel_templates/transpose/tile.cu has 2 parameters, 'args' has 3\n"
      "  its parameters are: float* output, int n\n"
      "warning: kernel_templates/transpose/system.json: /variants/tile/parameters/BREAK: nothing reads the "
      "parameter: not kernel_templates/transpose/tile.cu, and no expression of the variant\n"
      "  its values would all be the same program\n");
  EXPECT_EQ(result.out,
            "./experiments/transpose/tile_size.json: ok: experiment, 4 configurations, 2 warnings\n"
            "./kernel_templates/transpose/system.json: ok: system, 2 variants, 2 warnings\n" +
                kSizesHint);
}

TEST_F(CommandsTest, CheckAndRunWarnOfWhatCannotBeLaunchedAndOfWhatConstraintsLeaveNothingOf) {
  replace("kernel_templates/transpose/system.json", R"("default": 70)", R"("default": 72)");
  replace("kernel_templates/transpose/system.json", R"x(["ceil_div(N, TILE)", "ceil_div(N, TILE)"])x",
          R"(["N / TILE", "N / TILE"])");
  write("experiments/transpose/tile_size.json",
        R"({ "system": "transpose", "problem": {"N": [72, 70]}, "constraints": ["TILE < 10"],
             "cases": [ {"variant": "tile", "parameters": {"TILE": [4, 8]}},
                        {"variant": "tile", "parameters": {"TILE": [16]}} ],
             "metric": {"name": "time"} })");
  const std::string warnings =
      "warning: experiments/transpose/tile_size.json: /cases/1: the case of the variant 'tile' has no configuration\n"
      "  'TILE < 10' is false for all of it\n"
      "warning: experiments/transpose/tile_size.json: /cases/0: 2 of 4 configurations of 'tile' cannot be launched: "
      "grid of 'transpose' 'N / TILE': expected a whole number, found 17.5\n"
      "  that of transpose/tile/BREAK:0/TILE:4/N:70; '//' divides whole numbers, ceil_div(A, B) rounds up, '/' gives a "
      "fraction\n";
  EXPECT_EQ(tailwave({"check", "experiments"}).err, warnings);
  EXPECT_THAT(tailwave(kRun).err, HasSubstr(warnings));
  EXPECT_EQ(
      scalar(
          "SELECT group_concat(outcome || number, ' ') FROM (SELECT outcome, count(*) AS number FROM trial "
          "GROUP BY outcome ORDER BY outcome)"),
      "correct2 launch_failed2");
}

TEST_F(CommandsTest, ASpecThatIsNotThereIsLookedForByItsNameAndInTheFoldersAbove) {
  const auto complaint = [&](const std::string& spec, const std::string& folder) {
    const CommandResult result = tailwave({"run", spec, "--device", "cpu"}, folder);
    EXPECT_EQ(result.exit_status, 2);
    return result.err;
  };
  EXPECT_EQ(
      complaint("experiments/transpose/tile_size.json", "kernel_templates/transpose"),
      "experiments/transpose/tile_size.json: no such file or folder\n"
      "  '../../experiments/transpose/tile_size.json' is there: start tailwave in that folder, where its results "
      "are, too (cd ../..)\n");
  for (const std::string name : {"tile_size", "transpose/tile_size", "tile_size.json"})
    EXPECT_EQ(complaint(name, ""), name +
                                       ": no such file or folder\n"
                                       "  did you mean 'experiments/transpose/tile_size.json'?\n");
  EXPECT_EQ(complaint("nothing", ""),
            "nothing: no such file or folder\n  'tailwave list experiments' names those that there are\n");
}

TEST_F(CommandsTest, CheckTakesPublishedFiguresForWhatTheyAre) {
  write("experiments/transpose/published/study.json",
        R"({ "study": "A study", "device": "a100", "quantity": "time", "unit": "us",
             "rows": [ {"experiment": "tile_size", "variant": "tile", "TILE": 8, "value": 3},
                       {"experiment": "tile_size", "variant": "tile", "TILE": 4, "value": 3} ] })");
  const CommandResult unused = tailwave({"check", "experiments/transpose/published"});
  EXPECT_EQ(unused.exit_status, 2);
  EXPECT_EQ(unused.err,
            "experiments/transpose/published/study.json: /rows/0/experiment: "
            "experiments/transpose/tile_size.json does not read these figures\n"
            "  it would with \"published\": \"published/study.json\"\n");
  write("experiments/transpose/tile_size.json",
        R"({ "schema_version": 1, "name": "tile_size", "system": "transpose", "question": "?",
             "cases": [ {"variant": "tile", "parameters": {"TILE": [4]}} ],
             "metric": {"name": "time", "goal": "min"}, "published": "published/study.json" })");
  const CommandResult good = tailwave({"check", "experiments/transpose/published"});
  EXPECT_EQ(good.exit_status, 0) << good.err;
  EXPECT_EQ(good.out, "experiments/transpose/published/study.json: ok: published, 2 figures\n");
  const CommandResult run =
      tailwave({"run", "experiments/transpose/published/study.json", "--device", "cpu"});
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_THAT(
      run.err,
      StartsWith("experiments/transpose/published/study.json: published figures, not an experiment\n"));
  write("experiments/transpose/published/study.json",
        R"({ "study": "A study", "device": "a100", "quantity": "time", "unit": "us",
             "rows": [ {"experiment": "tile_siz", "variant": "tile", "TILE": 8, "value": 3},
                       {"experiment": "tile_size", "variant": "tile", "TIL": 8, "value": 3} ] })");
  const CommandResult wrong = tailwave({"check", "experiments/transpose/published/study.json"});
  EXPECT_EQ(wrong.exit_status, 2);
  EXPECT_THAT(wrong.err,
              HasSubstr("/rows/0/experiment: unknown experiment 'tile_siz'\n  did you mean 'tile_size'?\n"));
  EXPECT_THAT(wrong.err, HasSubstr("/rows/1/TIL: unknown parameter 'TIL'\n  did you mean 'TILE'?\n"));
}

TEST_F(CommandsTest, QueryAnswersInEveryFormat) {
  run_experiment();
  EXPECT_THAT(tailwave({"query", "best"}).out, HasSubstr("transpose/"));
  EXPECT_THAT(tailwave({"query", "runs", "--format", "json"}).out, HasSubstr("\"transpose/tile_size\""));
  EXPECT_EQ(tailwave({"query", "--sql", "SELECT count(*) AS trials FROM trial", "--format", "csv"}).out,
            "trials\n4\n");
  EXPECT_EQ(tailwave({"query", "--sql", "SELECT 1 AS one", "--format", "markdown"}).out,
            "| one |\n| ---: |\n| 1 |\n");
}

TEST_F(CommandsTest, QueryWithoutANameSaysWhatThereIs) {
  const CommandResult queries = tailwave({"query", "--format", "csv"});
  EXPECT_EQ(queries.exit_status, 0) << queries.err;
  EXPECT_THAT(queries.out, StartsWith("query,title,parameters\nadvice,"));
  const CommandResult views = tailwave({"list", "views", "--format", "csv"});
  EXPECT_THAT(views.out, StartsWith("view,title\ncounter_age,"));
  EXPECT_THAT(views.out,
              HasSubstr("\ntrial_limit,How near a timed current trial came to what the device allows\n"));
  const CommandResult both = tailwave({"query", "best", "--sql", "SELECT 1"});
  EXPECT_EQ(both.exit_status, 2);
  EXPECT_EQ(both.err, "query takes a name or --sql, not both\n");
}

TEST_F(CommandsTest, AnEndlessQueryIsEndedByCtrlC) {
  { const Database made(project_ / "results/tailwave.db", Database::Mode::read_write); }
  const pid_t query =
      begin({"query", "--sql",
             "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"},
            "endless");
  EXPECT_TRUE(fakes::comes_true([&] { return fakes::heeds(query, SIGINT); }));
  kill(query, SIGINT);
  const CommandResult result = end(query, "endless");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, EndsWith("\nresults/tailwave.db: interrupted\n"));
  EXPECT_EQ(result.out, "");
}

TEST_F(CommandsTest, QueryNamesTheDevicesThereAre) {
  run_experiment();
  const CommandResult part = tailwave({"query", "best", "--device", "CORE"});
  EXPECT_EQ(part.exit_status, 0) << part.err;
  EXPECT_THAT(part.out, HasSubstr("transpose/"));
  const CommandResult none = tailwave({"query", "best", "--device", "h200"});
  EXPECT_EQ(none.exit_status, 2);
  EXPECT_THAT(none.err, HasSubstr("results/tailwave.db: no device 'h200'\n  it has results of: "));
}

TEST_F(CommandsTest, QueryWithoutRowsSaysWhy) {
  { const Database made(project_ / "empty.db", Database::Mode::read_write); }
  EXPECT_EQ(tailwave({"query", "best", "--db", "empty.db"}).err,
            "no rows: empty.db has no results; 'tailwave run' and 'tailwave import' add some\n");
  run_experiment();
  EXPECT_THAT(
      tailwave({"query", "failures"}).err,
      StartsWith(
          "no rows: every configuration is correct\n  results/tailwave.db has transpose/tile_size on "));
  EXPECT_EQ(tailwave({"query", "failures", "--experiment", "tile_size", "--device", "cpu"}).err,
            "no rows: every configuration is correct\n");
  std::filesystem::copy(project_ / "results/tailwave.db", project_ / "nothing.db");
  Database(project_ / "nothing.db", Database::Mode::read_write).execute("DELETE FROM trial");
  for (const char* query : {"failures", "best"})
    EXPECT_EQ(tailwave({"query", query, "--experiment", "tile_size", "--db", "nothing.db"}).err,
              "no rows: no configuration was measured; 'tailwave query runs' says how runs ended\n");
  EXPECT_THAT(tailwave({"query", "--sql", "SELECT 1 WHERE false"}).err,
              StartsWith("no rows\n  results/tailwave.db has transpose/tile_size on "));
  EXPECT_EQ(tailwave({"query", "speedup", "--set", "baseline=basic"}).err,
            "results/tailwave.db: nothing of baseline 'basic'\n  there are: cpu, tile\n");
  EXPECT_EQ(tailwave({"query", "failures", "--set", "outcome=crashd"}).err,
            "results/tailwave.db: nothing of outcome 'crashd'\n  did you mean 'crashed'?\n");
  EXPECT_EQ(tailwave({"query", "by_parameter", "--set", "parameter=TIL"}).err,
            "results/tailwave.db: nothing of parameter 'TIL'\n  did you mean 'TILE'?\n");
}

TEST_F(CommandsTest, EveryQueryTakesALimit) {
  run_experiment();
  const CommandResult failures = tailwave({"query", "waves", "--limit", "1", "--format", "csv"});
  EXPECT_EQ(failures.exit_status, 0) << failures.err;
  EXPECT_EQ(std::count(failures.out.begin(), failures.out.end(), '\n'), 2) << failures.out;
  EXPECT_THAT(failures.err, HasSubstr("1 of 3 rows (--limit)\n"));
  EXPECT_THAT(tailwave({"query", "claims", "--experiment", "x"}).err,
              HasSubstr("it has no parameter 'experiment'\n  it takes: system, device, claim\n"));
}

TEST_F(CommandsTest, QueryTakesNoTextWhereItCounts) {
  run_experiment();
  const CommandResult result = tailwave({"query", "best", "--set", "limit=abc"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.err, "query: limit cannot be 'abc'\n  use a number\n");
}

TEST_F(CommandsTest, QueryRefusesToWriteAndSuggestsNames) {
  run_experiment();
  const CommandResult write = tailwave({"query", "--sql", "DELETE FROM trial"});
  EXPECT_EQ(write.exit_status, 2);
  EXPECT_EQ(scalar("SELECT count(*) FROM trial"), "4");
  const CommandResult misspelt = tailwave({"query", "bets"});
  EXPECT_EQ(misspelt.exit_status, 2);
  EXPECT_THAT(misspelt.err, HasSubstr("did you mean 'best'?"));
}

TEST_F(CommandsTest, QueryOfADatabaseThatIsNotThereSaysHowToMakeOne) {
  const CommandResult result = tailwave({"query", "best"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("results/tailwave.db"));
  EXPECT_FALSE(std::filesystem::exists(project_ / "results/tailwave.db"));
}

TEST_F(CommandsTest, WhatIsNotThereIsBadUsageOfEveryCommand) {
  const std::vector<std::vector<std::string>> commands{
      {"query", "best"}, {"query", "--sql", "SELECT 1"},  {"compare"},         {"compare", "a.db", "b.db"},
      {"report"},        {"export", "--experiment", "x"}, {"curve", "--refit"}};
  for (const std::vector<std::string>& words : commands) {
    const CommandResult result = tailwave(words);
    EXPECT_EQ(result.exit_status, 2) << words[0];
    EXPECT_THAT(result.err, HasSubstr("there is no such database")) << words[0];
  }
  run_experiment();
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"query", "best", "--experiment", "none"},
                                             {"compare", "--experiment", "none"},
                                             {"report", "--experiment", "none"},
                                             {"export", "--experiment", "none"},
                                             {"export", "--experiment", "none", "--format", "header"},
                                             {"simulate", "none"}})
    EXPECT_EQ(tailwave(words).exit_status, 2) << words[0];
}

TEST_F(CommandsTest, ReportTakesExperimentsByName) {
  run_experiment();
  for (const std::string name : {"tile_size", "transpose/tile_size"}) {
    const CommandResult result = tailwave({"report", "--experiment", name, "--out", name});
    EXPECT_EQ(result.exit_status, 0) << result.err;
    EXPECT_TRUE(std::filesystem::exists(project_ / name / "transpose/tile_size.md"));
  }
}

TEST_F(CommandsTest, ReportAnswersTheQuestionInMarkdown) {
  run_experiment();
  const CommandResult result = tailwave({"report"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("results/report"));
  EXPECT_THAT(text_of(project_ / "results/report/README.md"), HasSubstr("tile_size"));
}

TEST_F(CommandsTest, ExportedResultsImportIntoAnotherDatabaseOnce) {
  run_experiment();
  const CommandResult exported = tailwave({"export", "--experiment", "tile_size", "--out", "recorded.json"});
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  ASSERT_EQ(tailwave({"import", "recorded.json", "--db", "other.db"}).exit_status, 0);
  ASSERT_EQ(tailwave({"import", "recorded.json", "--db", "other.db"}).exit_status, 0);
  EXPECT_EQ(
      tailwave({"query", "--sql", "SELECT count(*) AS n FROM trial", "--format", "csv", "--db", "other.db"})
          .out,
      "n\n4\n");
}

TEST_F(CommandsTest, ExportNamesTheOtherDevicesAlone) {
  run_experiment();
  ASSERT_EQ(tailwave({"export", "--experiment", "tile_size", "--out", "recorded.json"}).exit_status, 0);
  std::ifstream file(project_ / "recorded.json");
  nlohmann::json recorded = nlohmann::json::parse(file);
  recorded["device"] = "Other CPU";
  for (auto& device : recorded["devices"]) device.update({{"name", "Other CPU"}, {"uuid", ""}});
  for (auto& run : recorded["runs"]) run["identity"] = "11112222333344445555666677778888";  // another run
  write("recorded.json", recorded.dump());
  const CommandResult imported = tailwave({"import", "recorded.json"});
  ASSERT_EQ(imported.exit_status, 0) << imported.err;
  const CommandResult result = tailwave({"export", "--experiment", "tile_size", "--format", "csv"});
  EXPECT_THAT(result.err, HasSubstr("of Other CPU, which ran tile_size last; --device names another: "));
  EXPECT_THAT(result.err, Not(HasSubstr("another: Other CPU"))) << "that is no other";
  EXPECT_THAT(result.err, Not(HasSubstr(", Other CPU")));
}

TEST_F(CommandsTest, ExportTakesAKindOfDevice) {
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  for (const char* format : {"csv", "recorded", "wisdom", "t4"})
    EXPECT_EQ(
        tailwave({"export", "--experiment", "tile_size", "--device", "cpu", "--format", format}).exit_status,
        0)
        << format;
  EXPECT_NE(tailwave({"export", "--experiment", "tile_size", "--device", "cuda"}).exit_status, 0);
}

TEST_F(CommandsTest, ExportKnowsItsFormats) {
  run_experiment();
  const CommandResult csv = tailwave({"export", "--experiment", "tile_size", "--format", "csv"});
  EXPECT_THAT(csv.out,
              HasSubstr(",variant,BREAK,TILE,N,outcome,unverified,mode,timer,repetition,position,time_ns,"))
      << csv.err;
  EXPECT_EQ(
      tailwave({"export", "--experiment", "transpose/tile_size", "--format", "csv", "--device", "cpu"}).out,
      csv.out);
  const CommandResult unknown = tailwave({"export", "--experiment", "tile_size", "--format", "xml"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_EQ(
      unknown.err,
      "unknown format 'xml'\n  use recorded (tailwave's own JSON), observed (traces, curves, counters and timelines, as JSON "
      "that import takes too), "
      "csv (a row for each sample), google-benchmark (the JSON of Google Benchmark, for its compare.py), "
      "t4 (the autotuning community's results, as JSON that import takes too), "
      "kernel-tuner (a cachefile of Kernel Tuner that import takes too), "
      "header (the best configuration for each GPU and problem, as C++), wisdom (the same as JSON), "
      "fom (figures of merit in lines that JUBE, ReFrame and Ramble read), "
      "program (a configuration as a CUDA program that verifies and times itself, in a folder)\n");
  const CommandResult import = tailwave({"import", "x.csv", "--format", "csv"});
  EXPECT_EQ(import.exit_status, 2);
  EXPECT_EQ(import.err,
            "'csv' can only be exported\n  use recorded (tailwave's own JSON), "
            "observed (traces, curves, counters and timelines, as JSON that import takes too), "
            "t4 (the autotuning community's results, as JSON that import takes too), "
            "kernel-tuner (a cachefile of Kernel Tuner that import takes too), "
            "ncu (counters as 'ncu --csv' prints them)\n");
  EXPECT_EQ(tailwave({"export", "--experiment", "tile_size", "--format", "ncu"})
                .err.find("'ncu' can only be imported\n"),
            0U);
  EXPECT_EQ(tailwave({"import", "x.json", "--experiment", "tile_size"}).err,
            "--experiment: is for --format ncu alone\n  other files say themselves what they are about\n");
}

// The script of the package libbenchmark-tools, run by Debian's own Python, which has numpy and scipy as packages.
TEST_F(CommandsTest, ExportAndRunSuggestWhatIsNear) {
  const CommandResult format = tailwave({"export", "--experiment", "tile_size", "--format", "heder"});
  EXPECT_EQ(format.exit_status, 2);
  EXPECT_EQ(format.err, "unknown format 'heder'\n  did you mean 'header'?\n");
  const CommandResult spec = tailwave({"run", "experiments/transpos/tile_size.json"});
  EXPECT_EQ(spec.exit_status, 2);
  EXPECT_EQ(spec.err,
            "experiments/transpos/tile_size.json: no such file or folder\n"
            "  did you mean 'experiments/transpose/tile_size.json'?\n");
}

TEST_F(CommandsTest, NoCommandListsThemAll) {
  const CommandResult result = tailwave({});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, tailwave({"--help"}).out);
  EXPECT_THAT(result.err, HasSubstr("3 a --fail-on of compare or run is fulfilled"));
}

TEST_F(CommandsTest, ComparePyOfGoogleBenchmarkReadsTwoExports) {
  const std::string python = "/usr/bin/python3";
  const std::string script = "/usr/share/benchmark/compare.py";
  if (!std::filesystem::exists(script))
    GTEST_SKIP() << script << " is missing: apt-get install libbenchmark-tools";
  if (std::system((python + " -c 'import numpy, scipy' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "compare.py needs numpy and scipy: apt-get install python3-numpy python3-scipy";
  run_experiment();
  for (const std::string file : {"one.json", "two.json"}) {
    const CommandResult exported =
        tailwave({"export", "--experiment", "tile_size", "--format", "google-benchmark", "--out", file});
    ASSERT_EQ(exported.exit_status, 0) << exported.err;
  }
  const std::string output = (project_ / "compared.txt").string();
  ASSERT_EQ(
      std::system((python + " " + script + " --no-color benchmarks " + (project_ / "one.json").string() +
                   " " + (project_ / "two.json").string() + " >" + output + " 2>&1")
                      .c_str()),
      0);
  const std::string text = text_of(output);
  EXPECT_THAT(text, HasSubstr("transpose/tile/BREAK:0/TILE:8/N:70/manual_time"));
  EXPECT_THAT(text, HasSubstr("OVERALL_GEOMEAN"));
  EXPECT_THAT(text, testing::Not(HasSubstr("Traceback")));
}

TEST_F(CommandsTest, ListNamesWhatIsThere) {
  EXPECT_THAT(tailwave({"list", "systems"}).out, HasSubstr("transpose"));
  EXPECT_THAT(tailwave({"list", "experiments"}).out, HasSubstr("tile_size"));
  EXPECT_THAT(tailwave({"list", "devices"}).out, HasSubstr("a100"));
  EXPECT_THAT(tailwave({"list", "queries"}).out, HasSubstr("best"));
  EXPECT_EQ(tailwave({"list", "kernels"}).exit_status, 2);
}

}  // namespace
}  // namespace tailwave
