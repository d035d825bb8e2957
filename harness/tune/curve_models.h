#pragma once

#include <string>
#include <vector>

#include "core/trace.h"
#include "occupancy/wave_models.h"
#include "store/database.h"

namespace tailwave {

// What its models take the curve's launch for.
WaveShape wave_shape_of(const GridCurve& curve);

// The grids that models are fitted to, and their medians.
std::vector<GridTime> fitted_grids(const GridCurve& curve);

// Fits the wave models (occupancy/wave_models.h) to the medians of the curve's fitted grids and replaces its
// predictions by those of every model: for every grid that was measured, and for those up to the largest whose waves
// are full or that have one block more (the first 64 waves). Throws Error for too few fitted grids.
void predict_grid_curve(GridCurve& curve);

// The same for the stored curves that have no predictions, such as imported ones; a curve with too few grids stays
// without.
void predict_new_curves(Database& database);

// The median of |predicted / measured median - 1| over the curve's held-out grids, one for each model in order of their
// predictions; empty without such a grid.
struct ModelError {
  std::string model;
  double error = 0;
};
std::vector<ModelError> held_out_errors(const GridCurve& curve);

}  // namespace tailwave
