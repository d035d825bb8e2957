#pragma once

// Floating point numbers of 8 and 16 bits as they lie in memory, for host C++ and for kernels: C++17 without the
// standard library where NVRTC compiles it, or the CPU device.

#if defined(__CUDACC_RTC__) || defined(TAILWAVE_CPU)
#define TAILWAVE_SMALL_FLOAT __device__ inline
#else
#include <cmath>
#include <cstring>
#include <limits>
#define TAILWAVE_SMALL_FLOAT inline
#endif

namespace tailwave {

// A sign, an exponent and a mantissa, 8 or 16 bits together, with subnormal numbers as IEEE 754 has them. Without
// infinities the greatest exponent is one of ordinary numbers, but for its greatest mantissa, which is NaN (Micikevicius
// et al., "FP8 Formats for Deep Learning", 2022).
template <int exponent_bits, int mantissa_bits, bool infinities>
struct SmallFloat {
  static constexpr bool kIs8Bit = 1 + exponent_bits + mantissa_bits == 8;
  static constexpr int kBias = (1 << (exponent_bits - 1)) - 1;
  static constexpr unsigned kSign = 1U << (exponent_bits + mantissa_bits);
  static constexpr unsigned kNan = kSign - 1;
  static constexpr unsigned kInfinity = ((1U << exponent_bits) - 1) << mantissa_bits;  // where there is one
  static constexpr unsigned kLargest = (infinities ? kInfinity : kNan) - 1;

  template <bool is_8_bit, class Dummy = void>
  struct Storage {
    using Type = unsigned char;
  };
  template <class Dummy>
  struct Storage<false, Dummy> {
    using Type = unsigned short;
  };
  typename Storage<kIs8Bit>::Type bits;

  SmallFloat() = default;

  // Rounded to the nearest, and to an even mantissa between two. What is larger than all becomes infinite in 16 bits,
  // the largest number in 8, as CUDA's conversions have it.
  TAILWAVE_SMALL_FLOAT explicit SmallFloat(double value) {
    constexpr int kDropped = 52 - mantissa_bits;
    constexpr unsigned long long kTop = 1ULL << 63;
    const unsigned sign = (words_of(value) & kTop) != 0 ? kSign : 0;
    unsigned magnitude = kNan;
    if (value == value) {
      // With the exponent of this type, so that the bits in front are those wanted.
      const unsigned long long scaled = words_of((sign != 0 ? -value : value) * scale_of(kBias - 1023));
      const unsigned long long odd = (scaled >> kDropped) & 1;
      const unsigned long long rounded = (scaled + ((1ULL << (kDropped - 1)) - 1) + odd) >> kDropped;
      const unsigned most = infinities && !kIs8Bit ? kInfinity : kLargest;
      magnitude = rounded > most ? most : static_cast<unsigned>(rounded);
    }
    bits = static_cast<typename Storage<kIs8Bit>::Type>(sign | magnitude);
  }

  // Exact.
  TAILWAVE_SMALL_FLOAT operator float() const {
    constexpr int kShift = 23 - mantissa_bits;
    constexpr unsigned kFloatInfinity = 0x7F800000U;
    const unsigned magnitude = bits & kNan;
    unsigned word = 0;
    if (magnitude > kLargest) {
      word = magnitude == kInfinity && infinities ? kFloatInfinity : kFloatInfinity | 0x400000U;
    } else {
      // The number that these bits are with the exponents of a float, times the ratio of the two.
      const unsigned shifted = magnitude << kShift;
      float value = 0;
      memcpy(&value, &shifted, sizeof value);
      value *= static_cast<float>(scale_of(127 - kBias));
      memcpy(&word, &value, sizeof word);
    }
    word |= (bits & kSign) != 0 ? 0x80000000U : 0;
    float value = 0;
    memcpy(&value, &word, sizeof value);
    return value;
  }

 private:
  TAILWAVE_SMALL_FLOAT static unsigned long long words_of(double value) {
    unsigned long long words = 0;
    memcpy(&words, &value, sizeof words);
    return words;
  }
  // 2^exponent, a normal number.
  TAILWAVE_SMALL_FLOAT static double scale_of(int exponent) {
    const unsigned long long words = static_cast<unsigned long long>(exponent + 1023) << 52;
    double scale = 0;
    memcpy(&scale, &words, sizeof scale);
    return scale;
  }
};

using Float16 = SmallFloat<5, 10, true>;
using BFloat16 = SmallFloat<8, 7, true>;
using Float8E4M3 = SmallFloat<4, 3, false>;
using Float8E5M2 = SmallFloat<5, 2, true>;

template <class T>
inline constexpr bool kIsSmallFloat = false;
template <int exponent_bits, int mantissa_bits, bool infinities>
inline constexpr bool kIsSmallFloat<SmallFloat<exponent_bits, mantissa_bits, infinities>> = true;

}  // namespace tailwave

#undef TAILWAVE_SMALL_FLOAT

#if !defined(__CUDACC_RTC__) && !defined(TAILWAVE_CPU)
template <int exponent_bits, int mantissa_bits, bool infinities>
class std::numeric_limits<tailwave::SmallFloat<exponent_bits, mantissa_bits, infinities>> {
  using Number = tailwave::SmallFloat<exponent_bits, mantissa_bits, infinities>;
  static Number of(unsigned bits) {
    Number number;
    std::memcpy(&number, &bits, sizeof number);
    return number;
  }

 public:
  static constexpr bool is_specialized = true, is_integer = false, is_signed = true;
  static constexpr int digits = mantissa_bits + 1;
  static Number max() { return of(Number::kLargest); }
  static Number lowest() { return of(Number::kLargest | Number::kSign); }
  static Number epsilon() { return Number(std::ldexp(1.0, -mantissa_bits)); }
  static Number denorm_min() { return of(1); }
};
#endif
