#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::Not;

class TuneTest : public ProjectFixture {
 protected:
  [[nodiscard]] CommandResult tune(const std::vector<std::string>& more,
                                   const std::string& strategy = "random",
                                   const std::string& budget = "5") const {
    std::vector<std::string> words{"tune",       "experiments/transpose/tile_size.json",
                                   "--strategy", strategy,
                                   "--budget",   budget,
                                   "--device",   "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return tailwave(words);
  }
};

TEST_F(TuneTest, AnswersWithTheTiedSet) {
  write_experiment("[1, 2, 4, 8, 16, 24]");
  const CommandResult result = tune({});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(
      result.err,
      HasSubstr("tile_size: searching 6 configurations for 5 evaluations, 1 of variants of other kinds left "
                "out: nothing compares them with these\n"));
  EXPECT_THAT(result.out, HasSubstr(": random, seed 1\n"));
  EXPECT_THAT(result.out, HasSubstr("\n5 evaluations, 83.3 % of 6 configurations: 5 correct\n"));
  EXPECT_THAT(result.out, HasSubstr(" s to measure the best again\n"));
  EXPECT_EQ(scalar("SELECT count(*) FROM search_step WHERE cost > 0"), "5");
  EXPECT_EQ(scalar("SELECT count(*) > 0 FROM search JOIN trial ON trial.run_id = final_run_id"), "1");
  EXPECT_EQ(scalar("SELECT count(*) FROM verification WHERE NOT passed"), "0");
  for (const std::string query : {"best", "leaders", "searches", "search_steps", "runs"})
    EXPECT_EQ(tailwave({"query", query}).exit_status, 0) << query;
  EXPECT_THAT(tailwave({"query", "searches"}).out, HasSubstr("transpose/tile_size"));
}

TEST_F(TuneTest, MeasuresABetterOneThatTheDatabaseHasBesideItsOwnOrNamesIt) {
  write_experiment("[4, 8, 16]", 20);
  EXPECT_THAT(tune({}, "random", "1").out, Not(HasSubstr("the database has a better one")));
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  {
    Database database(project_ / "results/tailwave.db", Database::Mode::read_write);
    database.execute(
        "UPDATE sample SET time_ns = time_ns / 1e5 WHERE trial_id IN (SELECT id FROM trial WHERE "
        "configuration_id NOT IN (SELECT configuration_id FROM search_step WHERE run_id = 1))");
  }
  const CommandResult alone = tune({"--final", "0"}, "random", "1");
  ASSERT_EQ(alone.exit_status, 0) << alone.err;
  EXPECT_THAT(alone.out, testing::ContainsRegex(
                             "\nthe database has a better one: transpose/tile/[^ ]*, [0-9.e+]+ "
                             ".*bytes/s .run [0-9]+, 20[^ ]*Z., measured in another session, in which all "
                             "may have been faster\n"));
  const CommandResult again = tune({}, "random", "1");
  ASSERT_EQ(again.exit_status, 0) << again.err;
  EXPECT_THAT(again.out, Not(HasSubstr("the database has a better one")));
  EXPECT_EQ(
      scalar("SELECT count(*) FROM search JOIN trial ON trial.run_id = final_run_id WHERE search.run_id = "
             "(SELECT max(run_id) FROM search)"),
      "3");
}

TEST_F(TuneTest, IsOneSideOfAComparison) {
  write_experiment("[4, 8, 16]", 20);
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  ASSERT_EQ(tune({"--fresh"}, "exhaustive", "3").exit_status, 0);
  ASSERT_GE(std::stoi(scalar("SELECT max(id) FROM run")), 3);
  const CommandResult compared = tailwave({"compare", "previous", "latest"});
  EXPECT_THAT(compared.err, testing::ContainsRegex("A: run 1 .*\nB: runs 2 to [3-6] "));
  EXPECT_THAT(compared.err, testing::ContainsRegex("of 4 configurations (.*, )?1 only in A[,\n]"));
  ASSERT_EQ(tune({"--fresh", "--seed", "2"}, "exhaustive", "3").exit_status, 0);
  EXPECT_THAT(tailwave({"compare"}).err, testing::ContainsRegex("A: runs 2 to [3-6] .*\nB: runs [4-7] to "));
}

TEST_F(TuneTest, HasOneAnswerForManySizes) {
  write_experiment("[4, 8]");
  replace("experiments/transpose/tile_size.json", "\"cases\"",
          R"("devices": {"cpu": {"problem": [{"N": 16, "weight": 3}, {"N": 24}]}}, "cases")");
  const CommandResult result = tune({"--over-sizes", "--keep", "2"}, "exhaustive", "4");
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("\ntile_size: one answer for 2 sizes (the least weighted geometric mean)\n"));
  EXPECT_THAT(result.out,
              testing::ContainsRegex("configurations?: geometric mean 1[0-9.]* of each size's best"));
  EXPECT_THAT(result.out, HasSubstr("\nN = 24 "));
  EXPECT_THAT(result.out,
              HasSubstr("exact: no choice is better of 2 configurations measured at all sizes\n"));
  const CommandResult in_json =
      tune({"--over-sizes", "--worst-case", "--json", "--fresh"}, "exhaustive", "4");
  ASSERT_EQ(in_json.exit_status, 0) << in_json.err;
  const auto over = nlohmann::json::parse(in_json.out).at("over_sizes");
  EXPECT_EQ(over.at("kept").size(), 1U);
  EXPECT_EQ(over.at("sizes").at(0).at("weight"), 3);
  EXPECT_GE(over.at("worst_case").get<double>(), 1);
  EXPECT_THAT(tailwave({"query", "over_sizes"}).out, HasSubstr("transpose/tile"));
  const CommandResult header = tailwave(
      {"export", "--experiment", "tile_size", "--device", "cpu", "--format", "header", "--over-sizes"});
  EXPECT_THAT(header.out, HasSubstr(": 1 configuration for all problems")) << header.err;
}

