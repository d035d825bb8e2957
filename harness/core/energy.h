#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "core/members.h"

namespace tailwave {

// Of a configuration that was executed back to back for a window of seconds, while the GPU's counter of energy was read.
// That counter goes up in steps, every 100 ms on many GPUs: what counts is what it says between the first and the last step
// in the window, `counted_s` apart, after a moment in which the power settles.
struct EnergyRecord {
  std::int64_t executions = 0;
  double window_s = 0;   // between the first execution's begin and the last one's end
  double counted_s = 0;  // of these
  double joules = 0;     // that the whole GPU took in counted_s
  // In the window, where NVML tells.
  std::optional<double> sm_clock_low_mhz, sm_clock_high_mhz;
  std::optional<double> temperature_c, power_limit_w;  // at its end
  std::string throttle_reasons;  // all that were seen, joined by "+", or "none"; empty: not known
  std::string missing;           // why nothing was measured; empty: it was

  [[nodiscard]] double sustained_s() const { return window_s / static_cast<double>(executions); }
  [[nodiscard]] double power_w() const { return joules / counted_s; }
  [[nodiscard]] double joules_of_execution() const { return power_w() * sustained_s(); }

  static constexpr auto members() {
    return std::tuple{member("executions", &EnergyRecord::executions),
                      member("window_s", &EnergyRecord::window_s),
                      member("counted_s", &EnergyRecord::counted_s),
                      member("joules", &EnergyRecord::joules),
                      member("sm_clock_low_mhz", &EnergyRecord::sm_clock_low_mhz),
                      member("sm_clock_high_mhz", &EnergyRecord::sm_clock_high_mhz),
                      member("temperature_c", &EnergyRecord::temperature_c),
                      member("power_limit_w", &EnergyRecord::power_limit_w),
                      member<kMayBeAbsent>("throttle_reasons", &EnergyRecord::throttle_reasons),
                      member<kMayBeAbsent>("missing", &EnergyRecord::missing)};
  }
};

}  // namespace tailwave
