#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tailwave {

// SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): random bits for
// state = seed + i * kGoldenGamma.
inline constexpr std::uint64_t kGoldenGamma = 0x9E3779B97F4A7C15U;
constexpr std::uint64_t split_mix(std::uint64_t state) {
  state = (state ^ (state >> 30U)) * 0xBF58476D1CE4E5B9U;
  state = (state ^ (state >> 27U)) * 0x94D049BB133111EBU;
  return state ^ (state >> 31U);
}

// xoshiro256** 1.0 (Blackman & Vigna, Scrambled Linear Pseudorandom Number Generators, 2021), its state filled by
// splitmix64 as its authors advise. The same seed gives the same numbers with every compiler and library, which
// the distributions of <random> do not promise.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) {
    for (std::uint64_t& word : state_) word = split_mix(seed += kGoldenGamma);
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // 0..count-1; for counts up to a million the numbers are equally likely to 1 part in 4000.
  std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>(((next() >> 32) * count) >> 32);
  }

  // In [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  static std::uint64_t rotate(std::uint64_t word, int bits) { return (word << bits) | (word >> (64 - bits)); }

  std::array<std::uint64_t, 4> state_{};
};

// Fisher and Yates' shuffle, with the same result from the same seed everywhere (std::shuffle is not).
template <class T>
void shuffle(std::vector<T>& items, Generator& random) {
  for (std::size_t i = items.size(); i > 1; --i)
    std::swap(items[i - 1], items[random.below(static_cast<std::uint32_t>(i))]);
}

}  // namespace tailwave
