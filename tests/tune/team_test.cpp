#include "measure/team.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "core/error.h"
#include "tune/bench_fixture.h"
#include "tune/pipeline.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A GPU of a kind, whose times are those of the launches, so many times as long as on the first.
class Gpu : public fakes::LocalWorker {
 public:
  Gpu(int number, double factor) : Gpu(std::make_unique<fakes::FakeExecutor>(), number, factor) {}

  [[nodiscard]] const DeviceDescription& description() const override { return description_; }
  void begin(Repetition repetition) override {
    if (begun() >= lost_after) throw LostDevice(*this, "no CUDA device is there any more");
    LocalWorker::begin(std::move(repetition));
  }
  RepetitionResult finish() override {
    RepetitionResult result = LocalWorker::finish();
    if (++finished_ == killed_at) {
      result = {};
      result.outcome = Outcome::crashed;
      result.detail = "the device's worker process was killed by signal 9 (Killed)";
    }
    if (finished_ == fails_at) {
      result = {};
      result.outcome = Outcome::launch_failed;
      result.detail = "CUDA_ERROR_ECC_UNCORRECTABLE";
      lost_after = 0;
    }
    return result;
  }
  void revive() override {
    if (lost_after == 0) throw LostDevice(*this, "no CUDA device is there any more");
  }

  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  std::size_t lost_after = kNever, killed_at = kNever, fails_at = kNever;

 private:
  Gpu(std::unique_ptr<fakes::FakeExecutor> device, int number, double factor)
      : LocalWorker(*device), device_(std::move(device)), description_(device_->description()) {
    description_.uuid = "GPU-" + std::to_string(number);
    device_->kernels["twice"] = twice;
    device_->time_of = [factor](std::span<const Launch> launches) {
      return factor * 1e4 * (1 + static_cast<double>(7 * launches.front().block.x % 61) / 100);
    };
  }
  std::unique_ptr<fakes::FakeExecutor> device_;
  DeviceDescription description_;
  std::size_t finished_ = 0;
};

class TeamTest : public BenchFixture {
 protected:
  TeamTest() { experiment_ = fakes::twice_experiment(sizes(60)); }

  static std::vector<Value> sizes(std::int64_t count) {
    std::vector<Value> all;
    for (std::int64_t size = 1; size <= count; ++size) all.emplace_back(size);
    return all;
  }

  Gpu& add_gpu(double factor = 1) {
    gpus_.push_back(std::make_unique<Gpu>(static_cast<int>(gpus_.size()), factor));
    return *gpus_.back();
  }

  RunSummary run(const PipelineOptions& options = {}) {
    measurers_.clear();
    std::vector<Measurer*> members;
    for (const auto& gpu : gpus_) {
      Tools tools = tools_;
      tools.device = gpu.get();
      measurers_.push_back(measurers_.empty() ? std::make_unique<Measurer>(tools)
                                              : std::make_unique<Measurer>(tools, *measurers_.front()));
      members.push_back(measurers_.back().get());
    }
    Team team(members, [this](const std::string& text) { told_ += text; });
    ResultStore store(database_);
    return run_experiment(experiment_, team, store, {}, options, progress_);
  }

  // Configurations from the best to the worst.
  std::string ranking() {
    return text(
        "SELECT group_concat(configuration, ' ') FROM (SELECT configuration FROM ranked_trial ORDER BY place)");
  }
  std::int64_t correct_once() {
    return count("SELECT count(*) FROM current_trial WHERE outcome = 'correct'");
  }

  std::vector<std::unique_ptr<Gpu>> gpus_;
  std::vector<std::unique_ptr<Measurer>> measurers_;
  std::string told_;
};

