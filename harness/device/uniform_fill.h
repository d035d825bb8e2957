#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "spec/system.h"

namespace tailwave {

// Random numbers, low <= x < high, of a buffer's draw: element i depends on (seed, draw, i) alone. SplitMix64 (Steele,
// Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014) over a counter, the top 53 bits as a
// fraction; integers round towards minus infinity. A GPU makes the same bytes (device/cuda/uniform_filler.h).
struct UniformFill {
  ScalarType type = ScalarType::float32;
  double low = 0, high = 1;
  std::uint64_t seed = 0, draw = 0;
};

std::uint64_t counter_base(const UniformFill& fill);
// What no element exceeds: the type's largest number below the upper bound, which rounding could reach; of integers, which
// are rounded down afterwards, the largest float64.
double largest_number(const UniformFill& fill);

// The elements from `first` on that fit into `bytes`; many are made on all cores.
void fill_uniformly(const UniformFill& fill, std::size_t first, std::span<std::byte> bytes);

}  // namespace tailwave
