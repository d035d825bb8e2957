#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "core/device.h"
#include "core/statistics.h"
#include "store/database.h"

namespace tailwave {

// The table gpu_factor: of the GPUs of a run, see core/gpu_factors.h.
struct StoredGpuFactor {
  std::int64_t device = 0;  // its id
  double factor = 1;
  std::optional<Interval> interval;
  std::int64_t ratios = 0;
};

// Instead of what there is of the run.
void set_gpu_factors(Database& database, std::int64_t run, const std::vector<StoredGpuFactor>& factors);

// The kernels of each problem whose cost is above that of the best by at most the share `margin`, at most `most`, where they were
// measured on more than one GPU: what differs by little is compared on one.
std::vector<Configuration> leaders_of_several_gpus(Database& database, const std::string& system,
                                                   const std::string& experiment,
                                                   const DeviceDescription& device, double margin,
                                                   std::size_t most);

}  // namespace tailwave
