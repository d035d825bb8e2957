#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "device/uniform_fill.h"
#include "spec/system.h"
#include "verify/difference.h"

namespace tailwave {

// Bytes of `count` elements filled as the manifest says. `draw` shifts the seed of random fills
// (device/uniform_fill.h), so that a second verification sees inputs that the first did not. A file and a generated
// fill are the same in every draw. Large ones are made on all cores. Throws Failure(launch_failed) for an element that
// cannot be generated, Error for a file that is too short by now.
std::vector<std::byte> make_input(const BufferSpec& buffer, std::size_t count, std::uint64_t draw);
// A part of it: the elements from `first` on that fit into `bytes`.
void make_input(const BufferSpec& buffer, std::uint64_t draw, std::size_t first, std::span<std::byte> bytes);

// What every byte of the buffer's contents of a draw is, where that is one value: 0 for a zero fill, poison for an
// output-only buffer. Such contents need not be made. Poison is kPoison, a NaN; of integers every other draw has
// kOtherPoison, so that what is never written is wrong in one of two draws whatever the right answer is.
std::optional<std::byte> uniform_byte(const BufferSpec& buffer, std::uint64_t draw);
// What differs from draw to draw; none of a fill that does not.
std::optional<UniformFill> uniform_fill(const BufferSpec& buffer, std::uint64_t draw);
constexpr std::byte kPoison{kPoisonByte};
constexpr std::byte kOtherPoison{0xA5};

}  // namespace tailwave
