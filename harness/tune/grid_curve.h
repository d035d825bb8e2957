#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compile/cache.h"
#include "core/trace.h"
#include "measure/measurer.h"
#include "occupancy/wave_models.h"
#include "spec/experiment.h"

namespace tailwave {

struct CurveOptions {
  int held_out = 12;       // grids that models are not fitted to
  std::uint64_t seed = 1;  // of the held-out grids, and of the order in which all are timed
  int samples = 9;         // of each grid
};

// The grids of a curve, ascending. Fitted ones are 1 block; a quarter, a half and three quarters of the SMs; r blocks
// an SM for r = 1..blocks_per_sm, or every so many, so that they are at most 16; one wave and 20 numbers of waves
// from 1.02 to 64; the full grid. Held-out ones are random, half of them below two waves. No grid is both, and none
// is larger than `full`. All are multiples of `cluster`.
std::vector<GridSample> curve_grids(std::int64_t full, const WaveShape& shape, std::int64_t cluster,
                                    const CurveOptions& options);

// Times the main launch (see main_launch()) of a configuration of a cuda variant on the measurer's device with its
// grid cut to curve_grids(): its first blocks run, each doing what it does in the whole grid. Where a block could see
// the difference (a grid of several dimensions, code that reads the size of its grid), the indices and sizes that it sees
// are those of the whole grid (compile/grid_cut.h; assembled by the driver), and the curve says how much that change of
// the code changes the time of the full grid. What comes before the launch in the plan is executed first, and the
// configuration is verified whole. Samples are isolated ones in random order over all grids, each on fresh inputs.
// Predictions are left to predict_grid_curve(). `cache`: where a changed build is kept. Throws Failure when the
// configuration does not run correctly, is a cooperative launch, or has a grid that cannot be cut. A kernel whose blocks
// share out work among themselves as they run (an atomic counter) does all of its work with any number of blocks: its
// curve is of that.
GridCurve measure_grid_curve(const Experiment& experiment, const Configuration& configuration,
                             Measurer& measurer, const ArtifactCache& cache, const CurveOptions& options);

// What measure_grid_curve() asks of the worker of that device, which has to be started with these systems.
Tasks curve_tasks(const std::vector<const System*>& systems);

}  // namespace tailwave
