// Submissions as a person makes them: with --engine local, and with commands that answer as Slurm's. tests/slurm/ has a real
// one.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kSpec = "experiments/said/ways.json";
const std::string kFolder = "results/submissions/ways";

// An experiment of eleven configurations whose times are said by a program, not taken, and of which WAY 7 fails.
class Submissions : public ProjectFixture {
 protected:
  Submissions() {
    write("kernel_templates/said/copy.sh",
          "cp \"$1\" \"$2\"; sleep 0.01\n"
          "[ \"$3\" != 7 ] || exit 1\n"
          "echo \"{\\\"time_s\\\": $((3 + ($3 - 5) * ($3 - 5)))e-6}\"\n");
    write(
        "kernel_templates/said/same.cpp",
        "extern \"C\" void same(const float* x, float* y, int n) { for (int i = 0; i < n; ++i) y[i] = x[i]; }\n");
    write("kernel_templates/said/system.json", R"({
      "schema_version": 1, "name": "said", "problem": {"N": {"type": "int", "default": 100}},
      "buffers": {"x": {"type": "float32", "count": "N", "fill": {"kind": "uniform"}},
                  "y": {"type": "float32", "count": "N", "output_only": true}},
      "reference": {"variant": "same", "compare": {"y": {"norm": "exact"}}},
      "variants": {
        "same": {"target": "host", "source": "same.cpp", "launches": [{"function": "same", "args": ["x", "y", "N"]}]},
        "copy": {"target": "reporting_program", "source": "copy.sh", "parameters": {"WAY": 1},
                 "launches": [{"command": ["sh", "{program}", "{x}", "{y}", "{WAY}"]}]}}})");
    write_spec("1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11");
  }
  ~Submissions() override { setenv("PATH", path_.c_str(), 1); }

  void write_spec(const std::string& ways) const {
    write(kSpec, R"({"schema_version": 1, "name": "ways", "system": "said", "question": "Which?",
                     "cases": [{"variant": "copy", "parameters": {"WAY": [)" +
                     ways + R"(]}}], "metric": {"name": "time"},
                     "measure": {"samples": 5, "time_cap_s": 60, "warmup": 0}})");
  }

  [[nodiscard]] CommandResult submit(std::vector<std::string> more) const {
    more.insert(more.begin(), "submit");
    return tailwave(more);
  }
  [[nodiscard]] CommandResult submit_here(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{kSpec, "--engine", "local", "--device", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return submit(words);
  }
  [[nodiscard]] nlohmann::json status(const std::string& folder = kFolder) const {
    const CommandResult result = tailwave({"status", folder, "--json"});
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }
  [[nodiscard]] std::string best_of(const std::string& database) const {
    return tailwave({"query", "best", "--db", database, "--json"}).out;
  }
  [[nodiscard]] std::string counts_in(const std::string& database) const {
    return tailwave({"query", "--db", database, "--format", "csv", "--sql",
                     "SELECT count(*) || ' ' || count(DISTINCT configuration_id) AS n FROM trial"})
        .out;
  }

  // PATH has these alone before the rest: they answer as Slurm's commands. `bin/answers` has a number for each call of
  // sbatch, `bin/queue` what squeue prints; without the one sbatch refuses, without the other squeue does not answer.
  void fake_slurm() const {
    write(
        "bin/sbatch",
        "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nprintf '%s\\n' \"$*\" >>calls\n"
        "[ -s answers ] || { echo 'sbatch: error: Batch job submission failed: Invalid account' >&2; exit 1; }\n"
        "echo 'sbatch: a remark' >&2\nhead -n 1 answers\nsed -i 1d answers\n");
    write(
        "bin/squeue",
        "#!/bin/sh\ncat \"$(dirname \"$0\")/queue\" 2>/dev/null || { echo 'slurm_load_jobs error: Unable to contact "
        "slurm controller' >&2; exit 1; }\n");
    for (const char* name : {"sbatch", "squeue"})
      fs::permissions(project_ / "bin" / name, fs::perms::owner_all);
    setenv("PATH", ((project_ / "bin").string() + ":" + path_).c_str(), 1);
    write("bin/answers", "12\n13;cluster\n");
    write("bin/queue", "");
  }
  void write_queue(const std::vector<std::string>& lines) const {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    write("bin/queue", text);
  }

  // The process of this submission whose command line ends with these words; waits for it.
  [[nodiscard]] pid_t process_of(const std::vector<std::string>& words) const {
    std::string wanted;
    for (const std::string& word : words) wanted += word + '\0';
    for (int i = 0; i < 3000; ++i) {
      for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream stream(entry.path() / "cmdline");
        const std::string line{std::istreambuf_iterator<char>(stream), {}};
        if (line.ends_with(wanted) && line.find(project_.string()) != std::string::npos)
          return std::stoi(name);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return 0;
  }

  // Waits for a file.
  [[nodiscard]] bool comes_to_be(const std::string& file) const {
    for (int i = 0; i < 3000 && !fs::exists(project_ / file); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return fs::exists(project_ / file);
  }

  std::string path_ = std::getenv("PATH");
};

TEST_F(Submissions, HereGiveTheAnswerOfOneRun) {
  ASSERT_EQ(tailwave({"run", kSpec, "--device", "cpu", "--db", "one.db"}).exit_status, 0);
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
  const pid_t engine = begin({"submit", kSpec, "--engine", "local", "--device", "cpu", "--tasks", "2",
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
      begin({"submit", kSpec, "--engine", "local", "--device", "cpu", "--tasks", "2"}, "engine");
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
  const CommandResult wrong =
      submit({kSpec, "--engine", "local", "--tasks", "2", "--device", "cuda:99", "--retries", "1"});
  EXPECT_EQ(wrong.exit_status, 1);
  EXPECT_THAT(wrong.err, HasSubstr("2 of 2 tasks did not finish: 1-2\n"));
  EXPECT_EQ(status().at("shards").at(0).at("state"), "given up");
  EXPECT_EQ(status().at("shards").at(0).at("attempts"), 2);
  EXPECT_THAT(tailwave({"status"}).out, ContainsRegex("\ntask 1, .*/logs/local_2_1.log:\n.*cuda:99"));
  EXPECT_THAT(tailwave({"status"}).out, HasSubstr(": submits what is missing again, and the merge\n"));
}

TEST_F(Submissions, ShowTheirScriptsAndWriteNothing) {
  const CommandResult result =
      submit({kSpec, "--tasks", "6", "--gres", "gpu:1", "--dry-run", "--", "--time=1:00:00"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(
      result.out,
      HasSubstr(
          "#SBATCH --gres=gpu:1\n#SBATCH --signal=B:TERM@60\n#SBATCH --requeue\n#SBATCH --time=1:00:00\n"));
  EXPECT_THAT(result.out, HasSubstr("sbatch --parsable --array=1-6 "));
  EXPECT_THAT(result.out, HasSubstr("sbatch --parsable --dependency=afterany:JOB "));
  EXPECT_FALSE(fs::exists(project_ / kFolder));
}

TEST_F(Submissions, AreRefusedWithTheCause) {
  setenv("PATH", "/nowhere", 1);
  const auto refused = [&](const std::vector<std::string>& words, int status, const std::string& said) {
    const CommandResult result = submit(words);
    EXPECT_EQ(result.exit_status, status) << result.err;
    EXPECT_THAT(result.err, HasSubstr(said));
  };
  refused({kSpec, "--tasks", "2"}, 2,
          "submit: there is no sbatch on PATH, so no Slurm to submit to\n  go to a machine");
  refused({kSpec}, 2, "submit: --tasks is missing\n");
  refused({kSpec, "--tasks", "0"}, 2, "--tasks");
  refused({kSpec, "--tasks", "10001"}, 2, "--tasks");
  refused({kSpec, "other.json", "--tasks", "2"}, 2, "submit: 'other.json' is no option of sbatch\n");
  refused({"missing.json", "--tasks", "2"}, 2, "missing.json");
  refused({"experiments", "--tasks", "2"}, 2, "experiments: is a folder, and none of a submission\n");
  refused({kSpec, "--tasks", "2", "--folder", "kernel_templates"}, 2,
          "kernel_templates: is there already, and no submission\n");
  refused({kSpec, "--tasks", "2", "--engine", "local", "--folder", kSpec + "/x"}, 1,
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

TEST_F(Submissions, ToSlurmAreAnArrayAndItsMerge) {
  fake_slurm();
  const CommandResult result =
      submit({kSpec, "--tasks", "3", "--gres", "gpu:1", "--jobs", "2", "--", "--mem=1G"});
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
  EXPECT_EQ(submit({kFolder, "--merge"}).exit_status, 0);
  write_queue({"13|13|N/A|PENDING|Dependency||x"});
  EXPECT_THAT(submit({kFolder}).err, HasSubstr(": its merge is waiting (job 13)\n"));
  EXPECT_EQ(text_of(project_ / "bin/calls").find("--array=1-3\n"), std::string::npos);
}

TEST_F(Submissions, ToSlurmAreSubmittedAgainByTheMergeWhereTheyDidNotFinish) {
  fake_slurm();
  ASSERT_EQ(submit({kSpec, "--tasks", "3", "--device", "cpu"}).exit_status, 0);
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

TEST_F(Submissions, PassOnWhatSbatchSays) {
  fake_slurm();
  write("bin/answers", "");
  const CommandResult refused = submit({kSpec, "--tasks", "2"});
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_EQ(refused.err, "sbatch refused: sbatch: error: Batch job submission failed: Invalid account\n");
  write("bin/answers", "12\n");
  const CommandResult half = submit({kFolder});
  EXPECT_EQ(half.exit_status, 1);
  EXPECT_THAT(half.err, HasSubstr("the tasks are submitted as job 12, and their merge is not: "));
  write("bin/answers", "nothing to say\n");
  EXPECT_THAT(submit({kFolder}).err, HasSubstr("sbatch named no job: "));
}

// Of a snapshot that somebody has damaged the shard is measured anew; until then the merge leaves it out.
TEST_F(Submissions, SurviveADamagedSnapshot) {
  ASSERT_EQ(submit_here({"--tasks", "2"}).exit_status, 0);
  write(kFolder + "/shards/1.db",
        "no database, but long enough to be taken for one: " + std::string(200, 'x'));
  const CommandResult merged = submit({kFolder, "--merge"});
  EXPECT_EQ(merged.exit_status, 0);
  EXPECT_THAT(merged.err, HasSubstr("not merged: "));
  EXPECT_THAT(merged.out, HasSubstr("merged 1 of 2 shards into "));
  EXPECT_EQ(status().at("state"), "ended");
  EXPECT_NE(status().at("shards").at(0).at("problem"), "");
  EXPECT_EQ(status().at("shards").at(0).at("state"), "unfinished");
  const CommandResult again = submit({kFolder});
  ASSERT_EQ(again.exit_status, 0) << again.err;
  EXPECT_EQ(counts_in(kFolder + "/merged.db"), "n\n11 11\n");
}

TEST_F(Submissions, KeepNothingInFoldersOfOthers) {
  ASSERT_EQ(submit_here({"--tasks", "1"}).exit_status, 0);
  const auto json = nlohmann::json::parse(text_of(project_ / kFolder / "submission.json"));
  write("disk/x", "");
  setenv("TMPDIR", (project_ / "disk").c_str(), 1);
  const fs::path own = project_ / "disk" / ("tailwave-" + json.at("identity").get<std::string>() + "-1");
  fs::create_directories(own);
  fs::permissions(own, fs::perms::all);
  const CommandResult result = submit({kFolder, "--task", "1"});
  unsetenv("TMPDIR");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("is not a folder of this user alone\n"));
}

}  // namespace
}  // namespace tailwave
