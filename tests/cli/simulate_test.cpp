#include <gmock/gmock.h>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

// A cachefile of Kernel Tuner with X from 1 to 12, where 12 failed. `end` closes it.
std::string cachefile(const std::string& end = "}}") {
  std::string text =
      R"({"device_name": "Some GPU", "kernel_name": "copy", "problem_size": 1024, "tune_params_keys": ["X"],
 "tune_params": {"X": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}, "objective": "time", "cache": {)";
  for (int x = 1; x <= 12; ++x) {
    const std::string time = x == 12 ? "\"RuntimeFailedConfig\"" : std::to_string(1 + x * 5 % 11);
    text += "\n\"" + std::to_string(x) + "\": {\"X\": " + std::to_string(x) + ", \"time\": " + time + "}" +
            (x < 12 || end.empty() ? "," : "");
  }
  return text + end;
}

class SimulateCommandTest : public ProjectFixture {
 protected:
  SimulateCommandTest() { write("copy-some_gpu.json", cachefile()); }
};

TEST_F(SimulateCommandTest, ScoresStrategiesOnAFileAndStoresThem) {
  const CommandResult result = tailwave({"simulate", "copy-some_gpu.json", "--strategy", "random,exhaustive",
                                         "--seeds", "20", "--format", "csv"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              StartsWith("role,space,device,strategy,given,spaces,points,failed,budget,seeds,score,"));
  EXPECT_THAT(result.out, HasSubstr("\nother,copy/copy-some_gpu,Some GPU,random,,1,12,1,"));
  EXPECT_THAT(result.out, HasSubstr("\nother,copy/copy-some_gpu,Some GPU,exhaustive,,1,12,1,"));
  EXPECT_THAT(result.err, HasSubstr("40 searches of "));
  EXPECT_EQ(scalar("SELECT count(*) FROM simulation"), "2");
  EXPECT_EQ(scalar("SELECT count(*) FROM simulation_seed WHERE seed BETWEEN 1 AND 20"), "40");
  EXPECT_EQ(
      scalar("SELECT max(evaluation) = budget FROM simulation_step JOIN simulation ON id = simulation_id"),
      "1");
  EXPECT_EQ(tailwave({"query", "simulations", "--format", "csv"}).out, result.out);
}

TEST_F(SimulateCommandTest, GivesTheSameAgainFromTheDatabaseWithAnyNumberOfJobs) {
  const auto seeds = [&](const std::string& id) {
    return scalar("SELECT group_concat(seed || ':' || score) FROM simulation_seed WHERE simulation_id = " +
                  id);
  };
  ASSERT_EQ(tailwave({"simulate", "copy-some_gpu.json", "--strategy", "random", "--jobs", "1"}).exit_status,
            0);
  ASSERT_EQ(tailwave({"simulate", "copy-some_gpu", "--strategy", "random", "--jobs", "3"}).exit_status, 0);
  EXPECT_EQ(seeds("1"), seeds("2"));
  ASSERT_EQ(
      tailwave({"simulate", "copy/copy-some_gpu", "--strategy", "random", "--seed", "7", "--role", "test"})
          .exit_status,
      0);
  EXPECT_EQ(scalar("SELECT min(seed) || ' ' || max(seed) FROM simulation_seed WHERE simulation_id = 3"),
            "7 106");
  EXPECT_EQ(scalar("SELECT role FROM simulation WHERE id = 3"), "test");
}

TEST_F(SimulateCommandTest, TakesTheRoleOfAFileFromTheListBesideIt) {
  const std::vector<std::string> command{"simulate", "copy-some_gpu.json", "--strategy", "random", "--seeds",
                                         "2"};
  write("roles.json", R"({"copy-some_gpu.json": "training"})");
  ASSERT_EQ(tailwave(command).exit_status, 0);
  EXPECT_EQ(scalar("SELECT role FROM simulation WHERE id = 1"), "training");
  std::vector<std::string> overruled = command;
  overruled.insert(overruled.end(), {"--role", "test"});
  ASSERT_EQ(tailwave(overruled).exit_status, 0);
  EXPECT_EQ(scalar("SELECT role FROM simulation WHERE id = 2"), "test");
  write("roles.json", R"({"another.json": "training"})");
  ASSERT_EQ(tailwave(command).exit_status, 0);
  EXPECT_EQ(scalar("SELECT role FROM simulation WHERE id = 3"), "other");
  write("roles.json", R"({"copy-some_gpu.json": "trainig"})");
  const CommandResult unknown = tailwave(command);
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_EQ(unknown.err,
            "roles.json: /copy-some_gpu.json: unknown role 'trainig'\n  training, test or other\n");
}

TEST_F(SimulateCommandTest, TriesAllStrategiesOnlyWhereNoneIsNamed) {
  const CommandResult result = tailwave({"simulate", "copy-some_gpu.json", "--seeds", "2"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("exhaustive"));
  EXPECT_THAT(result.out, HasSubstr("random"));
  const CommandResult options = tailwave({"simulate", "copy-some_gpu.json", "--option", "population=20"});
  EXPECT_EQ(options.exit_status, 2);
  EXPECT_THAT(options.err,
              HasSubstr("strategies\n  options are those of one strategy: name it with --strategy\n"));
}

TEST_F(SimulateCommandTest, SuggestsTheSpaceTheStrategyAndTheOptionMeant) {
  ASSERT_EQ(tailwave({"import", "copy-some_gpu.json"}).exit_status, 0);
  const CommandResult space = tailwave({"simulate", "copy-some_gpi"});
  EXPECT_EQ(space.exit_status, 2);
  EXPECT_EQ(
      space.err,
      "results/tailwave.db: no trials of experiment 'copy-some_gpi'\n  did you mean 'copy-some_gpu'?\n");
  const CommandResult strategy = tailwave({"simulate", "copy-some_gpu", "--strategy", "randon"});
  EXPECT_EQ(strategy.exit_status, 2);
  EXPECT_EQ(strategy.err, "unknown strategy 'randon'\n  did you mean 'random'?\n");
  const CommandResult option =
      tailwave({"simulate", "copy-some_gpu", "--strategy", "random", "--option", "speed"});
  EXPECT_EQ(option.exit_status, 2);
  EXPECT_EQ(option.err,
            "--option 'speed' is not NAME=NUMBER\n"
            "  'tailwave list strategies' names the options of each strategy\n");
  const CommandResult seeds = tailwave({"simulate", "copy-some_gpu", "--seed", "9223372036854775807"});
  EXPECT_EQ(seeds.exit_status, 2);
  EXPECT_EQ(seeds.err,
            "--seed 9223372036854775807 leaves no room for 100 seeds\n"
            "  the last one has to fit 64 bits with a sign\n");
  const CommandResult unknown =
      tailwave({"simulate", "copy-some_gpu", "--strategy", "random", "--option", "speed=3"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_THAT(unknown.err, StartsWith("strategy 'random' has no option 'speed'\n"));
  EXPECT_EQ(scalar("SELECT count(*) FROM simulation"), "0");
}

TEST_F(SimulateCommandTest, ComparesTheOrdersOfAskingAndOfBuildingWithoutStoringThem) {
  const std::vector<std::string> command{"simulate",   "copy-some_gpu.json",
                                         "--strategy", "random,genetic",
                                         "--seeds",    "5",
                                         "--builds",   "4",
                                         "--order",    "asked,built",
                                         "--format",   "csv"};
  const CommandResult result = tailwave(command);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(
      result.out,
      StartsWith("space,device,strategy,order,times,budget,seeds,score,bounded,deviation,more_than_asked,"
                 "error,score_by_time,seconds,share_of_time,best_over_optimum\n"
                 "copy/copy-some_gpu,Some GPU,random,asked,drawn,"));
  // Of so small a budget one is asked for after the other, so that both orders are the same.
  EXPECT_THAT(result.out,
              ContainsRegex("\ncopy/copy-some_gpu,Some GPU,genetic,built,drawn,[0-9]+,5,[^\n]*,0,0,"));
  EXPECT_THAT(result.err, HasSubstr("scores with build processes are not stored\n20 searches of "));
  EXPECT_EQ(scalar("SELECT count(*) FROM simulation"), "0");
  EXPECT_EQ(tailwave(command).out, result.out);
  std::vector<std::string> on_more_threads = command;
  on_more_threads.insert(on_more_threads.end(), {"--jobs", "3"});
  EXPECT_EQ(tailwave(on_more_threads).out, result.out);
}

TEST_F(SimulateCommandTest, KeepsScoresOfBatchesApart) {
  const std::vector<std::string> one{"simulate", "copy-some_gpu.json", "--strategy", "random", "--seeds",
                                     "2"};
  std::vector<std::string> several = one;
  several.insert(several.end(), {"--batch", "4"});
  ASSERT_EQ(tailwave(one).exit_status, 0);
  ASSERT_EQ(tailwave(several).exit_status, 0);
  EXPECT_EQ(
      scalar("SELECT group_concat(strategy, ';') FROM (SELECT strategy FROM latest_simulation ORDER BY 1)"),
      "random;random (batches of 4)");
  several.insert(several.end(), {"--builds", "2"});
  EXPECT_EQ(tailwave(several).err,
            "--batch beside processes that build\n  --builds asks ahead by a rule of its own\n");
}

TEST_F(SimulateCommandTest, RefusesAnOrderOfBuildingWithoutBuilds) {
  const CommandResult result = tailwave({"simulate", "copy-some_gpu.json", "--order", "built"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.err,
            "--order without processes that build\n  --builds 16 replays a search with 16 of them\n");
  const CommandResult twice =
      tailwave({"simulate", "copy-some_gpu.json", "--builds", "2", "--order", "built,built"});
  EXPECT_EQ(twice.exit_status, 2);
  EXPECT_THAT(twice.err, HasSubstr("--order names 'built' twice\n  asked, built or asked,built\n"));
}

TEST_F(SimulateCommandTest, GoesOnWithoutWhatAnUnfinishedFileLacks) {
  write("unfinished.json", cachefile(""));
  const CommandResult result =
      tailwave({"simulate", "unfinished.json", "--strategy", "random", "--seeds", "3"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.err, HasSubstr("copy/unfinished on Some GPU: its latest run did not come to its end, so "
                                    "configurations may be missing\n"));
  EXPECT_THAT(result.out, HasSubstr("copy/unfinished"));
}

TEST_F(SimulateCommandTest, SaysThatThereIsNothingToSearch) {
  const CommandResult empty = tailwave({"simulate"});
  EXPECT_EQ(empty.exit_status, 2);
  EXPECT_THAT(empty.err, StartsWith("results/tailwave.db: there is no such database\n"));
  write("no.json", "no JSON");
  EXPECT_EQ(tailwave({"simulate", "no.json"}).exit_status, 2);
  EXPECT_FALSE(std::filesystem::exists(project_ / "results/tailwave.db")) << "it would be of nothing";
  ASSERT_EQ(tailwave({"import", "copy-some_gpu.json"}).exit_status, 0);
  EXPECT_THAT(tailwave({"simulate"}).err,
              StartsWith("1 space of fewer than 100 configurations is left out; name what you want\n"));
}

TEST_F(SimulateCommandTest, LeavesOutASpaceWhereAllCostTheSame) {
  write("flat.json",
        R"({"device_name": "Some GPU", "kernel_name": "copy", "problem_size": 1, "tune_params_keys": ["X"],
            "tune_params": {"X": [1, 2]}, "objective": "time",
            "cache": {"1": {"X": 1, "time": 3}, "2": {"X": 2, "time": 3}}})");
  const CommandResult alone = tailwave({"simulate", "flat.json"});
  EXPECT_EQ(alone.exit_status, 1);
  EXPECT_THAT(alone.err,
              HasSubstr("copy/flat: all configurations cost the same, so the space is left out\n"));
  const CommandResult both =
      tailwave({"simulate", "flat.json", "copy-some_gpu.json", "--strategy", "random", "--seeds", "2"});
  EXPECT_EQ(both.exit_status, 0);
  EXPECT_EQ(scalar("SELECT count(*) FROM simulation"), "1");
}

}  // namespace
}  // namespace tailwave
