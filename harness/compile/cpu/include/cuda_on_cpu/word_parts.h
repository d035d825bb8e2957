#pragma once

// Words of two halfwords or four bytes: the SIMD intrinsics, the DPX functions and the dot products of the CUDA Math
// API.

#include "integers.h"
#include "vector_types.h"

namespace tailwave_cpu {

// What `change` makes of each of the words' parts, which it gets as integers of 64 bits.
template <class Part, class Change>
inline unsigned each_part(unsigned a, unsigned b, unsigned c, Change change) {
  constexpr unsigned kBits = 8 * sizeof(Part), kMask = kBits == 32 ? ~0u : (1u << (kBits % 32)) - 1;
  unsigned result = 0;
  for (unsigned at = 0; at < 32; at += kBits) {
    const int64_t part = change(static_cast<int64_t>(static_cast<Part>(a >> at)),
                                static_cast<int64_t>(static_cast<Part>(b >> at)),
                                static_cast<int64_t>(static_cast<Part>(c >> at)));
    result |= (static_cast<unsigned>(part) & kMask) << at;
  }
  return result;
}

template <class Part>
constexpr int64_t within(int64_t x) {
  constexpr bool kSigned = static_cast<Part>(-1) < static_cast<Part>(0);
  constexpr int64_t kMost = (int64_t{1} << (8 * sizeof(Part) - (kSigned ? 1 : 0))) - 1;
  constexpr int64_t kLeast = kSigned ? -kMost - 1 : 0;
  return x < kLeast ? kLeast : x > kMost ? kMost : x;
}
constexpr int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}
constexpr int64_t most(int64_t a, int64_t b) {
  return a < b ? b : a;
}
constexpr int64_t magnitude(int64_t x) {
  return x < 0 ? -x : x;
}
// As in a part: what does not fit wraps around.
template <class Part>
constexpr int64_t wrapped(int64_t x) {
  return static_cast<Part>(x);
}

}  // namespace tailwave_cpu

#define TAILWAVE_PARTS(name, Part, ...)                                                           \
  inline unsigned name(unsigned left, unsigned right) {                                           \
    using namespace tailwave_cpu;                                                                 \
    return each_part<Part>(left, right, 0,                                                        \
                           [](int64_t a, int64_t b, int64_t) -> int64_t { return __VA_ARGS__; }); \
  }
#define TAILWAVE_ONE_WORD(name, Part, ...)                                                                  \
  inline unsigned name(unsigned word) {                                                                     \
    using namespace tailwave_cpu;                                                                           \
    return each_part<Part>(word, 0, 0, [](int64_t a, int64_t, int64_t) -> int64_t { return __VA_ARGS__; }); \
  }
#define TAILWAVE_PART_SUM(name, Part)                                                  \
  inline unsigned name(unsigned left, unsigned right) {                                \
    int64_t sum = 0;                                                                   \
    tailwave_cpu::each_part<Part>(left, right, 0, [&](int64_t a, int64_t b, int64_t) { \
      sum += tailwave_cpu::magnitude(a - b);                                           \
      return 0;                                                                        \
    });                                                                                \
    return static_cast<unsigned>(sum);                                                 \
  }
