#include "occupancy/wave_models.h"

#include <gmock/gmock.h>

#include <cmath>
#include <stdexcept>

#include "core/error.h"

namespace tailwave {
namespace {

// 10 SMs with 4 blocks of a warp each: a wave is 40 blocks. Every r has a grid of its own, as in a measured curve.
constexpr WaveShape kShape{10, 4, 128};
const std::vector<std::int64_t> kGrids{1, 5, 10, 20, 30, 40, 41, 60, 80, 81, 100, 120, 160, 200, 320};
const std::vector<std::int64_t> kHeldOut{3, 15, 33, 44, 77, 95, 130, 199, 250, 301};

std::int64_t ceiling(std::int64_t number, std::int64_t by) {
  return (number + by - 1) / by;
}

std::vector<GridTime> times_of(const TimeModel& kernel) {
  std::vector<GridTime> grids;
  for (const std::int64_t blocks : kGrids) grids.push_back({blocks, kernel(blocks)});
  return grids;
}

const FittedModel& named(const std::vector<FittedModel>& models, const std::string& name) {
  for (const FittedModel& model : models)
    if (model.name == name) return model;
  throw std::out_of_range(name);
}

// The largest relative error of a model, fitted to kGrids, on kHeldOut.
double worst_error(const TimeModel& kernel, const std::string& model) {
  const std::vector<FittedModel> models = fit_wave_models(kShape, times_of(kernel));
  double worst = 0;
  for (const std::int64_t blocks : kHeldOut)
    worst = std::max(worst, std::abs(named(models, model).time_ns(blocks) / kernel(blocks) - 1));
  return worst;
}

double latency_bound(std::int64_t blocks) {
  return 1000.0 * static_cast<double>(ceiling(blocks, 40));
}

double issue_bound(std::int64_t blocks) {
  return 300 + 50.0 * static_cast<double>(ceiling(blocks, 10));
}

double memory_bound(std::int64_t blocks) {
  return 3000 + 7.0 * static_cast<double>(blocks);
}

// Two blocks an SM take hardly longer than one; each wave costs what its residency does.
double uneven_waves(std::int64_t blocks) {
  const double by_residency[]{0, 600, 650, 900, 1500};
  const auto full = static_cast<double>(blocks / 40);
  return full * 1500 + by_residency[ceiling(blocks % 40, 10)];
}

// The same, but a start-up of 500 is paid once.
double started_once(std::int64_t blocks) {
  return uneven_waves(blocks) - 500 * static_cast<double>(ceiling(blocks, 40) - 1);
}

TEST(WaveModels, StaircaseIsExactForAKernelOfEqualWaves) {
  EXPECT_LT(worst_error(latency_bound, "staircase"), 1e-12);
  EXPECT_LT(worst_error(latency_bound, "partial_wave"), 1e-12);
}

TEST(WaveModels, PartialWaveIsExactWhereTheResidencyCurveSaysItAll) {
  EXPECT_LT(worst_error(uneven_waves, "partial_wave"), 1e-12);
  EXPECT_LT(worst_error(uneven_waves, "variance_aware"), 1e-12);
  EXPECT_GT(worst_error(uneven_waves, "staircase"), 0.3);
}

TEST(WaveModels, VarianceAwareFindsAStartUpThatIsPaidOnce) {
  EXPECT_LT(worst_error(started_once, "variance_aware"), 1e-9);
  EXPECT_GT(worst_error(started_once, "partial_wave"), 0.3);
}

TEST(WaveModels, VarianceAwareFadesTheStepsOfBlocksThatDriftApart) {
  const TimeModel drifting = [](std::int64_t blocks) {
    const double waves = static_cast<double>(blocks) / 40;
    const double depth = waves < 1 ? 1 : std::exp(-waves);
    return 1000 * (waves + depth * (std::ceil(waves) - waves));
  };
  EXPECT_LT(worst_error(drifting, "variance_aware"), 0.5 * worst_error(drifting, "partial_wave"));
}

TEST(WaveModels, SmLoadIsExactForAKernelBoundByItsBusiestSm) {
  EXPECT_LT(worst_error(issue_bound, "sm_load"), 1e-9);
  EXPECT_GT(worst_error(issue_bound, "staircase"), 0.2);
}

TEST(WaveModels, DeviceLoadIsExactForAKernelBoundByMemory) {
  EXPECT_LT(worst_error(memory_bound, "device_load"), 1e-9);
  EXPECT_LT(worst_error(memory_bound, "interpolated"), 1e-9);
}

TEST(WaveModels, LoadsTakeNoNegativeStartAndNoNegativeSlope) {
  const std::vector<FittedModel> steep = fit_wave_models(kShape, {{10, 10}, {20, 40}, {30, 90}, {40, 160}});
  EXPECT_NEAR(named(steep, "sm_load").time_ns(400) / named(steep, "sm_load").time_ns(10), 40, 1e-9);
  const std::vector<FittedModel> falling =
      fit_wave_models(kShape, {{10, 103}, {20, 102}, {30, 101}, {40, 100}});
  EXPECT_EQ(named(falling, "device_load").time_ns(400), named(falling, "device_load").time_ns(1));
}

TEST(WaveModels, CalibratedOnesAgreeWithWhatTheyWereFittedTo) {
  const TimeModel odd = [](std::int64_t blocks) {
    return issue_bound(blocks) * (1 + 0.1 * std::sin(static_cast<double>(ceiling(blocks, 10))));
  };
  const std::vector<GridTime> grids = times_of(odd);
  const std::vector<FittedModel> models = fit_wave_models(kShape, grids);
  for (const char* name : {"calibrated_wave", "calibrated_load", "interpolated"})
    for (const GridTime& grid : grids)
      EXPECT_NEAR(named(models, name).time_ns(grid.blocks), grid.time_ns, 1e-9 * grid.time_ns) << name;
}

TEST(WaveModels, SelectedIsTheOneWithTheLeastErrorOnGridsLeftOut) {
  const std::vector<std::pair<TimeModel, std::string>> kernels{
      {issue_bound, "sm_load"}, {memory_bound, "device_load"}, {latency_bound, "staircase"}};
  for (const auto& [kernel, expected] : kernels) {
    const std::vector<FittedModel> models = fit_wave_models(kShape, times_of(kernel));
    EXPECT_EQ(models.back().name, "selected");
    for (const FittedModel& model : models)
      EXPECT_LE(models.back().left_out_error, model.left_out_error) << model.name;
    for (const std::int64_t blocks : kHeldOut)
      EXPECT_NEAR(models.back().time_ns(blocks), named(models, expected).time_ns(blocks), 1e-6) << expected;
  }
}

TEST(WaveModels, LeftOutErrorIsThatOfModelsFittedToTheOthers) {
  // Between 100 at 10 and 200 at 30 blocks, 20 blocks take 150; they took 120.
  const std::vector<FittedModel> models = fit_wave_models(kShape, {{30, 200}, {10, 100}, {20, 120}});
  EXPECT_DOUBLE_EQ(named(models, "interpolated").left_out_error, 150.0 / 120 - 1);
}

TEST(WaveModels, NeedThreeGridsWithATime) {
  try {
    fit_wave_models(kShape, {{1, 10}, {2, 0}, {3, 10}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "2 grids to fit wave models to, they need at least 3\n  take a problem with more blocks");
  }
}

TEST(WaveModels, RefuseAShapeWithoutSms) {
  EXPECT_THROW(fit_wave_models({0, 1, 1}, {{1, 1}, {2, 1}, {3, 1}}), std::invalid_argument);
}

TEST(ResidencyCurve, IsLinearBetweenWhatWasMeasured) {
  const ResidencyCurve curve({10, 8, 128}, {{5, 90}, {10, 100}, {40, 400}, {80, 900}, {81, 1}});
  EXPECT_DOUBLE_EQ(curve(1), 100);
  EXPECT_DOUBLE_EQ(curve(2), 200);
  EXPECT_DOUBLE_EQ(curve(8), 900);
  EXPECT_DOUBLE_EQ(curve(9), 900);
}

TEST(ResidencyCurve, StepsWhereASchedulerGetsAWarpMore) {
  const ResidencyCurve curve({10, 12, 32}, {{40, 100}, {80, 200}, {120, 300}});
  EXPECT_DOUBLE_EQ(curve(3), 100);
  EXPECT_DOUBLE_EQ(curve(5), 200);
  EXPECT_DOUBLE_EQ(curve(8), 200);
  EXPECT_DOUBLE_EQ(curve(9), 300);
}

TEST(ResidencyCurve, TakesTheSmallestGridWhereNoneHasUpToAWave) {
  EXPECT_DOUBLE_EQ(ResidencyCurve({10, 2, 32}, {{50, 7}, {60, 8}})(2), 7);
}

}  // namespace
}  // namespace tailwave
