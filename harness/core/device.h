#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "core/device_kind.h"
#include "core/members.h"
#include "core/value.h"

namespace tailwave {

// A GPU or a CPU with its limits. In the database runs share one while all of its columns agree.
struct DeviceDescription {
  DeviceKind kind = DeviceKind::cuda;
  std::string name;            // "NVIDIA H200", "AMD EPYC 9654 (2 cores)"
  std::string uuid;            // empty for a CPU
  int compute_capability = 0;  // 90 for 9.0; 0 for a CPU
  int sms = 0;                 // multiprocessors, or cores used
  std::int64_t memory_bytes = 0;
  double clock_mhz = 0;         // rated maximum SM clock; 0 if unknown
  double memory_clock_mhz = 0;  // likewise
  Values properties;            // further limits by name (max_threads_per_block, ...)
  std::string driver = {};      // "13.0 (580.159.04)"; empty for a CPU

  static constexpr auto members() {
    // In a key a device is any of its kind: those of a name are alike, and their rated clocks decide nothing. The
    // driver is not the device's for ever: a run has it.
    return std::tuple{member("kind", &DeviceDescription::kind),
                      member("name", &DeviceDescription::name),
                      member<kNotKey>("uuid", &DeviceDescription::uuid),
                      member<kNotKey>("compute_capability", &DeviceDescription::compute_capability),
                      member("sms", &DeviceDescription::sms),
                      member<kNotKey>("memory_bytes", &DeviceDescription::memory_bytes),
                      member<kNotKey>("clock_mhz", &DeviceDescription::clock_mhz),
                      member<kNotKey>("memory_clock_mhz", &DeviceDescription::memory_clock_mhz),
                      member<kNotKey>("properties", &DeviceDescription::properties),
                      member<kNotRow | kNotJson>("driver", &DeviceDescription::driver)};
  }
};

}  // namespace tailwave
