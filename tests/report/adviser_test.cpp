#include "report/adviser.h"

#include <gtest/gtest.h>

#include "report/advice_data.h"
#include "store/sample_counters.h"

namespace tailwave {
namespace {

using samples::AdviceSpace;

// What an adviser makes of a change of the launch of the best configuration.
class AdviserTest : public samples::Fixture {
 protected:
  std::string advice(const LaunchChange& change, const AdviceSpace& space = {}) {
    space.add(database_);
    return advised(change);
  }
  std::string advised(const LaunchChange& change) {
    std::string text;
    for_each_problem(
        database_, {{"experiment", std::string("space")}}, [&](const std::vector<MeasuredProblem>& variants) {
          const MeasuredProblem& problem = variants.front();
          const NeighbourModel model(problem.points);
          const SpeedSurface surface(problem.points);
          const Adviser adviser(database_, problem, model, surface, records_, {});
          for (const Advice& one : adviser.advise(0, {change}))
            if (one.parameter == change.parameter && one.new_value == change.new_value)
              text += fmt::format("{}: {:.2f}, {}\n", to_string(one.source), one.gain, one.evidence);
        });
    return text;
  }
  // So many of so many right.
  void rule_was_right(const std::string& parameter, std::size_t right, std::size_t of) {
    records_.add({RuleRecord{"nbody/space", "NVIDIA H200", parameter, 2 * of, of, right, 0.5}});
  }
  static LaunchChange change(const std::string& parameter, std::int64_t value, std::int64_t new_value) {
    return {.experiment = "nbody/space",
            .device = "NVIDIA H200",
            .configuration = AdviceSpace::name(5, 5, 3),
            .parameter = parameter,
            .value = value,
            .new_value = new_value,
            .predicted_gain = 1.2,
            .hiding_gain = 1.2,
            .measured = "not run"};
  }