TEST_F(TeamTest, ShareEachRunOfAProblem) {
  constexpr std::int64_t kProblems = 8;
  for (int i = 0; i < 2; ++i) add_gpu();
  // Of each problem as many configurations as a run has, for two GPUs.
  experiment_.cases.at(0).parameters.at(0).values = sizes(2 * static_cast<std::int64_t>(kOfAProblem));
  std::vector<Value> problems;
  for (std::int64_t n = 1; n <= kProblems; ++n) problems.emplace_back(1000 + n);
  experiment_.problem = {{"N", problems}};
  run({.build_processes = 1});
  const Table rows = database_.query(
      "SELECT device_id, problem FROM trial JOIN configuration ON configuration.id = configuration_id "
      "JOIN sample ON sample.trial_id = trial.id WHERE run_id = 1 GROUP BY trial.id ORDER BY device_id, "
      "min(sequence)",
      {});
  int changes = 0;
  for (std::size_t i = 1; i < rows.rows.size(); ++i)
    changes += static_cast<int>(rows.rows[i] != rows.rows[i - 1]);
  EXPECT_EQ(rows.rows.size(), 2 * kOfAProblem * kProblems);
  EXPECT_EQ(changes, 2 * kProblems - 1);  // one GPU comes after the other here
}

TEST_F(TeamTest, ShareASweepAndEachTrialKnowsItsGpu) {
  for (int i = 0; i < 3; ++i) add_gpu();
  const RunSummary summary = run();
  EXPECT_EQ(summary.outcomes.at(Outcome::correct), 60U);
  EXPECT_EQ(count("SELECT count(*) FROM trial WHERE run_id = 1"), 60);
  EXPECT_EQ(count("SELECT count(DISTINCT uuid) FROM trial JOIN device ON device.id = trial.device_id"), 3);
  EXPECT_GE(count("SELECT min(n) FROM (SELECT count(*) AS n FROM trial WHERE run_id = 1 GROUP BY device_id)"),
            10);
  EXPECT_EQ(
      count(
          "SELECT count(*) FROM (SELECT sequence FROM sample JOIN trial ON trial.id = trial_id WHERE run_id = 1 "
          "UNION ALL SELECT sequence FROM drift_sample WHERE run_id = 1)"),
      count(
          "SELECT count(DISTINCT sequence) FROM (SELECT sequence FROM sample JOIN trial ON trial.id = trial_id "
          "WHERE run_id = 1 UNION SELECT sequence FROM drift_sample WHERE run_id = 1)"));
  EXPECT_EQ(run().reused, 60U);
}

TEST_F(TeamTest, AreHeldBesideEachOtherByTheirFactors) {
  add_gpu();
  run();
  const std::string alone = ranking();
  database_.execute("DELETE FROM run");
  add_gpu(1.03);
  add_gpu(0.99);
  const RunSummary summary = run();
  ASSERT_EQ(summary.gpu_factors.size(), 3U);
  EXPECT_DOUBLE_EQ(summary.gpu_factors[0].factor, 1);
  EXPECT_NEAR(summary.gpu_factors[1].factor, 1.03, 1e-12);
  EXPECT_NEAR(summary.gpu_factors[2].factor, 0.99, 1e-12);
  EXPECT_TRUE(summary.gpu_factors[1].interval);
  EXPECT_GE(summary.gpu_factors[1].ratios, kFewestForInterval);
  EXPECT_EQ(ranking(), alone);
  EXPECT_EQ(count("SELECT count(*) FROM gpu_factor WHERE run_id = 1 AND factor BETWEEN low AND high"), 3);
  // Without them it is another one.
  database_.execute("DELETE FROM gpu_factor; DELETE FROM run WHERE id > 1");
  EXPECT_NE(ranking(), alone);
}

TEST_F(TeamTest, MeasureTheLeadersAgainOnOne) {
  for (int i = 0; i < 3; ++i) add_gpu();
  const RunSummary summary = run();
  ASSERT_TRUE(summary.leaders_run);
  EXPECT_GE(summary.leaders, 3U);
  EXPECT_EQ(
      count("SELECT count(*) FROM (SELECT DISTINCT uuid FROM ranked_trial JOIN trial ON trial.id = trial_id "
            "JOIN device ON device.id = trial.device_id WHERE place <= 3)"),
      1);
}

