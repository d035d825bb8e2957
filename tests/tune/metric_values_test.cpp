#include "tune/metric_values.h"

#include <gmock/gmock.h>

#include "store/observation_store.h"
#include "tune/bench_fixture.h"
#include "tune/pipeline.h"
#include "tune/tuner.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Metric metric(const std::string& name, const std::string& value, bool maximise,
              const std::string& unit = "") {
  return {.name = name, .maximise = maximise, .value = Expression::parse(value), .unit = unit};
}

// Block sizes 8 to 64 that take 1 us for each thread and a microsecond more with every second sample.
class MetricValuesTest : public BenchFixture {
 protected:
  MetricValuesTest() {
    experiment_.measure.samples = 7;
    device_.time_of = [this](std::span<const Launch> launches) {
      return 1000.0 * static_cast<double>(launches.front().block.x) + (++calls_ % 2 == 0 ? 1000 : 0);
    };
  }

  RunSummary run() {
    ResultStore store(database_);
    Measurer measurer(tools_);
    return run_experiment(experiment_, measurer, store, {}, {}, progress_);
  }

  // "value low high missing" of a metric for a block size.
  std::string shown(const std::string& name, int size) {
    return text(
        "SELECT printf('%.6g %.6g %.6g %s', value, low, high, missing) FROM trial_metric JOIN "
        "current_trial USING (trial_id) WHERE name = '" +
        name + "' AND parameters ->> 'BLOCK_SIZE' = " + std::to_string(size));
  }

  int calls_ = 0;
};

TEST_F(MetricValuesTest, AreTheMedianOfWhatSamplesGiveWithItsInterval) {
  experiment_.metric = metric("inverse", "items / time", true, "items/s");
  run();
  EXPECT_EQ(count("SELECT count(*) FROM trial_metric"), 4);
  EXPECT_EQ(count("SELECT count(*) FROM sample WHERE metric_value IS NULL"), 0);
  EXPECT_EQ(count("SELECT count(*) FROM sample JOIN trial ON trial.id = trial_id "
                  "WHERE abs(metric_value * time_ns / 1e9 / (work ->> 'items') - 1) > 1e-9"),
            0);
  // 64 items in 8 or 9 us: the interval is the times' turned round.
  EXPECT_EQ(
      count(
          "SELECT count(*) FROM trial_metric JOIN current_trial USING (trial_id) "
          "WHERE parameters ->> 'BLOCK_SIZE' = 8 AND abs(low - 64 / 9e-6) < 1 AND abs(high - 64 / 8e-6) < 1 "
          "AND value BETWEEN low AND high"),
      1);
}

TEST_F(MetricValuesTest, DecideWhatIsBest) {
  experiment_.metric = metric("nearness", "1 / (1 + abs(time * 1e6 - 33))", true);
  run();
  EXPECT_EQ(text("SELECT parameters FROM ranked_trial WHERE place = 1"), R"({"BLOCK_SIZE":32})");
  EXPECT_EQ(text("SELECT metric || ' = ' || metric_expression FROM run"),
            "nearness = 1 / (1 + abs(time * 1e6 - 33))");
  experiment_.metric = metric("slowness", "time * 1e6", true);
  run();
  EXPECT_EQ(text("SELECT parameters FROM ranked_trial WHERE place = 1"), R"({"BLOCK_SIZE":64})");
}

TEST_F(MetricValuesTest, AreSeveralBesideWhatIsOptimised) {
  experiment_.metric = {"time", false};
  experiment_.further_metrics = {{"items_per_second", true}, metric("difference", "error", false)};
  run();
  EXPECT_EQ(count("SELECT count(*) FROM sample WHERE metric_value IS NOT NULL"), 0);
  EXPECT_EQ(text("SELECT group_concat(DISTINCT position || name || unit) FROM trial_metric"),
            "0times,1items_per_seconditems/s,2difference");
  EXPECT_EQ(shown("difference", 8), "0 0 0 ");
  EXPECT_EQ(count("SELECT count(*) FROM trial_metric JOIN trial_rate USING (trial_id) WHERE name = 'time' "
                  "AND abs(trial_metric.value / trial_rate.value - 1) > 1e-9"),
            0);
}

TEST_F(MetricValuesTest, AreAbsentWithTheReasonWhereSomethingIsNotKnown) {
  experiment_.metric = {"time", false};
  experiment_.further_metrics = {metric("a", "waves * time", false), metric("b", "items / FP32_RATE", false),
                                 metric("c", "read / items", false), metric("d", "log2(8e-6 - time)", false)};
  experiment_.further_metrics[2].counters = {{"read", "dram__bytes_read.sum"}};
  run();
  EXPECT_EQ(shown("a", 8), "0 0 0 waves is not known of its main launch");
  EXPECT_THAT(shown("b", 8), HasSubstr("0 0 0 FP32_RATE of "));
  EXPECT_EQ(
      shown("c", 8),
      "0 0 0 its counters were not counted: 'tailwave run --counters' or 'tailwave counters' does that");
  EXPECT_THAT(shown("d", 64), HasSubstr("log2"));
  EXPECT_EQ(count("SELECT count(*) FROM trial_metric WHERE (value IS NULL) <> (missing IS NOT NULL)"), 0);
}

