#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/device_kind.h"
#include "report/study.h"
#include "store/database.h"

namespace tailwave {

// Errors of a model on the held-out grids of the latest curve of a configuration's kernel: shares of the measured time.
struct CurveError {
  std::string system, experiment, device;
  DeviceKind kind = DeviceKind::cuda;
  std::string configuration;
  std::string kernel, model;
  std::int64_t position = 0;  // of the launch in the manifest's plan
  std::int64_t held_out_grids = 0;
  double largest_waves = 0;  // of these grids
  double median = 0, quantile_95 = 0;
};

// Of all experiments, by configuration, position and model.
std::vector<CurveError> load_curve_errors(Database& database);

// The section "Wave models" of a device's part of a page: of the curves of the experiment, and of those of its
// configurations; "" without one.
std::string wave_models(const Study& study, const DeviceStudy& device, const std::vector<CurveError>& errors);

}  // namespace tailwave
