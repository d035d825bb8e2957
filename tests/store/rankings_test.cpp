#include "store/rankings.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "store/merge.h"
#include "store/sample_data.h"

namespace tailwave {
namespace {

using samples::csv;

constexpr int kTrials = 60;

// Sizes of a block, of which the smaller is the faster; some are about as fast as the best, and every tenth fails.
class Rankings : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"large", "small"}) {
      const std::int64_t run = store_.begin_run(samples::run(name, "2026-01-01T10:00:00Z"), samples::gpu());
      const int trials = name == std::string("large") ? kTrials : 3;
      for (int i = 1; i <= trials; ++i) store_.add_trial(run, samples::gpu(), trial(i));
      store_.finish_run(run, RunStatus::done, "2026-01-01T11:00:00Z");
    }
  }

  static Trial trial(int size) {
    const Values parameters{{"BLOCK_SIZE", size}};
    if (size % 10 == 0) return samples::failed("basic", parameters, Outcome::wrong_result, "wrong");
    std::vector<double> times;
    for (int i = 0; i < 30; ++i)
      times.push_back((size < 6 ? 1e5 : 1e5 * size / 5) + 100 * (i * 7 % 30) + size);
    return samples::trial("basic", parameters, times);
  }
  // What ranked_trial says of them, but for what only a ranking that is kept has.
  std::string ranked() {
    return csv(
        database_,
        "SELECT trial_id, run_id, system, experiment, run_device, run_kind, device, kind, configuration_id, configuration, "
        "variant, parameters, problem, outcome, detail, unverified, metric, maximise, mode, timer, work, peers, value, place, "
        "place_from_worst, of_ranked FROM ranked_trial ORDER BY trial_id");
  }
  std::string kept() {
    return csv(database_, "SELECT experiment, trials, stale FROM ranking ORDER BY experiment");
  }
  // Whether the statement makes the ranking stale, which is kept anew afterwards.
  bool makes_stale(const std::string& sql) {
    keep_rankings(database_, {}, kTrials);
    EXPECT_EQ(csv(database_, "SELECT stale FROM ranking"), "stale\n0\n");
    database_.execute(sql);
    return csv(database_, "SELECT sum(NOT stale) FROM ranking") != "sum(NOT stale)\n1\n";
  }

  samples::TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
  ResultStore store_{database_};
};

TEST_F(Rankings, AreKeptOfManyTrialsAndSayWhatTheViewsSay) {
  const std::string before = ranked();
  keep_rankings(database_, {}, kTrials + 1);
  EXPECT_EQ(kept(), "experiment,trials,stale\n");
  keep_rankings(database_, {}, kTrials);
  EXPECT_EQ(kept(), "experiment,trials,stale\nlarge,60,0\n");
  EXPECT_EQ(ranked(), before);
  EXPECT_EQ(csv(database_, "SELECT count(*), count(place) FROM kept_trial"),
            "count(*),count(place)\n60,54\n");
}

TEST_F(Rankings, HaveTheVerdictsThatQueryBestComesTo) {
  keep_rankings(database_, {}, kTrials);
  const std::string verdicts = csv(database_, R"(
    SELECT json_extract(item.value, '$.trial_id') AS trial_id, json_extract(item.value, '$.verdict') AS verdict
    FROM (SELECT compare_with_best(trial_id, repetition, cost, 0.01) AS verdicts
          FROM ranked_trial JOIN sample_cost USING (trial_id) WHERE experiment = 'large'), json_each(verdicts) AS item
    ORDER BY 1)");
  EXPECT_EQ(csv(database_,
                "SELECT trial_id, standing AS verdict FROM kept_trial WHERE standing IS NOT NULL ORDER BY 1"),
            verdicts);
  EXPECT_THAT(verdicts, testing::HasSubstr("tied"));
}

