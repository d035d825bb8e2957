#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "device/executor.h"

namespace tailwave {

// In which stream of the driver a launch is queued, and which ones have to be waited for first. The streams are
// numbered from 0; the first one has all SMs and is the one that its executions begin and end in.
struct LaneOfLaunch {
  std::size_t lane = 0;
  int sms = 0;  // of the lane; 0: all
  std::vector<std::size_t> wait;

  bool operator==(const LaneOfLaunch&) const = default;
};

// For each launch of `sets` plans of equal length: a plan's stream needs a lane for each number of SMs that its launches
// have, and where a launch has another one than that before it in the stream, it waits for that one's lane. What a plan
// waits for in another stream is waited for where it is. A copy is in the lane of the launch before it in its stream, or
// else of the next.
std::vector<LaneOfLaunch> lanes_of(std::span<const Launch> launches, int sets);

// Of each launch whether it is launched as a dependent one: it is to be, and what comes right before it in its lane, in the
// same plan, is a kernel.
std::vector<bool> dependent_launches(std::span<const Launch> launches, const std::vector<LaneOfLaunch>& lanes,
                                     int sets);

}  // namespace tailwave
