// Submissions as a person tries them out: with --engine local, and what is refused.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/submission_fixture.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using Submissions = SubmissionFixture;

TEST_F(Submissions, HereGiveTheAnswerOfOneRun) {
  ASSERT_EQ(tailwave({"run", kWays, "--device", "cpu", "--db", "one.db"}).exit_status, 0);
  const CommandResult result = submit_here({"--tasks", "3", "--jobs", "2"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("all 3 tasks are finished and merged into "));
  EXPECT_EQ(best_of(kFolder + "/merged.db"), best_of("one.db"));
  EXPECT_EQ(counts_in(kFolder + "/merged.db"), "n\n11 11\n");
  const nlohmann::json shown = status();
  EXPECT_EQ(shown.at("state"), "complete");
  EXPECT_EQ(shown.at("experiment"), "said/ways");
  EXPECT_EQ(shown.at("merge").at("state"), "merged");
  EXPECT_EQ(shown.at("best").at(0).at("configuration"), "said/copy/WAY:5/N:100");
  int measured = 0;
  for (const auto& shard : shown.at("shards")) {
    EXPECT_EQ(shard.at("state"), "finished");
    EXPECT_EQ(shard.at("attempts"), 1);
    EXPECT_EQ(shard.at("measured"), shard.at("configurations"));
    measured += shard.at("measured").get<int>();
  }
  EXPECT_EQ(measured, 11);
  const CommandResult text = tailwave({"status"});
  EXPECT_THAT(text.out, StartsWith("said/ways in 3 tasks, submitted "));
  EXPECT_THAT(text.out, HasSubstr("\nfailures: crashed 1\n"));
  EXPECT_THAT(text.out, HasSubstr("\nthe best so far:\n"));
  EXPECT_THAT(text.out, HasSubstr("\ntailwave query best --db "));
  // Nothing is left of the tasks' own databases, and to continue measures nothing.
  const CommandResult again = submit({kFolder});
  EXPECT_EQ(again.exit_status, 0) << again.err;
  EXPECT_EQ(counts_in(kFolder + "/merged.db"), "n\n11 11\n");
}

TEST_F(Submissions, HereContinueAfterATaskWasKilled) {
  replace("kernel_templates/said/copy.sh", "sleep 0.01", "sleep 0.1");
  const pid_t engine = begin({"submit", kWays, "--engine", "local", "--device", "cpu", "--tasks", "2",
                              "--publish-every", "1", "--folder", "it's a folder"},
                             "engine");
  const pid_t task = process_of({"--task", "1"});
  ASSERT_NE(task, 0);
  ASSERT_TRUE(comes_to_be("it's a folder/shards/1.db"));
  kill(task, SIGKILL);
  const CommandResult result = end(engine, "engine");
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("task 1: ended with status 137\n"));
  EXPECT_THAT(result.err, HasSubstr("again: task 1\n"));
  EXPECT_EQ(counts_in("it's a folder/merged.db"), "n\n11 11\n");
  EXPECT_EQ(status("it's a folder").at("shards").at(0).at("attempts"), 2);
}

TEST_F(Submissions, HereAreKeptWhenInterrupted) {
  const pid_t engine =
      begin({"submit", kWays, "--engine", "local", "--device", "cpu", "--tasks", "2"}, "engine");
  ASSERT_NE(process_of({"--task", "1"}), 0);
  const CommandResult second = submit({kFolder});
  EXPECT_EQ(second.exit_status, 1);
  EXPECT_THAT(second.err, HasSubstr("is worked at by another 'tailwave submit'"));
  EXPECT_EQ(status().at("state"), "under way");
  kill(engine, SIGTERM);
  const CommandResult result = end(engine, "engine");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("interrupted: what was measured is kept; 'tailwave submit "));
  EXPECT_EQ(status().at("state"), "ended");
  EXPECT_EQ(status().at("shards").at(0).at("cause"), "was asked to stop: what was measured is published");
  ASSERT_EQ(submit({kFolder}).exit_status, 0);
  EXPECT_EQ(counts_in(kFolder + "/merged.db"), "n\n11 11\n");
}

