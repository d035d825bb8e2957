#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "occupancy/device_spec.h"
#include "search/strategy.h"
#include "spec/problem_space.h"

namespace tailwave {

struct LaunchKnowledge {
  Knowledge knowledge;
  std::size_t looked_at = 0;   // points: all that are listed, else a sample
  std::size_t impossible = 0;  // of them
  std::string
      why;  // of the first impossible one: "NAME: KERNEL: 2048 threads a block exceed the 1024 that the device allows"
};

// What launch plans tell before anything is compiled. Features of the main launch (see main_launch): threads (of a
// block), blocks, shared_bytes (dynamic, of a block); and for a device that occupancy can be computed for, as if the
// kernel used neither registers nor static shared memory, so as upper bounds of occupancy: blocks_per_sm, occupancy,
// waves, tail_fraction, staircase and partial_wave (occupancy/wave_forecast.h). All 0 where there is no launch. The
// predicted cost is the relative_time() of the main launch (occupancy/launch_speed.h) with these blocks per SM.
//
// Impossible is what no plan can be made of and, with `prunes`, what exceeds a limit of the device by its launches
// alone. Each combination of the parameters that launches depend on is looked at once, when it is asked for. Keeps
// the space by reference.
LaunchKnowledge know_launches(const ProblemSpace& space, const std::optional<DeviceSpec>& device,
                              bool prunes);

}  // namespace tailwave