// Several problems at the same time, and still held beside what another one measured.
TEST_F(TeamTest, MeasureTheLeadersOfEachProblemOnOneOfThem) {
  experiment_.problem = {{"N", {std::int64_t{64}, std::int64_t{128}, std::int64_t{192}}}};
  add_gpu();
  run();
  const std::string alone = ranking();
  database_.execute("DELETE FROM run");
  add_gpu(1.03);
  const RunSummary summary = run();
  ASSERT_TRUE(summary.leaders_run);
  const std::string leaders =
      "FROM trial JOIN configuration ON configuration.id = configuration_id WHERE run_id = " +
      std::to_string(*summary.leaders_run);
  EXPECT_EQ(
      count("SELECT max(n) FROM (SELECT count(DISTINCT device_id) AS n " + leaders + " GROUP BY problem)"),
      1);
  EXPECT_EQ(count("SELECT count(DISTINCT device_id) " + leaders), 2);
  EXPECT_LE(count("SELECT max(n) FROM (SELECT count(*) AS n " + leaders + " GROUP BY problem)"),
            static_cast<int>(kMostOnOneGpu));
  EXPECT_EQ(ranking(), alone);
}

// It may happen while leaders are measured again, which then have no GPU of their own any more.
TEST_F(TeamTest, GoOnWithoutOneThatIsLostAmongLeaders) {
  experiment_.problem = {{"N", {std::int64_t{64}, std::int64_t{128}, std::int64_t{192}}}};
  std::size_t lost = 0;
  for (const std::size_t after : {92U, 94U, 96U, 98U}) {
    database_.execute("DELETE FROM run");
    gpus_.clear();
    told_.clear();
    add_gpu();
    add_gpu().lost_after = after;
    const RunSummary summary = run();
    lost += told_.empty() ? 0 : 1;
    EXPECT_EQ(correct_once(), 180) << after;
    if (!summary.leaders_run) continue;
    EXPECT_EQ(count("SELECT count(*) FROM trial WHERE run_id = " + std::to_string(*summary.leaders_run)),
              static_cast<std::int64_t>(summary.leaders))
        << after;
  }
  EXPECT_GE(lost, 2U);
}

TEST_F(TeamTest, MeasureTheDriftInTurnsAmongOthers) {
  experiment_ = fakes::twice_experiment(sizes(600));
  for (int i = 0; i < 2; ++i) add_gpu();
  run();
  const std::string drift = "FROM drift_sample WHERE run_id = 1 ";
  EXPECT_EQ(count("SELECT count(DISTINCT configuration_id) " + drift), 3);
  EXPECT_GE(count("SELECT count(DISTINCT block) " + drift), 6);
  EXPECT_EQ(
      count("SELECT max(n) FROM (SELECT count(DISTINCT configuration_id) AS n " + drift + "GROUP BY block)"),
      1);
  EXPECT_EQ(count("SELECT min(n) FROM (SELECT count(DISTINCT device_id) AS n " + drift + "GROUP BY block)"),
            2);
}

TEST_F(TeamTest, GoOnWithoutOneThatIsLost) {
  add_gpu();
  add_gpu().lost_after = 7;
  add_gpu();
  const RunSummary summary = run();
  EXPECT_EQ(summary.outcomes.at(Outcome::correct), 60U);
  EXPECT_EQ(correct_once(), 60);
  EXPECT_THAT(told_, HasSubstr("the GPU GPU-1 is left out from here on, and 2 are left: no CUDA device"));
}

TEST_F(TeamTest, GoOnWithoutTheFirst) {
  add_gpu().lost_after = 3;
  add_gpu();
  run();
  EXPECT_EQ(correct_once(), 60);
  EXPECT_THAT(told_, HasSubstr("GPU-0 is left out from here on, and one is left"));
}

// Also where what waits for the first one's place is begun on the second, which is lost by that, and the third has nothing.
TEST_F(TeamTest, GoOnWithoutTwoOfThreeWhereverTheyAreLost) {
  for (std::int64_t all = 1; all <= 4; ++all)
    for (std::size_t one = 0; one < 3; ++one)
      for (std::size_t other = 0; other < 3; ++other) {
        SCOPED_TRACE(testing::Message() << all << " configurations, lost after " << one << " and " << other);
        database_.execute("DELETE FROM run");
        experiment_ = fakes::twice_experiment(sizes(all));
        gpus_.clear();
        add_gpu().lost_after = one;
        add_gpu().lost_after = other;
        add_gpu();
        run();
        EXPECT_EQ(correct_once(), all);
      }
}