TEST_F(MetricValuesTest, OfWhatIsOptimisedAreAboveZero) {
  experiment_.metric = metric("x", "time * 1e6 - 33.5", false);
  run();
  EXPECT_EQ(shown("x", 8), "0 0 0 it is " +
                               text("SELECT printf('%g', time_ns / 1e3 - 33.5) FROM sample JOIN "
                                    "current_trial USING (trial_id) WHERE parameters ->> "
                                    "'BLOCK_SIZE' = 8 AND position = 0") +
                               ", and what configurations are ranked by has to be above 0");
  EXPECT_EQ(count("SELECT count(*) FROM sample_cost"), 7);
  EXPECT_EQ(text("SELECT parameters FROM ranked_trial WHERE place = 1"), R"({"BLOCK_SIZE":64})");
}

TEST_F(MetricValuesTest, AreWorkedOutAnewWithoutMeasuringWhenTheSpecSaysSomethingElse) {
  experiment_.metric = metric("x", "time", false);
  run();
  const std::int64_t samples = count("SELECT count(*) FROM sample");
  experiment_.metric = metric("x", "2 * time", false);
  experiment_.further_metrics = {metric("y", "items", true)};
  EXPECT_EQ(run().reused, 4U);
  EXPECT_EQ(count("SELECT count(*) FROM sample"), samples);
  EXPECT_EQ(count("SELECT count(*) FROM sample WHERE abs(metric_value * 1e9 / time_ns - 2) > 1e-9"), 0);
  EXPECT_EQ(shown("y", 8), "64 64 64 ");
}

TEST_F(MetricValuesTest, HaveCountersOnceTheseAreCounted) {
  experiment_.metric = {"time", false};
  experiment_.further_metrics = {metric("c", "read / items", false), metric("h", "hits", true)};
  experiment_.further_metrics[0].counters = {{"read", "dram__bytes_read.sum"}};
  experiment_.further_metrics[1].counters = {{"hits", "lts__t_sector_hit_rate.pct"}};
  run();
  const std::string best =
      text("SELECT configuration FROM current_trial WHERE parameters ->> 'BLOCK_SIZE' = 8");
  CounterRun counted;
  counted.configuration = {"twice", "twice", {{"BLOCK_SIZE", std::int64_t{8}}}, {{"N", std::int64_t{64}}}};
  ASSERT_EQ(counted.configuration.name(), best);
  for (int position : {0, 1}) {
    CountedLaunch& launch = counted.launches.emplace_back();
    launch.position = position;
    launch.kernel = "twice";
    launch.count = 1 + position;
    launch.values = {counter_value("dram__bytes_read.sum", 128, "byte"),
                     counter_value("lts__t_sector_hit_rate.pct", 50, "%")};
  }
  Measurer measurer(tools_);
  const auto trial = current_trial_of(database_, "twice", "block_size", device_.description().name, best);
  ASSERT_TRUE(trial);
  const auto count_again = [&](const std::string& at) {
    add_counters(database_, {"twice", "block_size", at, "", "", ""}, device_.description(), counted);
    MetricValues(experiment_, measurer, database_).store(*trial);
  };
  count_again("2025-01-01T10:00:00Z");
  EXPECT_EQ(shown("c", 8), "6 6 6 ");
  EXPECT_THAT(shown("h", 8), HasSubstr("lts__t_sector_hit_rate.pct was not counted, or does not add up"));
  EXPECT_THAT(shown("c", 16), HasSubstr("its counters were not counted"));
  // A hundred launches of one shape hit as often as one of them.
  counted.launches.pop_back();
  counted.launches.front().count = 100;
  count_again("2025-01-02T10:00:00Z");
  EXPECT_EQ(shown("c", 8), "200 200 200 ");
  EXPECT_EQ(shown("h", 8), "50 50 50 ");
  counted.ends_on_value = true;
  count_again("2025-01-03T10:00:00Z");
  EXPECT_THAT(shown("c", 8),
              HasSubstr("its launches end on a value: how many dram__bytes_read.sum is the sum of"));
  EXPECT_EQ(shown("h", 8), "50 50 50 ");
}

TEST_F(MetricValuesTest, AreWhatASearchMakesBest) {
  experiment_.metric = metric("nearness", "1 / (1 + abs(time * 1e6 - 17))", true);
  ResultStore store(database_);
  Measurer measurer(tools_);
  TuneOptions options;
  options.strategy = &find_strategy("random");
  options.budget = {.evaluations = 4};
  const auto found = tune_experiment(experiment_, measurer, store, {}, options, progress_);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].best->name(), "twice/twice/BLOCK_SIZE:16/N:64");
  EXPECT_GT(found[0].best_value, 0.3);
  EXPECT_LE(found[0].best_value, 1.0);
  EXPECT_EQ(count("SELECT count(*) FROM search_step WHERE cost IS NULL"), 0);
}

}  // namespace
}  // namespace tailwave
