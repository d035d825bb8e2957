#include "report/regimes.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/fixture.h"
#include "report/queries.h"
#include "report/regime_text.h"
#include "report/report.h"
#include "store/regime_store.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Finalists a, b and c, of which a is the winner, with a median for each in each regime.
class RegimeAnswers : public testing::Test {
 protected:
  struct Measured {
    std::string regime;
    std::map<std::string, double> us;  // by finalist; 0: it failed
    double noise = 0.001;              // half the range of samples, of the median
  };

  // Stores them as a run of regimes; the first one is the experiment's own.
  std::int64_t store(const std::vector<Measured>& all, const std::string& started_at = "2026-05-04T12:00:00Z",
                     std::int64_t n = 4096) {
    std::vector<RegimeRecord> regimes;
    for (const Measured& one : all)
      regimes.push_back({.position = static_cast<int>(regimes.size()),
                         .name = one.regime,
                         .mode = one.regime == "graph" ? TimingMode::graph : TimingMode::isolated,
                         .cache = one.regime == "cold" ? CacheState::cold : CacheState::hot,
                         .fills = one.regime == "zeros" ? Values{{"bodies", "zeros"}} : Values(),
                         .own = regimes.empty()});
    RunRecord record = samples::run("winners", started_at);
    record.metric = "time";
    record.maximise = false;
    const std::int64_t run = ResultStore(database_).begin_run(record, samples::gpu(), {}, regimes);
    std::vector<Finalist> finalists;
    std::vector<Trial> trials;
    for (const auto& [name, us] : all.front().us) {
      const std::int64_t place = std::ssize(finalists) + 1;
      finalists.push_back(
          {configuration(name, n), {place, place == 1 ? FinalistReason::winner : FinalistReason::variant}});
      for (const Measured& one : all) trials.push_back(trial(name, one, n));
    }
    add_finalists(database_, run, samples::gpu(), finalists, trials);
    ResultStore(database_).finish_run(run, RunStatus::done, started_at);
    return run;
  }

  static Configuration configuration(const std::string& name, std::int64_t n) {
    return {"nbody", name, {{"BLOCK_SIZE", 128}}, {{"N", n}}};
  }

  static Trial trial(const std::string& name, const Measured& measured, std::int64_t n) {
    const double us = measured.us.at(name);
    Trial result = us > 0 ? samples::trial(name, {}, {})
                          : samples::failed(name, {}, Outcome::launch_failed, "no graph of it\nand more");
    result.configuration = configuration(name, n);
    result.regime = measured.regime;
    result.key = name + measured.regime + std::to_string(n);
    for (int i = 0; us > 0 && i < 60; ++i) {
      const double share = measured.noise * std::sin(i * 1.7 + static_cast<double>(name.front()));
      result.samples.push_back({i / 12, i % 12, 1000 * us * (1 + share), 1, ""});
    }
    return result;
  }

  std::vector<RegimeAnswer> answers() { return regime_answers(database_, {}); }

  RegimeAnswer answer() {
    const std::vector<RegimeAnswer> all = answers();
    EXPECT_EQ(all.size(), 1U);
    return all.front();
  }

  static std::string words(const RegimeAnswer& answer) {
    return answer_text(answer, {.called = [&](const std::string& name) { return short_name(answer, name); }});
  }

  // As the experiment itself has it.
  void store_ordinary(const std::map<std::string, double>& us, const std::string& started_at) {
    ResultStore results(database_);
    RunRecord record = samples::run("winners", started_at);
    record.metric = "time";
    record.maximise = false;
    const std::int64_t run = results.begin_run(record, samples::gpu());
    for (const auto& [name, median_us] : us)
      results.add_trial(run, samples::gpu(), trial(name, {"", {{name, median_us}}}, 4096));
    results.finish_run(run, RunStatus::done, started_at);
  }

  samples::TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
};

TEST_F(RegimeAnswers, SayThatTheWinnerHolds) {
  store({{"hot", {{"a", 10}, {"b", 12}}},
         {"cold", {{"a", 20}, {"b", 20.01}}},
         {"graph", {{"a", 9.02}, {"b", 9}}}});
  const RegimeAnswer found = answer();
  EXPECT_EQ(found.verdict, RegimeVerdict::holds);
  EXPECT_EQ(
      words(found),
      "a/BLOCK_SIZE:128 holds in all 3 regimes: it is the best or tied with it in hot, cold and graph.");
  EXPECT_EQ(found.regimes.at(2).winner.standing, Standing::tied);
  EXPECT_EQ(found.regimes.at(2).best, "nbody/b/BLOCK_SIZE:128/N:4096");
  EXPECT_EQ(found.least_worst->configuration, found.winner);
}

