#include "spec/metric_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/broken_spec.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr const char* kOneMetric = R"("metric": {"name": "pairs_per_second"})";

// The experiment with this in place of its metric.
Experiment with_metrics(const std::string& text) {
  const SpecTree tree;
  tree.replace(kSpec, kOneMetric, text);
  EXPECT_EQ(tree.problems(), "");
  return tree.load();
}

TEST(Metrics, MayBeExpressions) {
  const Experiment experiment = with_metrics(
      R"("metric": {"name": "bandwidth", "value": "8 * N / time / 1e9", "unit": "GB/s", "goal": "max"})");
  EXPECT_EQ(experiment.metric.name, "bandwidth");
  EXPECT_EQ(experiment.metric.value->text(), "8 * N / time / 1e9");
  EXPECT_EQ(experiment.metric.unit, "GB/s");
  EXPECT_TRUE(experiment.metric.maximise);
  EXPECT_TRUE(experiment.further_metrics.empty());
  EXPECT_TRUE(has_own_metrics(experiment));
}

TEST(Metrics, AreSeveralOfWhichTheFirstIsOptimised) {
  const Experiment experiment = with_metrics(
      R"("metrics": [{"name": "time"}, {"name": "pairs_per_second"},
                     {"name": "read_share", "value": "read / (8 * pairs) + registers * FP32_RATE * 0", "goal": "min",
                      "counters": {"read": "dram__bytes_read.sum"}}])");
  EXPECT_EQ(experiment.metric.name, "time");
  EXPECT_FALSE(experiment.metric.maximise);
  ASSERT_EQ(experiment.further_metrics.size(), 2U);
  EXPECT_EQ(experiment.further_metrics[0].name, "pairs_per_second");
  EXPECT_TRUE(experiment.further_metrics[0].maximise);
  EXPECT_FALSE(experiment.further_metrics[1].maximise);
  EXPECT_THAT(experiment.further_metrics[1].counters, ElementsAre(Pair("read", "dram__bytes_read.sum")));
  EXPECT_EQ(all_metrics(experiment).size(), 3U);
}

TEST(Metrics, AreObjectivesWhereTheSpecSaysSo) {
  const Experiment experiment =
      with_metrics(R"("metrics": [{"name": "time"}, {"name": "size", "value": "shared_bytes", "goal": "min"}],
                      "objectives": ["size", "time"])");
  EXPECT_THAT(experiment.objectives, ElementsAre("size", "time"));
}

TEST(Metrics, OfEnergyHaveItMeasured) {
  EXPECT_FALSE(SpecTree().load().energy);
  const Experiment named = with_metrics(R"("metrics": [{"name": "time"}, {"name": "energy"}])");
  ASSERT_TRUE(named.energy);
  EXPECT_EQ(named.energy->window_s, 2);
  EXPECT_EQ(named.energy->most, 5);
  EXPECT_FALSE(named.further_metrics[0].maximise);
  const Experiment asked =
      with_metrics(R"("metric": {"name": "time"}, "energy": {"window_s": 3.5, "most": 9})");
  ASSERT_TRUE(asked.energy);
  EXPECT_EQ(asked.energy->window_s, 3.5);
  EXPECT_EQ(asked.energy->most, 9);
}

// A manifest whose program reports steps.
void let_a_program_report(const SpecTree& tree) {
  tree.replace(kManifest, "\"variants\": {",
               R"("metrics": {"steps": {"goal": "max", "unit": "1"}}, "variants": {
                  "own": {"source": "cpu.cpp", "target": "program", "launches": [{"command": ["{program}"]}]},)");
}

TEST(Metrics, MayBeWhatProgramsReport) {
  const SpecTree tree;
  let_a_program_report(tree);
  tree.replace(
      kSpec, kOneMetric,
      R"("metrics": [{"name": "steps"}, {"name": "step_time", "value": "time / steps", "goal": "min"},
                              {"name": "time"}])");
  EXPECT_EQ(tree.problems(), "");
  const Experiment experiment = tree.load();
  EXPECT_EQ(experiment.metric.value->text(), "steps");
  EXPECT_EQ(experiment.metric.unit, "1");
  EXPECT_TRUE(experiment.metric.maximise);
  EXPECT_TRUE(experiment.metric.self_reported);
  EXPECT_TRUE(experiment.further_metrics.at(0).self_reported);
  EXPECT_FALSE(experiment.further_metrics.at(1).self_reported);
  EXPECT_EQ(experiment.system.find_variant("own")->launches.at(0).reports, std::vector<std::string>{"steps"});
}

