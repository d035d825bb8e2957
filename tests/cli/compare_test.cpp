// tailwave compare, on runs of the CPU device and on databases changed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class CompareCommand : public ProjectFixture {
 protected:
  CompareCommand() {
    write_experiment("[4, 8]", 8);
    for (int i = 0; i < 2; ++i) {
      std::vector<std::string> run = kRun;
      run.emplace_back("--fresh");
      EXPECT_EQ(tailwave(run).exit_status, 0);
    }
    // Times of two runs on a busy machine may be anything: both get those of one, to begin with.
    change("UPDATE sample SET time_ns = 1e6 + 100 * position");
  }

  void change(const std::string& sql) const {
    Database(project_ / "results/tailwave.db", Database::Mode::read_write).execute(sql);
  }
  // Makes a configuration of the second run slower by 10 %.
  void slow_down() const {
    change(
        "UPDATE sample SET time_ns = 1.1 * time_ns WHERE trial_id = (SELECT max(id) FROM trial WHERE run_id "
        "= 2)");
  }
  // What a comparison says that is bad usage.
  std::string refusal(const std::vector<std::string>& arguments) const {
    const CommandResult result = tailwave(arguments);
    EXPECT_EQ(result.exit_status, 2) << result.err;
    return result.err;
  }
};

TEST_F(CompareCommand, ComparesTheLatestTwoRunsUnlessSidesAreNamed) {
  const CommandResult result = tailwave({"compare"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("same"));
  EXPECT_THAT(result.err, StartsWith("A: run 1 ("));
  EXPECT_THAT(result.err, HasSubstr("\nB: run 2 ("));
  EXPECT_THAT(result.err, HasSubstr("B against A, margin 1 %, intervals within these runs alone: of "));
  EXPECT_EQ(tailwave({"compare", "run:1", "2"}).out, result.out);
}

TEST_F(CompareCommand, ExitsWith3WhereAConditionIsFulfilled) {
  EXPECT_EQ(tailwave({"compare", "--fail-on", "any-difference", "--fail-on", "unclear"}).exit_status, 0);
  slow_down();
  const CommandResult slower = tailwave({"compare", "--fail-on", "slower"});
  EXPECT_EQ(slower.exit_status, 3);
  EXPECT_THAT(slower.err, HasSubstr("compare: --fail-on slower fulfilled by 1 configuration\n"));
  EXPECT_THAT(slower.out, HasSubstr("slower"));
  EXPECT_EQ(tailwave({"compare", "--fail-on", "slower", "--margin", "20%"}).exit_status, 0);
  EXPECT_EQ(tailwave({"compare", "latest", "previous", "--fail-on", "slower"}).exit_status, 0);
  EXPECT_EQ(tailwave({"compare", "--fail-on", "failed"}).exit_status, 0);
  change(
      "DELETE FROM sample; UPDATE trial SET outcome = 'wrong_result', timer = NULL, stopped_by = NULL WHERE "
      "run_id = 2");
  EXPECT_EQ(tailwave({"compare", "--fail-on", "slower"}).exit_status, 3);
  EXPECT_EQ(tailwave({"compare", "--fail-on", "failed"}).exit_status, 3);
}

TEST_F(CompareCommand, SaysHowManyConfigurationsAConditionCannotJudge) {
  change("DELETE FROM sample WHERE position > 2 AND trial_id = (SELECT max(id) FROM trial)");
  const CommandResult result = tailwave({"compare", "--fail-on", "slower", "--fail-on", "unclear"});
  EXPECT_THAT(result.err, HasSubstr("--fail-on slower: 1 of 3 configurations could not be judged\n"));
  EXPECT_THAT(result.err, Not(HasSubstr("--fail-on unclear: ")));
}

TEST_F(CompareCommand, RefusesAConditionThatHasNothingToJudge) {
  change("DELETE FROM sample WHERE position > 2");
  EXPECT_THAT(
      refusal({"compare", "--fail-on", "slower"}),
      HasSubstr("--fail-on slower has nothing to judge in transpose/tile_size: of 3 configurations 3 "
                "unclear\n"
                "  it judges what is correct on both sides, on one kind of device, in one metric, with "
                "6 or more samples a side\n"));
  EXPECT_EQ(tailwave({"compare", "--fail-on", "unclear"}).exit_status, 3);
  EXPECT_EQ(tailwave({"compare", "--fail-on", "failed", "--fail-on", "missing"}).exit_status, 0);
  change("UPDATE run SET metric = 'time' WHERE id = 2");
  EXPECT_THAT(refusal({"compare", "--fail-on", "unclear"}),
              HasSubstr("of 3 configurations 3 not comparable (different metrics)\n"));
  change("DELETE FROM sample; UPDATE trial SET outcome = 'timeout', timer = NULL, stopped_by = NULL");
  EXPECT_THAT(
      refusal({"compare", "--fail-on", "failed"}),
      HasSubstr("--fail-on failed has nothing to judge in transpose/tile_size: of 3 configurations 3 "
                "same\n"
                "  it judges what is on both sides, on one kind of device, and correct on one of them\n"));
}

TEST_F(CompareCommand, RefusesAConditionWhereNoExperimentIsOnBothSides) {
  std::filesystem::copy_file(project_ / "results/tailwave.db", project_ / "other.db");
  Database(project_ / "other.db", Database::Mode::read_write).execute("UPDATE run SET experiment = 'other'");
  EXPECT_THAT(refusal({"compare", "other.db", "results/tailwave.db", "--fail-on", "slower"}),
              HasSubstr("--fail-on slower has nothing to judge: no experiment is on both sides; in A "
                        "transpose/other; in B transpose/tile_size\n"));
  EXPECT_EQ(tailwave({"compare", "other.db", "results/tailwave.db", "--fail-on", "missing"}).exit_status, 3);
}

TEST_F(CompareCommand, NamesTheExperimentsOfTwoRunsThatHaveNoneInCommon) {
  change("UPDATE run SET experiment = 'other' WHERE id = 2");
  EXPECT_EQ(refusal({"compare", "run:1", "run:2"}),
            "'run:1' is a run of transpose/tile_size, 'run:2' of transpose/other\n"
            "  name two runs of one experiment; 'tailwave query runs' lists them\n");
}

TEST_F(CompareCommand, ComparesTwoDatabases) {
  std::filesystem::copy_file(project_ / "results/tailwave.db", project_ / "before.db");
  slow_down();
  const CommandResult result = tailwave({"compare", "before.db", "results/tailwave.db", "--format", "csv"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(
      result.out,
      StartsWith("experiment,configuration,B_is,us_A,us_B,ratio,low,high,outcome,why\ntranspose/tile_size,"));
  EXPECT_THAT(result.out, HasSubstr(",slower,"));
  EXPECT_THAT(tailwave({"compare", "before.db,run:1", "latest"}).err, HasSubstr("1 slower"));
}

TEST_F(CompareCommand, WritesAPageToAFile) {
  EXPECT_EQ(tailwave({"compare", "--format", "markdown", "--out", "pages/page.md"}).out, "");
  EXPECT_TRUE(std::filesystem::exists(project_ / "pages/page.md"));
  EXPECT_THAT(tailwave({"compare", "--out", "/dev/stdout"}).out, HasSubstr("B_is"));
  const CommandResult refused = tailwave({"compare", "--out", "results/tailwave.db/page.md"});
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_THAT(refused.err, StartsWith("results/tailwave.db/page.md: cannot be written: Not a directory\n"
                                      "  name another file with --out\n"));
}

TEST_F(CompareCommand, IsOneJsonDocument) {
  slow_down();
  const CommandResult result = tailwave({"compare", "--json", "--quiet"});
  EXPECT_EQ(result.err, "");
  const auto document = nlohmann::json::parse(result.out);
  EXPECT_EQ(document.at("counts"), (nlohmann::json{{"slower", 1}, {"same", 2}}));
  EXPECT_EQ(document.at("margin"), 0.01);
  EXPECT_EQ(document.at("configurations").at(0).at("B_is"), "slower");
  EXPECT_EQ(document.at("configurations").size(), 3U);
}

TEST_F(CompareCommand, FoldsWhatOneSideAloneHas) {
  change("DELETE FROM trial WHERE id = (SELECT max(id) FROM trial)");
  const std::string folded = tailwave({"compare"}).out;
  EXPECT_THAT(folded, testing::EndsWith("\n1 only in A; --all shows them.\n"));
  EXPECT_EQ(folded.find("only in A"), folded.rfind("only in A"));
  EXPECT_THAT(tailwave({"compare", "--all"}).out, testing::ContainsRegex("  only in A +[0-9.]+ +-"));
  EXPECT_THAT(tailwave({"compare", "--format", "csv"}).out, HasSubstr(",only in A,"));
}

TEST_F(CompareCommand, ColoursVerdicts) {
  slow_down();
  const std::string out = tailwave({"compare", "--color", "always"}).out;
  EXPECT_THAT(out, HasSubstr("\x1b[31mslower\x1b[0m"));
  EXPECT_THAT(out, HasSubstr("\x1b[33msame\x1b[0m"));
}

TEST_F(CompareCommand, RefusesAComparisonOfACpuWithAGpu) {
  change(
      "INSERT INTO device SELECT NULL, 'cuda', 'GPU', uuid, 90, sms, memory_bytes, clock_mhz, "
      "memory_clock_mhz, properties FROM "
      "device; UPDATE run SET device_id = last_insert_rowid() WHERE id = 2");
  const CommandResult shown = tailwave({"compare", "1", "2"});
  EXPECT_EQ(shown.exit_status, 0);
  EXPECT_THAT(shown.out, HasSubstr("not comparable"));
  EXPECT_THAT(
      shown.err,
      HasSubstr("of 3 configurations 3 not comparable (the times of a CPU device say nothing of a GPU's)\n"));
  EXPECT_THAT(
      refusal({"compare", "1", "2", "--fail-on", "slower"}),
      HasSubstr("--fail-on slower has nothing to judge in transpose/tile_size: of 3 configurations 3 not "
                "comparable (the times of a CPU device say nothing of a GPU's)\n"));
}

TEST_F(CompareCommand, NamesWhatASideMayBe) {
  EXPECT_EQ(
      refusal({"compare", "yesterday", "latest"}),
      "'yesterday' names no run, device, commit or database\n"
      "  a side is latest, previous, run:12, device:h200, commit:abc1234, or a database file (before.db, "
      "db:FILE); several joined by ','\n");
  EXPECT_EQ(tailwave({"compare", "--margin", "much"}).err,
            "--margin 'much' is no share from 0 to 1\n  for example --margin 2%\n");
}

TEST_F(CompareCommand, NamesADatabaseThatIsNotThereAsItWasTyped) {
  std::filesystem::copy_file(project_ / "results/tailwave.db", project_ / "before.db");
  for (const std::string side : {"befor.db", "db:befor.db"}) {
    EXPECT_EQ(refusal({"compare", side, "latest"}),
              "befor.db: there is no such database\n  did you mean 'before.db'?\n");
  }
  EXPECT_EQ(tailwave({"compare", "result/tailwave.db"}).err,
            "result/tailwave.db: there is no such database\n  did you mean 'results/tailwave.db'?\n");
  EXPECT_EQ(
      tailwave({"compare", "elsewhere/x.db"}).err,
      "elsewhere/x.db: there is no such database\n  'tailwave run SPEC --db elsewhere/x.db' would make it\n");
  std::filesystem::rename(project_ / "results/tailwave.db", project_ / "after");
  EXPECT_EQ(
      tailwave({"compare", "before.db", "afte"}).err,
      "'afte' is no database file, and there is no results/tailwave.db to look for a run, commit or device "
      "in\n  did you mean 'db:after'?\n");
}

TEST_F(CompareCommand, TakesAWordForTheSameWhateverFilesThereAre) {
  for (const std::string name : {"latest", "previous", "1", "2", "run:1", "cpu", "device:cpu"})
    write(name, "none");
  const std::string out = tailwave({"compare", "1", "run:2"}).out;
  EXPECT_THAT(out, HasSubstr("same"));
  EXPECT_EQ(tailwave({"compare", "previous", "latest"}).out, out);
  EXPECT_EQ(tailwave({"compare", "1,cpu", "2,device:cpu"}).out, out);
  std::filesystem::copy_file(project_ / "results/tailwave.db", project_ / "before");
  EXPECT_EQ(tailwave({"compare", "before"}).err,
            "'before' names no run, device, commit or database\n  did you mean 'db:before'?\n");
  EXPECT_EQ(tailwave({"compare", "db:before,run:1", "./before,2"}).out, out);
}

TEST_F(CompareCommand, TakesACommaOfANameThatIsWrittenTwice) {
  change("UPDATE device SET name = 'CPU, 2 cores'");
  std::filesystem::copy_file(project_ / "results/tailwave.db", project_ / "a,b.db");
  EXPECT_THAT(tailwave({"compare", "run:1,device:CPU,, 2 cores", "a,,b.db,2"}).err,
              StartsWith("A: run 1 (CPU, 2 cores, "));
  EXPECT_THAT(tailwave({"compare", "run:1,device:CPU, 2 cores"}).err,
              StartsWith("'run:1,device:CPU, 2 cores' has two words of one kind: 'CPU' and ' 2 cores'"));
}

TEST_F(CompareCommand, RefusesASideThatMayBeTwoThings) {
  change("UPDATE device SET name = 'NVIDIA A100'; UPDATE run SET project_commit = 'a100beef'");
  EXPECT_EQ(tailwave({"compare", "a100"}).err,
            "'a100' is both a device and how a commit begins\n  write device:a100 or commit:a100\n");
  EXPECT_THAT(tailwave({"compare", "run:1,run:2"}).err,
              StartsWith("'run:1,run:2' has two words of one kind: '1' and '2'\n"));
  EXPECT_THAT(tailwave({"compare", "run:1,"}).err, StartsWith("'run:1,' has an empty word\n"));
  EXPECT_EQ(tailwave({"compare", "comit:a100beef"}).err,
            "'comit:a100beef' names no run, device, commit or database\n  did you mean 'commit:a100beef'?\n");
  EXPECT_EQ(tailwave({"compare", "latset"}).err,
            "'latset' names no run, device, commit or database\n  did you mean 'latest'?\n");
}

}  // namespace
}  // namespace tailwave