TEST_F(RegimeAnswers, SayWhereTheWinnerDoesNotHoldAndWhatItCosts) {
  store({{"hot", {{"a", 10}, {"b", 14}, {"c", 10.6}}}, {"cold", {{"a", 30}, {"b", 20}, {"c", 21}}}});
  const RegimeAnswer found = answer();
  EXPECT_EQ(found.verdict, RegimeVerdict::does_not_hold);
  EXPECT_THAT(words(found), HasSubstr("a/BLOCK_SIZE:128 does not hold: in cold it is clearly slower than "
                                      "b/BLOCK_SIZE:128, by a factor of 1.5 (1.49"));
  EXPECT_NEAR(found.regimes.at(1).winner.ratio, 1.5, 0.01);
  EXPECT_EQ(found.least_worst->configuration, "nbody/c/BLOCK_SIZE:128/N:4096");
  EXPECT_EQ(found.least_worst->regime, "hot");
  EXPECT_NEAR(found.least_worst->ratio, 1.06, 0.002);
  EXPECT_THAT(words(found), HasSubstr("c/BLOCK_SIZE:128 loses least in its worst regime: 1.06"));
  EXPECT_THAT(words(found), testing::EndsWith("times the best, in hot."));
}

TEST_F(RegimeAnswers, NameAnotherThatHolds) {
  store({{"hot", {{"a", 10}, {"b", 10.01}}}, {"cold", {{"a", 30}, {"b", 20}}}});
  EXPECT_THAT(words(answer()), testing::EndsWith(". b/BLOCK_SIZE:128 is the best or tied with it in all."));
}

TEST_F(RegimeAnswers, SayThatNoOtherLosesLess) {
  store({{"hot", {{"a", 10}, {"b", 14}}}, {"cold", {{"a", 22}, {"b", 20}}}});
  EXPECT_THAT(words(answer()),
              testing::EndsWith(". No other loses less in its worst regime, which is cold."));
}

TEST_F(RegimeAnswers, LeaveOpenWhatTheSamplesDo) {
  store({{"hot", {{"a", 10}, {"b", 12}}}, {"cold", {{"a", 21}, {"b", 20}}, 0.5}});
  const RegimeAnswer found = answer();
  EXPECT_EQ(found.verdict, RegimeVerdict::unclear);
  EXPECT_THAT(words(found),
              HasSubstr("It is unclear whether a/BLOCK_SIZE:128 holds: in cold the samples leave open "
                        "whether it is slower than b/BLOCK_SIZE:128, by a factor of "));
}

TEST_F(RegimeAnswers, CountAFailureOfTheWinnerAloneAsNotHolding) {
  store({{"hot", {{"a", 10}, {"b", 12}}}, {"graph", {{"a", 0}, {"b", 12}}}});
  EXPECT_EQ(answer().verdict, RegimeVerdict::does_not_hold);
  EXPECT_THAT(words(answer()),
              testing::StartsWith("a/BLOCK_SIZE:128 does not hold: in graph it fails (launch_failed: "
                                  "no graph of it). b/BLOCK_SIZE:128 loses least in its worst "
                                  "regime: 1.2 ("));
}

TEST_F(RegimeAnswers, LeaveOutARegimeInWhichNothingRan) {
  store({{"hot", {{"a", 10}, {"b", 12}}}, {"cold", {{"a", 20}, {"b", 24}}}, {"graph", {{"a", 0}, {"b", 0}}}});
  EXPECT_EQ(
      words(answer()),
      "a/BLOCK_SIZE:128 holds in all 2 regimes: it is the best or tied with it in hot and cold. graph could not be "
      "measured (launch_failed: no graph of it).");
}

TEST_F(RegimeAnswers, SayThatNothingWasTested) {
  store({{"hot", {{"a", 10}, {"b", 12}}}, {"graph", {{"a", 0}, {"b", 0}}}});
  EXPECT_EQ(answer().verdict, RegimeVerdict::untested);
  EXPECT_EQ(
      words(answer()),
      "Whether a/BLOCK_SIZE:128 holds is untested: nothing has a time in another regime. graph could not be "
      "measured (launch_failed: no graph of it).");
}

TEST_F(RegimeAnswers, SayThatNoneIsCorrectEverywhere) {
  store({{"hot", {{"a", 10}, {"b", 0}}}, {"graph", {{"a", 0}, {"b", 12}}}});
  EXPECT_THAT(words(answer()), testing::EndsWith(". No configuration is correct in all of them."));
}

TEST_F(RegimeAnswers, AreThoseOfTheLatestRunOfEachProblem) {
  store({{"hot", {{"a", 10}, {"b", 12}}}, {"cold", {{"a", 20}, {"b", 24}}}});
  store({{"hot", {{"a", 10}, {"b", 12}}}, {"cold", {{"a", 30}, {"b", 24}}}}, "2026-05-04T13:00:00Z");
  store({{"hot", {{"a", 10}, {"b", 12}}}, {"cold", {{"a", 20}, {"b", 24}}}}, "2026-05-04T14:00:00Z", 65536);
  const std::vector<RegimeAnswer> all = answers();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(problem_words(all[0], all), " with N 4096");
  EXPECT_EQ(all[0].verdict, RegimeVerdict::does_not_hold);
  EXPECT_EQ(problem_words(all[1], all), " with N 65536");
  EXPECT_EQ(all[1].verdict, RegimeVerdict::holds);
  EXPECT_EQ(problem_words(all[0], {all[0]}), "");
}

