#include "core/counters.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <set>

#include "core/error.h"
#include "fakes/error_of.h"

namespace tailwave {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

TEST(CounterMetrics, AreNamedOnceAndSayWhatTheyAre) {
  std::set<std::string_view> names;
  for (const CounterMetric& metric : counter_metrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_NE(metric.what, "") << metric.name;
    EXPECT_THAT(parse_metrics(std::string(metric.name)), ElementsAre(metric.name));
  }
}

TEST(CounterMetrics, OfTheQuickSetAreAmongAllAndHaveNoStallsNorFlop) {
  const std::vector<std::string> all = metrics_of(CounterSet::all);
  const std::vector<std::string> quick = metrics_of(CounterSet::quick);
  EXPECT_LT(quick.size(), all.size());
  for (const std::string& metric : quick) {
    EXPECT_THAT(all, Contains(metric));
    EXPECT_EQ(metric.find("stalled"), std::string::npos) << metric;
    EXPECT_EQ(metric.find("sass"), std::string::npos) << metric;
  }
}

TEST(CounterMetrics, StandInForOthersWhereAChipLacksThese) {
  EXPECT_EQ(stand_in_for("dram__bytes_read.sum"), "dram__bytes_op_read.sum");
  EXPECT_EQ(stand_in_for("dram__bytes_write.sum"), "dram__bytes_op_write.sum");
  EXPECT_EQ(stand_in_for("smsp__inst_executed.sum"), "");
  EXPECT_EQ(stand_in_for(""), "");
  EXPECT_THAT(metrics_of(CounterSet::all), Not(Contains("dram__bytes_op_read.sum")));
}

TEST(CounterMetrics, AreReadFromAListOnceEach) {
  EXPECT_THAT(
      parse_metrics("sm__cycles_active.avg,smsp__inst_executed.sum.per_cycle_active, sm__cycles_active.avg"),
      ElementsAre("sm__cycles_active.avg", "smsp__inst_executed.sum.per_cycle_active"));
}

TEST(CounterMetrics, AreRefusedWithoutWhatIsWantedOfThem) {
  constexpr const char* kHint =
      "\n  a metric is called like sm__cycles_active.avg, with what is wanted of the counter behind the dot; "
      "'ncu --query-metrics' lists them";
  for (const std::string name :
       {"sm__cycles_active", "cycles.avg", "__x.avg", "sm__.avg", "sm__cycles.", "a;b__c.d"})
    EXPECT_EQ(samples::error_of([&] { parse_metrics(name); }),
              "--metrics: '" + name + "' is no metric" + kHint);
  EXPECT_EQ(samples::error_of([] { parse_metrics(" , "); }),
            "--metrics: names no metric\n  for example sm__throughput.avg.pct_of_peak_sustained_elapsed");
}

TEST(CounterValue, IsDoubtedWhereItCannotBe) {
  EXPECT_EQ(counter_doubt("smsp__inst_executed.sum", 5e12), "");
  EXPECT_EQ(counter_doubt("smsp__inst_executed.sum", -1), "negative");
  EXPECT_EQ(counter_doubt("smsp__inst_executed.sum", std::nan("")), "not a number");
  EXPECT_EQ(counter_doubt("smsp__inst_executed.sum", std::numeric_limits<double>::infinity()),
            "not a number");
  EXPECT_EQ(counter_doubt("gpu__time_duration.sum", 1e300), "more than a counter can hold");
  EXPECT_EQ(counter_doubt("sm__throughput.avg.pct_of_peak_sustained_elapsed", 100), "");
  EXPECT_EQ(counter_doubt("sm__throughput.avg.pct_of_peak_sustained_elapsed", 100.2), "above 100 %");
  EXPECT_EQ(counter_doubt("lts__t_sector_hit_rate.pct", 101), "above 100 %");
  // A ratio that may well be more than 1.
  EXPECT_EQ(counter_doubt("smsp__average_warp_latency_per_inst_issued.pct", 1200), "");
}

TEST(CounterValue, HasNoNumberWhereItIsNone) {
  EXPECT_EQ(counter_value("a__b.sum", 3, "inst"), (CounterValue{"a__b.sum", 3, "inst", ""}));
  EXPECT_EQ(counter_value("a__b.sum", std::nan(""), ""),
            (CounterValue{"a__b.sum", std::nullopt, "", "not a number"}));
}

}  // namespace
}  // namespace tailwave