TEST_F(TuneTest, SaysWhyThereIsNoAnswerForManySizes) {
  write_experiment("[4, 8]");
  EXPECT_THAT(tune({"--over-sizes"}).err,
              HasSubstr("/problem: --over-sizes needs several sizes, and the experiment has one here\n"
                        "  list them: "));
  EXPECT_THAT(tune({"--keep", "2"}).err,
              HasSubstr("--keep: says something of --over-sizes, which is not there"));
  EXPECT_THAT(tailwave({"export", "--experiment", "tile_size", "--format", "csv", "--over-sizes"}).err,
              HasSubstr("--over-sizes: is for --format header and wisdom alone"));
}

TEST_F(TuneTest, ComputesReferencesAnewWhenFresh) {
  write_reference_with_file(0);
  EXPECT_EQ(tune({"--fresh"}, "exhaustive", "3").exit_status, 0);
  write_reference_with_file(1);
  EXPECT_THAT(tune({"--fresh"}, "exhaustive", "3").err,
              HasSubstr("none of 3 evaluated configurations ran correctly"));
}

TEST_F(TuneTest, PromisesNoMoreEvaluationsThanThereAreConfigurations) {
  const CommandResult result = tune({"--final", "0"}, "random", "20");
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("searching 3 configurations for 3 evaluations: all that can run"));
  EXPECT_THAT(result.err, HasSubstr("\n  3/3 transpose/tile/"));
}

TEST_F(TuneTest, MarksLeadersWhoseTimesAreNoisy) {
  write_experiment("[1, 2]", 1);
  const CommandResult result = tune({}, "exhaustive", "2");
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, testing::ContainsRegex("samples +noise +verdict"));
  // 5 where both are leaders, which then are measured in turns.
  EXPECT_THAT(result.out, testing::ContainsRegex("  (1 sample|5 samples)(, [0-9]+ other process(es)?)?  "));
  EXPECT_THAT(result.out,
              HasSubstr("\nnoise: the 95 % interval of the median is wider than 10 % of it, or has too few "
                        "samples, or other programs took its cores\n"));
}

TEST_F(TuneTest, IsNotTakenForASweepByReports) {
  ASSERT_EQ(tune({}, "random", "2").exit_status, 0);
  EXPECT_EQ(scalar("SELECT measured || ' of ' || configurations FROM partial_study"), "2 of 4");
  ASSERT_EQ(tailwave({"report"}).exit_status, 0);
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  EXPECT_EQ(scalar("SELECT count(*) FROM partial_study"), "0");
}

TEST_F(TuneTest, EndsWithAnErrorWhereNothingRuns) {
  write("experiments/transpose/tile_size.json",
        R"({ "schema_version": 1, "name": "tile_size", "system": "transpose", "question": "What fails?",
             "cases": [ {"variant": "tile", "parameters": {"BREAK": [1, 2], "TILE": [8]}} ],
             "metric": {"name": "time", "goal": "min"}, "measure": {"samples": 3} })");
  const CommandResult result = tune({});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.out,
              HasSubstr("2 evaluations, 100 % of 2 configurations: 1 compile_error 1 wrong_result; none is "
                        "left to evaluate\n"));
  EXPECT_THAT(result.err,
              HasSubstr("tile_size: none of 2 evaluated configurations ran correctly\n  'tailwave query "
                        "failures' says why\n"));
}

TEST_F(TuneTest, SaysThatABudgetEndedBeforeTheFirstEvaluation) {
  const CommandResult result = tune({}, "random", "0.000001s");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(scalar("SELECT count(*) FROM search_step"), "0");
  EXPECT_THAT(result.err, HasSubstr("tile_size: the budget of 0.000001s ended before the first evaluation\n"
                                    "  give more time, or a number of evaluations\n"));
}

TEST_F(TuneTest, TakesSeedsThatTheDatabaseCanKeep) {
  for (const char* seed : {"-1", "9223372036854775808", "18446744073709551615"}) {
    for (const CommandResult& result :
         {tune({"--seed", seed}), tailwave({"run", "experiments/transpose/tile_size.json", "--seed", seed}),
          tailwave({"simulate", "--seed", seed})}) {
      EXPECT_NE(result.exit_status, 0);
      EXPECT_THAT(result.err, HasSubstr(": --seed cannot be '" + std::string(seed) + "'\n  use a "));
    }
  }
  EXPECT_FALSE(std::filesystem::exists(project_ / "results/tailwave.db"));
  ASSERT_EQ(tune({"--seed", "9223372036854775807", "--final", "0"}, "random", "1").exit_status, 0);
  EXPECT_EQ(scalar("SELECT seed FROM search"), "9223372036854775807");
}

