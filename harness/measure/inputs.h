#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device/random_fill.h"
#include "spec/fill_values.h"
#include "spec/system.h"
#include "verify/difference.h"

namespace tailwave {

// What a buffer of `count` elements begins with, but for the draw: its fill with all amounts evaluated.
struct Input {
  ScalarType type = ScalarType::float32;
  std::size_t count = 0;
  Fill::Kind kind = Fill::Kind::zero;
  FillValues values;
  std::filesystem::path file;
  std::size_t file_offset = 0;  // bytes of the file before the first element

  bool operator==(const Input&) const = default;
};
// `scope`: see scope_of_reference(). Throws Failure(launch_failed) for an amount that makes no sense.
Input input_of(const std::string& name, const BufferSpec& buffer, std::size_t count, const Values& scope);

// Its elements from `first` on that fit into `bytes`. `draw` shifts the seed of random fills (device/random_fill.h), so
// that a second verification sees inputs that the first did not; others are the same in every draw. Large ones are made
// on all cores. Throws Failure(launch_failed) for an element that cannot be generated, Error for a file that is too short
// by now.
void make_input(const Input& input, std::uint64_t draw, std::size_t first, std::span<std::byte> bytes);
// All of it, of a buffer without a name.
std::vector<std::byte> make_input(const BufferSpec& buffer, std::size_t count, std::uint64_t draw,
                                  const Values& scope = {});

// What every byte of the buffer's contents of a draw is, where that is one value: 0 for a zero fill, poison for an
// output-only buffer. Such contents need not be made. Poison is kPoison, a NaN; of integers every other draw has
// kOtherPoison, so that what is never written is wrong in one of two draws whatever the right answer is.
std::optional<std::byte> uniform_byte(const BufferSpec& buffer, std::uint64_t draw);
// What differs from draw to draw; none of a fill that does not.
std::optional<RandomFill> random_fill(const Input& input, std::uint64_t draw);
constexpr std::byte kPoison{kPoisonByte};
constexpr std::byte kOtherPoison{0xA5};

}  // namespace tailwave
