#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store/statement.h"

namespace tailwave {

// Occupancy and waves of a configuration's main launch; see the view trial_waves.
struct WaveFacts {
  std::string occupancy_device;
  std::string kernel;
  std::int64_t grid = 0, block = 0;  // blocks, threads of one
  std::optional<std::int64_t> registers, blocks_per_sm, driver_blocks_per_sm, spill_bytes;
  std::string limiter;
  std::optional<double> occupancy, waves, tail_fraction;
};

// What a query selects of trial_waves for wave_facts().
inline constexpr const char* kWaveColumns =
    "trial_waves.occupancy_device, trial_waves.kernel, trial_waves.grid, trial_waves.block, trial_waves.registers, "
    "trial_waves.blocks_per_sm, trial_waves.driver_blocks_per_sm, trial_waves.spill_bytes, trial_waves.limiter, "
    "trial_waves.occupancy, trial_waves.waves, trial_waves.tail_fraction";

// Of a row that has these columns from `first` on; none where the trial has no launch.
std::optional<WaveFacts> wave_facts(const Statement& row, int first);

}  // namespace tailwave
