#include "store/search_store.h"

#include <gmock/gmock.h>

#include "store/result_store.h"
#include "store/sample_data.h"

namespace tailwave {
namespace {

using samples::csv;

class SearchStore : public ::testing::Test {
 protected:
  std::int64_t begin(const std::string& started_at) {
    return store_.begin_run(samples::run("basic_block_size", started_at), samples::gpu());
  }

  samples::TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
  ResultStore store_{database_};
};

TEST_F(SearchStore, KeepsASearchWithItsStepsAndHowItEnded) {
  const std::int64_t run = begin("2025-01-01T10:00:00Z");
  begin_search(database_, run,
               {.strategy = "genetic",
                .options = {{"population", 20.0}},
                .seed = 3,
                .budget_s = 60.0,
                .until = "1%:3%",
                .space_size = 9,
                .pruned = 2,
                .configurations = 7});
  const Configuration one = samples::trial("basic", {{"BLOCK_SIZE", 32}}, {1}).configuration;
  add_search_step(database_, run, 1, one, 2.5, 0.1);
  add_search_step(database_, run, 2, samples::trial("basic", {{"BLOCK_SIZE", 1}}, {1}).configuration,
                  std::nullopt, 0.2);
  EXPECT_EQ(csv(database_, "SELECT stopped_by, final_run_id FROM search"), "stopped_by,final_run_id\n,\n");
  finish_search(database_, run, SearchEnd::budget);
  set_final_run(database_, run, begin("2025-01-01T11:00:00Z"));
  EXPECT_EQ(
      csv(database_, "SELECT * FROM search"),
      "run_id,strategy,options,seed,budget_evaluations,budget_seconds,until,space_size,pruned,configurations,"
      "stopped_by,"
      "final_run_id\n1,genetic,\"{\"\"population\"\":20.0}\",3,,60,1%:3%,9,2,7,budget,2\n");
  EXPECT_EQ(
      csv(database_,
          "SELECT step, name, cost, seconds FROM search_step JOIN configuration ON id = configuration_id"),
      "step,name,cost,seconds\n1,nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096,2.5,0.1\n"
      "2,nbody/basic/BLOCK_SIZE:1/DT:0.01/N:4096,,0.2\n");
  EXPECT_EQ(csv(database_, "SELECT count(*) AS planned FROM run_plan WHERE run_id = 1"), "planned\n2\n");
}

TEST_F(SearchStore, PutsAStepIntoThePlansOfSearchesThatBeganLater) {
  const std::int64_t first = begin("2025-01-01T10:00:00Z");
  const std::int64_t second = begin("2025-01-01T10:00:05Z");
  const std::int64_t final_of_second = begin("2025-01-01T10:01:00Z");
  const std::int64_t sweep = begin("2025-01-01T10:02:00Z");
  begin_search(database_, first, {.strategy = "random", .space_size = 9});
  begin_search(database_, second, {.strategy = "random", .space_size = 9});
  set_final_run(database_, second, final_of_second);
  const auto step = [&](std::int64_t run, std::int64_t block_size) {
    add_search_step(database_, run, 1,
                    samples::trial("basic", {{"BLOCK_SIZE", block_size}}, {1}).configuration, 1.0, 0.1);
  };
  step(first, 32);
  step(second, 64);
  EXPECT_EQ(csv(database_, "SELECT run_id, count(*) AS planned FROM run_plan GROUP BY run_id"),
            "run_id,planned\n1,1\n2,2\n3,2\n");
  EXPECT_EQ(sweep, 4);
}

TEST_F(SearchStore, KnowsWhatWasFoundOfATrialAndOfOneIdenticalToIt) {
  const std::int64_t run = begin("2025-01-01T10:00:00Z");
  Trial timed = samples::trial("basic", {{"BLOCK_SIZE", 32}}, {30, 10, 20, 1000});
  timed.samples.back().dropped = "throttled";
  const std::int64_t first = store_.add_trial(run, samples::gpu(), timed);
  Trial same = samples::failed("basic", {{"BLOCK_SIZE", 64}}, Outcome::skipped_identical, "the same");
  same.same_as = timed.configuration.name();
  const std::int64_t second = store_.add_trial(run, samples::gpu(), same);
  const std::int64_t failed = store_.add_trial(
      run, samples::gpu(), samples::failed("basic", {{"BLOCK_SIZE", 1}}, Outcome::timeout, "slow"));
  for (const std::int64_t trial : {first, second}) {
    const StoredResult result = store_.result_of(trial);
    EXPECT_EQ(result.outcome, Outcome::correct);
    EXPECT_EQ(result.median_ns, 20);
    EXPECT_EQ(result.work, timed.work);
  }
  EXPECT_EQ(store_.result_of(first).same_as, "");
  EXPECT_EQ(store_.result_of(second).same_as, timed.configuration.name());
  EXPECT_EQ(store_.trial_of(run, same.configuration), second);
  EXPECT_EQ(store_.trial_of(run + 1, same.configuration), std::nullopt);
  EXPECT_EQ(store_.result_of(failed).outcome, Outcome::timeout);
  EXPECT_EQ(store_.result_of(failed).median_ns, std::nullopt);
}

TEST_F(SearchStore, ListsTheConfigurationsOfAnExperimentOnADevice) {
  const Trial one = samples::trial("basic", {{"BLOCK_SIZE", 32}, {"FAST", true}}, {1});
  store_.add_trial(begin("2025-01-01T10:00:00Z"), samples::gpu(), one);
  store_.add_trial(begin("2025-01-02T10:00:00Z"), samples::gpu(), one);
  EXPECT_THAT(store_.known_configurations("basic_block_size", samples::gpu(), "nbody"),
              testing::ElementsAre(one.configuration));
  EXPECT_TRUE(store_.known_configurations("basic_block_size", samples::cpu(), "nbody").empty());
  EXPECT_TRUE(store_.known_configurations("basic_block_size", samples::gpu(), "jacobi").empty());
}

}  // namespace
}  // namespace tailwave
