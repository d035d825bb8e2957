#include "report/explanation.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::Not;

// Twenty times within 0.2 % of it.
ExplainedSide side(double median_ns) {
  ExplainedSide one;
  one.mode = "isolated";
  one.sms = 100;
  one.median_ns = median_ns;
  one.times_ns.repetitions.emplace_back();
  for (int i = -10; i < 10; ++i)
    one.times_ns.repetitions.back().push_back(median_ns * (1 + 1e-4 * (i + 0.5)));
  return one;
}

// 1 GHz: cycles are ns. instructions / (SMs x cycles) a cycle, warps on an SM over all cycles.
CountedPlan counted(double cycles, double instructions, double warps) {
  CountedPlan plan;
  plan.method = "range_profiler";
  plan.launches = 1;
  plan.sums = {{"gpu__time_duration.sum", cycles},
               {"sm__cycles_elapsed.avg", cycles},
               {"sm__cycles_active.avg", cycles},
               {"smsp__inst_executed.sum", instructions},
               {"sm__warps_active.sum", 100 * cycles * warps},
               {"smsp__warps_issue_stalled_long_scoreboard.sum", 50 * cycles * warps},
               {"smsp__warps_issue_stalled_wait.sum", 10 * cycles * warps}};
  return plan;
}

std::string text(const ExplainedSide& a, const ExplainedSide& b) {
  return explain(a, b).paragraph();
}

const ExplainedNumber* find(const Explanation& found, const std::string& quantity) {
  const auto number = std::ranges::find(found.numbers, quantity, &ExplainedNumber::quantity);
  return number == found.numbers.end() ? nullptr : &*number;
}

TEST(Explanation, ShowsALittleAsMoreThanNone) {
  EXPECT_EQ(show(ExplainedUnit::share, 0.473), "47.3 %");
  EXPECT_EQ(show(ExplainedUnit::share, 0.0002), "0.02 %");
  EXPECT_EQ(show(ExplainedUnit::share, 0), "0 %");
}

TEST(Explanation, OfTimesAloneSaysWhatIsNotKnown) {
  EXPECT_EQ(
      text(side(10'000), side(20'000)),
      "A is 2 times as fast as B: 10 us against 20 us (95 % interval of the ratio 1.999 to 2.001, within "
      "this run alone). Not counted: both (`tailwave counters` does). Not traced: both (`tailwave trace` does).");
}

TEST(Explanation, NamesTheFasterOneFirstWhicheverItIs) {
  const Explanation found = explain(side(20'000), side(10'000), {"the first", "the second"});
  EXPECT_EQ(found.verdict, ExplainedVerdict::b_faster);
  EXPECT_THAT(found.paragraph(),
              testing::StartsWith("The second is 2 times as fast as the first: 10 us against 20 us"));
  EXPECT_DOUBLE_EQ(*find(found, "time")->ratio(), 2);
  EXPECT_EQ(more_text(*find(found, "time"), "A", "B"), "A, 2 times");
}

TEST(Explanation, SaysFirstThatTheMachineCodeIsTheSame) {
  ExplainedSide a = side(10'000), b = side(20'000);
  a.code_hash = b.code_hash = "c0de";
  EXPECT_THAT(text(a, b), testing::StartsWith("A is 2 times"));  // nothing is known of the launches
  a.waves = b.waves = WaveFacts{.kernel = "step", .grid = 10, .block = 32};
  EXPECT_THAT(
      text(a, b),
      testing::StartsWith("A and B have the same machine code, and main launches of one shape: what differs "
                          "is what the kernels are given, or when they were measured. A is 2 times"));
  b.waves->grid = 11;
  EXPECT_THAT(text(a, b), testing::StartsWith("A is 2 times"));
  b.waves->grid = 10;
  b.code_hash = "0ther";
  EXPECT_THAT(text(a, b), testing::StartsWith("A is 2 times"));
}

