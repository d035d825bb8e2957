#include "tune/curve_models.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "core/error.h"
#include "tune/grid_curve.h"

namespace tailwave {
namespace {

// 10 SMs with 2 blocks each; a grid takes 100 ns and 10 for each block of the busiest SM, 41 blocks a quarter longer.
GridCurve sample_curve() {
  GridCurve curve;
  curve.sms = 10;
  curve.blocks_per_sm = 2;
  curve.block_threads = 128;
  const std::map<std::int64_t, bool> fitted{{1, true},  {10, true},  {20, true},  {21, true},
                                            {40, true}, {41, false}, {55, false}, {60, true}};
  for (const auto& [blocks, is_fitted] : fitted) {
    const double time_ns = (100 + 10 * static_cast<double>((blocks + 9) / 10)) * (blocks == 41 ? 1.25 : 1);
    curve.samples.push_back(
        {blocks, is_fitted, {time_ns - 1, time_ns + 1, time_ns - 2, time_ns, time_ns + 900}});
  }
  return curve;
}

TEST(CurveModels, PredictEveryMeasuredGridAndBothSidesOfEveryWave) {
  GridCurve curve = sample_curve();
  predict_grid_curve(curve);
  std::map<std::string, std::set<std::int64_t>> grids;
  for (const GridPrediction& prediction : curve.predictions) {
    EXPECT_GT(prediction.time_ns, 0);
    EXPECT_TRUE(grids[prediction.model].insert(prediction.blocks).second);
  }
  EXPECT_THAT(grids, testing::SizeIs(9));
  for (const auto& [model, blocks] : grids)
    EXPECT_THAT(blocks, testing::ElementsAre(1, 10, 20, 21, 40, 41, 55, 60)) << model;
}

TEST(CurveModels, AreFittedToTheMediansOfFittedGridsAlone) {
  GridCurve curve = sample_curve();
  predict_grid_curve(curve);
  for (const GridPrediction& prediction : curve.predictions) {
    if (prediction.model != "sm_load" && prediction.model != "selected") continue;
    EXPECT_NEAR(prediction.time_ns, 100 + 10 * static_cast<double>((prediction.blocks + 9) / 10), 1e-6);
  }
}

// 10 SMs of 2 blocks, of which clusters of 6 blocks can use 18.
TEST(CurveModels, OfClustersHaveWavesOfThoseThatRunAtOnce) {
  GridCurve curve = sample_curve();
  curve.cluster_slots = 18;
  const WaveShape shape = wave_shape_of(curve);
  EXPECT_EQ(shape.slots, 18);
  EXPECT_EQ(shape.sms, 9);
  predict_grid_curve(curve);
  std::map<std::int64_t, double> staircase;
  for (const GridPrediction& one : curve.predictions)
    if (one.model == "staircase") staircase[one.blocks] = one.time_ns;
  EXPECT_DOUBLE_EQ(staircase.at(36), 2 * staircase.at(18));
  EXPECT_DOUBLE_EQ(staircase.at(37), 3 * staircase.at(18));
  std::vector<std::int64_t> grids;
  for (const GridSample& grid : curve_grids(60, shape, 6, {.held_out = 0})) grids.push_back(grid.blocks);
  EXPECT_THAT(grids, testing::ElementsAre(6, 12, 18, 24, 30, 36, 42, 48, 54, 60));
}

TEST(CurveModels, ReplaceEarlierPredictions) {
  GridCurve curve = sample_curve();
  predict_grid_curve(curve);
  const std::size_t once = curve.predictions.size();
  predict_grid_curve(curve);
  EXPECT_EQ(curve.predictions.size(), once);
}

TEST(CurveModels, TellTheMedianErrorOnHeldOutGrids) {
  GridCurve curve = sample_curve();
  predict_grid_curve(curve);
  const std::vector<ModelError> errors = held_out_errors(curve);
  ASSERT_EQ(errors.size(), 9U);
  EXPECT_EQ(errors.front().model, "staircase");
  EXPECT_EQ(errors.back().model, "selected");
  EXPECT_NEAR(errors.back().error, 0.1, 1e-9);  // of 150 / 187.5 - 1 and 0
}

TEST(CurveModels, HaveNoErrorsWithoutHeldOutGrids) {
  GridCurve curve = sample_curve();
  for (GridSample& sample : curve.samples) sample.fitted = true;
  predict_grid_curve(curve);
  EXPECT_THAT(held_out_errors(curve), testing::IsEmpty());
}

TEST(CurveModels, SayWhenThereAreTooFewGrids) {
  GridCurve curve = sample_curve();
  curve.samples.resize(2);
  EXPECT_THROW(predict_grid_curve(curve), Error);
}

}  // namespace
}  // namespace tailwave
