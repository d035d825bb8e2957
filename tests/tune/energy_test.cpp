#include "tune/energy.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "store/energy_store.h"
#include "tune/bench_fixture.h"
#include "tune/metric_values.h"
#include "tune/pipeline.h"

namespace tailwave {
namespace {

using testing::HasSubstr;

std::string failure_text(const std::function<void()>& action) {
  try {
    action();
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "";
}

// Readings every 10 ms of a counter that steps every 100 ms, at 300 W.
std::vector<PowerReading> steady_readings(double seconds) {
  std::vector<PowerReading> readings;
  for (double at_s = 0; at_s < seconds; at_s += 0.01)
    readings.push_back({at_s,
                        {.energy_j = 30 * std::floor(at_s / 0.1 + 1e-9),
                         .sm_clock_mhz = at_s < 1 ? 1500 : 1400,
                         .temperature_c = 40 + at_s,
                         .power_limit_w = 700,
                         .throttle_reasons = at_s < 2 ? "none" : "sw_power_cap"}});
  return readings;
}

TEST(Energy, IsCountedBetweenStepsInTheWindow) {
  EnergyRecord record{.executions = 1000, .window_s = 2.5};
  count_energy(steady_readings(4), 3.05, record);  // the window is 0.55 to 3.05, what settles ends at 0.8
  EXPECT_NEAR(record.counted_s, 2.2, 1e-9);        // from 0.8 to 3.0
  EXPECT_NEAR(record.joules, 660, 1e-9);
  EXPECT_NEAR(record.power_w(), 300, 1e-6);
  EXPECT_NEAR(record.sustained_s(), 2.5e-3, 1e-12);
  EXPECT_NEAR(record.joules_of_execution(), 0.75, 1e-9);
  EXPECT_EQ(record.sm_clock_low_mhz, 1400);
  EXPECT_EQ(record.sm_clock_high_mhz, 1500);
  EXPECT_NEAR(record.temperature_c.value_or(0), 43.05, 0.02);
  EXPECT_EQ(record.power_limit_w, 700);
  EXPECT_EQ(record.throttle_reasons, "sw_power_cap");
}

TEST(Energy, IsNotKnownWhereTheCounterStandsStill) {
  EnergyRecord record{.executions = 10, .window_s = 0.3};
  EXPECT_EQ(failure_text([&] { count_energy(steady_readings(0.35), 0.35, record); }),
            "the counter of energy did not step twice in 0.3 s");
  EXPECT_EQ(failure_text([&] { count_energy({}, 1, record); }),
            "the counter of energy did not step twice in 0.3 s");
}

// A GPU on which an execution takes a millisecond, and that takes 200 W.
class CountingExecutor : public fakes::FakeExecutor {
 public:
  PowerState power_state() override {
    constexpr double kWatt = 200, kStepS = 0.02;
    const double since_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    return {.energy_j = kWatt * kStepS * std::floor(since_s / kStepS), .power_limit_w = 700};
  }
  std::vector<RunResult> repeat(Program& program, const FreshStart& start, std::span<const Launch> launches,
                                const RunOptions& options, int times) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(options.executions > 10 ? options.executions : 0));
    RunOptions once = options;
    once.executions = 1;
    return FakeExecutor::repeat(program, start, launches, once, times);
  }
};

class EnergyTest : public BenchFixture {
 protected:
  EnergyTest() {
    counting_.kernels["twice"] = twice;
    counting_.times_ns = {1e6};
    experiment_.metric = {"time", false};
    experiment_.further_metrics = {{.name = "energy", .maximise = false},
                                   {.name = "watts", .maximise = false, .value = Expression::parse("power")}};
    experiment_.energy = EnergySettings{.window_s = 0.3, .most = 2};
  }

  void run(Worker& device) {
    tools_.device = &device;
    ResultStore store(database_);
    Measurer measurer(tools_);
    run_experiment(experiment_, measurer, store, {}, {}, progress_);
    measured_ = measure_energies(experiment_, measurer, database_, {});
  }

  CountingExecutor counting_;
  std::size_t measured_ = 0;
};

TEST_F(EnergyTest, IsMeasuredOfTheBestAndFollowsIntoMetrics) {
  fakes::LocalWorker device(counting_, energy_tasks({&experiment_.system}));
  run(device);
  EXPECT_EQ(measured_, 2U);
  EXPECT_EQ(count("SELECT count(*) FROM trial_energy WHERE missing IS NULL AND counted_s >= 0.3"), 2);
  EXPECT_EQ(count("SELECT count(*) FROM trial_metric WHERE name = 'watts' AND value BETWEEN 170 AND 230"), 2);
  EXPECT_EQ(
      count("SELECT count(*) FROM trial_metric JOIN trial_energy USING (trial_id) WHERE name = 'energy' "
            "AND unit = 'J' AND abs(value / (joules / counted_s * 1e-3) - 1) < 1e-6"),
      2);
  EXPECT_EQ(text("SELECT DISTINCT trial_metric.missing FROM trial_metric WHERE value IS NULL"),
            "its energy was not measured: that of the best is, as 'energy' of the spec says");
  run(device);  // what is known is not measured again
  EXPECT_EQ(measured_, 0U);
}

TEST_F(EnergyTest, IsAbsentWithTheReasonWhereNobodyCountsIt) {
  fakes::LocalWorker device(device_, energy_tasks({&experiment_.system}));
  run(device);
  EXPECT_EQ(count("SELECT count(*) FROM trial_energy WHERE missing IS NOT NULL"), 2);
  EXPECT_EQ(
      text(
          "SELECT min(trial_metric.missing) FROM trial_metric JOIN trial_energy USING (trial_id) WHERE name = 'energy'"),
      "this device does not count energy: GPUs do, through NVML");
}

TEST_F(EnergyTest, StopsWhenThatIsRequested) {
  fakes::LocalWorker device(counting_, energy_tasks({&experiment_.system}));
  tools_.device = &device;
  ResultStore store(database_);
  Measurer measurer(tools_);
  run_experiment(experiment_, measurer, store, {}, {}, progress_);
  EXPECT_THROW(measure_energies(experiment_, measurer, database_, [] { return true; }), Cancelled);
  EXPECT_EQ(count("SELECT count(*) FROM trial_energy"), 0);
}

}  // namespace
}  // namespace tailwave
