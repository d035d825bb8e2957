// What run and tune end with: the winner, how much better it is than others, and whether it is tied.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class WinnerTest : public ProjectFixture {
 protected:
  // Times of a busy machine may be anything, and more of them than were asked for: a configuration has `samples` that count,
  // of `ms` and 0.01 % more each.
  void take(const std::string& name, double ms, int samples = 7) const {
    const std::string of_name =
        " trial_id IN (SELECT trial.id FROM trial JOIN configuration ON configuration.id = configuration_id WHERE "
        "name LIKE '%" +
        name + "%')";
    Database database(project_ / "results/tailwave.db", Database::Mode::read_write);
    database.execute("DELETE FROM sample WHERE position >= " + std::to_string(samples) + " AND" + of_name);
    database.execute("UPDATE sample SET dropped = NULL, other_processes = 0, time_ns = 1e6 * " +
                     std::to_string(ms) + " * (1 + 1e-4 * position) WHERE" + of_name);
  }
  // Run once, with these times, and again: what is then found in the database.
  [[nodiscard]] std::string run_again(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = kRun;
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = tailwave(words);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return result.out;
  }
};

TEST_F(WinnerTest, OfARunIsSaidBeforeItsTable) {
  write_experiment("[4, 8, 16]", 7);
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  take("TILE:4", 2);
  take("TILE:8", 1);
  take("TILE:16", 0.8);
  const std::string slower = run_again();
  EXPECT_THAT(slower,
              ContainsRegex("\n\nwinner: tile, TILE 16, BREAK 0\n"
                            "  48[.]9[0-9]* M bytes/s, 800[.][0-9] us .95 %: 80[0-9.]+ us to 80[0-9.]+ us.\n"
                            "  1[.]25 times .1[.]2[0-9]+ to 1[.]25[0-9]*. as fast as the baseline and the "
                            "next, TILE 8 .the manifest's defaults.\n"
                            "  not tied .all 2 others are shown to be slower.\n\n"
                            "all: "));
  EXPECT_LT(slower.find("winner: "), slower.find("median us"));
  take("TILE:8", 0.801);
  const json winner = json::parse(run_again({"--json"})).at("experiments").at(0).at("winners").at(0);
  EXPECT_EQ(winner.at("parameters"), (json{{"BREAK", 0}, {"TILE", 16}}));
  EXPECT_EQ(winner.at("others"), 2);
  EXPECT_EQ(winner.at("tied"), 1);
  EXPECT_EQ(winner.at("unclear"), 0);
  EXPECT_EQ(winner.at("disturbed"), 0);
  EXPECT_NEAR(winner.at("next").at("times").get<double>(), 1.00125, 1e-9);
  EXPECT_EQ(winner.at("next").at("times_95").size(), 2U);
  EXPECT_EQ(winner.at("baseline").at("configuration"), "transpose/tile/BREAK:0/TILE:8/N:70");
  EXPECT_THAT(run_again(), HasSubstr("\n  tied with 1 of 2 others\n"));
}

TEST_F(WinnerTest, IsNotNamedAmongRowsOfEarlierCode) {
  write_experiment("[4, 8, 16]", 2);
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  EXPECT_THAT(run_again({"--filter", "TILE:4/"}), HasSubstr("\nwinner: ")) << "all are of one code";
  replace("kernel_templates/transpose/tile.cu", "TILE + 1", "TILE + 2");
  const std::string filtered = run_again({"--filter", "TILE:4/"});
  EXPECT_THAT(filtered,
              HasSubstr("\n2 of 4 rows are of earlier code or settings than this run's, so there is "
                        "no winner: run without --filter\n"));
  EXPECT_THAT(filtered, Not(HasSubstr("\nwinner: ")));
  EXPECT_THAT(filtered, HasSubstr("verified for no other sizes than those that are timed: "));
  const json said = json::parse(run_again({"--filter", "TILE:4/", "--json"})).at("experiments").at(0);
  EXPECT_EQ(said.at("outdated"), 2);
  EXPECT_EQ(said.at("winners"), json::array());
  EXPECT_THAT(run_again(), HasSubstr("\nwinner: "));
}

TEST_F(WinnerTest, OfEachProblemIsARowOfATable) {
  write_experiment("[4, 8]", 7, "\"N\": [40, 70]");
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  take("TILE:4", 3);
  take("TILE:8", 1);
  take("TILE:4/N:40", 0.5);
  const std::string out = run_again();
  EXPECT_THAT(
      out,
      ContainsRegex(
          "the winner of each problem:\nall: tied 0 of 1, unclear 0 of 1, baseline tile, TILE 8, BREAK 0, baseline is the "
          "manifest's defaults\n"));
  EXPECT_THAT(
      out, ContainsRegex("\n40 +tile, TILE 4, BREAK 0 +25[.]59 M/s +2 .[^)]+. +2 .[12][^)]+ to 2[^)]*.\n"));
  EXPECT_THAT(out, ContainsRegex("\n70 +tile, TILE 8, BREAK 0 +39[.]19 M/s +1 +3 .[23][^)]* to 3[^)]*.\n"));
  EXPECT_THAT(out, Not(HasSubstr("\nunclear: ")));
}

