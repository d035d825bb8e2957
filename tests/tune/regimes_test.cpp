#include "tune/regimes.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tune/bench_fixture.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::Pair;

// Block size 16 is the fastest, 32 with cold caches; 64 is far behind.
class Regimes : public BenchFixture {
 protected:
  Regimes() {
    experiment_.measure.samples = 6;
    device_.time_of = [this](std::span<const Launch> launches) {
      const std::int64_t block = launches.front().block.x;
      if (block == 64) return 90000.0;
      const double best = device_.last_options.flush_cache ? 32 : 16;
      return 1000 * (1 + std::abs(static_cast<double>(block) - best) / 100);
    };
    options_.regimes = {cold_, batched_};
  }

  void run() {
    ResultStore store(database_);
    Measurer measurer(tools_);
    run_experiment(experiment_, measurer, store, {}, {}, progress_);
  }

  RegimeSummary measure() {
    ResultStore store(database_);
    progress_ = {};
    Measurer measurer(tools_);
    return measure_regimes(experiment_, measurer, store, {}, options_, progress_);
  }

  // With x all zeros.
  [[nodiscard]] Regime zeros() const {
    Regime regime{.name = "zeros", .mode = TimingMode::isolated, .cache = CacheState::hot};
    regime.fills["x"] = {.kind = Fill::Kind::zero};
    System system = experiment_.system;
    system.inputs = regime.name;
    system.buffers.at("x").fill = regime.fills.at("x");
    regime.system = std::make_shared<const System>(std::move(system));
    return regime;
  }

  // "8 16 32" for the block sizes of the finalists.
  std::string finalists() {
    return text(
        "SELECT group_concat(size, ' ') FROM (SELECT DISTINCT parameters ->> 'BLOCK_SIZE' AS size FROM "
        "regime_trial ORDER BY 1)");
  }

  const Regime cold_{.name = "cold", .mode = TimingMode::isolated, .cache = CacheState::cold};
  const Regime batched_{.name = "batched", .mode = TimingMode::batched, .cache = CacheState::hot};
  const Regime graph_{.name = "graph", .mode = TimingMode::graph, .cache = CacheState::hot};
  RegimeOptions options_;
};

TEST_F(Regimes, MeasureEachFinalistInEachOfThem) {
  run();
  const RegimeSummary summary = measure();
  EXPECT_THAT(summary.outcomes, ElementsAre(Pair(Outcome::correct, 9U)));
  EXPECT_EQ(finalists(), "8 16 32");
  EXPECT_EQ(
      text("SELECT group_concat(name || ' ' || mode || ' ' || cache || ' ' || own, ', ') FROM (SELECT * FROM "
           "regime ORDER BY position)"),
      "hot isolated hot 1, cold isolated cold 0, batched batched hot 0");
  EXPECT_EQ(text("SELECT group_concat(size || ' ' || place || ' ' || reason, ', ') FROM (SELECT DISTINCT "
                 "parameters ->> 'BLOCK_SIZE' AS size, place, reason FROM regime_trial ORDER BY place)"),
            "16 1 winner, 8 2 near, 32 3 default");
  EXPECT_EQ(text("SELECT group_concat(DISTINCT regime || ' ' || mode) FROM trial WHERE regime IS NOT NULL"),
            "hot isolated,cold isolated, cold,batched batched");
  // Five repetitions of six samples each.
  EXPECT_EQ(count("SELECT count(*) FROM sample JOIN trial ON trial.id = trial_id WHERE regime IS NOT NULL"),
            9 * 5 * 6);
  EXPECT_EQ(count("SELECT count(*) FROM run WHERE status = 'done'"), 2);
  EXPECT_EQ(count("SELECT count(*) FROM unfinished_trial"), 0);
  EXPECT_DOUBLE_EQ(progress_.shares.back(), 1);
  EXPECT_EQ(progress_.outcomes.size(), 9U);
}

