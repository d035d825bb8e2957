#include <gmock/gmock.h>

#include <cmath>

#include "fakes/fake_device.h"
#include "fakes/sample_experiment.h"
#include "occupancy/occupancy.h"
#include "store/observation_store.h"
#include "store/sample_counters.h"
#include "store/sample_data.h"
#include "tune/foreign_plan.h"

namespace tailwave {
namespace {

using testing::ElementsAre;

constexpr const char* kH200 = "NVIDIA H200";
constexpr const char* kH100 = "NVIDIA H100 80GB HBM3";
constexpr std::int64_t kN = 4'194'304;  // so many blocks that all SMs are full

// The experiment twice/block_size with times of some block sizes.
class Foreign : public testing::Test {
 protected:
  struct Measured {
    std::int64_t block_size;
    double time_ns;  // 0: a wrong result
    std::string mode = "isolated";
  };

  void add(const std::string& device_name, const std::vector<Measured>& times,
           DeviceKind kind = DeviceKind::cuda) {
    DeviceDescription device = samples::gpu();
    device.name = device_name;
    device.kind = kind;
    RunRecord run = samples::run("block_size", "2025-01-01T10:00:00Z");
    run.system = "twice";
    ResultStore store(database_);
    const std::int64_t id = store.begin_run(run, device);
    for (const Measured& one : times) {
      const Values parameters{{"BLOCK_SIZE", one.block_size}};
      Trial trial = one.time_ns > 0 ? samples::trial("twice", parameters, {one.time_ns})
                                    : samples::failed("twice", parameters, Outcome::wrong_result, "");
      trial.configuration.system = "twice";
      trial.configuration.problem = {{"N", kN}};
      trial.key = "key of " + trial.configuration.name();
      trial.mode = one.mode;
      trial.launches = {samples::launch("twice", kN / one.block_size, one.block_size, 32, "blocks", 1, {})};
      store.add_trial(id, device, trial);
    }
  }
  ForeignSource source(const std::string& device = kH200) {
    return load_foreign_source(database_, "twice", "block_size", device);
  }
  std::string error_of(const std::string& device) {
    return samples::error_of([&] { source(device); });
  }
  ForeignPlan plan(const DeviceSpec& target, std::size_t known = 0) {
    std::optional<ForeignSource> measured;
    if (run_on(target.title)) measured = source(target.title);
    return plan_foreign(experiment_, planned_configurations(experiment_), {source()},
                        measured ? &*measured : nullptr, {target, &compiler_, 90}, known, 1);
  }
  bool run_on(const std::string& device) {
    return !database_
                .query("SELECT 1 FROM run JOIN device ON device.id = device_id WHERE name = :name",
                       {{"name", device}})
                .rows.empty();
  }

  fakes::FakeCompiler compiler_;
  Experiment experiment_ =
      fakes::twice_experiment({std::int64_t{16}, std::int64_t{32}, std::int64_t{64}, std::int64_t{128}});
  samples::TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};