TEST_F(RegimeAnswers, AreATableForEveryRegime) {
  store(
      {{"hot", {{"a", 10}, {"b", 14}}}, {"zeros", {{"a", 30}, {"b", 20}}}, {"graph", {{"a", 0}, {"b", 0}}}});
  const Table table = run_query(database_, find_query("regimes"));
  ASSERT_EQ(table.rows.size(), 3U);
  const auto column = [&](std::size_t row, const std::string& name) {
    const auto place = std::ranges::find(table.columns, name) - table.columns.begin();
    return table.rows.at(row).at(static_cast<std::size_t>(place));
  };
  EXPECT_EQ(column(0, "answer"), Cell{"does not hold"});
  EXPECT_EQ(column(0, "verdict"), Cell{"best"});
  EXPECT_EQ(column(1, "verdict"), Cell{"slower"});
  EXPECT_EQ(column(1, "fills"), Cell{R"({"bodies":"zeros"})"});
  EXPECT_EQ(column(1, "best"), Cell{"nbody/b/BLOCK_SIZE:128/N:4096"});
  EXPECT_EQ(column(2, "verdict"), Cell{"launch_failed"});
  EXPECT_EQ(column(2, "median_us"), Cell{});
  EXPECT_EQ(column(2, "best"), Cell{});
  EXPECT_TRUE(run_query(database_, find_query("regimes"), {{"experiment", "others"}}).rows.empty());
}

TEST_F(RegimeAnswers, ComeFromTheTimesOfEveryFinalistInEveryRegime) {
  store(
      {{"hot", {{"a", 10}, {"b", 14}}}, {"zeros", {{"a", 30}, {"b", 20}}}, {"graph", {{"a", 0}, {"b", 9}}}});
  for (const char* name : {"regime_times", "regimes"})
    samples::expect_file(samples::csv(run_query(database_, find_query(name))), std::string(name) + ".csv");
}

TEST_F(RegimeAnswers, ArePartOfTheReport) {
  store_ordinary({{"a", 10}, {"b", 14}}, "2026-05-04T11:00:00Z");
  store({{"hot", {{"a", 10}, {"b", 14}}}, {"cold", {{"a", 30}, {"b", 20}}}, {"graph", {{"a", 0}, {"b", 0}}}});
  render_report(database_, {{}, folder_ / "report"});
  const std::string page = samples::read_file(folder_ / "report/nbody/winners.md");
  EXPECT_THAT(
      page,
      HasSubstr("### Does the winner hold?\n\n`a` does not hold: in cold it is clearly slower than `b`, by a "
                "factor of 1.5 ("));
  EXPECT_THAT(page, HasSubstr("| cold | isolated, cold | 30"));
  EXPECT_THAT(page, HasSubstr("graph could not be measured (launch_failed: no graph of it)."));
  EXPECT_THAT(page, testing::Not(HasSubstr("has become the best")));

  store_ordinary({{"a", 10}, {"b", 5}}, "2026-05-04T13:00:00Z");
  render_report(database_, {{}, folder_ / "report"});
  EXPECT_THAT(samples::read_file(folder_ / "report/nbody/winners.md"),
              HasSubstr(" Since then `b` has become the best."));
}

TEST_F(RegimeAnswers, ShowTheTableForPeople) {
  store({{"hot", {{"a", 10}, {"b", 10.01}, {"c", 14}}}, {"cold", {{"a", 30}, {"b", 20}, {"c", 20.01}}}});
  const RegimeAnswer found = answer();
  const Table table = shown_regimes(
      found, {.called = [&](const std::string& name) { return short_name(found, name).substr(0, 1); }});
  EXPECT_THAT(table.columns,
              ElementsAre("regime", "measured", "winner", "verdict", "times the best", "best there", "tied"));
  EXPECT_EQ(table.rows.at(0).at(3), Cell{"best"});
  EXPECT_EQ(table.rows.at(0).at(4), Cell{});
  EXPECT_EQ(table.rows.at(0).at(6), Cell{"b"});
  EXPECT_EQ(table.rows.at(1).at(1), Cell{"isolated, cold"});
  EXPECT_EQ(table.rows.at(1).at(3), Cell{"clearly slower"});
  EXPECT_THAT(std::get<std::string>(table.rows.at(1).at(5)), testing::StartsWith("b, 20"));
  EXPECT_EQ(table.rows.at(1).at(6), Cell{"c"});
}

TEST_F(RegimeAnswers, ShortenNoNameOfAnotherProblem) {
  RegimeAnswer answer;
  answer.experiment = "nbody/winners";
  answer.problem = {{"DT", 0.5}, {"N", 64}};
  EXPECT_EQ(short_name(answer, "nbody/a/B:2/DT:0.5/N:64"), "a/B:2");
  EXPECT_EQ(short_name(answer, "nbody/a/B:2/DT:0.5/N:65"), "a/B:2/DT:0.5/N:65");
}

}  // namespace
}  // namespace tailwave