TEST_F(Submissions, HereAreNotTriedForEverWhereTheCauseStays) {
  replace("kernel_templates/said/same.cpp", "extern", "static_assert(false); extern");
  const CommandResult wrong =
      submit({kWays, "--engine", "local", "--tasks", "2", "--device", "cpu", "--retries", "1"});
  EXPECT_EQ(wrong.exit_status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("2 of 2 tasks did not finish: 1-2\n"));
  EXPECT_EQ(status().at("shards").at(0).at("state"), "given up");
  EXPECT_EQ(status().at("shards").at(0).at("attempts"), 2);
  EXPECT_THAT(tailwave({"status"}).out,
              ContainsRegex("\ntask 1, .*/logs/local_2_1.log:\n(.*\n)*.*static_assert"));
  EXPECT_THAT(tailwave({"status"}).out, HasSubstr(": submits what is missing again, and the merge\n"));
}

TEST_F(Submissions, HereAreNotTriedAgainWhereTheyAskForWhatIsNotThere) {
  const CommandResult wrong = submit({kWays, "--engine", "local", "--tasks", "2", "--device", "cuda:99"});
  EXPECT_EQ(wrong.exit_status, 1);
  EXPECT_EQ(status().at("shards").at(0).at("state"), "given up");
  EXPECT_EQ(status().at("shards").at(0).at("attempts"), 1);
  EXPECT_EQ(status().at("shards").at(0).at("cause"), "tailwave run refuses it: its log says why");
  EXPECT_THAT(tailwave({"status"}).out, ContainsRegex("\ntask 1, .*/logs/local_1_1.log:\n.*cuda:99"));
}

TEST_F(Submissions, AreRefusedWithTheCause) {
  setenv("PATH", "/nowhere", 1);
  const auto refused = [&](const std::vector<std::string>& words, int status, const std::string& said) {
    const CommandResult result = submit(words);
    EXPECT_EQ(result.exit_status, status) << result.err;
    EXPECT_THAT(result.err, HasSubstr(said));
  };
  refused({kWays, "--tasks", "2"}, 2,
          "submit: there is no sbatch on PATH, so no Slurm to submit to\n  go to a machine");
  refused({kWays}, 2, "submit: --tasks is missing\n");
  refused({kWays, "--tasks", "0"}, 2, "--tasks");
  refused({kWays, "--tasks", "10001"}, 2, "--tasks");
  refused({kWays, "other.json", "--tasks", "2"}, 2, "submit: 'other.json' is no option of sbatch\n");
  refused({kWays, "--tasks", "2", "--engine", "local", "--gres", "gpu:1\n"}, 2,
          "submit: --gres has a control character");
  refused({kWays, "--tasks", "2", "--engine", "local", "--partition", "\xff"}, 2,
          "--partition has a control character or bytes that are no UTF-8");
  refused({kWays, "--tasks", "2", "--engine", "local", "--folder", "a\tb"}, 2,
          "--folder has a control character");
  refused({kWays, "--tasks", "2", "--device", "gpu0"}, 2, "unknown device 'gpu0'");
  refused({kWays, "--tasks", "2", "--device", "cuda:0,cuda:0"}, 2, "cuda:0 is named twice");
  EXPECT_FALSE(fs::exists(project_ / "results/submissions"));
  refused({"missing.json", "--tasks", "2"}, 2, "missing.json");
  refused({"experiments", "--tasks", "2"}, 2, "experiments: is a folder, and none of a submission\n");
  refused({kWays, "--tasks", "2", "--folder", "kernel_templates"}, 2,
          "kernel_templates: is there already, and no submission\n");
  refused({kWays, "--tasks", "2", "--engine", "local", "--folder", kWays + "/x"}, 1,
          "cannot be made: Not a directory\n");
  EXPECT_EQ(tailwave({"status"}).err,
            "status: there is no submission in results/submissions\n"
            "  name its folder, or make one: tailwave submit SPEC --tasks N\n");
  EXPECT_THAT(tailwave({"status", "experiments"}).err,
              HasSubstr("experiments: is no folder of a submission"));
}

