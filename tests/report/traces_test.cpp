// The views of traces (harness/store/views/trace_*.sql) on small traces worked out by hand and on simulated ones of
// known cause.
#include "report/traces.h"

#include <gtest/gtest.h>

#include <cmath>

#include "report/queries.h"
#include "report/report.h"
#include "report/trace_data.h"

namespace tailwave {
namespace {

using samples::csv;
using samples::StoredTrace;

// 54 SMs with 8 slots each: 432 slots, blocks of 100 us.
fakes::SimulatedDevice simulated() {
  fakes::SimulatedDevice device;
  device.sms = 54;
  device.slots_per_sm = 8;
  return device;
}

std::int64_t blocks_of(const fakes::SimulatedDevice& device, double waves) {
  return std::llround(waves * static_cast<double>(device.sms * device.slots_per_sm));
}

class Traces : public samples::Fixture {
 protected:
  std::string all(const std::string& columns, const std::string& view) {
    return csv(database_, "SELECT " + columns + " FROM " + view);
  }
  double number(const std::string& column) {
    Statement row = database_.prepare("SELECT " + column + " FROM trace_idle");
    row.step();
    return row.real(0);
  }
  // Of a simulated launch of so many waves, which replaces the traces before it.
  std::string cause_of(const fakes::SimulatedDevice& device, double waves) {
    database_.execute("DELETE FROM trace");
    samples::store_trace(database_, device, blocks_of(device, waves));
    Statement row = database_.prepare("SELECT cause FROM trace_idle");
    row.step();
    return row.text(0);
  }
};

TEST_F(Traces, SayWhatEachSmDid) {
  samples::store_small_trace(database_);
  EXPECT_EQ(all("sm, blocks, residency, busy_ns, first_start_ns, last_end_ns", "trace_sm"),
            "sm,blocks,residency,busy_ns,first_start_ns,last_end_ns\n0,3,2,26,0,19\n1,2,2,18,1,12\n");
}

TEST_F(Traces, ShowWavesAndResidencyAsComputedAndAsSeen) {
  samples::store_small_trace(database_);
  EXPECT_EQ(
      all("predicted_blocks_per_sm, predicted_waves, max_residency, min_residency, mean_residency, "
          "observed_waves, utilisation",
          "trace_waves"),
      "predicted_blocks_per_sm,predicted_waves,max_residency,min_residency,mean_residency,observed_waves,"
      "utilisation\n2,1.25,2,2,2,1.25,0.5789473684\n");
  EXPECT_EQ(all("used_sms, min_blocks_of_sm, mean_blocks_of_sm, max_blocks_of_sm, slots, duration_ns, "
                "block_mean_ns, block_median_ns, block_cv",
                "trace_waves"),
            "used_sms,min_blocks_of_sm,mean_blocks_of_sm,max_blocks_of_sm,slots,duration_ns,block_mean_ns,"
            "block_median_ns,block_cv\n2,2,2.5,3,4,19,8.8,10,0.1818181818\n");
}

TEST_F(Traces, CountTheBlocksThatRunOverTime) {
  samples::store_small_trace(database_);
  EXPECT_EQ(all("time_ns, running", "trace_concurrency"),
            "time_ns,running\n0,1\n1,2\n2,3\n4,4\n8,3\n9,4\n10,3\n11,2\n12,1\n19,0\n");
}

TEST_F(Traces, PlaceTheIdleTimeAsWorkedOutByHand) {
  samples::store_small_trace(database_);
  EXPECT_EQ(
      all("slots, waves, slot_ns, busy_ns, ramp_ns, hand_over_ns, tail_ns, equal_blocks_tail_ns, "
          "full_waves_tail_ns",
          "trace_tail"),
      "slots,waves,slot_ns,busy_ns,ramp_ns,hand_over_ns,tail_ns,equal_blocks_tail_ns,full_waves_tail_ns\n"
      "4,1.25,76,44,7,1,24,24,36\n");
  // First starts 0, 2, 1, 4; block times 10, 6, 10 and 10, 8, whose SMs differ by less than chance makes them.
  EXPECT_EQ(all("start_variance, sm_variance, block_variance", "trace_tail"),
            "start_variance,sm_variance,block_variance\n2.1875,0,2.56\n");
  // Quantisation (24 + 24 - 36) / 2; of the other 18, drain has 2.1875 / (2.1875 + 1.25 * 2.56).
  EXPECT_EQ(
      all("quantisation_ns, drain_ns, sm_imbalance_ns, block_variance_ns, cause", "trace_idle"),
      "quantisation_ns,drain_ns,sm_imbalance_ns,block_variance_ns,cause\n6,7.308584687,0,10.69141531,ramp\n");
}

TEST_F(Traces, GiveTheLossInLongFormToo) {
  samples::store_small_trace(database_);
  EXPECT_EQ(all("part, slot_ns, round(share, 6) AS share", "trace_loss"),
            "part,slot_ns,share\nbusy,44,0.578947\nramp,7,0.092105\nearly_warps,0,0\nhand_over,1,0.013158\n"
            "quantisation,6,0.078947\ndrain,7.308584687,0.096166\nsm_imbalance,0,0\n"
            "block_variance,10.69141531,0.140677\n");
}

TEST_F(Traces, TakeAnOverlapOfOneClockStepForAHandOver) {
  samples::store_trace(database_, StoredTrace{}, {{0, 0, 100}, {0, 80, 200}});
  EXPECT_EQ(all("max_residency, slots, hand_over_ns, idle_ns", "trace_idle"),
            "max_residency,slots,hand_over_ns,idle_ns\n1,1,-20,-20\n");
  EXPECT_EQ(all("coalesce(cause, 'none') AS cause", "trace_idle"), "cause\nnone\n");
}

// An SM that gives away the room of single warps has a block in the place of one whose last warps still run.
TEST_F(Traces, HaveNoMoreSlotsThanTheBuildHasBlocksAnSm) {
  samples::store_trace(database_, StoredTrace{}, {{0, 0, 100}, {0, 60, 200}});
  EXPECT_EQ(all("max_residency, slots, hand_over_ns, ramp_ns, idle_ns", "trace_idle"),
            "max_residency,slots,hand_over_ns,ramp_ns,idle_ns\n1,1,-40,0,-40\n");
}

// One slot, three blocks of 100 ns whose warps have left after 80 ns on average, 10 ns from one to the next.
TEST_F(Traces, TellWhatWarpsLeaveEarlyFromTheHandOver) {
  samples::store_trace(database_, StoredTrace{}, {{0, 0, 100}, {0, 110, 210}, {0, 220, 320}});
  database_.execute("UPDATE block_trace SET left_ns = end_ns - 20");
  EXPECT_EQ(all("busy_ns, ramp_ns, early_warps_ns, hand_over_ns, tail_ns", "trace_tail"),
            "busy_ns,ramp_ns,early_warps_ns,hand_over_ns,tail_ns\n240,0,40,20,20\n");
  EXPECT_EQ(all("cause", "trace_idle"), "cause\nearly_warps\n");
  // Where blocks overlap, no time passed after the last warp; what passed before is that of warps that had left.
  database_.execute("UPDATE block_trace SET start_ns = start_ns - 15 WHERE block > 0");
  EXPECT_EQ(all("busy_ns, early_warps_ns, hand_over_ns, tail_ns", "trace_tail"),
            "busy_ns,early_warps_ns,hand_over_ns,tail_ns\n270,30,0,20\n");
}

// Five SMs of one slot, and clusters of two: two of them run at once, and one SM has nothing to do.
TEST_F(Traces, CountTheSlotsThatClustersCanUse) {
  const StoredTrace trace{.sms = 5, .cluster_slots = 4};
  samples::store_trace(
      database_, trace,
      {{0, 0, 10}, {1, 0, 10}, {2, 0, 10}, {3, 0, 10}, {4, 10, 20}, {0, 10, 20}, {1, 12, 22}, {2, 12, 22}});
  EXPECT_EQ(all("slots, waves, busy_ns, ramp_ns, hand_over_ns, tail_ns, unused_sms_ns", "trace_tail"),
            "slots,waves,busy_ns,ramp_ns,hand_over_ns,tail_ns,unused_sms_ns\n4,2,80,0,4,4,0\n");
  EXPECT_EQ(all("predicted_waves, observed_waves, used_sms, slots, utilisation", "trace_waves"),
            "predicted_waves,observed_waves,used_sms,slots,utilisation\n2,2,5,4,0.9090909091\n");
  EXPECT_EQ(all("waves, slots", "observed_launch"), "waves,slots\n2,4\n");
  EXPECT_EQ(all("sum(share)", "trace_loss"), "sum(share)\n1\n");
  // A block that ends before the other one of its cluster leaves room in which the next cluster begins.
  database_.execute("UPDATE block_trace SET end_ns = 5, left_ns = 5 WHERE block = 3");
  database_.execute("UPDATE block_trace SET start_ns = 6 WHERE block IN (4, 6)");
  EXPECT_EQ(
      all("slots, busy_ns, ramp_ns + early_warps_ns + hand_over_ns + tail_ns + busy_ns - slot_ns AS rest",
          "trace_tail"),
      "slots,busy_ns,rest\n5,85,0\n");
}

// Of a grid in which every second block notes, the last two do in any case.
TEST_F(Traces, OfSomeBlocksStandForAll) {
  const StoredTrace trace{.sms = 2, .blocks_per_sm = 1};
  samples::store_trace(
      database_, trace,
      {{0, 0, 100}, {1, 0, 100}, {0, 110, 200}, {1, 110, 210}, {0, 210, 300}, {1, 220, 330}});
  const std::string exact = all("slots, blocks, busy_ns, ramp_ns, hand_over_ns, tail_ns", "trace_tail");
  EXPECT_EQ(exact, "slots,blocks,busy_ns,ramp_ns,hand_over_ns,tail_ns\n2,6,590,0,40,30\n");
  database_.execute("DELETE FROM block_trace WHERE block IN (1, 2)");
  database_.execute("UPDATE block_trace SET weight = 2 WHERE block < 4");
  database_.execute("UPDATE trace_launch SET noted_one_in = 2");
  EXPECT_EQ(all("slots, blocks, busy_ns, ramp_ns, hand_over_ns, tail_ns", "trace_tail"),
            "slots,blocks,busy_ns,ramp_ns,hand_over_ns,tail_ns\n2,6,600,0,30,30\n");
  EXPECT_EQ(all("max_residency IS NULL AS unseen, slots, observed_waves", "trace_waves"),
            "unseen,slots,observed_waves\n1,2,3\n");
  EXPECT_EQ(all("max(running) AS most", "trace_concurrency"), "most\n2\n");
}

TEST_F(Traces, OfSomeBlocksTellTheDurationOfAll) {
  samples::store_trace(database_, StoredTrace{}, {{0, 0, 100}, {0, 100, 200}});
  database_.execute("UPDATE trace_launch SET duration_ns = 500");
  EXPECT_EQ(all("duration_ns, tail_ns", "trace_tail"), "duration_ns,tail_ns\n500,300\n");
}

// 100 blocks in one slot, 1 us after one another: more than an SM needs for a new block.
TEST_F(Traces, DoubtAHandOverThatMayBeStoresOnTheirWay) {
  std::vector<fakes::SimulatedBlock> blocks;
  for (std::int64_t i = 0; i < 100; ++i) blocks.push_back({0, 3000 * i, 3000 * i + 2000});
  samples::store_trace(database_, StoredTrace{}, blocks);
  EXPECT_EQ(
      all("doubtful", "trace_idle"),
      "doubtful\n\"hand-over: up to 25 % of the whole may be busy, with stores that had not arrived\"\n");
  // As fast as the hardware starts blocks, it is the hardware.
  database_.execute("UPDATE device SET clock_mhz = 0.4");
  EXPECT_EQ(all("doubtful IS NULL AS certain", "trace_idle"), "certain\n1\n");
}

TEST_F(Traces, HaveTheSlotsOfTheTracedBuildWhereBlocksAreTooFew) {
  const StoredTrace fewer{.sms = 2, .blocks_per_sm = 8, .traced_blocks_per_sm = 7};
  samples::store_trace(database_, fewer, {{0, 0, 100}, {1, 0, 100}});
  EXPECT_EQ(all("max_residency, slots, quantisation, cause", "trace_idle"),
            "max_residency,slots,quantisation,cause\n1,14,0.8571428571,quantisation\n");
  EXPECT_EQ(all("predicted_waves", "trace_waves"), "predicted_waves\n0.125\n");
}

TEST_F(Traces, HaveNoSharesWhereTheClockSawNoTimePass) {
  samples::store_trace(database_, StoredTrace{}, {{0, 0, 0}, {0, 0, 0}});
  EXPECT_EQ(all("idle_ns, idle IS NULL AS no_share, cause IS NULL AS no_cause", "trace_idle"),
            "idle_ns,no_share,no_cause\n0,1,1\n");
  EXPECT_EQ(all("utilisation IS NULL AS none, block_cv IS NULL AS no_cv", "trace_waves"),
            "none,no_cv\n1,1\n");
}

TEST_F(Traces, OfEqualBlocksNameQuantisation) {
  EXPECT_EQ(cause_of(simulated(), 2.5), "quantisation");
  EXPECT_NEAR(number("quantisation"), 0.5 / 3, 1e-9);
  EXPECT_EQ(cause_of(simulated(), 8 + 1.0 / 432), "quantisation");
  EXPECT_NEAR(number("idle"), 1 - (8 + 1.0 / 432) / 9, 1e-9);
  EXPECT_NEAR(number("quantisation"), number("idle"), 1e-9);
}

TEST_F(Traces, BelowOneWaveNameQuantisationUnlessBlocksDiffer) {
  EXPECT_EQ(cause_of(simulated(), 0.25), "quantisation");
  EXPECT_NEAR(number("quantisation"), 0.75, 1e-9);
  fakes::SimulatedDevice device = simulated();
  device.block_ns = fakes::log_normal(100'000, 0.5);
  EXPECT_EQ(cause_of(device, 0.875), "block_variance");
}

TEST_F(Traces, OfFullWavesOfEqualBlocksHaveNoCause) {
  EXPECT_EQ(cause_of(simulated(), 3), "");
  EXPECT_EQ(number("idle"), 0);
}

TEST_F(Traces, OfLogNormalBlocksNameTheirVariance) {
  fakes::SimulatedDevice device = simulated();
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    device.seed = seed;
    device.block_ns = fakes::log_normal(100'000, 0.2);
    EXPECT_EQ(cause_of(device, 1.95), "block_variance");
    EXPECT_EQ(cause_of(device, 8), "block_variance");
    EXPECT_EQ(number("quantisation"), 0);
    device.block_ns = fakes::log_normal(100'000, 0.5);
    EXPECT_EQ(cause_of(device, 10.3), "block_variance");
  }
}

// Three waves alone would idle nearly as much, and so would equal blocks: either cause is enough for it.
TEST_F(Traces, OfAWaveOfAFewBlocksThatVaryShareTheLossBetweenQuantisationAndVariance) {
  fakes::SimulatedDevice device = simulated();
  device.block_ns = fakes::log_normal(100'000, 0.2);
  double idle = 0;
  for (device.seed = 1; device.seed <= 5; ++device.seed) {
    cause_of(device, 3.05);
    idle += number("idle") / 5;
    EXPECT_GT(number("quantisation"), 0.3 * number("idle")) << device.seed;
    EXPECT_GT(number("block_variance"), 0.3 * number("idle")) << device.seed;
  }
  EXPECT_NEAR(idle, 0.24, 0.03);
  device.block_ns = [](Generator& random) { return 1e5 * (0.8 + 0.4 * random.uniform()); };
  EXPECT_EQ(cause_of(device, 3.05), "quantisation");
}

TEST_F(Traces, OfAFewStragglersNameTheirVariance) {
  fakes::SimulatedDevice device = simulated();
  device.block_ns = [](Generator& random) { return random.below(500) == 0 ? 800'000.0 : 100'000.0; };
  EXPECT_EQ(cause_of(device, 8), "block_variance");
  EXPECT_EQ(cause_of(device, 40.5), "block_variance");
}

TEST_F(Traces, OfOneSlowSmNameImbalance) {
  fakes::SimulatedDevice device = simulated();
  for (const double slowness : {1.2, 2.0}) {
    device.slowness = [=](std::int64_t sm) { return sm == 17 ? slowness : 1.0; };
    device.block_ns = fakes::log_normal(100'000, 0);
    EXPECT_EQ(cause_of(device, 8), "sm_imbalance");
    device.block_ns = fakes::log_normal(100'000, 0.05);
    EXPECT_EQ(cause_of(device, 8), "sm_imbalance");
  }
}

// An SM of the CPU device is a thread of the host.
TEST_F(Traces, OfTheCpuDeviceNameItsWorkers) {
  fakes::SimulatedDevice device = simulated();
  device.slowness = [](std::int64_t sm) { return sm == 17 ? 2.0 : 1.0; };
  EXPECT_EQ(cause_of(device, 8), "sm_imbalance");
  const double share = number("sm_imbalance");
  database_.execute("UPDATE trace SET device_id = (SELECT id FROM device WHERE kind = 'cpu')");
  EXPECT_EQ(all("cause", "trace_idle"), "cause\nworker_imbalance\n");
  EXPECT_EQ(number("sm_imbalance"), share);
  render_report(database_, {{}, folder_ / "report"});
  EXPECT_NE(
      samples::read_file(folder_ / "report/nbody/basic_block_size.md").find("\nHere an SM is a worker, "),
      std::string::npos);
}

TEST_F(Traces, OfALateStartNameTheRamp) {
  fakes::SimulatedDevice device = simulated();
  device.first_start_ns = [](std::int64_t sm, std::int64_t) { return sm < 27 ? 0.0 : 50'000.0; };
  EXPECT_EQ(cause_of(device, 4), "ramp");
  EXPECT_NEAR(number("ramp"), number("drain"), 1e-9);
  device.first_start_ns = [](std::int64_t sm, std::int64_t) { return sm == 5 ? 250'000.0 : 0.0; };
  EXPECT_EQ(cause_of(device, 8), "ramp");
  EXPECT_GT(number("drain"), 10 * number("ramp"));
  device.first_start_ns = [](std::int64_t sm, std::int64_t slot) {
    return 70.0 * static_cast<double>(slot * 54 + sm);
  };
  device.block_ns = fakes::log_normal(100'000, 0.02);
  EXPECT_EQ(cause_of(device, 2), "ramp");
}

TEST_F(Traces, OfBlocksThatWaitForEachOtherNameTheHandOver) {
  fakes::SimulatedDevice device = simulated();
  device.hand_over_ns = 20'000;
  EXPECT_EQ(cause_of(device, 4), "hand_over");
  EXPECT_NEAR(number("hand_over"), 60.0 / 460, 1e-9);
}

TEST_F(Traces, OfAnyKindAddUpToTheWhole) {
  fakes::SimulatedDevice device = simulated();
  device.block_ns = fakes::log_normal(100'000, 0.3);
  device.slowness = [](std::int64_t sm) { return 1 + 0.01 * static_cast<double>(sm % 7); };
  device.first_start_ns = [](std::int64_t sm, std::int64_t slot) {
    return 90.0 * static_cast<double>(sm + slot);
  };
  for (const double waves : {0.01, 0.7, 1.0, 1.3, 6.5}) {
    samples::store_trace(database_, device, blocks_of(device, waves));
    device.hand_over_ns += 500;
  }
  EXPECT_EQ(csv(database_,
                "SELECT count(*) AS traces, max(abs(whole - 1)) < 1e-9 AS whole, max(abs(parts_ns - "
                "slot_ns)) < 1e-3 AS "
                "exact FROM trace_idle JOIN (SELECT trace_id, sum(share) AS whole, sum(slot_ns) AS parts_ns "
                "FROM trace_loss "
                "GROUP BY trace_id) USING (trace_id)"),
            "traces,whole,exact\n5,1,1\n");
  EXPECT_EQ(
      csv(database_,
          "SELECT count(*) AS wrong FROM trace_tail WHERE busy_ns + ramp_ns + early_warps_ns + hand_over_ns + tail_ns "
          "<> slot_ns"),
      "wrong\n0\n");
}

// A correlated subquery for each block would take minutes.
TEST_F(Traces, OfManyBlocksAreExplainedInOnePass) {
  fakes::SimulatedDevice device;
  device.sms = 132;
  device.slots_per_sm = 32;
  device.block_ns = fakes::log_normal(100'000, 0.1);
  samples::store_trace(database_, device, 33'792);
  EXPECT_NEAR(number("waves"), 8, 1e-12);
}

TEST_F(Traces, AnswerAsQueriesByNameToo) {
  samples::store_small_trace(database_);
  samples::expect_file(csv(run_query(database_, find_query("traces"))), "traces.csv");
  samples::expect_file(csv(run_query(database_, find_query("lost_time"))), "lost_time.csv");
  for (const char* name : {"traces", "lost_time"}) {
    EXPECT_EQ(run_query(database_, find_query(name), {{"system", std::string("jacobi")}}).rows.size(), 0U);
    EXPECT_EQ(run_query(database_, find_query(name),
                        {{"device", std::string("cuda")}, {"experiment", std::string("basic_block_size")}})
                  .rows.size(),
              1U);
  }
}

TEST_F(Traces, AnswerTheQueriesOfTheirPageInTheDocumentation) {
  samples::store_small_trace(database_);
  const std::string page = samples::read_file(std::filesystem::path(TAILWAVE_SOURCE_DIR) / "docs/waves.md");
  std::size_t found = 0;
  for (std::size_t place = page.find("```sql\n"); place != std::string::npos;
       place = page.find("```sql\n", place)) {
    place += 7;
    EXPECT_EQ(database_.query(page.substr(place, page.find("```", place) - place)).rows.size(), 1U);
    ++found;
  }
  EXPECT_EQ(found, 2U);
}

TEST_F(Traces, AreASectionOfTheirExperimentsPage) {
  samples::store_trace(database_, StoredTrace{.traced_at = "2025-05-01T10:00:00Z"}, {{0, 0, 7}});
  samples::store_small_trace(database_);
  render_report(database_, {{}, folder_ / "report"});
  const std::string page = samples::read_file(folder_ / "report/nbody/basic_block_size.md");
  EXPECT_NE(page.find("\n### Observed waves\n"), std::string::npos) << page;
  EXPECT_NE(
      page.find(
          "| `BLOCK_SIZE 1` | `body_force` | 5 | 2 | 2 | 1.25 | 1.25 | 19 ns | +2.0 % [4] | 57.9 % | 9.2 % | "
          "0.0 % | 1.3 % | 7.9 % | 9.6 % | 0.0 % | 14.1 % | ramp |\n"),
      std::string::npos)
      << page;
  EXPECT_NE(page.find("\n4. 2 registers more\n"), std::string::npos) << page;
  EXPECT_EQ(page.find("| 7 ns |"), std::string::npos) << page;
  EXPECT_EQ(samples::read_file(folder_ / "report/nbody/variants.md").find("Observed waves"),
            std::string::npos);
}

}  // namespace
}  // namespace tailwave
