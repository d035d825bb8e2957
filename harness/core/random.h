#pragma once

#include <cstdint>

namespace tailwave {

// SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): the same numbers from
// the same seed on every machine, which std::shuffle and the std:: distributions do not promise.
inline constexpr std::uint64_t kGoldenGamma = 0x9E3779B97F4A7C15U;

// The mixing function alone: random bits for state = seed + i * kGoldenGamma.
constexpr std::uint64_t split_mix(std::uint64_t state) {
  state = (state ^ (state >> 30U)) * 0xBF58476D1CE4E5B9U;
  state = (state ^ (state >> 27U)) * 0x94D049BB133111EBU;
  return state ^ (state >> 31U);
}

class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() { return split_mix(state_ += kGoldenGamma); }
  // 0 to count - 1; the bias is below count / 2^64.
  std::uint64_t below(std::uint64_t count) { return next() % count; }

 private:
  std::uint64_t state_;
};

}  // namespace tailwave
