#pragma once

#include <optional>

#include "report/explained_side.h"

namespace tailwave {

// What follows from the sums of a plan's counters:
//   time = instructions / (SMs * busy_sms * busy_ipc * clock), and busy_ipc = busy_warps / warp_cycles (Little's law).
struct CountedFactors {
  std::optional<double> time_ns, cycles, instructions, clock_mhz;
  std::optional<double> busy_sms;     // share of the cycles in which an SM has a warp
  std::optional<double> busy_ipc;     // instructions a cycle of an SM while it has one
  std::optional<double> busy_warps;   // on an SM while it has one
  std::optional<double> warp_cycles;  // of a warp for an instruction
};

// All unknown where nothing was counted.
CountedFactors counted_factors(const ExplainedSide& side);

// What follows from a side's main launch, by the rule of occupancy/launch_speed.h; nothing of waves where it is not known
// how many blocks an SM holds.
struct LaunchFacts {
  std::optional<double> used_sms, lanes, balance, hiding, warps;
  double blocks = 0, sms = 0, block = 0;
};

// All unknown where the launch is not.
LaunchFacts launch_facts(const ExplainedSide& side);

}  // namespace tailwave
