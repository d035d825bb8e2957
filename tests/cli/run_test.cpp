#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "cli/project_fixture.h"
#include "device/cuda/cuda_device.h"

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class RunTest : public ProjectFixture {};

TEST_F(RunTest, MeasuresASystemThatIsAFolderAndNothingElse) {
  const CommandResult result = tailwave(kRun);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome = 'correct'"), "4");
  EXPECT_EQ(scalar("SELECT count(*) FROM verification WHERE passed AND phase = 'before'"), "4");
  EXPECT_EQ(scalar("SELECT count(DISTINCT trial_id) FROM verification WHERE passed AND phase = 'while'"),
            "4");
  EXPECT_EQ(scalar("SELECT min(n) FROM (SELECT count(*) AS n FROM sample GROUP BY trial_id)"), "3");
  EXPECT_EQ(scalar("SELECT DISTINCT timer FROM trial"), "steady_clock");
  EXPECT_THAT(result.out, HasSubstr("tile_size on "));
  EXPECT_THAT(result.out, HasSubstr("G bytes/s"));
}

// Google Benchmark reads variables of the environment before main().
TEST_F(RunTest, MeasuresAllOnceWhateverTheEnvironmentAsksOfGoogleBenchmark) {
  const std::vector<std::pair<const char*, const char*>> variables{{"BENCHMARK_FILTER", "nothing"},
                                                                   {"BENCHMARK_LIST_TESTS", "true"},
                                                                   {"BENCHMARK_REPETITIONS", "3"},
                                                                   {"BENCHMARK_OUT", "o.json"}};
  for (const auto& [name, value] : variables) setenv(name, value, 1);
  const CommandResult result = tailwave(kRun);
  for (const auto& [name, value] : variables) unsetenv(name);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome = 'correct'"), "4");
  EXPECT_EQ(scalar("SELECT count(*) FROM verification WHERE passed AND phase = 'before'"), "4");
  EXPECT_EQ(scalar("SELECT DISTINCT n FROM (SELECT count(*) AS n FROM sample GROUP BY trial_id)"), "3");
  EXPECT_FALSE(std::filesystem::exists(project_ / "o.json"));
}

