#include "tune/curve_models.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/error.h"
#include "core/statistics.h"
#include "occupancy/launch_speed.h"
#include "store/observation_store.h"

namespace tailwave {
namespace {

std::set<std::int64_t> predicted_grids(const GridCurve& curve) {
  std::set<std::int64_t> grids;
  for (const GridSample& sample : curve.samples) grids.insert(sample.blocks);
  constexpr int kMostWaves = 64;
  const std::int64_t wave = wave_shape_of(curve).slots;
  const std::int64_t largest = *grids.rbegin();
  for (int waves = 1; waves <= kMostWaves && waves * wave < largest; ++waves)
    grids.insert({waves * wave, waves * wave + 1});
  return grids;
}

}  // namespace

WaveShape wave_shape_of(const GridCurve& curve) {
  if (!curve.cluster_slots) return {curve.sms, curve.blocks_per_sm, curve.block_threads};
  const auto sms = static_cast<int>(filled_sms(*curve.cluster_slots, curve.blocks_per_sm));
  return {sms, curve.blocks_per_sm, curve.block_threads, *curve.cluster_slots};
}

std::vector<GridTime> fitted_grids(const GridCurve& curve) {
  std::vector<GridTime> fitted;
  for (const GridSample& sample : curve.samples)
    if (sample.fitted && !sample.times_ns.empty()) fitted.push_back({sample.blocks, median(sample.times_ns)});
  return fitted;
}

void predict_grid_curve(GridCurve& curve) {
  const std::vector<FittedModel> models = fit_wave_models(wave_shape_of(curve), fitted_grids(curve));
  curve.predictions.clear();
  const std::set<std::int64_t> grids = predicted_grids(curve);
  for (const FittedModel& model : models)
    for (const std::int64_t blocks : grids)
      curve.predictions.push_back({model.name, blocks, model.time_ns(blocks)});
}

void predict_new_curves(Database& database) {
  for (StoredGridCurve& stored : grid_curves(database)) {
    if (!stored.curve.predictions.empty()) continue;
    try {
      predict_grid_curve(stored.curve);
    } catch (const Error&) {
      continue;
    }
    replace_predictions(database, stored.id, stored.curve.predictions);
  }
}

std::vector<ModelError> held_out_errors(const GridCurve& curve) {
  std::map<std::int64_t, double> measured_ns;
  for (const GridSample& sample : curve.samples)
    if (!sample.fitted && !sample.times_ns.empty()) measured_ns[sample.blocks] = median(sample.times_ns);
  std::vector<std::string> models;
  std::map<std::string, std::vector<double>> errors;
  for (const GridPrediction& prediction : curve.predictions) {
    const auto measured = measured_ns.find(prediction.blocks);
    if (measured == measured_ns.end() || !(measured->second > 0)) continue;
    std::vector<double>& of_model = errors[prediction.model];
    if (of_model.empty()) models.push_back(prediction.model);
    of_model.push_back(std::abs(prediction.time_ns / measured->second - 1));
  }
  std::vector<ModelError> medians;
  for (const std::string& model : models) medians.push_back({model, median(errors.at(model))});
  return medians;
}

}  // namespace tailwave