  AdviceRecords records_;
};

TEST_F(AdviserTest, BelievesTheRuleWhereItWasRight) {
  rule_was_right("B", 16, 16);
  EXPECT_EQ(
      advice(change("B", 5, 6)),
      "rule: 1.20, SMs have more warps to hide latency with; that was right in 16 of 16 such changes\n");
}

TEST_F(AdviserTest, DoesNotBelieveTheRuleOfFewOrOfOtherParameters) {
  rule_was_right("B", 14, 14);
  rule_was_right("C", 30, 30);
  EXPECT_EQ(advice(change("B", 5, 6)), "");
}

TEST_F(AdviserTest, DoesNotBelieveARuleThatWasWrongTooOften) {
  rule_was_right("B", 46, 50);
  EXPECT_EQ(advice(change("B", 5, 6)), "");
}

// One step up in A loses instead: the rule, right as it was, is contradicted by its neighbours.
TEST_F(AdviserTest, DoesNotBelieveTheRuleAgainstNeighbours) {
  rule_was_right("A", 50, 50);
  AdviceSpace space;
  space.factor = [](int a, int b, int c) { return b == 5 && c == 3 && a < 5 ? 9 : std::exp(0.3 * a); };
  EXPECT_EQ(advice(change("A", 1, 2), space), "");
}

TEST_F(AdviserTest, DoesNotBelieveTheRuleWhereTheWayGetsSlower) {
  rule_was_right("C", 50, 50);
  AdviceSpace space;
  space.factor = [](int a, int b, int c) { return a == 5 && b == 5 && c == 2 ? 0.5 : 1.0; };
  EXPECT_EQ(advice(change("C", 2, 8), space), "");
}

TEST_F(AdviserTest, BelievesTheRuleWithinTheConstraintsAlone) {
  rule_was_right("B", 16, 16);
  rule_was_right("N", 16, 16);
  EXPECT_EQ(advice(change("B", 5, 6), {.spec = R"({"constraints": ["B <= 5"]})"}), "");
}

TEST_F(AdviserTest, BelievesACurveBeyondItsError) {
  LaunchChange grid = change("grid", 528, 660);
  grid.model = "partial_wave";
  grid.worst_error = 0.05;
  EXPECT_EQ(advice(grid),
            "curve: 1.20, the model partial_wave of its grid curve, which was off by at most 5 %\n");
}

TEST_F(AdviserTest, DoesNotBelieveACurveWithinItsError) {
  LaunchChange grid = change("grid", 528, 660);
  grid.model = "partial_wave";
  grid.worst_error = 0.1;
  EXPECT_EQ(advice(grid), "");
}

TEST_F(AdviserTest, KnowsWhatALaunchGainedWhenItWasMeasured) {
  LaunchChange problem = change("N", 4096, 8192);
  problem.measured_gain = 1.5;
  problem.measured = "faster";
  EXPECT_EQ(advice(problem), "measured: 1.50, measured\n");
}

TEST_F(AdviserTest, IsSilentWhereALaunchDidNotGain) {
  LaunchChange problem = change("N", 4096, 8192);
  problem.measured_gain = 1.5;
  problem.measured = "unclear";
  EXPECT_EQ(advice(problem), "");
}

TEST_F(AdviserTest, CapsTheRuleByTheLimit) {
  rule_was_right("B", 16, 16);
  EXPECT_EQ(advice(change("B", 5, 6), {.best_share = 0.9}), "");
}

// The launch issued in so large a share of what it could.
TEST_F(AdviserTest, CapsTheRuleByTheUnitThatWasDrivenHardest) {
  rule_was_right("B", 16, 16);
  AdviceSpace{}.add(database_);
  const auto with_issued = [&](double instructions, const std::string& at) {
    auto values = samples::counted_values();
    values["smsp__issue_active.sum"] = instructions;
    const CounterRun run = samples::counted("shared", AdviceSpace::values(5, 5, 3), values);
    samples::add_counted(database_, run, at, "space");
    return advised(change("B", 5, 6));
  };
  EXPECT_EQ(with_issued(8e6, "2025-02-01T10:00:00Z"), "");  // 89 %
  EXPECT_NE(with_issued(4e6, "2025-02-02T10:00:00Z"), "");  // the latest counters count
}

TEST(AdviceRecords, JudgeEachChangeOfTheRuleByTheOthers) {
  AdviceRecords records;
  records.add({RuleRecord{"a/b", "GPU", "X", 40, 20, 19, {}}, RuleRecord{"a/b", "GPU", "Y", 9, 3, 1, {}},
               RuleRecord{"a/b", "GPU", "all", 49, 23, 20, 0.5},
               RuleRecord{"all", "GPU", "all", 49, 23, 20, 0.25},
               RuleRecord{"all", "GPU", "X", 40, 20, 19, {}}});
  std::string text;
  for (const AdviceRecord& one : records.list())
    text += fmt::format("{} {} {} {} {} {} {}\n", one.experiment, one.device, to_string(one.source),
                        one.changes, one.advised, one.right, one.correlation.value_or(0));
  // Without the wrong one all 19 others were right, and it is advised; without a right one 18 of 19 are too few.
  EXPECT_EQ(text, "a/b GPU rule 49 1 0 0.5\nall GPU rule 49 1 0 0.25\n");
  EXPECT_FALSE(records.trusted({.experiment = "a/b", .device = "GPU", .parameter = "X"}));
}

TEST(AdviceRecords, AddUpChangesOfCurves) {
  AdviceRecords records;
  records.add({CurveChange{"a/b", "GPU", 1.2, 1.1, 0.01}, CurveChange{"a/c", "GPU", 1.2, 0.9, 0.01},
               CurveChange{"a/c", "GPU", 1.01, 1.1, 0.05}, CurveChange{"a/c", "GPU", 0.9, 0.8, 0.01}});
  std::string text;
  for (const AdviceRecord& one : records.list())
    text += fmt::format("{} {} {} {} {:.3f} {:.2f}\n", one.experiment, one.changes, one.advised, one.right,
                        one.share().value_or(0), one.correlation.value_or(9));
  EXPECT_EQ(text, "a/b 1 1 1 0.667 9.00\na/c 3 1 0 0.333 0.50\nall 4 2 1 0.500 0.50\n");
}

}  // namespace
}  // namespace tailwave