TEST(Explanation, HasRatiosOfTheLargerToTheSmaller) {
  ExplainedNumber number{.quantity = "waves", .a = 0.5, .b = 2};
  EXPECT_EQ(number.ratio(), 4);
  EXPECT_EQ(more_text(number, "A", "B"), "B, 4 times");
  number.a = 2.00001;
  EXPECT_EQ(more_text(number, "A", "B"), "equal");
  number.a = 0;
  EXPECT_EQ(more_text(number, "A", "B"), "");
}

TEST(Explanation, SaysWhichRunsItsIntervalIsOf) {
  ExplainedSide b = side(20'000);
  b.run_id = 2;
  EXPECT_THAT(text(side(10'000), b), HasSubstr(" to 2.001, within these runs alone)."));
}

TEST(Explanation, GivesNoReasonForWhatIsTied) {
  ExplainedSide a = side(10'000), b = side(10'002);
  a.counted = counted(10'000, 1e6, 32);
  b.counted = counted(20'000, 2e6, 32);
  const Explanation found = explain(a, b);
  EXPECT_EQ(found.verdict, ExplainedVerdict::tied);
  EXPECT_EQ(
      found.paragraph(),
      "A and B are as fast as each other: 10 us and 10 us (95 % interval of the ratio 0.9996 to 1.001, within "
      "this run alone, margin 1 %). Not traced: both (`tailwave trace` does).");
  EXPECT_DOUBLE_EQ(*find(found, "instructions of warps")->ratio(), 2);
}

TEST(Explanation, LeavesOpenWhatSamplesLeaveOpen) {
  ExplainedSide a = side(10'000), b = side(20'000);
  a.times_ns.repetitions = {{9'000, 10'000, 11'000}};
  b.times_ns.repetitions = {{19'000, 20'000, 21'000}};
  const Explanation found = explain(a, b);
  EXPECT_EQ(found.verdict, ExplainedVerdict::unclear);
  EXPECT_THAT(found.paragraph(),
              testing::StartsWith(
                  "The samples leave open whether A or B is faster: 10 us and 20 us (3 samples, too few "
                  "for an interval, margin 1 %)."));
}

TEST(Explanation, ComparesNoTimesOfDifferentModes) {
  ExplainedSide b = side(20'000);
  b.mode = "back_to_back";
  const Explanation found = explain(side(10'000), b);
  EXPECT_EQ(found.verdict, ExplainedVerdict::not_comparable);
  EXPECT_THAT(
      found.paragraph(),
      testing::StartsWith(
          "A was timed isolated, B back_to_back: their times say nothing of each other. Not counted"));
}

TEST(Explanation, SplitsTheRatioIntoFactorsWhoseProductItIs) {
  ExplainedSide a = side(10'000), b = side(20'000);
  a.counted = counted(10'000, 1e6, 16);
  b.counted = counted(20'000, 4e6, 32);
  EXPECT_EQ(
      text(a, b),
      "A is 2 times as fast as B: 10 us against 20 us (95 % interval of the ratio 1.999 to 2.001, within this "
      "run alone). The main cause: warps execute fewer instructions, 1 M against 4 M (4 times). Counted alone, "
      "its launches take 10 us against 20 us: 2 = 4 from instructions (1 M against 4 M) x 1 from SMs that have "
      "warps (100 % against 100 % of the cycles) x 0.5 from instructions a cycle of such an SM (1 against 2) x 1 "
      "from the clock (1 GHz against 1 GHz). Instructions a cycle: 0.5 = 0.5 from warps on an SM that has any (16 "
      "against 32) x 1 from the cycles that a warp takes for one (16 against 16). Not traced: both (`tailwave "
      "trace` does).");
}

TEST(Explanation, SaysWhichReasonOfStallsDiffersMost) {
  ExplainedSide a = side(10'000), b = side(20'000);
  a.counted = counted(10'000, 2e6, 32);
  b.counted = counted(20'000, 2e6, 32);
  EXPECT_THAT(
      text(a, b),
      HasSubstr(
          " Instructions a cycle: 2 = 1 from warps on an SM that has any (32 against 32) x 2 from the cycles that "
          "a warp takes for one (16 against 32); of these `long_scoreboard` (waiting for L1, L2 or "
          "DRAM) differs most: 8 against 16. "));
}

TEST(Explanation, SaysWhereWhatWasNotCountedDiffersMost) {
  ExplainedSide a = side(10'000), b = side(20'000);
  a.counted = counted(10'000, 2e6, 32);
  b.counted = counted(20'000, 2e6, 32);
  for (CountedPlan* plan : {&*a.counted, &*b.counted}) {
    plan->sums["smsp__issue_active.sum"] = 2e6;
    plan->sums["smsp__warps_issue_stalled_long_scoreboard.sum"] = 8e6;
    plan->sums["smsp__warps_issue_stalled_wait.sum"] = 2e6;
  }
  EXPECT_THAT(text(a, b),
              HasSubstr("; of these what waits for reasons that were not counted differs most: 10 against 26 "
                        "(`tailwave counters` counts all reasons). "));
  for (CountedPlan* plan : {&*a.counted, &*b.counted})
    plan->sums["smsp__warps_issue_stalled_not_selected.sum"] = plan->sums["sm__warps_active.sum"] - 12e6;
  EXPECT_THAT(text(a, b),
              HasSubstr("; of these `not_selected` (ready, while the scheduler issued another warp) "
                        "differs most: 10 against 26. "));
  EXPECT_THAT(text(a, b),
              HasSubstr(", above all of `not_selected` (ready, while the scheduler issued another warp). "));
}

TEST(Explanation, SaysNoReasonWhereTheyAreMoreThanAllWarps) {
  ExplainedSide a = side(10'000), b = side(20'000);
  a.counted = counted(10'000, 2e6, 32);
  b.counted = counted(20'000, 2e6, 32);
  b.counted->sums["smsp__warps_issue_stalled_wait.sum"] *= 6;
  EXPECT_THAT(text(a, b), Not(HasSubstr("differs most")));
}

TEST(Explanation, SaysNothingOfCountersThatDoNotShowTheDifference) {
  ExplainedSide a = side(10'000), b = side(20'000);
  a.counted = counted(30'000, 1e6, 16);
  b.counted = counted(30'100, 4e6, 32);
  const Explanation found = explain(a, b);
  EXPECT_THAT(found.paragraph(),
              HasSubstr(" Counted alone, its launches take 30 us against 30.1 us: counters do not show the "
                        "difference, and so do not explain it. Not traced"));
  EXPECT_NE(find(found, "instructions of warps"), nullptr);
}

TEST(Explanation, SaysWhereOneLaunchWasCountedForOthersThatAreShorter) {
  ExplainedSide a = side(10'000), b = side(20'000);
  a.counted = counted(11'900, 1e6, 32);
  b.counted = counted(24'500, 4e6, 32);
  const auto explains = AllOf(HasSubstr(" Counted alone, its launches take 11.9 us against 24.5 us: "),
                              HasSubstr("1 M against 4 M (4 times)"));
  EXPECT_THAT(text(a, b), explains);
  a.counted->some_are_alike = true;  // which take less than 1.2 times as long
  EXPECT_THAT(text(a, b), explains);
  b.counted->some_are_alike = true;
  EXPECT_THAT(
      text(a, b),
      AllOf(HasSubstr(" Its launches would take 11.9 us against 24.5 us if all that are alike took what the "
                      "counted one took alone: others are shorter, or faster in the plan, and so counters do "
                      "not explain the difference. "),
            Not(HasSubstr("1 M against 4 M (4 times)"))));
}

TEST(Explanation, SaysWhereTheCountedRatioIsAnother) {
  ExplainedSide a = side(10'000), b = side(20'000);
  a.counted = counted(10'000, 1e6, 32);
  b.counted = counted(15'000, 1e6, 32);
  EXPECT_THAT(
      text(a, b),
      HasSubstr(
          ". These are 1.5 times as fast, not 2 times: launches that are counted one by one need not take "
          "what they take in the plan that was timed. "));
  b.counted = counted(13'000, 1e6, 32);
  EXPECT_THAT(text(a, b), HasSubstr(" 10 us against 13 us: counters do not show the difference, "));
}

TEST(Explanation, SaysWhichKindOfInstructionDiffersMostWhereAllAreCounted) {
  ExplainedSide a = side(10'000), b = side(20'000);
  a.counted = counted(10'000, 1e6, 32);
  b.counted = counted(20'000, 2e6, 32);
  for (const char* kind : {"fp32", "fp64", "fp16", "integer", "bit", "conversion", "control", "memory",
                           "uniform", "inter_thread_communication"})
    for (CountedPlan* plan : {&*a.counted, &*b.counted})
      plan->sums["smsp__sass_thread_inst_executed_op_" + std::string(kind) + "_pred_on.sum"] = 1e6;
  b.counted->sums["smsp__sass_thread_inst_executed_op_fp64_pred_on.sum"] = 2e7;
  EXPECT_THAT(text(a, b), Not(HasSubstr("Of the instructions of threads")));
  for (CountedPlan* plan : {&*a.counted, &*b.counted})
    plan->sums["smsp__sass_thread_inst_executed_op_misc_pred_on.sum"] = 1e6;
  EXPECT_THAT(text(a, b), HasSubstr(" Of the instructions of threads, fp64 differ most: 1 M against 20 M. "));
}

TEST(Explanation, SplitsTheRatioIntoBytesAndBandwidthNearAMemorysPeak) {
  ExplainedSide a = side(10'000), b = side(20'000);
  a.counted = counted(10'000, 1e6, 32);
  b.counted = counted(20'000, 1e6, 32);
  for (CountedPlan* plan : {&*a.counted, &*b.counted}) plan->sums["dram__bytes_write.sum"] = 0;
  a.counted->sums["dram__bytes_read.sum"] = 1e7;
  b.counted->sums["dram__bytes_read.sum"] = 3e7;
  a.counted->units = {{"fma", 0.7}, {"dram", 0.4}};
  b.counted->units = {{"dram", 0.6}, {"fma", 0.3}};
  EXPECT_THAT(
      text(a, b),
      HasSubstr(
          " DRAM moves 10 MB against 30 MB, at 40 % against 60 % of its peak: 2 = 3 from bytes x 0.6667 from "
          "bytes a second. The unit that is driven hardest is fma at 70 % of its peak, against dram at 60 %. "
          ""));
  a.counted->units[1].share = 0.2;
  b.counted->units = {{"fma", 0.3}, {"dram", 0.3}};
  EXPECT_THAT(text(a, b), HasSubstr(" DRAM moves 10 MB against 30 MB, at 20 % against 30 % of its peak. "));
  a.counted->units[1].share = 0.02;
  b.counted->units[1].share = 0.09;
  EXPECT_THAT(text(a, b), Not(HasSubstr("DRAM moves")));
}

TEST(Explanation, SaysWhatLocalMemoryTakes) {
  ExplainedSide a = side(10'000), b = side(20'000);
  a.counted = counted(10'000, 1e6, 32);
  b.counted = counted(20'000, 1e6, 32);
  for (CountedPlan* plan : {&*a.counted, &*b.counted})
    for (const char* metric :
         {"l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum"})
      plan->sums[metric] = 0;
  EXPECT_THAT(text(a, b), Not(HasSubstr("Local memory")));
  b.counted->sums["l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum"] = 2e6;
  EXPECT_THAT(text(a, b), HasSubstr(" Local memory, spills and arrays, takes 0 B against 2 MB. "));
}

TEST(Explanation, HoldsOccupancyAndWavesAgainstEachOtherWhereTheyDiffer) {
  ExplainedSide a = side(10'000), b = side(20'000);
  a.waves = WaveFacts{.kernel = "k",
                      .grid = 512,
                      .block = 128,
                      .registers = 40,
                      .blocks_per_sm = 12,
                      .limiter = "registers",
                      .occupancy = 0.75,
                      .waves = 1.5,
                      .tail_fraction = 0.5};
  b.waves = a.waves;
  EXPECT_EQ(text(a, b).find("Occupancy"), std::string::npos);
  b.waves->occupancy = 0.8;
  EXPECT_THAT(
      text(a, b),
      HasSubstr(
          " It is so although occupancy can only reach 75 % against 80 %: on an SM fit 12 blocks of 128 "
          "threads (by registers) against 12 blocks of 128 threads (by registers). "));
  b.waves->block = 1024;
  b.waves->blocks_per_sm = 1;
  b.waves->limiter = "shared memory";
  b.waves->occupancy = 0.5;
  b.waves->waves = 2;
  b.waves->tail_fraction = 0;
  EXPECT_THAT(
      text(a, b),
      HasSubstr(
          " Occupancy can reach 75 % against 50 %: on an SM fit 12 blocks of 128 threads (by registers) "
          "against 1 block of 1024 threads (by shared memory). The grid of its main kernel has 1.5 against 2 "
          "waves, the last one 50 % full against full. "));
  a.waves->waves = 0.5;  // fits whatever the limit
  EXPECT_THAT(text(a, b), Not(HasSubstr("ccupancy")));
}

TEST(Explanation, SaysWhereTracesLoseTime) {
  ExplainedSide a = side(10'000), b = side(20'000);
  const auto traced = [](double busy, double ramp, double drain, double quantisation, const char* cause) {
    return TracedSlots{.kernel = "k",
                       .busy = busy,
                       .idle = {{"ramp", ramp},
                                {"early_warps", 0},
                                {"hand_over", 0.02},
                                {"quantisation", quantisation},
                                {"drain", drain},
                                {"sm_imbalance", 0},
                                {"block_variance", 0}},
                       .cause = cause};
  };
  a.traced = traced(0.9, 0.01, 0.02, 0.05, "quantisation");
  b.traced = traced(0.6, 0.2, 0.1, 0.08, "ramp");
  EXPECT_THAT(
      text(a, b),
      HasSubstr(
          " Traced, the slots of its longest launch are busy 90 % against 60 % of the time; what costs B most "
          "is ramp: 3 % against 30 %."));
  b.traced->cause = "hand_over";
  b.traced->doubtful = true;
  EXPECT_THAT(text(a, b), HasSubstr("are busy 90 % against 60 % of the time."));
}

TEST(Explanation, HoldsTheSharesOfOneLimitAgainstEachOther) {
  ExplainedSide a = side(10'000), b = side(20'000);
  a.limit = b.limit = "fp32_issue";
  a.limit_share = 0.5;
  b.limit_share = 0.25;
  EXPECT_THAT(text(a, b),
              HasSubstr(" Of the speed that the limit fp32_issue allows, it reaches 50 % against 25 %. "));
  b.limit = "dram";
  EXPECT_THAT(text(a, b), Not(HasSubstr("limit")));
}

TEST(Explanation, SaysWhatWasLeftOutAndWhy) {
  ExplainedSide a = side(10'000), b = side(20'000);
  a.not_counted = "its counters (2025-01-01) are of other machine code";
  b.counted = counted(20'000, 1e6, 32);
  b.counted->remark = "launches that were not counted, on other GPUs: 1";
  b.counted->sums.erase("smsp__warps_issue_stalled_long_scoreboard.sum");
  b.not_traced = "its trace is disturbed: more registers";
  EXPECT_THAT(
      text(a, b),
      HasSubstr(
          " Left out, of A: its counters (2025-01-01) are of other machine code. Left out, of B: its trace is "
          "disturbed: more registers. Of B: launches that were not counted, on other GPUs: 1. Counted "
          "without the reasons of stalls: B (`tailwave counters` without --quick has them). Not traced: A "
          "(`tailwave trace` does)."));
  a.counted = counted(10'000, 1e6, 32);
  a.counted->other_run = true;
  a.counted->experiment = "nbody/residency";
  a.counted->counted_at = "2025-01-02T10:00:00Z";
  EXPECT_THAT(text(a, b),
              HasSubstr(" The counters of A are of another run than its times: of nbody/residency, "
                        "2025-01-02T10:00:00Z. "));
  a.counted->method = "ncu";
  EXPECT_THAT(text(a, b), HasSubstr(" A was counted by ncu, B by range_profiler. "));
}

}  // namespace
}  // namespace tailwave
