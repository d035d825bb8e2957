#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/device_kind.h"
#include "core/outcome.h"
#include "core/value.h"
#include "store/database.h"

namespace tailwave {

// What is known of an experiment's configurations on one run device, all its runs together.
struct Sweep {
  std::string system, experiment;
  std::string device;
  DeviceKind kind = DeviceKind::cuda;
  std::size_t unmeasured = 0;  // configurations of the latest run's plan that nobody measured
  bool finished = true;        // the latest run came to its end

  [[nodiscard]] std::string name() const { return system + "/" + experiment; }
};

// The main launch of a configuration on a GPU; see the view trial_waves.
struct SweptLaunch {
  std::int64_t grid = 0, block = 0;  // blocks, threads of one
  std::int64_t blocks_per_sm = 0;
  std::int64_t sms = 0;  // of the run's device
  double occupancy = 0, waves = 0, tail_fraction = 0;
};

struct SweptConfiguration {
  std::string problem;  // JSON text, the same for configurations of one problem
  std::string variant;
  Values parameters;
  Outcome outcome = Outcome::correct;
  std::optional<double> cost;         // view space_cost; none: it failed
  std::optional<SweptLaunch> launch;  // none: unknown, or no GPU's
};

// Those with current trials, by system and experiment, GPUs before the CPU.
std::vector<Sweep> list_sweeps(Database& database);

// In the order in which the database got to know them.
std::vector<SweptConfiguration> load_configurations(Database& database, const Sweep& sweep);

}  // namespace tailwave
