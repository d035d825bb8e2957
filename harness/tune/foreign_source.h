#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "occupancy/foreign_time.h"
#include "occupancy/wave_models.h"
#include "store/database.h"

namespace tailwave {

// What a database has of an experiment on a GPU, to predict from or to compare with.
struct ForeignSource {
  struct Time {
    double time_ns = 0;
    std::string mode;
    std::optional<GridOnDevice> launch;      // of the main kernel, as computed for the device
    std::optional<CounterSummary> counters;  // of that launch
    std::optional<TimeModel> curve;          // of the grid's size, by its latest grid curve on the device
  };
  DeviceSpec spec;
  std::map<std::string, Time> times;           // by configuration
  std::map<std::string, std::string> without;  // the outcome of one that has no time, by configuration
};

// `device`: a run device's name. As occupancy/devices.json has it where it does, so that all devices are described in
// one way, else as its driver did. Throws Error (bad usage) where the database has no trials of the experiment on it,
// for one that is a CPU, and for one of another tuner's that devices.json lacks.
ForeignSource load_foreign_source(Database& database, const std::string& system,
                                  const std::string& experiment, const std::string& device);

// By all sources that have a time of the configuration, in one mode; none where none has. `launch`: its main one on the
// target.
std::optional<ForeignTime> predict_from(const std::vector<ForeignSource>& sources,
                                        const std::string& configuration, const DeviceSpec& target,
                                        const std::optional<GridOnDevice>& launch);

}  // namespace tailwave
