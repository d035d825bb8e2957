#include "report/over_sizes.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "core/over_sizes_by_hand.h"
#include "interchange/import.h"
#include "json/values.h"
#include "report/fixture.h"
#include "report/queries.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class OverSizesQuery : public testing::Test {
 protected:
  void add(int block, int n, std::optional<double> time_ns, const std::string& spec = "{}") {
    ResultStore store(database_);
    RunRecord run = samples::run("tuning", "2025-01-01T10:00:00Z");
    run.spec_text = spec;
    const std::int64_t number = store.begin_run(run, samples::gpu());
    Trial trial = time_ns ? samples::trial("shared", {{"BLOCK_SIZE", block}}, {*time_ns})
                          : samples::failed("shared", {{"BLOCK_SIZE", block}}, Outcome::wrong_result, "no");
    trial.configuration.problem["N"] = n;
    store.add_trial(number, samples::gpu(), trial);
    store.finish_run(number, RunStatus::done, "2025-01-01T10:01:00Z");
  }
  Table rows(const Values& parameters = {}) {
    return run_query(database_, find_query("over_sizes"), parameters);
  }

  samples::TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
};

TEST_F(OverSizesQuery, HasARowForEachSizeWithWhatIsKept) {
  add(64, 1024, 100);
  add(64, 4096, 310);
  add(128, 1024, 150);
  add(128, 4096, 200);
  add(256, 1024, 50);
  add(256, 4096, std::nullopt);
  const Table one = rows();
  EXPECT_EQ(
      samples::csv(one).substr(0, samples::csv(one).find('\n')),
      "experiment,run_device,problem,weight,configuration,value,ratio,best,best_value,single,single_ratio,"
      "geometric_mean,worst_case,exact");
  ASSERT_EQ(one.rows.size(), 2U);
  EXPECT_EQ(one.rows[0][4], Cell{"nbody/shared/BLOCK_SIZE:128"});
  EXPECT_NEAR(std::get<double>(one.rows[0][6]), 3, 1e-9);
  EXPECT_EQ(one.rows[0][7], Cell{"nbody/shared/BLOCK_SIZE:256"});
  EXPECT_NEAR(std::get<double>(one.rows[1][5]), 16'777'216 / 200e-9, 1);
  const Table worst = rows({{"goal", std::string("worst")}});
  EXPECT_EQ(worst.rows[0][4], Cell{"nbody/shared/BLOCK_SIZE:64"});
  const Table two = rows({{"keep", std::int64_t{2}}});
  EXPECT_EQ(two.rows[0][4], Cell{"nbody/shared/BLOCK_SIZE:64"});
  EXPECT_EQ(two.rows[1][4], Cell{"nbody/shared/BLOCK_SIZE:128"});
}

TEST_F(OverSizesQuery, WeighsSizesAsTheLatestSpecDoes) {
  const std::string spec = R"({"problem": [{"N": 1024, "weight": 9}, {"N": 4096}]})";
  for (const int n : {1024, 4096})
    for (const int block : {64, 128}) add(block, n, (n == 1024) == (block == 64) ? 100 : 150, spec);
  const Table table = rows();
  EXPECT_EQ(table.rows.at(0).at(4), Cell{"nbody/shared/BLOCK_SIZE:64"});
  EXPECT_EQ(table.rows.at(0).at(3), Cell{9.0});
}

TEST_F(OverSizesQuery, RefusesWhatIsNoNumberAndNoGoal) {
  EXPECT_THAT(samples::error_of([&] { rows({{"keep", std::int64_t{0}}}); }), HasSubstr("keep cannot be '0'"));
  EXPECT_THAT(samples::error_of([&] {
                rows({{"goal", std::string("best")}});
              }),
              HasSubstr("goal cannot be 'best'\n  use mean or worst"));
  add(64, 1024, 100);
  EXPECT_TRUE(rows().rows.empty());
}

// Of the experiment on all its problems, from the rows of trials alone.
std::vector<SizeRatios> ratios_by_hand(Database& database, const std::string& experiment) {
  const Table table = database.query(
      "SELECT variant || parameters, problem, maximise, (SELECT value FROM trial_rate WHERE trial_rate.trial_id = "
      "current_trial.trial_id), outcome FROM current_trial WHERE peers = 0 AND system || '/' || experiment = "
      ":experiment",
      {{"experiment", experiment}});
  std::map<std::string, std::map<std::string, double>> costs;  // by problem
  std::set<std::string> configurations;
  for (const auto& row : table.rows) {
    const auto* const value = std::get_if<double>(&row[3]);
    const bool maximise = std::get<std::int64_t>(row[2]) == 1;
    EXPECT_NE(row[4], Cell{"skipped_identical"});
    costs[std::get<std::string>(row[1])][std::get<std::string>(row[0])] = value == nullptr ? kFailedAtSize
                                                                          : maximise       ? 1 / *value
                                                                                           : *value;
    configurations.insert(std::get<std::string>(row[0]));
  }
  std::vector<SizeRatios> ratios;
  for (const std::string& one : configurations) {
    SizeRatios& row = ratios.emplace_back();
    for (const auto& [problem, of_problem] : costs) {
      double best = kNotAtSize;
      for (const auto& [name, cost] : of_problem) best = cost < best ? cost : best;
      row.push_back(of_problem.contains(one) ? of_problem.at(one) / best : kNotAtSize);
    }
  }
  return ratios;
}

TEST_F(OverSizesQuery, IsAsGoodAsTheBestOfAllChoicesOnRecordedSpaces) {
  const std::string folder = TAILWAVE_SOURCE_DIR "/results/h200/";
  std::size_t compared = 0;
  for (const std::string name :
       {"particles/tuning", "plasma/tuning", "particles/block_size", "nbody_force_law/block_size"}) {
    import_recorded(database_, folder + name + ".json");
    const std::vector<SizeRatios> ratios = ratios_by_hand(database_, name);
    const std::vector<double> weights(ratios.at(0).size(), 1);
    for (const SizesGoal goal : {SizesGoal::geometric_mean, SizesGoal::worst_case})
      for (std::size_t keep = 1; keep <= 2; ++keep) {
        const std::optional<double> least = by_hand::least_over_sizes(ratios, weights, keep, goal);
        const Values asked{{"experiment", name},
                           {"keep", static_cast<std::int64_t>(keep)},
                           {"goal", std::string(goal == SizesGoal::worst_case ? "worst" : "mean")}};
        const std::vector<OverSizesOf> found = answers_over_sizes(database_, asked);
        ASSERT_EQ(found.size(), 1U) << name;
        ASSERT_TRUE(least) << name;
        EXPECT_NEAR(found[0].answer.choice.objective(goal), *least, 1e-9) << name << " " << keep;
        EXPECT_TRUE(found[0].answer.choice.exact);
        ++compared;
      }
  }
  EXPECT_EQ(compared, 16U);
}

}  // namespace
}  // namespace tailwave