TEST(Metrics, OfProgramsHaveNamesAndUnitsFromTheManifest) {
  const SpecTree tree;
  let_a_program_report(tree);
  tree.replace(
      kSpec, kOneMetric,
      R"("metrics": [{"name": "steps", "unit": "2"}, {"name": "step"}, {"name": "steps", "value": "N", "goal": "min"}])");
  const std::string problems = tree.problems();
  EXPECT_THAT(problems, HasSubstr("/metrics/0/unit: 'unit' has no meaning without 'value'"));
  EXPECT_THAT(problems, HasSubstr("/metrics/1/name: unknown metric 'step'\n  did you mean 'steps'?"));
  EXPECT_THAT(problems, HasSubstr("/metrics/2/name: the name 'steps' is what programs report"));
}

TEST(Metrics, AreTheTimeUnlessGiven) {
  const SpecTree tree;
  tree.replace(kSpec, R"("metric": {"name": "pairs_per_second"},)", "");
  EXPECT_EQ(tree.load().metric.name, "time");
  EXPECT_FALSE(tree.load().metric.maximise);
}

TEST(Metrics, OfTheUsualKindAloneAreNoneOfTheirOwn) {
  EXPECT_FALSE(has_own_metrics(SpecTree().load()));
  EXPECT_FALSE(has_own_metrics(with_metrics(R"("metrics": [{"name": "time"}])")));
}

