// Scores and convergence of simulated searches against numbers computed by hand.
#include "report/simulations.h"

#include <gmock/gmock.h>

#include "report/charts.h"
#include "report/fixture.h"
#include "report/queries.h"
#include "report/report.h"
#include "report/sql_files.h"
#include "store/simulation_store.h"

namespace tailwave {
namespace {

using testing::HasSubstr;

class Simulations : public samples::Fixture {
 protected:
  // Two seeds with these scores on a space with the optimum 2; their best costs are 2 and 3.
  std::int64_t add(const std::string& space, const std::string& strategy, std::size_t budget, double one,
                   double other, Role role = Role::training) {
    SimulationRecord record{.simulated_at = "2025-06-01T10:00:00Z", .space = space, .device = "some GPU"};
    record.role = role;
    record.points = 100;
    record.failed = 10;
    record.budget = budget;
    record.optimum = 2;
    record.median = 8;
    record.strategy = strategy;
    record.seconds = 0.5;
    record.seeds = {{1, one, std::max(one, -1.0), 2}, {2, other, std::max(other, -1.0), 3}};
    record.steps = {{1, 8, 6, 4, 10}, {budget, 3, 2.5, 2.25, 2.75}};
    return add_simulation(database_, record);
  }
  std::string scores(const Values& parameters = {}) {
    return samples::csv(run_query(database_, find_query("simulations"), parameters));
  }
};

TEST_F(Simulations, AreScoredOnEachSpaceAndOverAllOfARole) {
  add("a", "random", 10, 0.2, -0.2);
  add("a", "genetic", 10, 0.5, 0.7);
  add("b", "random", 30, 0, -3);
  add("b", "genetic", 30, 1, 0.8);
  samples::expect_file(scores(), "simulations.csv");
}

TEST_F(Simulations, OfTrainingAndTestSpacesAreMixedOnlyInTheLinesAll) {
  add("a", "genetic", 10, 0.5, 0.7);
  add("c", "genetic", 20, 0.1, 0.3, Role::test);
  samples::expect_file(scores(), "simulations_of_roles.csv");
}

TEST_F(Simulations, ScoreByTimeWhereAllSpacesHaveRecordedSeconds) {
  add("a", "genetic", 10, 0.5, 0.7);
  const std::int64_t timed = add("b", "genetic", 30, 1, 0.8);
  database_.execute(
      "UPDATE simulation_seed SET score_by_time = seed / 4.0 WHERE simulation_id = " + std::to_string(timed) +
      "; UPDATE simulation SET budget_seconds = 90 WHERE id = " + std::to_string(timed));
  EXPECT_THAT(scores(), HasSubstr("training,b,some GPU,genetic,,1,100,10,30,2,0.9,0.9,0.375,,90,"));
  EXPECT_THAT(scores(), HasSubstr("training,all,,genetic,,2,200,20,40,2,0.75,0.75,,0.825,,"));
  database_.execute(
      "UPDATE simulation_seed SET score_by_time = 1; UPDATE simulation SET budget_seconds = 10");
  EXPECT_THAT(scores(), HasSubstr("training,all,,genetic,,2,200,20,40,2,0.75,0.75,1,0.825,20,"));
}

TEST_F(Simulations, CountOnlyTheLatestOfEachStrategyAndItsOptions) {
  add("a", "random", 10, 0.9, 0.9);
  add("a", "random", 10, 0.2, 0.2);
  EXPECT_THAT(scores(), HasSubstr("training,a,some GPU,random,,1,100,10,10,2,0.2,0.2,,,,0,1.25,0.5\n"));
  EXPECT_THAT(scores(), testing::Not(HasSubstr("0.9")));
  EXPECT_THAT(scores({{"simulations", "[1]"}}), HasSubstr("0.9"));
  EXPECT_EQ(run_query(database_, find_query("simulations"), {{"strategy", "genetic"}}).rows.size(), 0U);
}

TEST_F(Simulations, ConvergeInAChartOfEachSpace) {
  add("a", "random", 40, 0.2, -0.2);
  add("a", "genetic", 40, 0.5, 0.7);
  add("b", "random", 40, 0, -3);
  const Table rows = database_.query(sql_files("charts").at("convergence"));
  Table some{{"chart", "part", "standing", "evaluation", "ratio", "low", "high", "text", "top"}, {}};
  for (const auto& row : rows.rows) {
    some.rows.emplace_back();
    for (const std::string& name : some.columns)
      some.rows.back().push_back(
          row.at(std::find(rows.columns.begin(), rows.columns.end(), name) - rows.columns.begin()));
  }
  samples::expect_file(samples::csv(some), "convergence.csv");
  const ChartSet charts = load_overall_charts(database_);
  ASSERT_EQ(charts.charts.size(), 2U);
  EXPECT_EQ(charts.charts[0].title,
            "Convergence on a. some GPU, training space: 100 configurations, 10 of them failed. median of 2 "
            "seeds, quartiles of the best three; beside the names: mean score");
}

TEST_F(Simulations, AreAPageThatTheIndexNames) {
  const ReportSummary none = render_report(database_, {{}, folder_ / "report"});
  EXPECT_EQ(none.simulations, "");
  EXPECT_THAT(samples::read_file(none.index), testing::Not(HasSubstr("simulations.md")));
  add("a", "random", 10, 0.2, -0.2);
  add("a", "genetic", 10, 0.5, 0.7);
  const ReportSummary summary = render_report(database_, {{}, folder_ / "report"});
  EXPECT_EQ(summary.simulations, folder_ / "report/simulations.md");
  EXPECT_THAT(samples::read_file(summary.index), HasSubstr("[Simulated searches](simulations.md)"));
  samples::expect_file(samples::read_file(summary.simulations), "simulations.md");
}

}  // namespace
}  // namespace tailwave