TEST_F(TuneTest, RefusesWhatItCannotUnderstand) {
  const auto refusal = [](const CommandResult& result) {
    EXPECT_EQ(result.exit_status, 2);
    return result.err;
  };
  EXPECT_EQ(refusal(tune({}, "randon")), "unknown strategy 'randon'\n  did you mean 'random'?\n");
  EXPECT_EQ(
      refusal(tune({}, "newton")),
      "unknown strategy 'newton'\n  there are: exhaustive, random, iterated_local_search, annealing, genetic, "
      "differential_evolution, particle_swarm, hybrid_vndx, bayesian, wave_guided\n");
  EXPECT_EQ(refusal(tune({"--option", "temperature=1"})),
            "strategy 'random' has no option 'temperature'\n  it has none\n");
  EXPECT_EQ(
      refusal(tune({"--option", "temperature"})),
      "--option 'temperature' is not NAME=NUMBER\n  'tailwave list strategies' names the options of each "
      "strategy\n");
  EXPECT_EQ(refusal(tune({"--option", "population=3.7"}, "genetic")),
            "option 'population' of strategy 'genetic' is 3.7, but has to be a whole number\n"
            "  'tailwave list strategies' names strategies and their options\n");
  EXPECT_EQ(refusal(tune({}, "random", "5x")),
            "--budget '5x' is neither evaluations nor a time\n  for example 500, or 60s, 5m, 1.5h\n");
  EXPECT_EQ(refusal(tune({}, "random", "0")),
            "--budget '0' leaves nothing to spend\n  for example 500, or 60s, 5m, 1.5h\n");
  EXPECT_FALSE(std::filesystem::exists(project_ / "results/tailwave.db"));
}

TEST_F(TuneTest, BeginsWithAFileWhereItHasSomethingToSay) {
  const CommandResult missing = tune({"--start", "nowhere.json"}, "random", "1");
  EXPECT_EQ(missing.exit_status, 2);
  EXPECT_EQ(missing.err,
            "--start nowhere.json: there is no such file\n  auto, none, a result database, or a file that "
            "'tailwave import' reads\n");
  const auto run_into = [&](const std::string& database) {
    std::vector<std::string> words = kRun;
    words.insert(words.end(), {"--db", database});
    return tailwave(words);
  };
  write("other.db.sql", "no database");
  EXPECT_THAT(tune({"--start", "other.db.sql"}, "random", "1").err, HasSubstr("other.db.sql"));
  ASSERT_EQ(run_into("other.db").exit_status, 0);
  const CommandResult few = tune({"--start", "other.db"}, "wave_guided", "2");
  ASSERT_EQ(few.exit_status, 0) << few.err;
  EXPECT_THAT(few.err, HasSubstr("other.db has fewer than 5 configurations of "));
  write_experiment("[1, 2, 4, 8, 16, 32]", 1);
  ASSERT_EQ(run_into("more.db").exit_status, 0);
  const CommandResult begun = tune({"--start", "more.db"}, "wave_guided", "2");
  ASSERT_EQ(begun.exit_status, 0) << begun.err;
  EXPECT_THAT(begun.err, testing::ContainsRegex(
                             "begins with what is known of transpose/tile_size on .*: 6 configurations"));
}

TEST_F(TuneTest, EndsCleanlyOnCtrlCAndContinues) {
  write_long_experiment(200);
  const std::vector<std::string> words{"tune",       "experiments/transpose/tile_size.json",
                                       "--strategy", "exhaustive",
                                       "--budget",   "12",
                                       "--device",   "cpu",
                                       "--final",    "0"};
  const pid_t search = begin(words, "interrupted");
  EXPECT_TRUE(has_stored(search, 1));
  kill(search, SIGINT);
  const CommandResult interrupted = end(search, "interrupted");
  EXPECT_EQ(interrupted.exit_status, 1) << interrupted.err;
  EXPECT_THAT(
      interrupted.err,
      HasSubstr("interrupted: what was measured is stored; tune again with the same seed to continue"));
  EXPECT_EQ(scalar("SELECT stopped_by FROM search"), "interrupt");
  const CommandResult rest = tailwave(words);
  ASSERT_EQ(rest.exit_status, 0) << rest.err;
  EXPECT_THAT(rest.out, HasSubstr(" from before"));
  EXPECT_EQ(scalar("SELECT count(*) FROM trial"), "12");
}

TEST_F(TuneTest, ListsStrategiesWithTheirOptions) {
  const CommandResult result = tailwave({"list", "strategies", "--format", "csv"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("strategy,option,default,from,to,description,source\n"));
  EXPECT_THAT(result.out, HasSubstr("random,,,,,"));
}

}  // namespace
}  // namespace tailwave
