#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tailwave {

// What the occupancy calculator and the rooflines need to know of a GPU. Source: occupancy/devices.json,
// embedded; a device that is there at run time is described by its driver instead.
struct DeviceSpec {
  std::string name;   // "h200"
  std::string title;  // "NVIDIA H200 SXM 141 GB"
  int compute_capability = 0;  // 90
  int sms = 0;
  int max_threads_per_block = 1024;
  int max_threads_per_sm = 0;
  int max_blocks_per_sm = 0;  // informative: cuda_occupancy.h derives it from the capability
  int registers_per_block = 0;
  int registers_per_sm = 0;
  int warp_size = 32;
  int shared_bytes_per_block = 0;         // without opt-in
  int shared_bytes_per_block_opt_in = 0;
  int shared_bytes_per_sm = 0;
  int reserved_shared_bytes_per_block = 0;
  double clock_mhz = 0;          // boost
  double bandwidth_gb_per_s = 0;
  double l2_mib = 0;
};

const std::vector<DeviceSpec>& known_devices();

// By name ("a100"), by title as a driver reports it ("NVIDIA H200"), or "sm_90": the device of that capability
// listed first. Throws Error (bad usage) naming the known ones, with a suggestion.
DeviceSpec find_device(std::string_view name);

}  // namespace tailwave