TEST_F(Submissions, KeepToTheSpecAndTheFolderThatTheyBeganWith) {
  ASSERT_EQ(submit_here({"--tasks", "1", "--folder", "one"}).exit_status, 0);
  EXPECT_THAT(submit_here({"--tasks", "1", "--folder", "one"}).err,
              HasSubstr("one: is a submission of this spec already\n  'tailwave submit one' continues it"));
  EXPECT_THAT(submit({"experiments/transpose/tile_size.json", "--tasks", "1", "--folder", "one"}).err,
              HasSubstr("/ways.json\n  name another --folder\n"));
  EXPECT_THAT(submit({"one", "--tasks", "2"}).err,
              HasSubstr("one: is a submission, which has its options already\n"));
  EXPECT_THAT(submit({"one", "--task", "2"}).err, HasSubstr("has no task 2\n  they are 1 to 1\n"));
  write_spec("1, 2");
  const CommandResult changed = submit({"one"});
  EXPECT_EQ(changed.exit_status, 2);
  EXPECT_THAT(changed.err, HasSubstr("ways.json: has changed since it was submitted\n"));
  const CommandResult task = submit({"one", "--task", "1"});
  EXPECT_EQ(task.exit_status, 2);
  EXPECT_EQ(status("one").at("shards").at(0).at("state"), "given up");
  replace("one/submission.json", "\"version\": \"", "\"version\": \"0.0.1 ");
  EXPECT_THAT(submit({"one"}).err, HasSubstr("was submitted with tailwave 0.0.1 "));
}

// Of a snapshot that somebody has damaged the shard is measured anew; until then the merge leaves it out.
TEST_F(Submissions, SurviveADamagedSnapshot) {
  ASSERT_EQ(submit_here({"--tasks", "2"}).exit_status, 0);
  write(kFolder + "/shards/1.db",
        "no database, but long enough to be taken for one: " + std::string(200, 'x'));
  const CommandResult merged = submit({kFolder, "--merge"});
  EXPECT_EQ(merged.exit_status, 0);
  EXPECT_THAT(merged.err, HasSubstr("not merged: "));
  EXPECT_THAT(merged.out, HasSubstr("/merged.db stays as it was, with 11 results: "));
  EXPECT_EQ(counts_in(kFolder + "/merged.db"), "n\n11 11\n");
  EXPECT_EQ(status().at("state"), "ended");
  EXPECT_NE(status().at("shards").at(0).at("problem"), "");
  EXPECT_EQ(status().at("shards").at(0).at("state"), "unfinished");
  const CommandResult again = submit({kFolder});
  ASSERT_EQ(again.exit_status, 0) << again.err;
  EXPECT_EQ(counts_in(kFolder + "/merged.db"), "n\n11 11\n");
}

TEST_F(Submissions, MeasureAgainWhatIsDamagedInside) {
  ASSERT_EQ(submit_here({"--tasks", "2"}).exit_status, 0);
  const fs::path snapshot = project_ / kFolder / "shards/1.db";
  std::fstream stream(snapshot, std::ios::in | std::ios::out | std::ios::binary);
  for (std::streamoff page = 8192; page < static_cast<std::streamoff>(fs::file_size(snapshot)); page += 4096)
    stream.seekp(page) << std::string(64, 'x');
  stream.close();
  EXPECT_EQ(submit({kFolder, "--merge"}).exit_status, 0);
  EXPECT_EQ(status().at("state"), "ended");
  EXPECT_EQ(status().at("best").at(0).at("configuration"), "said/copy/WAY:5/N:100");
  EXPECT_EQ(counts_in(kFolder + "/merged.db"), "n\n11 11\n");
  const CommandResult again = submit({kFolder});
  ASSERT_EQ(again.exit_status, 0) << again.err;
  EXPECT_EQ(status().at("state"), "complete");
  EXPECT_EQ(status().at("shards").at(0).at("attempts"), 2);
  EXPECT_EQ(counts_in(kFolder + "/merged.db"), "n\n11 11\n");
}

TEST_F(Submissions, KeepToTheSourcesThatTheyBeganWith) {
  ASSERT_EQ(submit_here({"--tasks", "2"}).exit_status, 0);
  replace("kernel_templates/said/copy.sh", "sleep 0.01", "sleep 0.02");
  const CommandResult changed = submit({kFolder});
  EXPECT_EQ(changed.exit_status, 2);
  EXPECT_THAT(changed.err,
              HasSubstr("ways.json: the manifest or a source of said has changed since it was submitted\n"));
  // One that was measured with it all the same cannot be merged, and to try again would not help.
  const std::string shard = kFolder + "/shards/2.db";
  fs::remove(project_ / shard);
  ASSERT_EQ(tailwave({"run", kWays, "--shard", "2/2", "--device", "cpu", "--db", shard}).exit_status, 0);
  replace("kernel_templates/said/copy.sh", "sleep 0.02", "sleep 0.01");
  const CommandResult result = submit({kFolder});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err,
              HasSubstr("task 2 cannot be merged, since it measured something else than the others:\n"));
  EXPECT_THAT(result.err,
              HasSubstr("a source of its variants or its reference\n  a new submission measures all alike"));
  EXPECT_THAT(result.err, Not(HasSubstr("--allow-different")));
}