TEST_F(Rankings, AreStaleOnceAnythingChangesOfWhichTheyTell) {
  for (
      const char* sql :
      {"UPDATE sample SET dropped = 'throttled' WHERE trial_id = 1 AND position = 0",
       "DELETE FROM sample WHERE trial_id = 1 AND position = 1",
       "INSERT INTO sample (trial_id, repetition, position, time_ns, executions) VALUES (1, 9, 0, 1, 1)",
       "UPDATE trial SET unverified = 'x' WHERE id = 1", "DELETE FROM trial WHERE id = 2",
       "INSERT INTO measurement VALUES (1, 'time', 1, 's', 1)", "UPDATE measurement SET value = 2",
       "DELETE FROM measurement",
       "INSERT INTO trial_metric (trial_id, position, name, unit, maximise, objective, missing) VALUES (1, 0, 'a', '', 0, 0, 'no')",
       "UPDATE trial_metric SET missing = 'none'", "DELETE FROM trial_metric",
       "INSERT INTO gpu_factor VALUES (1, 1, 1.5, NULL, NULL, 1)", "UPDATE gpu_factor SET factor = 1.25",
       "DELETE FROM gpu_factor",
       "INSERT INTO run_plan SELECT 1, configuration_id FROM trial WHERE run_id = 1",
       "DELETE FROM run_plan WHERE configuration_id = 1", "UPDATE run SET fresh = 1 WHERE id = 1",
       "UPDATE run SET experiment = 'another' WHERE id = 1",
       "UPDATE run SET experiment = 'large' WHERE id = 1"}) {
    EXPECT_TRUE(makes_stale(sql)) << sql;
    const std::string worked_out = ranked();
    keep_rankings(database_, {}, 1);
    EXPECT_EQ(ranked(), worked_out) << sql;
    database_.execute("DELETE FROM ranking WHERE experiment = 'small'");
  }
  EXPECT_FALSE(makes_stale("DELETE FROM trial WHERE run_id = 2")) << "another experiment's";
  EXPECT_TRUE(makes_stale("DELETE FROM run WHERE id = 1"));
}

TEST_F(Rankings, AreOfTheExperimentsNamed) {
  keep_rankings(database_, {"small"}, 1);
  EXPECT_EQ(kept(), "experiment,trials,stale\nsmall,3,0\n");
  keep_rankings(database_, {"nbody/large", "o'clock"}, 1);
  EXPECT_EQ(kept(), "experiment,trials,stale\nlarge,60,0\nsmall,3,0\n");
}

TEST_F(Rankings, OfOtherViewsAreStale) {
  keep_rankings(database_, {}, kTrials);
  database_.execute("DROP VIEW trial_rate; CREATE VIEW trial_rate AS SELECT 1 AS of_another");
  Database reader(folder_ / "results.db", Database::Mode::read_only);
  EXPECT_EQ(csv(reader, "SELECT count(*) FROM kept_trial"), "count(*)\n0\n");
  Database writer(folder_ / "results.db", Database::Mode::read_write);
  EXPECT_EQ(csv(writer, "SELECT stale FROM ranking"), "stale\n1\n");
}

TEST_F(Rankings, OfARunThatEndsAreKeptAnew) {
  keep_rankings(database_, {}, kTrials);
  const std::int64_t run = store_.begin_run(samples::run("large", "2026-01-02T10:00:00Z"), samples::gpu());
  EXPECT_EQ(kept(), "experiment,trials,stale\nlarge,60,1\n");
  store_.add_trial(run, samples::gpu(), trial(61));
  keep_rankings(database_, {}, kTrials);
  EXPECT_EQ(kept(), "experiment,trials,stale\nlarge,61,0\n");
}

TEST_F(Rankings, AreNoRowsThatAreMerged) {
  keep_rankings(database_, {}, 1);
  Database other(folder_ / "other.db", Database::Mode::read_write);
  Database source(folder_ / "results.db", Database::Mode::read_only);
  merge_database(other, source, {});
  EXPECT_EQ(csv(other, "SELECT count(*), (SELECT count(*) FROM trial) AS trials FROM ranking"),
            "count(*),trials\n0,63\n");
}

TEST_F(Rankings, HaveAChoiceOfTheBestAndOfTheOthersForReports) {
  for (const bool are_kept : {false, true}) {
    if (are_kept) keep_rankings(database_, {}, kTrials);
    Database reader(folder_ / "results.db", Database::Mode::read_only);
    choose_ranked_trials(reader, 20);
    EXPECT_EQ(csv(reader, "SELECT experiment, trials FROM ranking"), "experiment,trials\nlarge,60\n");
    EXPECT_EQ(
        csv(reader,
            "SELECT count(*), sum(place <= 10), max(place), sum(place IS NULL), max(of_ranked) FROM ranking_trial"),
        "count(*),sum(place <= 10),max(place),sum(place IS NULL),max(of_ranked)\n20,10,54,2,54\n");
    EXPECT_EQ(csv(reader, "SELECT count(*) FROM left_out_trial"), "count(*)\n40\n");
  }
}

}  // namespace
}  // namespace tailwave