TEST_F(RunTest, FindsEveryJacobiVariantCorrectWhereBlocksAreIncomplete) {
  const CommandResult result = tailwave({"run", TAILWAVE_SOURCE_DIR "/experiments/jacobi/remainder.json",
                                         "--device", "cpu", "--filter", "/N:(1|33|1023)/"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(scalar("SELECT group_concat(DISTINCT outcome) || ' ' || count(*) FROM trial"), "correct 36");
}

TEST_F(RunTest, HasSomeOfTheCoresAsADeviceOfItsOwn) {
  std::vector<std::string> on_one = kRun;
  on_one.insert(on_one.end(), {"--sms", "1"});
  const CommandResult result = tailwave(on_one);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome = 'correct'"), "4");
  EXPECT_EQ(scalar("SELECT group_concat(DISTINCT sms) || ' ' || min(name LIKE '%(1 core)') FROM device"),
            "1 1");
  on_one.back() = "100000";
  const CommandResult many = tailwave(on_one);
  EXPECT_EQ(many.exit_status, 2);
  EXPECT_THAT(many.err, StartsWith("--sms 100000: 100000 cores exceed the "));
  on_one.back() = "0";
  EXPECT_EQ(tailwave(on_one).exit_status, 2);
}

TEST_F(RunTest, NeedsAGpuToHaveSomeOfItsSms) {
  if (cuda_obstacle().empty()) GTEST_SKIP() << "there is a GPU";
  const CommandResult result = tailwave({"run", "experiments/transpose/tile_size.json", "--sms", "8"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, StartsWith("no GPU to have 8 SMs of: "));
  EXPECT_THAT(result.err, HasSubstr("\n  --device cpu has so many of the CPU's cores\n"));
}

TEST_F(RunTest, SaysWhichDatabaseItMadeAndWhereTheProjectsIs) {
  EXPECT_THAT(tailwave(kRun).err, StartsWith("made the database results/tailwave.db\n"));
  EXPECT_THAT(tailwave(kRun).err, Not(HasSubstr("made the database")));
  const CommandResult query = tailwave({"query", "best"}, "experiments");
  EXPECT_EQ(query.exit_status, 2);
  EXPECT_EQ(query.err,
            "results/tailwave.db: there is no such database\n"
            "  did you mean '../results/tailwave.db', of the project's folder? (--db)\n");
  const CommandResult below = tailwave({"run", "tile_size.json", "--device", "cpu"}, "experiments/transpose");
  EXPECT_THAT(below.err,
              StartsWith("made the database results/tailwave.db in this folder; that of the project's folder "
                         "is ../../results/tailwave.db (--db)\n"));
  EXPECT_THAT(
      tailwave({"run", "tile_size.json", "--device", "cpu", "--db", "other.db"}, "experiments/transpose").err,
      StartsWith("made the database other.db\n"));
}

TEST_F(RunTest, SaysHowToSeeTheRowsThatItsTableLeavesOut) {
  EXPECT_THAT(tailwave(kRun).out, Not(HasSubstr("the best first")));
  write_experiment("[4, 8, 16]", 3, R"("N": [8, 16, 24, 32, 40, 48])");
  std::vector<std::string> elsewhere = kRun;
  elsewhere.insert(elsewhere.end(), {"--db", "many.db"});
  const CommandResult many = tailwave(elsewhere);
  ASSERT_EQ(many.exit_status, 0) << many.err;
  EXPECT_THAT(
      many.out,
      HasSubstr("\n20 of 24 configurations, the best first: 'tailwave query best --experiment "
                "transpose/tile_size --device cpu --db many.db --limit 24' has all that are correct\n"));
  const CommandResult all = tailwave({"query", "best", "--experiment", "transpose/tile_size", "--device",
                                      "cpu", "--limit", "24", "--db", "many.db", "--format", "csv"});
  EXPECT_EQ(std::count(all.out.begin(), all.out.end(), '\n'), 1 + 24) << all.out;
}

TEST_F(RunTest, RepeatsNothingAndMeasuresAnewWhenFresh) {
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  const CommandResult again = tailwave(kRun);
  ASSERT_EQ(again.exit_status, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("tile_size: 0 configurations to measure, 4 already in the database"));
  EXPECT_EQ(scalar("SELECT count(*) FROM trial"), "4");
  std::vector<std::string> fresh = kRun;
  fresh.emplace_back("--fresh");
  ASSERT_EQ(tailwave(fresh).exit_status, 0);
  EXPECT_EQ(scalar("SELECT count(*) FROM trial"), "8");
}

TEST_F(RunTest, ComputesReferencesAnewWhenFresh) {
  const auto correct = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = kRun;
    words.insert(words.end(), {"--filter", "/tile/", "--db", "latest.db"});
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = tailwave(words);
    std::filesystem::remove(project_ / "latest.db");
    return result.out.find(" 3 correct") != std::string::npos;
  };
  write_reference_with_file(0);
  EXPECT_TRUE(correct({}));
  write_reference_with_file(1);
  EXPECT_TRUE(correct({})) << "the reference is no longer kept";
  EXPECT_FALSE(correct({"--fresh"}));
  EXPECT_FALSE(correct({})) << "the new one has not replaced the one that was kept";
}

TEST_F(RunTest, GivesWrongAndUncompilableConfigurationsNoTime) {
  write("experiments/transpose/broken.json",
        R"({ "schema_version": 1, "name": "broken", "system": "transpose", "question": "What fails?",
             "cases": [ {"variant": "tile", "parameters": {"BREAK": [0, 1, 2], "TILE": [8, 33]}} ],
             "metric": {"name": "time", "goal": "min"}, "measure": {"samples": 3} })");
  const CommandResult result = tailwave({"run", "experiments/transpose/broken.json", "--device", "cpu"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const auto outcome = [this](const std::string& like) {
    return scalar(
        "SELECT group_concat(outcome) FROM trial JOIN configuration ON configuration.id = "
        "configuration_id WHERE name LIKE '" +
        like + "'");
  };
  EXPECT_EQ(outcome("%BREAK:0/TILE:8/%"), "correct");
  EXPECT_EQ(outcome("%BREAK:1/TILE:8/%"), "compile_error");
  EXPECT_EQ(outcome("%BREAK:2/TILE:8/%"), "wrong_result");
  EXPECT_THAT(outcome("%BREAK:0/TILE:33/%"), testing::AnyOf("launch_failed", "exceeds_device_limit"));
  EXPECT_EQ(
      scalar("SELECT count(*) FROM sample JOIN trial ON trial.id = trial_id WHERE outcome <> 'correct'"),
      "0");
  EXPECT_THAT(scalar("SELECT detail FROM trial WHERE outcome = 'compile_error'"), HasSubstr("tile.cu:9"));
}

TEST_F(RunTest, SurvivesTenKillsAndThenHasEveryConfigurationOnce) {
  write_long_experiment(400);
  for (int kills = 0; kills < 10; ++kills) {
    const pid_t run = begin(kRun, "killed");
    static_cast<void>(has_stored(run, kills + 1));  // those of earlier runs count
    kill(run, SIGKILL);
    const CommandResult killed = end(run, "killed");
    if (killed.exit_status == 0) break;  // it was quicker
    EXPECT_EQ(killed.exit_status, 128 + SIGKILL) << killed.err;
  }
  const CommandResult last = tailwave(kRun);
  ASSERT_EQ(last.exit_status, 0) << last.err;
  EXPECT_EQ(scalar("SELECT count(*) FROM trial"), "13");
  EXPECT_EQ(scalar("SELECT count(DISTINCT configuration_id) FROM trial"), "13");
  EXPECT_EQ(
      scalar("SELECT min(n) || ' ' || max(n) FROM (SELECT count(*) AS n FROM sample GROUP BY trial_id)"),
      "400 400");
  EXPECT_EQ(scalar("SELECT * FROM pragma_integrity_check"), "ok");
}

TEST_F(RunTest, EndsCleanlyOnCtrlCAndContinues) {
  write_long_experiment(200);
  ASSERT_EQ(
      tailwave({"run", "experiments/transpose/tile_size.json", "--device", "cpu", "--filter", "TILE:12/"})
          .exit_status,
      0);
  const pid_t run = begin(kRun, "interrupted");
  EXPECT_TRUE(has_stored(run, 2));  // one of this run
  kill(run, SIGINT);
  const CommandResult interrupted = end(run, "interrupted");
  EXPECT_EQ(interrupted.exit_status, 1) << interrupted.err;
  EXPECT_THAT(interrupted.err, HasSubstr("interrupted: what was measured is stored; run again to continue"));
  EXPECT_THAT(
      interrupted.out,
      testing::ContainsRegex(
          "tile_size on .*: interrupted, [1-9][0-9]* of 12 measured: [1-9][0-9]* correct, 1 from before\n"));
  EXPECT_EQ(scalar("SELECT count(*) FROM run WHERE status = 'interrupted'"), "1");
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  EXPECT_EQ(scalar("SELECT count(*) FROM trial"), "13");
}

TEST_F(RunTest, RefusesADeviceThatIsNotThere) {
  const CommandResult result = tailwave({"run", "experiments/transpose/tile_size.json", "--device", "gpu"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.err, "unknown device 'gpu'\n  use auto, cpu, cuda:0, cuda:1, ...\n");
  const auto said = [this](const char* command, const char* device) {
    const CommandResult refused =
        tailwave({command, "experiments/transpose/tile_size.json", "--device", device});
    EXPECT_EQ(refused.exit_status, 2);
    return refused.err;
  };
  EXPECT_EQ(said("run", "cuda:0,cpu"),
            "--device cuda:0,cpu: 'cpu' is no GPU\n  several devices are GPUs: cuda:0,cuda:1, or cuda:all\n");
  EXPECT_EQ(said("run", "cuda:0,"),
            "--device cuda:0,: '' is no GPU\n  several devices are GPUs: cuda:0,cuda:1, or cuda:all\n");
  EXPECT_EQ(said("run", "cuda:1,cuda:1"), "--device cuda:1,cuda:1: cuda:1 is named twice\n");
  EXPECT_EQ(said("trace", "cuda:0,cuda:1"),
            "--device cuda:0,cuda:1: this command works with one GPU\n  'run' and 'tune' take several\n");
  const CommandResult planned =
      tailwave({"run", "experiments/transpose/tile_size.json", "--device", "gtx1060"});
  EXPECT_EQ(planned.exit_status, 2);
  EXPECT_THAT(planned.err, HasSubstr("'gtx1060' is a GPU to plan for; --device takes what is here: cpu"));
  EXPECT_THAT(
      planned.err,
      HasSubstr("\n  'tailwave plan SPEC --target gtx1060' compiles and explains without that GPU\n"));
  const CommandResult absent =
      tailwave({"run", "experiments/transpose/tile_size.json", "--device", "cuda:99"});
  EXPECT_EQ(absent.exit_status, 2);
  const std::string obstacle = cuda_obstacle();
  if (obstacle.empty()) {
    EXPECT_THAT(absent.err, HasSubstr("cuda:99: no such device; the driver reports "));
    EXPECT_THAT(absent.err, HasSubstr("\n  'tailwave list devices' names what is here to run on\n"));
  } else {
    EXPECT_THAT(absent.err, HasSubstr("cuda:99: there is no GPU to run on: " + obstacle +
                                      "\n  --device cpu verifies on the CPU, "));
  }
}

TEST_F(RunTest, SharesASweepAmongAllGpusHere) {
  const auto here = list_cuda_devices();
  if (here.size() < 2) GTEST_SKIP() << here.size() << " GPUs here";
  const CommandResult result =
      tailwave({"run", "experiments/transpose/tile_size.json", "--device", "cuda:all"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" times as long as GPU-"));
  EXPECT_EQ(scalar("SELECT count(DISTINCT device_id) FROM trial WHERE run_id = 1 AND timer = 'cuda_event'"),
            std::to_string(here.size()));
  EXPECT_EQ(scalar("SELECT count(*) FROM gpu_factor WHERE run_id = 1"), std::to_string(here.size()));
}

TEST_F(RunTest, MeasuresOnTheGpuWhatItMeasuresOnTheCpu) {
  if (const std::string obstacle = cuda_obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
  const CommandResult result =
      tailwave({"run", "experiments/transpose/tile_size.json", "--device", "cuda:0"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome = 'correct'"), "4");
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE timer = 'cuda_event'"), "3");
  EXPECT_EQ(scalar("SELECT count(*) FROM occupancy_mismatch"), "0");
}

}  // namespace
}  // namespace tailwave
