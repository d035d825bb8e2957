#include "report/limits.h"

#include <gmock/gmock.h>

#include "report/gains_data.h"
#include "report/queries.h"
#include "store/sample_counters.h"

namespace tailwave {
namespace {

using testing::HasSubstr;

class Limits : public samples::SizesFixture {
 protected:
  Table rows() { return run_query(database_, find_query("limits"), {}); }
  Cell cell(const std::string& column, std::size_t row = 0) {
    const Table table = rows();
    const auto found = std::ranges::find(table.columns, column);
    return table.rows.at(row).at(static_cast<std::size_t>(found - table.columns.begin()));
  }
  double number(const std::string& column) { return std::get<double>(cell(column)); }

  void add_best(std::vector<LimitRecord> limits = {}) {
    Trial best = timed("shared", 64, 1024, 100);
    best.limits = std::move(limits);
    best.launches.push_back(
        samples::launch("body_force", 330, 128, 2, "registers", 0.125, {1.25, 1, 0.25, 0.625, 132}));
    add({timed("basic", 32, 1024, 200), best});
  }
  static CounterRun counted(const std::map<std::string, double>& values, int launches = 1) {
    CounterRun run = samples::counted("shared", {{"BLOCK_SIZE", 64}}, values);
    run.configuration.problem = {{"N", 1024}};
    run.launches.front().grid = {330, 1, 1};
    for (int i = 1; i < launches; ++i) {
      run.launches.push_back(run.launches.front());
      run.launches.back().position = i;
    }
    return run;
  }
  void count(const CounterRun& run) { samples::add_counted(database_, run, "2025-05-02T10:00:00Z", "sizes"); }
};

TEST_F(Limits, AreThoseOfTheBestOfEachProblem) {
  add_best({{"dram", 40}, {"flop", 80}});
  count(counted(samples::counted_values()));
  EXPECT_EQ(rows().rows.size(), 1U);
  EXPECT_EQ(cell("best"), Cell{"nbody/shared/BLOCK_SIZE:64/N:1024"});
  EXPECT_EQ(cell("limit"), Cell{"flop"});
  EXPECT_NEAR(number("limit_percent"), 80, 0.1);
  EXPECT_EQ(cell("hardest"), Cell{"issue"});
  EXPECT_NEAR(number("hardest_percent"), 44.56, 0.01);
  EXPECT_EQ(cell("stall"), Cell{"long_scoreboard"});
  EXPECT_NEAR(number("stall_percent"), 44.39, 0.01);
  EXPECT_EQ(cell("kernel"), Cell{"body_force"});
  EXPECT_EQ(cell("waves"), Cell{1.25});
  EXPECT_EQ(cell("tail_fraction"), Cell{0.25});
  EXPECT_NEAR(number("wave_balance"), 330.0 / (3 * 132), 1e-9);
  EXPECT_EQ(cell("occupancy"), Cell{0.125});
  EXPECT_EQ(cell("limiter"), Cell{"registers"});
  EXPECT_EQ(cell("says"), Cell{"no unit near its peak (issue slots 44.6 %); main stall long_scoreboard; 1.25 "
                               "waves, balance 83.3 %"});
}

TEST_F(Limits, AreEmptyWhereNothingIsKnown) {
  add({timed("basic", 32, 1024, 200)});
  for (const char* const column :
       {"limit", "limit_percent", "hardest", "hardest_percent", "stall", "stall_percent", "kernel", "waves",
        "tail_fraction", "wave_balance", "occupancy", "limiter", "says"})
    EXPECT_EQ(cell(column), Cell{}) << column;
}

TEST_F(Limits, NameAUnitNearItsPeakAndNothingBeside) {
  auto values = samples::counted_values();
  values["dram__bytes_read.sum"] = 3.8e7;
  add_best();
  count(counted(values));
  EXPECT_EQ(cell("hardest"), Cell{"dram"});
  EXPECT_EQ(cell("says"), Cell{"DRAM at 91.1 % of the peak; 1.25 waves, balance 83.3 %"});
}

TEST_F(Limits, HaveTheStallThatNoReasonCountsAsOther) {
  auto values = samples::counted_values();
  values["smsp__warps_issue_stalled_long_scoreboard.sum"] = 1e6;
  values["smsp__warps_issue_stalled_wait.sum"] = 2e6;
  add_best();
  count(counted(values));
  EXPECT_EQ(cell("stall"), Cell{"other"});
  EXPECT_THAT(std::get<std::string>(cell("says")), HasSubstr("; main stall not counted; "));
}

TEST_F(Limits, OfSeveralLaunchesAreThoseOfAllOfThem) {
  add_best();
  CounterRun run = counted(samples::counted_values(), 2);
  for (CounterValue& value : run.launches[1].values) {
    if (value.metric == "smsp__warps_issue_stalled_wait.sum") value.value = 6e7;
    if (value.metric == "smsp__warps_issue_stalled_long_scoreboard.sum") value.value = 0;
  }
  run.launches[1].count = 3;
  count(run);
  EXPECT_EQ(cell("stall"), Cell{"wait"});
  EXPECT_NEAR(number("stall_percent"), 100 * (1.6e7 + 3 * 6e7) / (4 * 132.0 * 32 * 16'000), 0.01);
  EXPECT_NEAR(number("hardest_percent"), 44.56, 0.01);
}

TEST_F(Limits, OfLaunchesThatEndOnAValueHaveNoStallOfAll) {
  add_best();
  CounterRun run = counted(samples::counted_values(), 2);
  run.ends_on_value = true;
  count(run);
  EXPECT_EQ(cell("stall"), Cell{});
  EXPECT_THAT(std::get<std::string>(cell("says")), HasSubstr("its launches end on a value"));
}

TEST_F(Limits, WithoutCountersSayThatNobodyCounted) {
  add_best();
  EXPECT_EQ(cell("hardest"), Cell{});
  EXPECT_EQ(cell("says"), Cell{"not counted; 1.25 waves, balance 83.3 %"});
}

}  // namespace
}  // namespace tailwave
