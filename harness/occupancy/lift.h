#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/trial.h"
#include "occupancy/device_spec.h"

namespace tailwave {

// What a block takes of an SM.
struct BlockNeeds {
  KernelResources kernel;
  Dim3 block;
  std::int64_t dynamic_shared_bytes = 0;

  [[nodiscard]] std::int64_t shared_bytes() const {
    return kernel.static_shared_bytes + dynamic_shared_bytes;
  }
};

// As compute_occupancy, which see for what it throws.
Occupancy compute_occupancy(const DeviceSpec& device, const BlockNeeds& needs);

// A change of one thing, or of registers and shared memory together, after which an SM holds more.
struct Lift {
  enum class Change { registers, shared_memory, registers_and_shared_memory, barriers, block_size } change;
  BlockNeeds needs;  // after it; a block of another size is one-dimensional
  Occupancy occupancy;
};

// What lifts a block's occupancy, found by asking compute_occupancy, all else unchanged:
// - fewer registers a thread, less shared memory, fewer barriers: the least change that lets an SM hold more blocks,
//   and the least that lets it hold the most that this resource can give, where that is another one;
// - where neither registers nor shared memory does it alone: the least of both together that gives more blocks;
// - blocks of other sizes, in whole warps, that make more warps resident: the next smaller and larger, and of those
//   with the highest occupancy the one nearest in size.
// Empty where nothing does. For a block that does not fit, what makes it fit.
std::vector<Lift> find_lifts(const DeviceSpec& device, const BlockNeeds& now);

// The nearest grids, smaller and larger than one of `blocks` blocks, whose waves of so many slots are all full.
struct FullGrids {
  std::optional<std::int64_t> below;  // none below the first wave
  std::int64_t above = 0;
};
FullGrids find_full_grids(std::int64_t blocks, std::int64_t slots);

}  // namespace tailwave
