#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>

#include "core/enum_names.h"
#include "core/members.h"
#include "device/random_numbers.h"
#include "spec/scalar_type.h"

namespace tailwave {

// How random numbers are distributed. Integers and permutations are whole numbers, whatever the type is.
//   uniform      low <= x < high
//   normal       of a mean and a standard deviation; what the type cannot hold becomes the nearest that it can
//   integers     least <= x <= greatest
//   permutation  0 .. count-1, each once
enum class Distribution { uniform, normal, integers, permutation };

template <>
struct EnumNames<Distribution> {
  static constexpr std::string_view noun = "distribution";
  static constexpr std::array<std::string_view, 4> names{"uniform", "normal", "integers", "permutation"};
};

// Random numbers of a buffer's draw: element i depends on (seed, draw, i) alone, and on the count of a permutation.
// Random bits are SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014) over a
// counter. Uniform ones are the top 53 bits as a fraction, normal ones standard_normal() of the top 52
// (core/normal_quantile.h); either is rounded to the type, for integers towards minus infinity. Integers are the high half
// of bits times range. A permutation is a Feistel network over the fewest bits that hold the count, walked until it is
// below that (Black & Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002). A GPU makes the same bytes
// (device/cuda/random_filler.h).
struct RandomFill {
  ScalarType type = ScalarType::float32;
  double low = 0, high = 1;
  std::uint64_t seed = 0, draw = 0;
  Distribution distribution = Distribution::uniform;
  double mean = 0, deviation = 1;
  std::int64_t least = 0, greatest = 0;
  std::uint64_t count = 0;

  static constexpr auto members() {
    return std::tuple{member("type", &RandomFill::type),   member("low", &RandomFill::low),
                      member("high", &RandomFill::high),   member("seed", &RandomFill::seed),
                      member("draw", &RandomFill::draw),   member("distribution", &RandomFill::distribution),
                      member("mean", &RandomFill::mean),   member("deviation", &RandomFill::deviation),
                      member("least", &RandomFill::least), member("greatest", &RandomFill::greatest),
                      member("count", &RandomFill::count)};
  }
};

std::uint64_t counter_base(const RandomFill& fill);

// See random_numbers.h.
ValueBounds value_bounds(const RandomFill& fill);
std::uint64_t range_of(const RandomFill& fill);

// The elements from `first` on that fit into `bytes`; many are made on all cores.
void fill_randomly(const RandomFill& fill, std::size_t first, std::span<std::byte> bytes);

}  // namespace tailwave
