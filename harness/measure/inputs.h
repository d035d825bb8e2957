#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "spec/system.h"

namespace tailwave {

// Bytes of `count` elements filled as the manifest says. `draw` shifts the seed of random fills, so that a
// second verification sees inputs that the first did not. Element i depends on (seed, draw, i) alone:
// SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014) over a
// counter, top 53 bits as a fraction. Integer types round towards minus infinity.
std::vector<std::byte> make_input(const BufferSpec& buffer, std::size_t count, std::uint64_t draw);

// 0xFF in every byte: NaN in a float, a value no kernel is likely to leave behind in an integer.
std::vector<std::byte> make_poison(std::size_t bytes);

}  // namespace tailwave