TEST_F(Regimes, AreInterleavedInSeededOrders) {
  run();
  const auto order = [this](std::uint64_t seed) {
    options_.seed = seed;
    options_.fresh = true;
    const std::int64_t run = measure().run.value();
    const Table rows = database_.query(
        "SELECT group_concat(pair, ' ') FROM (SELECT configuration_id || regime AS pair, min(sequence) AS first FROM "
        "sample JOIN trial ON trial.id = trial_id WHERE run_id = :run GROUP BY 1, repetition ORDER BY first)",
        {{"run", run}});
    return std::get<std::string>(rows.rows.at(0).at(0));
  };
  const std::string first = order(1);
  EXPECT_EQ(order(1), first);
  EXPECT_NE(order(2), first);
  // Every pair has had its first repetition before any has its second.
  EXPECT_EQ(
      count("SELECT count(*) FROM sample AS early JOIN sample AS late ON late.sequence < early.sequence "
            "AND late.repetition > early.repetition JOIN trial AS a ON a.id = early.trial_id "
            "JOIN trial AS b ON b.id = late.trial_id WHERE a.run_id = b.run_id AND a.regime IS NOT NULL"),
      0);
  // No block has the order of the one before.
  EXPECT_EQ(
      count(
          "WITH turn AS (SELECT run_id, repetition, configuration_id || regime AS pair, min(sequence) AS first "
          "FROM sample JOIN trial ON trial.id = trial_id WHERE regime IS NOT NULL GROUP BY 1, 2, 3), "
          "block AS (SELECT run_id, repetition, group_concat(pair) AS pairs FROM (SELECT * FROM turn ORDER BY "
          "first) GROUP BY 1, 2) SELECT count(*) - count(DISTINCT pairs) FROM block WHERE run_id = 2"),
      0);
}

TEST_F(Regimes, CountForNothingElse) {
  run();
  const std::string known = "SELECT group_concat(trial_id || ' ' || value) FROM ranked_trial";
  const std::string before = text(known);
  measure();
  EXPECT_EQ(text(known), before);
  EXPECT_EQ(count("SELECT count(*) FROM current_trial"), 4);
  EXPECT_EQ(count("SELECT count(*) FROM run_series"), 1);
  ResultStore store(database_);
  Measurer measurer(tools_);
  EXPECT_EQ(run_experiment(experiment_, measurer, store, {}, {}, progress_).reused, 4U);
}

TEST_F(Regimes, HaveKeysOfTheirOwn) {
  experiment_.measure.repetitions = 5;  // so that the settings of 'hot' are those of the run
  run();
  measure();
  EXPECT_EQ(count("SELECT count(DISTINCT key) FROM trial"), 4 + 9);
}

TEST_F(Regimes, AreNotMeasuredTwice) {
  run();
  EXPECT_EQ(measure().reused, 0U);
  device_.runs = 0;
  const RegimeSummary again = measure();
  EXPECT_EQ(again.reused, 1U);
  EXPECT_FALSE(again.run.has_value());
  EXPECT_EQ(device_.runs, 0);
  EXPECT_EQ(again.problems.size(), 1U);
  options_.fresh = true;
  EXPECT_THAT(measure().outcomes, ElementsAre(Pair(Outcome::correct, 9U)));
}

TEST_F(Regimes, AreMeasuredAnewTogetherWhereOneIsNew) {
  run();
  measure();
  options_.regimes = {cold_};
  EXPECT_THAT(measure().outcomes, ElementsAre(Pair(Outcome::correct, 6U)));
  EXPECT_EQ(count("SELECT count(*) FROM regime_trial"), 6) << "those of the latest run";
  options_.regimes = {cold_};
  options_.most_finalists = 2;
  EXPECT_THAT(measure().outcomes, ElementsAre(Pair(Outcome::correct, 4U)));
}

