#include "measure/limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/outcome.h"

namespace tailwave {

double device_rate(const std::string& name, const DeviceSpec& device,
                   const std::function<double()>& copy_bandwidth) {
  if (name == "COPY_BANDWIDTH") return copy_bandwidth();
  int lanes = device.mufu_lanes_per_sm;
  if (name == "FP32_RATE") lanes = device.fp32_lanes_per_sm;
  if (name == "FP64_RATE") lanes = device.fp64_lanes_per_sm;
  return lanes * static_cast<double>(device.sms) * device.clock_mhz * 1e6;
}

std::vector<LimitRecord> time_limits(const System& system, const Values& scope, const DeviceSpec& device,
                                     const std::function<double()>& copy_bandwidth) {
  std::vector<LimitRecord> limits;
  for (const auto& [name, limit] : system.limits) {
    Values with_rates = scope;
    bool known = true;
    for (const std::string& used : limit.seconds.names()) {
      if (std::find(rate_names().begin(), rate_names().end(), used) == rate_names().end()) continue;
      const double found = device_rate(used, device, copy_bandwidth);
      with_rates[used] = found;
      known = known && found > 0;
    }
    if (!known) continue;
    try {
      const double seconds = limit.seconds.evaluate_double(with_rates);
      if (seconds < 0)
        throw Failure(Outcome::launch_failed, fmt::format("limit '{}' is {} s", name, seconds));
      if (seconds > 0) limits.push_back({name, seconds * 1e9});
    } catch (const ExpressionError& error) {
      throw Failure(Outcome::launch_failed, fmt::format("limit '{}': {}", name, error.what()));
    }
  }
  return limits;
}

}  // namespace tailwave
