#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"

namespace tailwave {

// What the occupancy calculator and the rooflines need to know of a GPU. Source: occupancy/devices.json,
// embedded; a device that is there at run time is described by its driver instead.
struct DeviceSpec {
  std::string name;            // "h200"
  std::string title;           // as the driver names it: "NVIDIA H200"
  int compute_capability = 0;  // 90
  int sms = 0;
  int sms_of_whole = 0;  // where `sms` is only a part of a device's: how many that has; else 0
  int max_threads_per_block = 1024;
  int max_threads_per_sm = 0;
  int max_blocks_per_sm = 0;  // informative: cuda_occupancy.h derives it from the capability
  int registers_per_block = 65536;
  int registers_per_sm = 65536;
  int warp_size = 32;
  int shared_bytes_per_block = 49152;     // without opt-in
  int shared_bytes_per_block_opt_in = 0;  // what one block may use of it, the reserve not counted
  int shared_bytes_per_sm = 0;
  int reserved_shared_bytes_per_block = 0;
  // Instructions that one SM starts a cycle, by thread; 0 where that is not known. A fused multiply-add is one.
  int fp32_lanes_per_sm = 0;
  int fp64_lanes_per_sm = 0;
  int mufu_lanes_per_sm =
      0;  // reciprocal, reciprocal root, sine, cosine, 2^x, log2 of the special function units
  int most_sms_per_gpc =
      0;                 // that a graphics processing cluster can have; 0: it runs no thread block clusters
  double clock_mhz = 0;  // boost
  double bandwidth_gb_per_s = 0;
  double l2_mib = 0;
};

// In the order of devices.json: by capability.
const std::vector<DeviceSpec>& known_devices();

// By name ("a100"), by title as a driver reports it ("NVIDIA H200", "GeForce RTX 4090"), capitals, spaces and
// punctuation ignored, or "sm_90": the device of that capability listed first. With ":64" or " (64 SMs)" behind it, so
// many of its SMs (occupancy/sm_share.h). Throws Error (bad usage) naming the known ones, with a suggestion.
DeviceSpec find_device(std::string_view name);

// Several: "all" (the known ones), or what find_device takes, separated by commas, each once. Throws as it does.
std::vector<DeviceSpec> find_devices(std::string_view names);

// A device from limits by name, as DeviceDescription::properties has them. The keys are the member names of
// DeviceSpec. max_blocks_per_sm, clock_mhz, bandwidth_gb_per_s and l2_mib may be missing; the other limits must be
// there as integers, else Error. Lanes and SMs of a GPC are those of the capability, and other keys are ignored.
DeviceSpec device_spec_from(const Values& properties, std::string name, std::string title);

}  // namespace tailwave