// A comparison sets all bits of a part (__vcmp) or the lowest (__vset).
#define TAILWAVE_PART_TEST(word, count, Part, ...)                \
  TAILWAVE_PARTS(__vcmp##word##count, Part, __VA_ARGS__ ? -1 : 0) \
  TAILWAVE_PARTS(__vset##word##count, Part, __VA_ARGS__ ? 1 : 0)
#define TAILWAVE_SIMD(count, Signed, Unsigned)                               \
  TAILWAVE_ONE_WORD(__vabs##count, Signed, magnitude(a))                     \
  TAILWAVE_ONE_WORD(__vabsss##count, Signed, within<Signed>(magnitude(a)))   \
  TAILWAVE_ONE_WORD(__vneg##count, Signed, -a)                               \
  TAILWAVE_ONE_WORD(__vnegss##count, Signed, within<Signed>(-a))             \
  TAILWAVE_PARTS(__vadd##count, Unsigned, a + b)                             \
  TAILWAVE_PARTS(__vaddss##count, Signed, within<Signed>(a + b))             \
  TAILWAVE_PARTS(__vaddus##count, Unsigned, within<Unsigned>(a + b))         \
  TAILWAVE_PARTS(__vsub##count, Unsigned, a - b)                             \
  TAILWAVE_PARTS(__vsubss##count, Signed, within<Signed>(a - b))             \
  TAILWAVE_PARTS(__vsubus##count, Unsigned, within<Unsigned>(a - b))         \
  TAILWAVE_PARTS(__vabsdiffs##count, Signed, magnitude(a - b))               \
  TAILWAVE_PARTS(__vabsdiffu##count, Unsigned, magnitude(a - b))             \
  TAILWAVE_PARTS(__vavgs##count, Signed, (a + b + (a + b < 0 ? 0 : 1)) >> 1) \
  TAILWAVE_PARTS(__vavgu##count, Unsigned, (a + b + 1) >> 1)                 \
  TAILWAVE_PARTS(__vhaddu##count, Unsigned, (a + b) >> 1)                    \
  TAILWAVE_PARTS(__vmaxs##count, Signed, most(a, b))                         \
  TAILWAVE_PARTS(__vmaxu##count, Unsigned, most(a, b))                       \
  TAILWAVE_PARTS(__vmins##count, Signed, least(a, b))                        \
  TAILWAVE_PARTS(__vminu##count, Unsigned, least(a, b))                      \
  TAILWAVE_PART_SUM(__vsads##count, Signed)                                  \
  TAILWAVE_PART_SUM(__vsadu##count, Unsigned)                                \
  TAILWAVE_PART_TEST(eq, count, Unsigned, a == b)                            \
  TAILWAVE_PART_TEST(ne, count, Unsigned, a != b)                            \
  TAILWAVE_PART_TEST(ges, count, Signed, a >= b)                             \
  TAILWAVE_PART_TEST(geu, count, Unsigned, a >= b)                           \
  TAILWAVE_PART_TEST(gts, count, Signed, a > b)                              \
  TAILWAVE_PART_TEST(gtu, count, Unsigned, a > b)                            \
  TAILWAVE_PART_TEST(les, count, Signed, a <= b)                             \
  TAILWAVE_PART_TEST(leu, count, Unsigned, a <= b)                           \
  TAILWAVE_PART_TEST(lts, count, Signed, a < b)                              \
  TAILWAVE_PART_TEST(ltu, count, Unsigned, a < b)
TAILWAVE_SIMD(2, int16_t, uint16_t)
TAILWAVE_SIMD(4, int8_t, uint8_t)
#undef TAILWAVE_SIMD
#undef TAILWAVE_PART_TEST
#undef TAILWAVE_PART_SUM
#undef TAILWAVE_ONE_WORD
#undef TAILWAVE_PARTS

// DPX. The forms with _relu are no less than 0.
#define TAILWAVE_DPX(name, Word, Part, ...)                                                        \
  inline Word name(Word first, Word second, Word third) {                                          \
    using namespace tailwave_cpu;                                                                  \
    return static_cast<Word>(each_part<Part>(                                                      \
        static_cast<unsigned>(first), static_cast<unsigned>(second), static_cast<unsigned>(third), \
        [](int64_t a, int64_t b, int64_t c) -> int64_t { return __VA_ARGS__; }));                  \
  }
#define TAILWAVE_DPX_OF(suffix, Word, Part)                                    \
  TAILWAVE_DPX(__vimax3_##suffix, Word, Part, most(most(a, b), c))             \
  TAILWAVE_DPX(__vimin3_##suffix, Word, Part, least(least(a, b), c))           \
  TAILWAVE_DPX(__viaddmax_##suffix, Word, Part, most(wrapped<Part>(a + b), c)) \
  TAILWAVE_DPX(__viaddmin_##suffix, Word, Part, least(wrapped<Part>(a + b), c))
#define TAILWAVE_DPX_RELU(suffix, Word, Part)                                                   \
  TAILWAVE_DPX(__vimax3_##suffix##_relu, Word, Part, most(most(most(a, b), c), 0))              \
  TAILWAVE_DPX(__vimin3_##suffix##_relu, Word, Part, most(least(least(a, b), c), 0))            \
  TAILWAVE_DPX(__viaddmax_##suffix##_relu, Word, Part, most(most(wrapped<Part>(a + b), c), 0))  \
  TAILWAVE_DPX(__viaddmin_##suffix##_relu, Word, Part, most(least(wrapped<Part>(a + b), c), 0)) \
  inline Word __vimax_##suffix##_relu(Word a, Word b) {                                         \
    return __vimax3_##suffix##_relu(a, b, b);                                                   \
  }                                                                                             \
  inline Word __vimin_##suffix##_relu(Word a, Word b) {                                         \
    return __vimin3_##suffix##_relu(a, b, b);                                                   \
  }
TAILWAVE_DPX_OF(s32, int, int32_t)
TAILWAVE_DPX_OF(u32, unsigned, uint32_t)
TAILWAVE_DPX_OF(s16x2, unsigned, int16_t)
TAILWAVE_DPX_OF(u16x2, unsigned, uint16_t)
TAILWAVE_DPX_RELU(s32, int, int32_t)
TAILWAVE_DPX_RELU(s16x2, unsigned, int16_t)
#undef TAILWAVE_DPX_RELU
#undef TAILWAVE_DPX_OF
#undef TAILWAVE_DPX

// They tell whether the first was taken; of two equal ones it is.
#define TAILWAVE_WHICH(name, Word, operation)        \
  inline Word name(Word a, Word b, bool* is_first) { \
    *is_first = a operation b;                       \
    return *is_first ? a : b;                        \
  }
TAILWAVE_WHICH(__vibmax_s32, int, >=)
TAILWAVE_WHICH(__vibmax_u32, unsigned, >=)
TAILWAVE_WHICH(__vibmin_s32, int, <=)
TAILWAVE_WHICH(__vibmin_u32, unsigned, <=)
#undef TAILWAVE_WHICH
#define TAILWAVE_WHICH(name, Part, operation)                                              \
  inline unsigned name(unsigned a, unsigned b, bool* high_is_first, bool* low_is_first) {  \
    *high_is_first = static_cast<Part>(a >> 16) operation static_cast<Part>(b >> 16);      \
    *low_is_first = static_cast<Part>(a) operation static_cast<Part>(b);                   \
    return ((*high_is_first ? a : b) & 0xffff0000u) | ((*low_is_first ? a : b) & 0xffffu); \
  }
TAILWAVE_WHICH(__vibmax_s16x2, int16_t, >=)
TAILWAVE_WHICH(__vibmax_u16x2, uint16_t, >=)
TAILWAVE_WHICH(__vibmin_s16x2, int16_t, <=)
TAILWAVE_WHICH(__vibmin_u16x2, uint16_t, <=)
#undef TAILWAVE_WHICH

// Dot products: of four bytes each, or of the halfwords of `a` and the lower or upper two bytes of `b`. Sums wrap.
#define TAILWAVE_DOTS(Word, Byte, Half, Bytes, Halves)                                                       \
  inline Word __dp4a(Word a, Word b, Word c) {                                                               \
    auto sum = static_cast<unsigned>(c);                                                                     \
    for (int at = 0; at < 32; at += 8)                                                                       \
      sum +=                                                                                                 \
          static_cast<unsigned>(static_cast<Word>(static_cast<Byte>(a >> at)) * static_cast<Byte>(b >> at)); \
    return static_cast<Word>(sum);                                                                           \
  }                                                                                                          \
  inline Word __dp2a_lo(Word a, Word b, Word c) {                                                            \
    auto sum = static_cast<unsigned>(c);                                                                     \
    for (int i = 0; i < 2; ++i)                                                                              \
      sum += static_cast<unsigned>(static_cast<Word>(static_cast<Half>(a >> 16 * i)) *                       \
                                   static_cast<Byte>(b >> 8 * i));                                           \
    return static_cast<Word>(sum);                                                                           \
  }                                                                                                          \
  inline Word __dp2a_hi(Word a, Word b, Word c) {                                                            \
    return __dp2a_lo(a, static_cast<Word>(static_cast<unsigned>(b) >> 16), c);                               \
  }                                                                                                          \
  inline Word __dp4a(Bytes a, Bytes b, Word c) {                                                             \
    return __dp4a(tailwave_cpu::bits_as<Word>(a), tailwave_cpu::bits_as<Word>(b), c);                        \
  }                                                                                                          \
  inline Word __dp2a_lo(Halves a, Bytes b, Word c) {                                                         \
    return __dp2a_lo(tailwave_cpu::bits_as<Word>(a), tailwave_cpu::bits_as<Word>(b), c);                     \
  }                                                                                                          \
  inline Word __dp2a_hi(Halves a, Bytes b, Word c) {                                                         \
    return __dp2a_hi(tailwave_cpu::bits_as<Word>(a), tailwave_cpu::bits_as<Word>(b), c);                     \
  }
TAILWAVE_DOTS(int, int8_t, int16_t, char4, short2)
TAILWAVE_DOTS(unsigned, uint8_t, uint16_t, uchar4, ushort2)
#undef TAILWAVE_DOTS