TEST_F(WinnerTest, OfEachProblemSaysWhatIsUnclear) {
  write_experiment("[4, 8]", 2, "\"N\": [40, 70]");
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  take("TILE:4", 3, 2);
  take("TILE:8", 1, 2);
  const std::string out = run_again();
  EXPECT_THAT(out, HasSubstr(" times the next 3, tied 0 of 1, unclear 1 of 1, "));
  EXPECT_THAT(out,
              HasSubstr("\nunclear: so many of which the samples do not show whether they are slower\n"));
}

TEST_F(WinnerTest, IsUnclearWithFewSamplesAndAloneWithoutOthers) {
  write_experiment("[4, 8]", 2);
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  take("TILE:4", 3, 2);
  take("TILE:8", 1, 2);
  EXPECT_THAT(
      run_again(),
      HasSubstr(
          " (2 samples)\n  it is the baseline (the manifest's defaults)\n  3 times as fast as the next, TILE 4\n"
          "  the samples do not show whether the other one is slower\n"));
  write_experiment("[4]", 2);
  const std::string alone = run_again({"--fresh"});
  EXPECT_THAT(alone, HasSubstr("\n  it is the baseline (the first configuration)\n"));
  EXPECT_THAT(alone, Not(HasSubstr(" times ")));
}

TEST_F(WinnerTest, OfASearchIsSaidBeforeItsLeadersWithTheWayToIt) {
  write_experiment("[4, 8, 16]", 7);
  // By default all three are evaluated.
  const std::vector<std::string> words{"tune", kRun.at(1), "--device", "cpu", "--final", "0"};
  const CommandResult first = tailwave(words);
  ASSERT_EQ(first.exit_status, 0) << first.err;
  EXPECT_THAT(
      first.err,
      HasSubstr(
          "by default: strategy wave_guided, a budget of 5 % of each problem's "
          "configurations, 50 to 500, an end before that when another 1 % within 20 evaluations has a probability below 3 % (docs/searching.md says why)\n"));
  EXPECT_THAT(first.out, HasSubstr(": wave_guided, seed 1\n"));
  EXPECT_THAT(first.out, ContainsRegex("\nwinner: tile, TILE (4|8|16), BREAK 0\n  [0-9.]+ [kMG] bytes/s, "));
  EXPECT_THAT(first.out, HasSubstr("\n  not measured again: nothing says what else is as good\n"));
  EXPECT_THAT(first.out,
              HasSubstr("\n3 evaluations, 100 % of 3 configurations: 3 correct; none is left to evaluate\n"));
  take("TILE:4", 4);
  take("TILE:8", 2.2);
  take("TILE:16", 1);
  const CommandResult again = tailwave(
      {"tune", kRun.at(1), "--strategy", "exhaustive", "--budget", "3", "--device", "cpu", "--final", "0"});
  EXPECT_THAT(again.err, Not(HasSubstr("by default")));
  EXPECT_THAT(again.out, HasSubstr("\n█▅▁ the best so far over 3 evaluations: from 4 times its last cost to "
                                   "that at evaluation 3\n"));
  EXPECT_THAT(again.out, HasSubstr("\nwinner: tile, TILE 16, BREAK 0\n"));
  EXPECT_THAT(again.out, HasSubstr(") as fast as the baseline, TILE 8 (the manifest's defaults)\n"));
}

TEST_F(WinnerTest, IsHeldBesideTheDefaultAndTheWinnersOfOtherProblemsByQueryAndReport) {
  write_experiment("[4, 8]", 7, "\"N\": [40, 70]");
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  take("TILE:4", 2);
  take("TILE:8", 1);
  take("TILE:4/N:40", 0.5);
  const CommandResult gains = tailwave({"query", "gains", "--experiment", "tile_size", "--format", "csv"});
  ASSERT_EQ(gains.exit_status, 0) << gains.err;
  EXPECT_THAT(
      gains.out,
      ContainsRegex("\"N\"\":40.*,default,transpose/tile/BREAK:0/TILE:8/N:40,[0-9.]+,2,[0-9.]+,[0-9.]+,"
                    "slower,correct,the manifest's defaults\n"));
  EXPECT_THAT(gains.out,
              ContainsRegex("\"N\"\":70.*,winner of N 40,transpose/tile/BREAK:0/TILE:4/N:70,[0-9.]+,2,"));
  const CommandResult limits = tailwave({"query", "limits", "--experiment", "tile_size", "--format", "csv"});
  EXPECT_THAT(limits.out, HasSubstr("transpose/tile/BREAK:0/TILE:4/N:40"));
  ASSERT_EQ(tailwave({"report"}).exit_status, 0);
  EXPECT_THAT(text_of(project_ / "results/report/README.md"), HasSubstr("[What tuning gained](gains.md)"));
  EXPECT_THAT(text_of(project_ / "results/report/gains.md"), HasSubstr("| winner of N 40 |"));
  const CommandResult unknown = tailwave({"query", "gains", "--experiment", "tile_sizes"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("nothing of experiment 'tile_sizes'\n  did you mean 'tile_size'?"));
}

}  // namespace
}  // namespace tailwave
