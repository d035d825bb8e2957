#include "occupancy/device_limits.h"

#include <algorithm>

namespace tailwave {
namespace {

constexpr double kBytesOfL2AnSmTakes = 64;  // a clock

double memory_gb_per_s(const DeviceSpec& device) {
  const double taken = device.sms * kBytesOfL2AnSmTakes * device.clock_mhz / 1000;
  return taken > 0 ? std::min(device.bandwidth_gb_per_s, taken) : device.bandwidth_gb_per_s;
}

}  // namespace

double offered(const DeviceSpec& device, DeviceLimit limit) {
  const double clock = device.clock_mhz;
  switch (limit) {
    case DeviceLimit::memory:
      return memory_gb_per_s(device);
    case DeviceLimit::l2:
      return clock * (device.sms_of_whole > 0 ? device.sms_of_whole : device.sms);
    case DeviceLimit::shared_memory:
      return clock * (device.compute_capability == 75 ? 64 : 128);
    case DeviceLimit::issue:
      return clock * (device.compute_capability == 60 ? 2 : 4);
    case DeviceLimit::fp32:
      return clock * device.fp32_lanes_per_sm;
    case DeviceLimit::fp64:
      return clock * device.fp64_lanes_per_sm;
    case DeviceLimit::special:
      return clock * device.mufu_lanes_per_sm;
    case DeviceLimit::latency:
      return clock;
  }
  return 0;
}

}  // namespace tailwave
