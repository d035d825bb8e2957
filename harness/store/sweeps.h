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
#include "store/wave_facts.h"

namespace tailwave {

// What is known of an experiment's configurations on one run device, all its runs together.
struct Sweep {
  std::string system, experiment;
  std::string device;
  DeviceKind kind = DeviceKind::cuda;
  std::int64_t sms = 0;        // of the device
  std::size_t unmeasured = 0;  // configurations of the latest run's plan that nobody measured
  bool finished = true;        // the latest run came to its end

  [[nodiscard]] std::string name() const { return system + "/" + experiment; }
};

struct SweptConfiguration {
  std::string problem;  // JSON text, the same for configurations of one problem
  std::string variant;
  Values parameters;
  Outcome outcome = Outcome::correct;
  std::optional<double> cost;  // view space_cost; none: it failed
  // What building it took, and verifying and measuring it; none: nobody noted it, or the build came from the cache.
  std::optional<double> build_seconds, measure_seconds;
  std::optional<WaveFacts> waves;  // none: unknown, or no GPU's
};

// Those with current trials, by system and experiment, GPUs before the CPU.
std::vector<Sweep> list_sweeps(Database& database);

// In the order in which the database got to know them.
std::vector<SweptConfiguration> load_configurations(Database& database, const Sweep& sweep);

}  // namespace tailwave