TEST_F(TeamTest, MeasureAnewWhatALostOneHadBegun) {
  experiment_.measure.repetitions = 3;
  add_gpu();
  add_gpu().lost_after = 40;  // in a later block
  run();
  EXPECT_EQ(correct_once(), 60);
  EXPECT_EQ(
      count("SELECT count(*) FROM (SELECT trial_id FROM sample GROUP BY trial_id HAVING count(*) <> 15)"), 0);
}

TEST_F(TeamTest, BlameTheGpuForWhatFailedRightBeforeItWasLost) {
  add_gpu();
  add_gpu().fails_at = 5;
  run();
  EXPECT_EQ(correct_once(), 60);
}

TEST_F(TeamTest, TryOnceMoreWhatWasKilledFromOutside) {
  add_gpu();
  add_gpu().killed_at = 5;
  run();
  EXPECT_EQ(correct_once(), 60);
  EXPECT_EQ(told_, "");
}

TEST_F(TeamTest, KeepWhatIsMeasuredWhenTheLastIsLost) {
  add_gpu().lost_after = 10;
  add_gpu().lost_after = 10;
  EXPECT_THROW(run(), Error);
  EXPECT_GE(correct_once(), 10);
  for (const auto& gpu : gpus_) gpu->lost_after = Gpu::kNever;
  run();
  EXPECT_EQ(correct_once(), 60);
}

class ManyMembersTest : public TeamTest, public testing::WithParamInterface<int> {};

TEST_P(ManyMembersTest, MeasureEachConfigurationOnce) {
  experiment_ = fakes::twice_experiment(sizes(1000));
  for (int i = 0; i < GetParam(); ++i) add_gpu(1 + i % 5 / 100.0);
  gpus_.back()->lost_after = 3;
  const RunSummary summary = run();
  EXPECT_EQ(summary.outcomes.at(Outcome::correct), 1000U);
  EXPECT_EQ(count("SELECT count(*) FROM trial WHERE run_id = 1"), 1000);
  EXPECT_EQ(
      count(
          "SELECT count(DISTINCT uuid) FROM trial JOIN device ON device.id = trial.device_id WHERE run_id = 1"),
      GetParam());
  EXPECT_EQ(summary.gpu_factors.size(), static_cast<std::size_t>(GetParam()) - 1);
}

INSTANTIATE_TEST_SUITE_P(Counts, ManyMembersTest, testing::Values(8, 64));

class SearchOfATeamTest : public TeamTest {
 protected:
  SearchSummary search() {
    Tools first = tools_, second = tools_;
    first.device = gpus_.at(0).get();
    second.device = gpus_.at(1).get();
    Measurer one(first), other(second, one);
    Team team({&one, &other});
    ResultStore store(database_);
    TuneOptions options;
    options.strategy = &find_strategy("random");
    options.options = complete_options(*options.strategy, {});
    options.budget.evaluations = 60;
    return tune_experiment(experiment_, team, store, {}, options, progress_).at(0);
  }
};

TEST_F(SearchOfATeamTest, UsesBothAndEndsOnOne) {
  add_gpu();
  add_gpu(1.03);
  const SearchSummary found = search();
  EXPECT_EQ(found.evaluations, 60U);
  EXPECT_EQ(found.best->parameters.at("BLOCK_SIZE"), Value(std::int64_t{35}));
  EXPECT_EQ(count("SELECT count(DISTINCT device_id) FROM trial WHERE run_id = 1"), 2);
  EXPECT_EQ(count("SELECT count(DISTINCT device_id) FROM trial WHERE run_id = 2"), 1);
  EXPECT_EQ(count("SELECT count(*) FROM gpu_factor WHERE run_id = 1"), 2);
}

TEST_F(SearchOfATeamTest, GoesOnWithoutOneThatIsLost) {
  for (const std::size_t lost : {0U, 1U}) {
    database_.execute("DELETE FROM run");
    gpus_.clear();
    add_gpu();
    add_gpu();
    gpus_.at(lost)->lost_after = 5;
    const SearchSummary found = search();
    EXPECT_EQ(found.evaluations, 60U);
    EXPECT_EQ(found.outcomes.at(Outcome::correct), 60U);
    EXPECT_EQ(found.best->parameters.at("BLOCK_SIZE"), Value(std::int64_t{35}));
  }
}

}  // namespace
}  // namespace tailwave
