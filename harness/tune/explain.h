#pragma once

#include <string>

#include "tune/plan.h"

namespace tailwave {

// A text for people about one configuration of a cuda variant: for each launch its resources, the blocks that each of
// them allows, the limiter, blocks and warps an SM, waves, tail, quantisation and active SMs, then what would lift its
// occupancy (find_lifts), what would fill its waves (find_full_grids) and give every SM a block. Says so when nothing
// lifts it, when the launch cannot run, and when the configuration does not compile. Ends with a line end.
std::string explain(const System& system, const Configuration& configuration, const PlannedDevice& device);

}  // namespace tailwave
