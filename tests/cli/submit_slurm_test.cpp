// Submissions to commands that answer as Slurm's. tests/slurm/ has a real one.
#include <gmock/gmock.h>
#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/submission_fixture.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

using SlurmSubmissions = SubmissionFixture;

TEST_F(SlurmSubmissions, ShowTheirScriptsAndWriteNothing) {
  const CommandResult result =
      submit({kWays, "--tasks", "6", "--gres", "gpu:1", "--dry-run", "--", "--time=1:00:00"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(
      result.out,
      HasSubstr(
          "#SBATCH --gres=gpu:1\n#SBATCH --signal=B:TERM@60\n#SBATCH --requeue\n#SBATCH --time=1:00:00\n"));
  EXPECT_THAT(result.out, HasSubstr("sbatch --parsable --array=1-6 "));
  EXPECT_THAT(result.out, HasSubstr("sbatch --parsable --dependency=afterany:JOB "));
  EXPECT_FALSE(fs::exists(project_ / kFolder));
}

TEST_F(SlurmSubmissions, MeasureOnAllGpusOfATask) {
  const auto device = [&](const std::string& gres) {
    const CommandResult result = submit({kWays, "--tasks", "2", "--gres", gres, "--dry-run", "--json"});
    return nlohmann::json::parse(result.out).at("device").get<std::string>();
  };
  for (const char* one : {"gpu", "gpu:1", "gpu:h100", "gpu:h100:1", "lustre:2,gpu:1"})
    EXPECT_EQ(device(one), "cuda:0") << one;
  for (const char* several : {"gpu:2", "gpu:h100:4", "lustre:1,gpu:8"})
    EXPECT_EQ(device(several), "cuda:all") << several;
  EXPECT_EQ(device("lustre:2"), "auto");
  const CommandResult local =
      submit({kWays, "--tasks", "2", "--gres", "gpu:2", "--engine", "local", "--dry-run", "--json"});
  EXPECT_EQ(nlohmann::json::parse(local.out).at("device"), "cuda:0") << "nothing keeps its tasks apart";
  EXPECT_FALSE(nlohmann::json::parse(local.out).contains("array_command"));
  EXPECT_THAT(
      submit({kWays, "--tasks", "2", "--device", "cpu", "--engine", "local", "--jobs", "3", "--dry-run"}).out,
      testing::AllOf(testing::EndsWith("# here, 3 at a time: array.sh with SLURM_ARRAY_TASK_ID 1 to 2, on "
                                       "cpu; then merge.sh\n"),
                     testing::Not(testing::HasSubstr("sbatch --"))));
}

TEST_F(SlurmSubmissions, SayInJsonWhatWasSubmitted) {
  fake_slurm();
  const CommandResult shown = submit({kWays, "--tasks", "3", "--dry-run", "--json"});
  const auto commands = nlohmann::json::parse(shown.out);
  EXPECT_THAT(commands.at("array_command").get<std::vector<std::string>>(), testing::Contains("--array=1-3"));
  EXPECT_THAT(commands.at("merge_command").get<std::vector<std::string>>(),
              testing::Contains("--dependency=afterany:JOB"));
  const CommandResult result = submit({kWays, "--tasks", "3", "--device", "cpu", "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const auto answer = nlohmann::json::parse(result.out);
  EXPECT_EQ(answer.at("folder"), fs::canonical(project_ / kFolder).string());
  EXPECT_EQ(answer.at("submitted"), nlohmann::json({1, 2, 3}));
  EXPECT_EQ(answer.at("array_job"), "12");
  EXPECT_EQ(answer.at("merge_job"), "13");
  ASSERT_EQ(submit({kFolder, "--task", "1"}).exit_status, 0);
  write_queue({"12_1|12|1|COMPLETED|None|a|x", "12_2|12|2|NODE_FAIL|None|b|x", "12_3|12|3|CANCELLED|None|c|x",
               "13|13|N/A|RUNNING|None|a|x"});
  write("bin/answers", "14\n15\n");
  const CommandResult merged = submit({kFolder, "--merge", "--json"});
  ASSERT_EQ(merged.exit_status, 0) << merged.err;
  const auto said = nlohmann::json::parse(merged.out);
  EXPECT_EQ(said.at("merged_shards"), nlohmann::json({1}));
  EXPECT_EQ(said.at("problems"), nlohmann::json::array());
  EXPECT_EQ(said.at("kept"), "");
  EXPECT_EQ(said.at("submitted"), nlohmann::json({2}));
  EXPECT_EQ(said.at("merge_job"), "15");
}

TEST_F(SlurmSubmissions, ToSlurmAreAnArrayAndItsMerge) {
  fake_slurm();
  const CommandResult result =
      submit({kWays, "--tasks", "3", "--gres", "gpu:1", "--jobs", "2", "--", "--mem=1G"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const std::string folder = fs::canonical(project_ / kFolder).string();
  EXPECT_THAT(result.out,
              StartsWith("submitted 3 tasks of 3 as job 12, and the merge that follows as job 13\n"));
  EXPECT_EQ(text_of(project_ / "bin/calls"), "--parsable --array=1-3%2 " + folder +
                                                 "/array.sh\n--parsable --dependency=afterany:12 " + folder +
                                                 "/merge.sh\n");
  EXPECT_THAT(text_of(project_ / kFolder / "array.sh"), HasSubstr("#SBATCH --mem=1G\n"));
  // While they wait and run, nothing is submitted again.
  write_queue({"12_1|12|1|RUNNING|None|node7|x", "12_[2-3]|12|2|PENDING|Priority||x",
               "12_3|12|3|PENDING|Priority||x", "13|13|N/A|PENDING|Dependency||x"});
  EXPECT_EQ(status().at("state"), "under way");
  EXPECT_EQ(status().at("shards").at(0).at("machine"), "node7");
  EXPECT_EQ(status().at("shards").at(1).at("reason"), "Priority");
  EXPECT_THAT(tailwave({"status"}).out, HasSubstr("\nmerge: waiting (job 13, Dependency)\n"));
  EXPECT_THAT(tailwave({"status"}).out,
              HasSubstr("\nscancel 13 12: ends it; 'tailwave submit " + folder + "' continues it then\n"));
  EXPECT_THAT(submit({kFolder}).err, HasSubstr(": task 1 is running (job 12_1)\n"));
  const CommandResult merged = submit({kFolder, "--merge", "--json"});
  EXPECT_EQ(merged.exit_status, 0);
  EXPECT_EQ(nlohmann::json::parse(merged.out).at("merged_shards"), nlohmann::json::array());
  EXPECT_FALSE(nlohmann::json::parse(merged.out).contains("submitted"));
  write_queue({"13|13|N/A|PENDING|Dependency||x"});
  EXPECT_THAT(submit({kFolder}).err, HasSubstr(": its merge is waiting (job 13)\n"));
  EXPECT_EQ(text_of(project_ / "bin/calls").find("--array=1-3\n"), std::string::npos);
}

TEST_F(SlurmSubmissions, ToSlurmAreSubmittedAgainByTheMergeWhereTheyDidNotFinish) {
  fake_slurm();
  ASSERT_EQ(submit({kWays, "--tasks", "3", "--device", "cpu"}).exit_status, 0);
  ASSERT_EQ(submit({kFolder, "--task", "1"}).exit_status, 0);
  write_queue({"12_1|12|1|COMPLETED|None|a|x", "12_2|12|2|NODE_FAIL|None|b|x", "12_3|12|3|CANCELLED|None|c|x",
               "13|13|N/A|RUNNING|None|a|x"});
  write("bin/answers", "14\n15\n");
  const CommandResult merged = submit({kFolder, "--merge"});
  ASSERT_EQ(merged.exit_status, 0) << merged.err;
  EXPECT_THAT(merged.out, StartsWith("merged 1 of 3 shards into "));
  EXPECT_THAT(merged.out, HasSubstr("task 2: unfinished, NODE_FAIL\ntask 3: cancelled\n"));
  EXPECT_THAT(merged.out,
              HasSubstr("submitted 1 task of 3 as job 14, and the merge that follows as job 15\n"));
  EXPECT_THAT(text_of(project_ / "bin/calls"), HasSubstr("--parsable --array=2 "));
  // Slurm is silent: what is not known is not guessed.
  fs::remove(project_ / "bin/queue");
  EXPECT_EQ(status().at("state"), "unknown");
  EXPECT_EQ(status().at("shards").at(0).at("state"), "finished");
  EXPECT_EQ(status().at("shards").at(1).at("state"), "unknown");
  EXPECT_THAT(tailwave({"status"}).out,
              HasSubstr("Slurm does not answer, so what runs is not known: slurm_load_jobs error"));
  EXPECT_THAT(submit({kFolder}).err,
              HasSubstr("Slurm does not say whether its tasks still run: slurm_load_jobs"));
  const CommandResult unsure = submit({kFolder, "--merge"});
  EXPECT_EQ(unsure.exit_status, 1);
  EXPECT_THAT(unsure.err, HasSubstr("Slurm does not answer, so nothing is submitted again: "));
}

TEST_F(SlurmSubmissions, AreLookedUpInAccountsWhereSqueueHasForgottenThem) {
  fake_slurm();
  ASSERT_EQ(submit({kWays, "--tasks", "3"}).exit_status, 0);
  write("bin/sacct",
        "#!/bin/sh\ncase \"$*\" in *--jobs=12,13*) ;; *) exit 1 ;; esac\n"
        "echo '12_1|CANCELLED by 1000|node7|x'\necho '12_2|TIMEOUT|node8|x'\necho '13|COMPLETED|node7|x'\n");
  fs::permissions(project_ / "bin/sacct", fs::perms::owner_all);
  write_queue({"12_3|12|3|RUNNING|None|node9|x"});
  const nlohmann::json shards = status().at("shards");
  EXPECT_EQ(shards.at(0).at("state"), "cancelled");
  EXPECT_EQ(shards.at(1).at("state"), "unfinished");
  EXPECT_EQ(shards.at(1).at("reason"), "TIMEOUT");
  EXPECT_EQ(shards.at(1).at("machine"), "node8");
  EXPECT_EQ(shards.at(2).at("state"), "running");
}

// The one that is faster holds the folder while sbatch takes its time.
TEST_F(SlurmSubmissions, AreSubmittedByOneAtATime) {
  fake_slurm();
  replace("bin/sbatch", "#!/bin/sh\n", "#!/bin/sh\nsleep 0.5\n");
  write("bin/answers", "12\n13\n14\n15\n");
  const pid_t first = begin({"submit", kWays, "--tasks", "3"}, "first");
  const CommandResult second = submit({kWays, "--tasks", "3"});
  const CommandResult one = end(first, "first");
  EXPECT_EQ(one.exit_status, 0) << one.err;
  EXPECT_EQ(second.exit_status, 0) << second.err;
  EXPECT_TRUE(fs::exists(project_ / kFolder / "submission.json"));
  EXPECT_TRUE(fs::exists(project_ / (kFolder + ".2") / "submission.json"));
  // Continued by two, it is submitted once more.
  write("bin/answers", "16\n17\n18\n19\n");
  const pid_t again = begin({"submit", kFolder}, "again");
  const CommandResult other = submit({kFolder});
  const CommandResult result = end(again, "again");
  EXPECT_EQ(result.exit_status + other.exit_status, 1) << result.err << other.err;
  EXPECT_THAT(result.err + other.err, HasSubstr("is worked at by another 'tailwave submit'"));
  EXPECT_EQ(nlohmann::json::parse(text_of(project_ / kFolder / "submission.json")).at("rounds").size(), 2);
}

TEST_F(SlurmSubmissions, PassOnWhatSbatchSays) {
  fake_slurm();
  write("bin/answers", "");
  const CommandResult refused = submit({kWays, "--tasks", "2"});
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_EQ(refused.err, "sbatch refused: sbatch: error: Batch job submission failed: Invalid account\n");
  EXPECT_FALSE(fs::exists(project_ / kFolder));
  write("bin/answers", "12\n");
  const CommandResult half = submit({kWays, "--tasks", "2"});
  EXPECT_EQ(half.exit_status, 1);
  EXPECT_THAT(half.err, HasSubstr("the tasks are submitted as job 12, and their merge is not: "));
  write("bin/answers", "nothing to say\n");
  EXPECT_THAT(submit({kFolder}).err, HasSubstr("sbatch named no job: "));
}

TEST_F(SlurmSubmissions, StopAnAttemptThatAnotherOneHasReplaced) {
  replace("kernel_templates/said/copy.sh", "sleep 0.01", "sleep 0.1");
  fake_slurm();
  ASSERT_EQ(submit({kWays, "--tasks", "1", "--device", "cpu", "--publish-every", "1"}).exit_status, 0);
  const pid_t task = begin({"submit", kFolder, "--task", "1"}, "task");
  ASSERT_TRUE(comes_to_say(kFolder + "/shards/1.json", "\"published_at\": \"2"));
  replace(kFolder + "/shards/1.json", "\"attempt\": 1", "\"attempt\": 2");
  const CommandResult result = end(task, "task");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("another attempt at this shard has begun, so this one stops\n"));
  const std::string record = text_of(project_ / kFolder / "shards/1.json");
  EXPECT_THAT(record, HasSubstr("\"attempt\": 2"));
  fs::remove_all(fs::path(nlohmann::json::parse(record).at("local")).parent_path());
}

TEST_F(SlurmSubmissions, KeepWhatTheyCannotPublish) {
  replace("kernel_templates/said/copy.sh", "sleep 0.01", "sleep 0.1");
  fake_slurm();
  ASSERT_EQ(submit({kWays, "--tasks", "1", "--device", "cpu", "--publish-every", "1"}).exit_status, 0);
  const pid_t task = begin({"submit", kFolder, "--task", "1"}, "task");
  ASSERT_TRUE(comes_to_be(kFolder + "/shards/1.db"));
  fs::rename(project_ / kFolder / "shards", project_ / kFolder / "away");
  const CommandResult result = end(task, "task");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("not published now: "));
  EXPECT_THAT(result.err, HasSubstr("/shards/1.db: cannot be written: No such file or directory\n"));
  fs::rename(project_ / kFolder / "away", project_ / kFolder / "shards");
  const CommandResult again = submit({kFolder, "--task", "1"});
  ASSERT_EQ(again.exit_status, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("goes on with /"));
  EXPECT_THAT(again.err, HasSubstr("0 configurations to measure, 11 already in the database"));
  EXPECT_EQ(counts_in(kFolder + "/shards/1.db"), "n\n11 11\n");
}

}  // namespace
}  // namespace tailwave
