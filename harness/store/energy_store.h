#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/configuration.h"
#include "core/device.h"
#include "core/energy.h"
#include "store/database.h"

namespace tailwave {

// The table trial_energy.

struct TrialToRun {
  std::int64_t trial = 0;
  Configuration configuration;
};

// The best `most` of each problem, of the kernels' trials that count and ran on the run device, less those that have a
// row in trial_energy: the best first.
std::vector<TrialToRun> trials_without_energy(Database& database, const std::string& system,
                                              const std::string& experiment, const DeviceDescription& device,
                                              std::int64_t most);

// Instead of what there is of the trial. One transaction.
void set_energy(Database& database, std::int64_t trial, const EnergyRecord& energy);
// Inside the caller's transaction.
void insert_energy(Database& database, std::int64_t trial, const EnergyRecord& energy);

std::optional<EnergyRecord> energy_of_trial(Database& database, std::int64_t trial);

}  // namespace tailwave