INSTANTIATE_TEST_SUITE_P(
    Metrics, BrokenSpec,
    testing::Values(
        Break{"MetricAndMetrics", kSpec, kOneMetric,
              R"("metric": {"name": "time"}, "metrics": [{"name": "pairs_per_second"}])",
              "/metrics: 'metrics' has no meaning beside 'metric'\n"
              "  put all into 'metrics', what is best first"},
        Break{"NoMetrics", kSpec, kOneMetric, R"("metrics": [])", "/metrics: the array is empty"},
        Break{"MetricTwice", kSpec, kOneMetric, R"("metrics": [{"name": "time"}, {"name": "time"}])",
              "/metrics/1/name: the metric 'time' is given twice"},
        Break{"MetricWithoutAGoal", kSpec, kOneMetric, R"("metric": {"name": "x", "value": "N / time"})",
              "/metric: missing key 'goal'\n"
              "  'min' or 'max': an expression does not say which end is best"},
        Break{"UnitOfAUsualMetric", kSpec, kOneMetric, R"("metric": {"name": "time", "unit": "ms"})",
              "/metric/unit: 'unit' has no meaning without 'value'"},
        Break{"CountersOfAUsualMetric", kSpec, kOneMetric,
              R"("metrics": [{"name": "time"}, {"name": "pairs_per_second", "counters": {"x": "a__b.sum"}}])",
              "/metrics/1/counters: 'counters' has no meaning without 'value'"},
        Break{"MetricCalledLikeATime", kSpec, kOneMetric,
              R"("metric": {"name": "time", "value": "2 * time", "goal": "min"})",
              "/metric/name: the name 'time' is what is measured\n"
              "  a metric with a 'value' has a name of its own"},
        Break{"MetricCalledLikeARate", kSpec, kOneMetric,
              R"("metric": {"name": "flop_per_second", "value": "time", "goal": "min"})",
              "/metric/name: the name 'flop_per_second' is a rate of the manifest's work\n"
              "  a metric with a 'value' has a name of its own"},
        Break{"MetricThatIsNoName", kSpec, kOneMetric,
              R"("metric": {"name": "a b", "value": "time", "goal": "min"})",
              "/metric/name: the name 'a b' is no identifier (letters, digits and '_', no digit first)\n"
              "  a metric with a 'value' has a name of its own"},
        Break{"MetricOfAnUnknownName", kSpec, kOneMetric,
              R"("metric": {"name": "x", "value": "N / tme", "goal": "min"})",
              "/metric/value: unknown parameter 'tme'\n  N / tme\n      ^ did you mean 'time'?"},
        Break{"MetricOfAParameterOfOneVariant", kSpec, kOneMetric,
              R"("metric": {"name": "x", "value": "BLOCK_SIZE * time", "goal": "min"})",
              "/metric/value: variant 'cpu' has no parameter 'BLOCK_SIZE'\n  BLOCK_SIZE * time\n  ^"},
        Break{"MetricThatIsText", kSpec, kOneMetric,
              R"("metric": {"name": "x", "value": "'fast' if time > 1e9 else 'slow'", "goal": "min"})",
              "/metric/value: the value is 'slow', expected a number\n  'fast' if time > 1e9 else 'slow'\n"
              "  with the defaults time = 0.00137"},
        Break{
            "MetricThatFails", kSpec, kOneMetric,
            R"j("metric": {"name": "x", "value": "time / (N - 64)", "goal": "min"})j",
            "/metric/value: '/' by zero\n  time / (N - 64)\n       ^ with the defaults time = 0.00137, N = 64"},
        Break{"UnitOfTwoLines", kSpec, kOneMetric,
              R"("metric": {"name": "x", "value": "time", "goal": "min", "unit": "a\nb"})",
              "/metric/unit: the text has a line break or another control character"},
        Break{"CounterThatIsNone", kSpec, kOneMetric,
              R"("metrics": [{"name": "time"},
                {"name": "x", "value": "c", "goal": "min", "counters": {"c": "dram_bytes"}}])",
              "/metrics/1/counters/c: 'dram_bytes' is no counter\n"
              "  one is called like dram__bytes_read.sum; docs/counters.md has those that are counted"},
        Break{"CounterCalledLikeAnother", kSpec, kOneMetric,
              R"("metrics": [{"name": "time"},
                {"name": "x", "value": "N", "goal": "min", "counters": {"N": "dram__bytes_read.sum"}}])",
              "/metrics/1/counters/N: the name 'N' means something else already"},
        Break{
            "CounterWhoseNameIsNone", kSpec, kOneMetric,
            R"("metrics": [{"name": "time"},
                {"name": "x", "value": "N", "goal": "min", "counters": {"2": "dram__bytes_read.sum"}}])",
            "/metrics/1/counters/2: the name '2' is no identifier (letters, digits and '_', no digit first)"},
        Break{
            "CountersOfWhatIsOptimised", kSpec, kOneMetric,
            R"("metric": {"name": "x", "value": "c", "goal": "min", "counters": {"c": "dram__bytes_read.sum"}})",
            "/metric/counters: what is optimised has to be known of each configuration, and counters are not\n"
            "  put another metric first in 'metrics'"},
        Break{"EnergyOfWhatIsOptimised", kSpec, kOneMetric, R"("metric": {"name": "energy"})",
              "/metric: what is optimised has to be known of each configuration, and energy is not\n"
              "  put another metric first in 'metrics'"},
        Break{"PowerOfWhatIsOptimised", kSpec, kOneMetric,
              R"("metrics": [{"name": "x", "value": "power * time", "goal": "min"}])",
              "/metrics/0: what is optimised has to be known of each configuration, and energy is not\n"
              "  put another metric first in 'metrics'"},
        Break{"ShortWindowOfEnergy", kSpec, kOneMetric,
              R"("metric": {"name": "time"}, "energy": {"window_s": 0.5})",
              "/energy/window_s: expected at least 2, found 0.5"},
        Break{"EnergyOfNone", kSpec, kOneMetric, R"("metric": {"name": "time"}, "energy": {"most": 0})",
              "/energy/most: expected at least 1, found 0"},
        Break{"OneObjective", kSpec, kOneMetric, R"("metric": {"name": "time"}, "objectives": ["time"])",
              "/objectives: expected at least 2 items, found 1"},
        Break{
            "UnknownObjective", kSpec, kOneMetric,
            R"("metrics": [{"name": "time"}, {"name": "pairs_per_second"}], "objectives": ["time", "pairs"])",
            "/objectives/1: unknown metric 'pairs'\n  one of 'time', 'pairs_per_second'"},
        Break{
            "ObjectiveTwice", kSpec, kOneMetric,
            R"("metrics": [{"name": "time"}, {"name": "pairs_per_second"}], "objectives": ["time", "time"])",
            "/objectives/1: the objective 'time' is given twice"}),
    name_of);

TEST(Metrics, AreNotCalledLikeAQuantityOfTheManifest) {
  const SpecTree tree;
  tree.replace(kManifest, R"("DT": {"type": "float", "default": 1})",
               R"("DT": {"type": "float", "default": 1}, "waves": {"type": "int", "default": 1})");
  tree.replace(kSpec, kOneMetric, R"("metric": {"name": "x", "value": "waves * time", "goal": "min"})");
  EXPECT_EQ(tree.problems(), std::string(kSpec) +
                                 ": /metric/value: 'waves' is a name of the manifest, and what is measured\n"
                                 "  waves * time\n  ^ rename it in the manifest");
}

}  // namespace
}  // namespace tailwave