  void SetUp() override { experiment_.problem = {{"N", {kN}}}; }
};

std::string name(int block_size) {
  return fmt::format("twice/twice/BLOCK_SIZE:{}/N:4194304", block_size);
}

TEST_F(Foreign, SourceIsDescribedByTheDeviceDatabase) {
  add(kH200, {{16, 100}, {32, 0}});
  const ForeignSource found = source();
  EXPECT_EQ(found.spec.name, "h200");
  ASSERT_TRUE(found.times.contains(name(16)));
  EXPECT_EQ(found.times.at(name(16)).launch->grid, kN / 16);
  EXPECT_EQ(found.times.at(name(16)).launch->sms, 132);
  EXPECT_THAT(found.without, ElementsAre(testing::Pair(name(32), "wrong_result")));
}

TEST_F(Foreign, SourceHasToBeAGpuThatRanTheExperiment) {
  const std::string file = (folder_ / "results.db").string();
  add(kH200, {{16, 100}});
  add("A CPU", {{16, 100}}, DeviceKind::cpu);
  add("AMD MI250X", {{16, 100}}, DeviceKind::recorded);
  EXPECT_EQ(error_of(kH100),
            file +
                ": no trials of experiment 'twice/block_size' on device 'NVIDIA H100 80GB HBM3'\n"
                "  run it there, or import what was recorded there");
  EXPECT_EQ(error_of("A CPU"), file + ": A CPU is no GPU\n  a CPU's times say nothing of a GPU's");
  EXPECT_THAT(error_of("AMD MI250X"), testing::StartsWith("unknown device 'AMD MI250X'\n"));
}

TEST_F(Foreign, SourceHasTheCurvesOfItsConfigurations) {
  add(kH200, {{16, 100}});
  GridCurve curve;
  curve.configuration = {"twice", "twice", {{"BLOCK_SIZE", std::int64_t{16}}}, {{"N", kN}}};
  curve.kernel = "twice";
  curve.full_grid = 4;
  curve.block_threads = 16;
  curve.sms = 132;
  curve.blocks_per_sm = 32;
  for (const std::int64_t blocks : {1, 132, 4224, 8448})
    curve.samples.push_back({blocks, true, {1000.0 + 1000.0 * static_cast<double>(blocks / 4224)}});
  DeviceDescription device = samples::gpu();
  add_grid_curve(database_,
                 {.system = "twice", .experiment = "residency", .observed_at = "2025-01-01T10:00:00Z"},
                 device, curve);
  const ForeignSource found = source();
  ASSERT_TRUE(found.times.at(name(16)).curve);
  const TimeModel& time_of = *found.times.at(name(16)).curve;
  EXPECT_NEAR(time_of(4224), 2000, 300);
  EXPECT_NEAR(time_of(8448), 3000, 300);
  // Of a device with other SMs it says nothing.
  curve.sms = 100;
  add_grid_curve(database_,
                 {.system = "twice", .experiment = "residency", .observed_at = "2025-01-02T10:00:00Z"},
                 device, curve);
  EXPECT_TRUE(source().times.at(name(16)).curve);
}

TEST_F(Foreign, PlanIsSortedByPredictedTimeAndSaysWhatItLacks) {
  if (!occupancy_available()) GTEST_SKIP() << "built without cuda_occupancy.h";
  add(kH200, {{16, 300}, {32, 100}, {64, 0}});
  const ForeignPlan planned = plan(find_device("h100"));
  ASSERT_EQ(planned.rows.size(), 4U);
  EXPECT_EQ(planned.rows[0].configuration, name(32));
  EXPECT_EQ(planned.rows[0].outcome, "predicted");
  EXPECT_NEAR(planned.rows[0].predicted->time_ns, 100 * std::sqrt(4800.0 / 3350), 1e-9);
  EXPECT_EQ(planned.rows[1].configuration, name(16));
  EXPECT_EQ(planned.rows[2].configuration, name(64));
  EXPECT_EQ(planned.rows[2].outcome, "not_measured");
  EXPECT_EQ(planned.rows[2].why, "wrong_result on NVIDIA H200");
  EXPECT_EQ(planned.rows[3].outcome, "not_measured");
  EXPECT_EQ(planned.rows[3].why, "");
  EXPECT_EQ(
      foreign_words(planned, kH100),
      "2 of 2 from times alone: anywhere between what memory and what SMs say (memory_ratio, sm_ratio)\n");
  const Table table = foreign_table(planned);
  EXPECT_EQ(table.columns.size(), table.rows[0].size());
  EXPECT_EQ(std::get<std::string>(table.rows[0][8]), "times");
}

TEST_F(Foreign, PlanComparesWithWhatTheTargetRanInTheSameMode) {
  if (!occupancy_available()) GTEST_SKIP() << "built without cuda_occupancy.h";
  add(kH200, {{16, 300}, {32, 100}, {64, 200}, {128, 400}});
  add(kH100, {{16, 360}, {32, 120}, {64, 4000}, {128, 500, "batched"}});
  const ForeignPlan planned = plan(find_device("h100"));
  EXPECT_EQ(planned.compared.size(), 3U);
  EXPECT_FALSE(planned.rows[3].measured_ns);
  EXPECT_EQ(
      foreign_words(planned, kH100),
      "4 of 4 from times alone: anywhere between what memory and what SMs say (memory_ratio, sm_ratio)\n"
      "measured on NVIDIA H100 80GB HBM3: 2 of 3 in the 80 % interval, 2 of 3 in the 95 % one; off by 0 % in the "
      "median; the best predicted takes 1.00 times as long as the best measured\n");
}

TEST_F(Foreign, KnownTimesCorrectTheOthers) {
  if (!occupancy_available()) GTEST_SKIP() << "built without cuda_occupancy.h";
  add(kH200, {{16, 300}, {32, 100}, {64, 200}});
  add(kH100, {{16, 450}, {32, 150}, {64, 300}});
  const double before = plan(find_device("h100")).rows[2].predicted->time_ns;
  const ForeignPlan planned = plan(find_device("h100"), 2);
  EXPECT_EQ(planned.known, 2U);
  EXPECT_EQ(planned.rows[0].outcome, "known");
  EXPECT_EQ(planned.rows[1].outcome, "known");
  EXPECT_EQ(planned.rows[2].outcome, "predicted");
  EXPECT_GT(planned.rows[2].predicted->time_ns, before);
  EXPECT_LT(planned.rows[2].predicted->time_ns, 450);
  EXPECT_EQ(planned.compared.size(), 1U);
  EXPECT_THAT(foreign_words(planned, kH100),
              testing::HasSubstr("corrected by 2 configurations measured on NVIDIA H100"));
}

TEST_F(Foreign, PredictionsFromCountersAreNotValidatedUntilTheTargetRan) {
  ForeignPlan planned;
  planned.predicted = 3;
  planned.by_counters = 2;
  EXPECT_EQ(
      foreign_words(planned, kH100),
      "1 of 3 from times alone: anywhere between what memory and what SMs say (memory_ratio, sm_ratio)\n"
      "2 of 3 from counters, too: not validated across devices\n");
  planned.compared.push_back({ForeignTime{.time_ns = 100, .shared = 0.1, .own = 0.1}, 105});
  EXPECT_THAT(foreign_words(planned, kH100),
              testing::EndsWith(
                  "2 of 3 from counters, too\n"
                  "measured on NVIDIA H100 80GB HBM3: 1 of 1 in the 80 % interval, 1 of 1 in the 95 % one; "
                  "off by 5 % in the median; the best predicted takes 1.00 times as long as the best "
                  "measured\n"));
}

TEST_F(Foreign, SeveralSourcesAreTakenTogether) {
  add(kH200, {{16, 100}});
  add("NVIDIA A100-SXM4-40GB", {{16, 200}, {32, 300}});
  const std::vector<ForeignSource> sources{source(), source("NVIDIA A100-SXM4-40GB")};
  const DeviceSpec target = find_device("h100");
  const double by_h200 = predict_from({sources[0]}, name(16), target, {})->time_ns;
  const double by_a100 = predict_from({sources[1]}, name(16), target, {})->time_ns;
  const double by_both = predict_from(sources, name(16), target, {})->time_ns;
  EXPECT_GT(by_both, std::min(by_h200, by_a100));
  EXPECT_LT(by_both, std::max(by_h200, by_a100));
  EXPECT_DOUBLE_EQ(predict_from(sources, name(32), target, {})->time_ns,
                   predict_from({sources[1]}, name(32), target, {})->time_ns);
  EXPECT_FALSE(predict_from(sources, name(64), target, {}));
}

TEST(JudgeForeign, CountsIntervalsAndErrors) {
  const ForeignTime at_100{.time_ns = 100, .shared = 0.1, .own = 0};
  const ForeignRecord record = judge_foreign({{at_100, 110}, {at_100, 120}, {at_100, 200}});
  EXPECT_EQ(record.compared, 3U);
  EXPECT_EQ(record.likely, 1U);
  EXPECT_EQ(record.nearly_sure, 2U);
  EXPECT_NEAR(record.median_percent, 20, 1e-9);
  EXPECT_TRUE(std::isnan(record.rank_correlation));
  EXPECT_EQ(judge_foreign({}).compared, 0U);
}

TEST_F(Foreign, RecordHasEachPairOfGpusInBothDirections) {
  add(kH200, {{16, 300}, {32, 100}, {64, 200}});
  EXPECT_TRUE(foreign_record_table(database_).rows.empty());
  add(kH100, {{16, 360}, {32, 120}, {64, 230, "batched"}});
  add("A GPU", {{16, 360}}, DeviceKind::recorded);
  const Table table = foreign_record_table(database_);
  EXPECT_EQ(
      samples::csv(table),
      "experiment,source,target,basis,configurations,median_percent,percent_95,in_80,in_95,correlation,regret\n"
      "twice/block_size,NVIDIA H100 80GB HBM3,NVIDIA H200,times,2,0.2496882788,0.2496882788,1,1,1,1\n"
      "twice/block_size,NVIDIA H200,NVIDIA H100 80GB HBM3,times,2,0.2496882788,0.2496882788,1,1,1,1\n"
      "all,NVIDIA H100 80GB HBM3,NVIDIA H200,times,2,0.2496882788,0.2496882788,1,1,,\n"
      "all,NVIDIA H200,NVIDIA H100 80GB HBM3,times,2,0.2496882788,0.2496882788,1,1,,\n");
  EXPECT_TRUE(foreign_record_table(database_, {{"experiment", std::string("other")}}).rows.empty());
  EXPECT_TRUE(foreign_record_table(database_, {{"system", std::string("other")}}).rows.empty());
  EXPECT_TRUE(foreign_record_table(database_, {{"device", std::string("A GPU")}}).rows.empty());
  EXPECT_EQ(foreign_record_table(database_, {{"device", std::string("cuda")}}).rows.size(), 4U);
}

TEST_F(Foreign, TakesTheLatestCountersOfTheLaunchThatTookLongest) {
  add(kH200, {{32, 1000}, {64, 2000}});
  DeviceDescription device = samples::gpu();
  device.name = kH200;
  CounterRun run = samples::counted("twice", {{"BLOCK_SIZE", std::int64_t{32}}}, samples::counted_values());
  run.configuration.system = "twice";
  run.configuration.problem = {{"N", kN}};
  CountedLaunch shorter = run.launches.front();
  shorter.position = 1;
  for (CounterValue& value : shorter.values) {
    if (value.metric == "gpu__time_duration.sum") value.value = 10;
    if (value.metric == "smsp__issue_active.sum") value.value = 0;
  }
  run.launches.push_back(shorter);
  samples::add_counted(database_, run, "2025-01-02", "block_size", device);
  const ForeignSource measured = source();
  const std::optional<CounterSummary>& counters = measured.times.at(name(32)).counters;
  ASSERT_TRUE(counters);
  EXPECT_NEAR(counters->of(DeviceLimit::issue), 4e6 / (528 * 17'000.0), 1e-9);
  EXPECT_NEAR(counters->of(DeviceLimit::fp32), 3e6 / (528 * 17'000.0), 1e-9);
  EXPECT_NEAR(counters->of(DeviceLimit::memory), 9e6 / (1500 * 30'000.0), 1e-9);
  EXPECT_EQ(counters->of(DeviceLimit::fp64), 0);
  EXPECT_FALSE(measured.times.at(name(64)).counters);
  const std::optional<ForeignTime> time = predict_from({measured}, name(32), find_device("a100"), {});
  ASSERT_TRUE(time);
  EXPECT_EQ(time->basis, ForeignBasis::counters);
}

}  // namespace
}  // namespace tailwave