TEST_F(Submissions, AreShownWhereFilesAreBroken) {
  ASSERT_EQ(submit_here({"--tasks", "2"}).exit_status, 0);
  write(kFolder + "/shards/1.json", "");
  write(kFolder + "/merge.json", "{");
  const nlohmann::json shown = status();
  EXPECT_EQ(shown.at("state"), "ended");
  EXPECT_EQ(shown.at("shards").at(0).at("state"), "unknown");
  EXPECT_THAT(shown.at("shards").at(0).at("reason").get<std::string>(), HasSubstr("/shards/1.json"));
  EXPECT_EQ(shown.at("shards").at(1).at("state"), "finished");
  EXPECT_THAT(shown.at("merge").at("problems").at(0).get<std::string>(), HasSubstr("/merge.json"));
  EXPECT_THAT(tailwave({"status"}).out,
              HasSubstr("/shards/1.json: it cannot be read; the shard then goes on"));
  const CommandResult refused = submit({kFolder});
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_THAT(refused.err, HasSubstr("/shards/1.json"));
  fs::remove(project_ / kFolder / "shards/1.json");
  const CommandResult result = submit({kFolder});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(status().at("state"), "complete");
}

// Whatever the clocks of two machines say.
TEST_F(Submissions, AreMergedWhereTheMergeHadWhatTasksHavePublished) {
  ASSERT_EQ(submit_here({"--tasks", "1"}).exit_status, 0);
  const std::string merge = kFolder + "/merge.json";
  auto record = nlohmann::json::parse(text_of(project_ / merge));
  EXPECT_EQ(record.at("shards").at(0).at("attempt"), 1);
  EXPECT_EQ(record.at("shards").at(0).at("trials"), 11);
  record["merged_at"] = "2000-01-01T00:00:00Z";
  write(merge, record.dump());
  EXPECT_EQ(status().at("state"), "complete");
  record["merged_at"] = "2999-01-01T00:00:00Z";
  record["shards"][0]["trials"] = 10;
  write(merge, record.dump());
  EXPECT_EQ(status().at("merge").at("state"), "merged before what was published since");
}

TEST_F(Submissions, SayWhenTheirMergeFailed) {
  write("x/merged.db/x", "a folder in the place of the merged database");
  ASSERT_EQ(submit_here({"--tasks", "1"}).exit_status, 0);
  fs::remove(project_ / kFolder / "merged.db");
  fs::rename(project_ / "x/merged.db", project_ / kFolder / "merged.db");
  const CommandResult result = submit({kFolder});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("all 1 tasks are finished, but their merge ended with status 1:\n"));
  EXPECT_THAT(result.err, HasSubstr("/logs/merge_local_2.log\n"));
  EXPECT_THAT(result.err, HasSubstr("merges again\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("are finished and merged")));
}

TEST_F(Submissions, UseAnotherDiskWhereTmpdirCannotBeUsed) {
  setenv("TMPDIR", "/nowhere", 1);
  const CommandResult result = submit_here({"--tasks", "2"});
  const CommandResult again = submit({kFolder, "--merge"});
  fs::remove(project_ / kFolder / "merge.json");
  const CommandResult shown = tailwave({"status"});  // merges for the occasion
  unsetenv("TMPDIR");
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(again.exit_status, 0) << again.err;
  EXPECT_EQ(shown.exit_status, 0) << shown.err;
  EXPECT_EQ(counts_in(kFolder + "/merged.db"), "n\n11 11\n");
}

TEST_F(Submissions, KeepNothingInFoldersOfOthers) {
  ASSERT_EQ(submit_here({"--tasks", "1"}).exit_status, 0);
  const auto written = nlohmann::json::parse(text_of(project_ / kFolder / "submission.json"));
  write("disk/x", "");
  setenv("TMPDIR", (project_ / "disk").c_str(), 1);
  const fs::path own = project_ / "disk" / ("tailwave-" + written.at("identity").get<std::string>() + "-1");
  fs::create_directories(own);
  fs::permissions(own, fs::perms::all);
  const CommandResult result = submit({kFolder, "--task", "1"});
  unsetenv("TMPDIR");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("is not a folder of this user alone\n"));
}

}  // namespace
}  // namespace tailwave