TEST_F(Regimes, ThatWereStoppedGoOnWhereTheyWere) {
  run();
  device_.runs = 0;
  const RegimeSummary whole = measure();
  const int all_runs = device_.runs;
  options_.fresh = true;  // what is kept by the one that is stopped is new
  device_.runs = 0;
  options_.stop_requested = [&] { return device_.runs > all_runs / 2; };
  const RegimeSummary stopped = measure();
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_EQ(count("SELECT count(*) FROM trial WHERE run_id = " + std::to_string(*stopped.run)), 0);
  EXPECT_EQ(count("SELECT count(*) FROM unfinished_trial"), 9);
  EXPECT_EQ(count("SELECT count(*) FROM regime_trial WHERE run_id = " + std::to_string(*whole.run)), 9)
      << "what was whole still counts";

  database_.execute("DELETE FROM trial WHERE run_id = " + std::to_string(*whole.run));
  options_ = {.regimes = options_.regimes};
  device_.runs = 0;
  const RegimeSummary rest = measure();
  EXPECT_LT(device_.runs, all_runs * 2 / 3);
  EXPECT_THAT(rest.outcomes, ElementsAre(Pair(Outcome::correct, 9U)));
  EXPECT_EQ(count("SELECT count(*) FROM unfinished_trial"), 0);
  const std::string samples =
      " FROM sample JOIN trial ON trial.id = trial_id WHERE run_id = " + std::to_string(*rest.run);
  EXPECT_EQ(count("SELECT count(*)" + samples), 9 * 5 * 6);
  EXPECT_EQ(count("SELECT count(DISTINCT sequence)" + samples), 9 * 5 * 6);
  EXPECT_EQ(
      count("SELECT count(*) FROM sample AS early JOIN sample AS late ON late.sequence < early.sequence "
            "AND late.repetition > early.repetition JOIN trial AS a ON a.id = early.trial_id "
            "JOIN trial AS b ON b.id = late.trial_id WHERE a.run_id = b.run_id AND a.run_id = " +
            std::to_string(*rest.run)),
      0)
      << "the order among all samples goes on, too";
}

TEST_F(Regimes, SayWhyThereIsNoGraphOfALoopThatEndsOnAValue) {
  auto loop = std::make_shared<LoopSpec>();
  loop->repeat = Expression::parse("2");
  loop->until = LoopSpec::Until{"x", Expression::constant(-1e30)};
  experiment_.system.variants.front().launches.front().loop = loop;
  const auto once = [](const Launch& launch) {
    fakes::FakeBuffer& x = fakes::FakeExecutor::buffer_argument(launch, 0);
    for (std::size_t i = 0; i < x.size_bytes() / sizeof(float); ++i) x.floats()[i] *= std::sqrt(2.0F);
  };
  device_.kernels["twice"] = once;
  experiment_.metric = {"time", false};
  run();
  options_.regimes = {graph_};
  EXPECT_THAT(measure().outcomes, ElementsAre(Pair(Outcome::correct, 3U), Pair(Outcome::launch_failed, 3U)));
  EXPECT_EQ(
      text(
          "SELECT group_concat(DISTINCT regime || ': ' || detail) FROM regime_trial WHERE outcome <> 'correct'"),
      "graph: a loop with 'until' cannot be a graph: the host looks at a value after every iteration");
}

TEST_F(Regimes, SayThatTheCpuHasNoGraphs) {
  tools_.device = &host_worker_;
  host_.kernels["twice"] = twice;
  host_.time_of = device_.time_of;
  run();
  options_.regimes = {graph_};
  EXPECT_THAT(measure().outcomes, ElementsAre(Pair(Outcome::correct, 3U), Pair(Outcome::launch_failed, 3U)));
  EXPECT_EQ(text("SELECT DISTINCT detail FROM regime_trial WHERE outcome <> 'correct'"),
            "the CPU has no graphs: 'batched' is the same there");
}

