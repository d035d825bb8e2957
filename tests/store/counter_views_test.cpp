// What follows from counters: each number here can be checked by hand from samples::counted_values().
#include <gtest/gtest.h>

#include <cmath>

#include "store/sample_counters.h"

namespace tailwave {
namespace {

using samples::add_counted;
using samples::counted;
using samples::counted_values;
using samples::csv;

class CounterViews : public ::testing::Test {
 protected:
  std::int64_t add(const std::map<std::string, double>& values,
                   const std::string& at = "2025-01-01T10:00:00Z") {
    return add_counted(database_, counted("basic", {{"BLOCK_SIZE", 32}}, values), at);
  }
  std::string row(const std::string& columns, const std::string& view, const std::string& where = "1") {
    return csv(database_, "SELECT " + columns + " FROM " + view + " WHERE " + where);
  }

  samples::TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
};

TEST_F(CounterViews, HaveOccupancyAndRatesOfALaunch) {
  add(counted_values());
  // 32 of 64 warps in the 16000 cycles that have any, of 17000.
  EXPECT_EQ(row("occupancy, occupancy_elapsed", "counter_launch"),
            "occupancy,occupancy_elapsed\n0.5,0.4705882353\n");
  EXPECT_EQ(row("cycles, sm_clock_mhz, ipc, issue_share", "counter_launch"),
            "cycles,sm_clock_mhz,ipc,issue_share\n17100,1700,1.782531194,0.4456327986\n");
  EXPECT_EQ(
      row("dram_bytes, most_dram_bytes, l2_hit_share, local_bytes, sectors_per_load", "counter_launch"),
      "dram_bytes,most_dram_bytes,l2_hit_share,local_bytes,sectors_per_load\n9000000,45000000,0.8,0,8\n");
  EXPECT_EQ(row("threads_per_instruction, bank_conflict_share, l1_hit_share, doubt", "counter_launch"),
            "threads_per_instruction,bank_conflict_share,l1_hit_share,doubt\n,,,\n");
}

TEST_F(CounterViews, CountThreadsOnlyWhereAllKindsOfInstructionsAre) {
  auto values = counted_values();
  for (const char* kind : {"fp32", "fp64", "fp16", "integer", "bit", "conversion", "control", "memory",
                           "inter_thread_communication", "uniform"})
    values[std::string("smsp__sass_thread_inst_executed_op_") + kind + "_pred_on.sum"] = 1e7;
  add(values);
  EXPECT_EQ(row("threads_per_instruction", "counter_launch"), "threads_per_instruction\n\n");
  values["smsp__sass_thread_inst_executed_op_misc_pred_on.sum"] = 2e7;
  add(values, "2025-01-01T11:00:00Z");
  EXPECT_EQ(row("threads_per_instruction", "counter_launch", "age = 1"), "threads_per_instruction\n30\n");
}

TEST_F(CounterViews, SayWhichUnitIsNearestToItsPeak) {
  add(counted_values());
  EXPECT_EQ(row("unit, share, place", "counter_speed_of_light"),
            "unit,share,place\n"
            "issue,0.4456327986,1\nfma,0.3342245989,2\nl2,0.25,3\ndram,0.2,4\n");
}

TEST_F(CounterViews, PreferCountersOfTheWholePlan) {
  ResultStore store(database_);
  Trial trial = samples::trial("basic", {{"BLOCK_SIZE", 32}}, {1000});
  trial.launches = {samples::launch("body_force", 32, 128, 8, "warps", 1, {}),
                    samples::launch("move", 8, 128, 8, "warps", 1, {})};
  trial.launches[1].position = 1;
  store.add_trial(store.begin_run(samples::run("variants", "2025-01-01T09:00:00Z"), samples::gpu()),
                  samples::gpu(), trial);
  CounterRun whole = counted("basic", {{"BLOCK_SIZE", 32}}, counted_values());
  whole.launches.push_back(whole.launches[0]);
  whole.launches[1].position = 1;
  whole.launches[1].kernel = "move";
  whole.launches[1].grid = {8, 1, 1};
  const std::int64_t complete = add_counted(database_, whole, "2025-01-01T10:00:00Z");
  const std::int64_t later = add(counted_values(), "2025-01-01T11:00:00Z");
  EXPECT_EQ(row("DISTINCT counter_run_id, partial, age", "counter_launch"),
            fmt::format("counter_run_id,partial,age\n{},0,1\n{},1,2\n", complete, later));
}

TEST_F(CounterViews, DoubtAShareAboveItsPeak) {
  auto values = counted_values();
  values["lts__t_bytes.sum"] = 8.4e7;
  add(values);
  EXPECT_EQ(row("unit, share, doubt", "counter_speed_of_light", "place = 1"),
            "unit,share,doubt\nl2,1.05,above 100 %\n");
  EXPECT_EQ(row("hardest_unit, any_doubt", "counter_summary"), "hardest_unit,any_doubt\nl2,l2 above 100 %\n");
  values["lts__t_sectors_lookup_hit.sum"] = 625'001;
  add(values, "2025-01-01T11:00:00Z");
  EXPECT_EQ(row("doubt", "counter_launch", "age = 1"), "doubt\nL2 hits above 100 %\n");
}

TEST_F(CounterViews, KnowNothingOfDramWhereHalfOfItIsNotCounted) {
  auto values = counted_values();
  values.erase("dram__bytes_write.sum");
  add(values);
  EXPECT_EQ(row("unit", "counter_speed_of_light", "unit = 'dram'"), "unit\n");
  values["dram__bytes_op_write.sum"] = 3e6;
  add(values, "2025-01-01T11:00:00Z");
  EXPECT_EQ(row("share", "counter_speed_of_light", "unit = 'dram'"), "share\n0.2\n");
}

TEST_F(CounterViews, ShareOutWhatWarpsWaitFor) {
  add(counted_values());
  // 67.6 million cycles of warps for 4 million issues: 16.896 warps each.
  EXPECT_EQ(
      row("reason, per_issue, round(share, 6) AS share, place", "counter_stall"),
      "reason,per_issue,share,place\n"
      "long_scoreboard,7.5,0.443892,1\nother,4.396,0.26018,2\nwait,4,0.236742,3\nselected,1,0.059186,\n");
}

TEST_F(CounterViews, DoubtReasonsThatAreMoreThanAllWarps) {
  auto values = counted_values();
  values["smsp__warps_issue_stalled_long_scoreboard.sum"] = 6e7;
  add(values);
  EXPECT_EQ(row("per_issue, doubt", "counter_stall", "reason = 'other'"),
            "per_issue,doubt\n0,the reasons are more than all warps\n");
}

TEST_F(CounterViews, PlaceALaunchUnderItsRoof) {
  add(counted_values());
  // 45 million flop of 9 million bytes in 10 us, under 4.5 TB/s and 57 Tflop/s.
  EXPECT_EQ(row("precision, flop, intensity, attained_flop_per_s, peak_flop_per_s, bandwidth_bytes_per_s",
                "counter_roofline"),
            "precision,flop,intensity,attained_flop_per_s,peak_flop_per_s,bandwidth_bytes_per_s\n"
            "fp32,45000000,5,4.5e+12,5.778432e+13,4.5e+12\n");
  EXPECT_EQ(row("ceiling_flop_per_s, share, bound, doubt", "counter_roofline"),
            "ceiling_flop_per_s,share,bound,doubt\n2.25e+13,0.2,memory,\n");
}

TEST_F(CounterViews, HaveNoRoofOfWhatLoadsConstants) {
  auto values = counted_values();
  values["smsp__sass_thread_inst_executed_op_hfma_pred_on.sum"] = 1e5;  // 0.4 of 45.4 million flop
  add(values);
  EXPECT_EQ(row("precision", "counter_roofline"), "precision\nfp32\n");
  values["smsp__sass_thread_inst_executed_op_hfma_pred_on.sum"] = 1e6;
  add(values, "2025-01-01T11:00:00Z");
  EXPECT_EQ(row("precision", "counter_roofline", "counter_run_id = 2"), "precision\nfp32\nfp16\n");
}

TEST_F(CounterViews, HaveNoRoofOfMemoryWhereNothingWasMoved) {
  auto values = counted_values();
  values["dram__bytes_read.sum"] = values["dram__bytes_write.sum"] = 0;
  add(values);
  EXPECT_EQ(row("intensity, bound", "counter_roofline"), "intensity,bound\n,compute\n");
  values.erase("dram__bytes.sum.peak_sustained");
  values["dram__bytes_read.sum"] = 1;
  add(values, "2025-01-01T11:00:00Z");
  EXPECT_EQ(row("ceiling_flop_per_s, share, bound", "counter_roofline", "counter_run_id = 2"),
            "ceiling_flop_per_s,share,bound\n,,\n");
}

TEST_F(CounterViews, TakeTheLatestCountersThatHaveInstructions) {
  add(counted_values());
  add({{"sm__throughput.avg.pct_of_peak_sustained_elapsed", 40}}, "2025-01-03T10:00:00Z");
  const std::int64_t latest = add(counted_values(), "2025-01-02T10:00:00Z");
  EXPECT_EQ(row("counter_run_id", "counter_launch", "age = 1"),
            "counter_run_id\n" + std::to_string(latest) + "\n");
  EXPECT_EQ(row("count(*) AS launches", "counter_launch", "age IS NULL"), "launches\n1\n");
  EXPECT_EQ(row("unit, share", "counter_speed_of_light", "unit = 'sm'"), "unit,share\nsm,0.4\n");
}

TEST_F(CounterViews, LeaveOutValuesThatCannotBe) {
  auto values = counted_values();
  values["smsp__inst_executed.sum"] = std::nan("");
  values["dram__bytes_read.sum"] = -1;
  add(values);
  EXPECT_EQ(row("instructions, dram_bytes, age", "counter_launch"), "instructions,dram_bytes,age\n,,\n");
  EXPECT_EQ(csv(database_,
                "SELECT metric, value, doubt FROM counter_value WHERE doubt IS NOT NULL ORDER BY metric"),
            "metric,value,doubt\ndram__bytes_read.sum,-1,negative\nsmsp__inst_executed.sum,,not a number\n");
}

TEST_F(CounterViews, ReadWhatNsightComputeCallsItsMetrics) {
  add({{"smsp__inst_executed.sum", 4e6},
       {"gpc__cycles_elapsed.max", 17'000},
       {"sm__warps_active.avg.pct_of_peak_sustained_active", 41.5},
       {"lts__t_sector_hit_rate.pct", 75},
       {"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed", 30},
       {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 20},
       {"sm__throughput.avg.pct_of_peak_sustained_elapsed", 32},
       {"smsp__average_warp_latency_per_inst_issued.ratio", 10},
       {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", 4},
       {"smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio", 5},
       {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum.per_cycle_elapsed", 10},
       {"gpu__time_duration.sum", 10'000}});
  EXPECT_EQ(row("occupancy, l2_hit_share, cycles", "counter_launch"),
            "occupancy,l2_hit_share,cycles\n0.415,0.75,17000\n");
  // sm is the highest of several, and so not the one that limits.
  EXPECT_EQ(row("unit, share, place", "counter_speed_of_light"),
            "unit,share,place\nfma,0.3,1\ndram,0.2,2\nsm,0.32,3\n");
  EXPECT_EQ(row("reason, share", "counter_stall"),
            "reason,share\nnot_selected,0.5\nwait,0.4\nother,0\nselected,0.1\n");
  EXPECT_EQ(row("precision, flop", "counter_roofline"), "precision,flop\nfp64,340000\n");
}

}  // namespace
}  // namespace tailwave
