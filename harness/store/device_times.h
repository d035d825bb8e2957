#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/device.h"
#include "core/outcome.h"
#include "store/database.h"
#include "store/wave_facts.h"

namespace tailwave {

// What a configuration of an experiment took on a run device, by the trial that counts (view current_trial).
struct DeviceTime {
  std::string configuration;
  Outcome outcome = Outcome::correct;
  std::string mode;  // isolated, batched or graph; empty: another tuner's
  // The median of its samples, or of those of the configuration with the same machine code; of what another tuner
  // recorded without samples, its time. None: it failed.
  std::optional<double> time_ns;
  std::optional<WaveFacts> launch;  // the main launch, as computed for the device; none: not known
};

// In the order of trials; host variants are left out. `device` is the name of a run device.
std::vector<DeviceTime> device_times(Database& database, const std::string& system,
                                     const std::string& experiment, const std::string& device);

// A device of that name that ran something of the experiment, the latest run's. None where no run of it is there.
std::optional<DeviceDescription> run_device(Database& database, const std::string& system,
                                            const std::string& experiment, const std::string& device);

// An experiment that has trials that count on GPUs, and the names of those.
struct ExperimentOnGpus {
  std::string system, experiment;
  std::vector<std::string> devices;  // sorted
};
// By system and experiment. Recorded ones of other tuners count as GPUs.
std::vector<ExperimentOnGpus> experiments_on_gpus(Database& database);

}  // namespace tailwave