TEST_F(Regimes, VerifyOnTheirOwnInputs) {
  device_.kernels["twice"] = [](const Launch& launch) {
    fakes::FakeBuffer& x = fakes::FakeExecutor::buffer_argument(launch, 0);
    const bool is_zero = x.floats()[0] == 0;
    twice(launch);
    if (is_zero && launch.block.x == 16) x.floats()[1] = 7;
  };
  run();
  options_.regimes = {zeros()};
  EXPECT_THAT(measure().outcomes, ElementsAre(Pair(Outcome::correct, 5U), Pair(Outcome::wrong_result, 1U)));
  EXPECT_EQ(
      text(
          "SELECT regime || ' ' || (parameters ->> 'BLOCK_SIZE') FROM regime_trial WHERE outcome <> 'correct'"),
      "zeros 16");
  EXPECT_EQ(text("SELECT DISTINCT fills FROM regime WHERE name = 'zeros'"), R"({"x":"zeros"})");
}

TEST_F(Regimes, GoOnWhereTheReferenceCannotComputeTheirInputs) {
  host_.kernels["host_twice"] = [](const Launch& launch) {
    if (fakes::FakeExecutor::buffer_argument(launch, 0).floats()[0] == 0)
      throw Failure(Outcome::launch_failed, "division by zero");
    twice(launch);
  };
  run();
  options_.regimes = {zeros(), cold_};
  EXPECT_THAT(measure().outcomes, ElementsAre(Pair(Outcome::correct, 6U), Pair(Outcome::wrong_result, 3U)));
  EXPECT_EQ(
      text("SELECT DISTINCT regime || ': ' || detail FROM regime_trial WHERE outcome <> 'correct'"),
      "zeros: with these inputs nothing can be verified: kernel_templates/twice/system.json: /reference/variant: "
      "the reference 'host_twice' cannot be computed, so nothing can be verified\n  division by zero");
}

TEST_F(Regimes, KeepWhatABuildFailsWith) {
  run();
  kernels_.broken = "BLOCK_SIZE:8/";
  EXPECT_THAT(measure().outcomes, ElementsAre(Pair(Outcome::correct, 6U), Pair(Outcome::compile_error, 3U)));
}

TEST_F(Regimes, AreNotMeasuredForASingleFinalist) {
  experiment_ = fakes::twice_experiment({std::int64_t{16}, std::int64_t{64}});
  run();
  const RegimeSummary summary = measure();
  EXPECT_FALSE(summary.run.has_value());
  ASSERT_EQ(summary.problems.size(), 1U);
  EXPECT_EQ(summary.problems.front().finalists.size(), 1U);
}

TEST_F(Regimes, AreMeasuredForEachProblem) {
  experiment_.problem = {{"N", {std::int64_t{64}, std::int64_t{128}}}};
  run();
  EXPECT_THAT(measure().outcomes, ElementsAre(Pair(Outcome::correct, 18U)));
  EXPECT_EQ(count("SELECT count(DISTINCT problem) FROM regime_trial"), 2);
}

TEST_F(Regimes, TakeAtLeastTheSamplesOfAnInterval) {
  experiment_.measure.samples = 1;
  run();
  measure();
  EXPECT_EQ(
      count(
          "SELECT min(samples) FROM (SELECT count(*) AS samples FROM sample JOIN trial ON trial.id = trial_id "
          "WHERE regime IS NOT NULL GROUP BY trial_id)"),
      10);
}

TEST_F(Regimes, AreOfNoInterestOnceAllIsMeasuredAnew) {
  run();
  measure();
  ResultStore store(database_);
  Measurer measurer(tools_);
  PipelineOptions fresh;
  fresh.fresh = true;
  run_experiment(experiment_, measurer, store, {}, fresh, progress_);
  EXPECT_EQ(count("SELECT count(*) FROM regime_trial"), 0);
  EXPECT_EQ(measure().reused, 0U);
}

}  // namespace
}  // namespace tailwave
