#include "store/regime_store.h"

#include <gmock/gmock.h>

#include "store/sample_data.h"

namespace tailwave {
namespace {

using testing::HasSubstr;

class RegimeStore : public testing::Test {
 protected:
  std::int64_t begin(const std::string& started_at) {
    return store_.begin_run(samples::run("a", started_at), samples::gpu(), {},
                            {{.position = 0, .name = "hot", .own = true},
                             {.position = 1, .name = "zeros", .fills = {{"bodies", "zeros"}}}});
  }

  static Trial trial(const std::string& variant, const std::string& regime, double time_ns = 1000) {
    Trial result = samples::trial(variant, {}, {time_ns});
    result.regime = regime;
    result.key = variant + " in " + regime;
    return result;
  }

  static Finalist finalist(const std::string& variant, std::int64_t place) {
    return {samples::trial(variant, {}, {}).configuration,
            {place, place == 1 ? FinalistReason::winner : FinalistReason::standard}};
  }

  void add_both(std::int64_t run) {
    add_finalists(
        database_, run, samples::gpu(), {finalist("basic", 1), finalist("shared", 2)},
        {trial("basic", "hot"), trial("basic", "zeros"), trial("shared", "hot"), trial("shared", "zeros")});
  }

  std::string csv(const std::string& sql) { return samples::csv(database_, sql); }

  Database database_{kInMemory, Database::Mode::read_write};
  ResultStore store_{database_};
};

TEST_F(RegimeStore, KeepsARunOfItsOwnWithItsRegimesAndFinalists) {
  add_both(begin("2026-01-01T10:00:00Z"));
  EXPECT_EQ(
      csv("SELECT name, mode, cache, fills, own FROM regime ORDER BY position"),
      "name,mode,cache,fills,own\nhot,isolated,hot,{},1\nzeros,isolated,hot,\"{\"\"bodies\"\":\"\"zeros\"\"}\",0\n");
  EXPECT_EQ(csv("SELECT variant, regime, place, reason, outcome FROM regime_trial ORDER BY place, position"),
            "variant,regime,place,reason,outcome\nbasic,hot,1,winner,correct\nbasic,zeros,1,winner,correct\n"
            "shared,hot,2,default,correct\nshared,zeros,2,default,correct\n");
  EXPECT_EQ(csv("SELECT count(*) AS n FROM current_trial"), "n\n0\n");
  EXPECT_EQ(csv("SELECT count(*) AS n FROM run_series"), "n\n0\n");
}

TEST_F(RegimeStore, HidesNoResultOfTheExperiment) {
  const std::int64_t run = store_.begin_run(samples::run("a", "2026-01-01T09:00:00Z"), samples::gpu());
  store_.add_trial(run, samples::gpu(), samples::trial("basic", {}, {900}));
  store_.finish_run(run, RunStatus::done, "2026-01-01T09:01:00Z");
  add_both(begin("2026-01-01T10:00:00Z"));
  EXPECT_EQ(csv("SELECT run_id, variant FROM current_trial"), "run_id,variant\n1,basic\n");
  EXPECT_EQ(store_.finished_trials("a", samples::gpu()).size(), 1U);
}

TEST_F(RegimeStore, HasNoTrialInARegimeThatTheRunLacks) {
  const std::int64_t run = begin("2026-01-01T10:00:00Z");
  EXPECT_THAT(samples::error_of([&] {
                add_finalists(database_, run, samples::gpu(), {finalist("basic", 1)},
                              {trial("basic", "cold")});
              }),
              HasSubstr("FOREIGN KEY constraint failed"));
  EXPECT_EQ(csv("SELECT count(*) AS n FROM regime_finalist"), "n\n0\n") << "a problem is whole or not there";
}

TEST_F(RegimeStore, RemovesWhatWasKeptOfUnfinishedTrials) {
  const std::int64_t run = begin("2026-01-01T10:00:00Z");
  store_.keep_unfinished(run, "basic in hot", "me", {1, "contents"});
  add_both(run);
  EXPECT_EQ(csv("SELECT count(*) AS n FROM unfinished_trial"), "n\n0\n");
}

TEST_F(RegimeStore, FindsTheLatestRunOfAProblemThatWasMeasuredHere) {
  const Values problem = samples::trial("basic", {}, {}).configuration.problem;
  EXPECT_FALSE(latest_regimes(database_, "nbody", "a", samples::gpu(), problem));
  const std::int64_t first = begin("2026-01-01T10:00:00Z");
  add_both(first);
  const std::int64_t second = begin("2026-01-01T11:00:00Z");
  EXPECT_EQ(latest_regimes(database_, "nbody", "a", samples::gpu(), problem)->run, first)
      << "of the other nothing is whole";
  add_both(second);
  const auto found = latest_regimes(database_, "nbody", "a", samples::gpu(), problem);
  EXPECT_EQ(found->run, second);
  EXPECT_EQ(found->trials.size(), 4U);
  EXPECT_FALSE(latest_regimes(database_, "nbody", "a", samples::cpu(), problem));
  EXPECT_FALSE(latest_regimes(database_, "nbody", "a", samples::gpu(), {{"N", 1}}));
  database_.execute("UPDATE run SET recorded_from = 'file'");
  EXPECT_FALSE(latest_regimes(database_, "nbody", "a", samples::gpu(), problem));
}

TEST_F(RegimeStore, RanksTheCorrectConfigurationsOfAnExperiment) {
  const std::int64_t run = store_.begin_run(samples::run("a", "2026-01-01T09:00:00Z"), samples::gpu());
  const auto times = [](double time_ns) {
    std::vector<double> all;
    for (int i = 0; i < 20; ++i) all.push_back(time_ns + i);
    return all;
  };
  store_.add_trial(run, samples::gpu(), samples::trial("slow", {}, times(30000)));
  store_.add_trial(run, samples::gpu(), samples::trial("fast", {}, times(10000)));
  store_.add_trial(run, samples::gpu(), samples::trial("alike", {}, times(10005)));
  store_.add_trial(run, samples::gpu(), samples::failed("broken", {}, Outcome::crashed, "why"));
  Trial same = samples::failed("twin", {}, Outcome::skipped_identical, "as fast");
  same.same_as = samples::trial("fast", {}, {}).configuration.name();
  store_.add_trial(run, samples::gpu(), same);
  store_.finish_run(run, RunStatus::done, "2026-01-01T09:01:00Z");
  std::string text;
  for (const RankedTrial& one : ranked_trials(database_, "nbody", "a", samples::gpu()))
    text += fmt::format("{} {} {} {:.2f}; ", one.place, one.configuration.variant, to_string(one.standing),
                        one.ratio);
  EXPECT_EQ(text, "1 fast best 1.00; 2 alike tied 1.00; 3 slow slower 3.00; ");
  const auto names = names_of_identical(database_, "nbody", "a", samples::gpu());
  ASSERT_EQ(names.size(), 1U);
  EXPECT_EQ(names.at(same.configuration.name()), same.same_as);
}

}  // namespace
}  // namespace tailwave
