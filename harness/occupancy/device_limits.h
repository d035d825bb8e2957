#pragma once

#include <array>
#include <string_view>

#include "core/enum_names.h"
#include "occupancy/device_spec.h"

namespace tailwave {

// What a kernel's time can be limited by: a rate that a device offers, or waiting for latency.
enum class DeviceLimit { memory, l2, shared_memory, issue, fp32, fp64, special, latency };

template <>
struct EnumNames<DeviceLimit> {
  static constexpr std::string_view noun = "limit of a device";
  static constexpr std::array<std::string_view, 8> names{"DRAM", "L2",   "shared memory",     "issue",
                                                         "FP32", "FP64", "special functions", "latency"};
};

// Whether each SM has its own share of it. DRAM and L2 are shared by all.
constexpr bool belongs_to_sms(DeviceLimit limit) {
  return limit != DeviceLimit::memory && limit != DeviceLimit::l2;
}

// What a device offers of it, by its rated clock and bandwidth, in a unit that is the same for all devices; of one SM
// where it belongs to SMs. 0: not known.
// - memory: its bandwidth, and no more than its SMs can take from L2, 64 bytes a clock each.
// - l2: no table has it; SMs of the whole device x clock stands for it, as L2 grew with the SMs from one GPU to the
//   next.
// - shared_memory: 32 banks of 4 bytes a clock (CUDA C++ Programming Guide, Compute Capabilities); half of it at 7.5:
//   in public counters of 5,280 configurations on an RTX 2080 Ti none used more than 50 % of the 32 banks
//   (docs/planning.md), as Jia et al., Dissecting the NVIDIA Turing T4 GPU via microbenchmarking, 2019, measured.
// - issue: warp instructions: 4 schedulers an SM, 2 at 6.0.
// - fp32, fp64, special: the lanes of DeviceSpec.
// - latency: the clock.
double offered(const DeviceSpec& device, DeviceLimit limit);

}  // namespace tailwave
