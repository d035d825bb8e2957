#pragma once

// CUDA's floating point types of 16 and 8 bits, for kernels on the CPU device and for host variants: each operation is
// done in float32 and rounded once, as a GPU does where it has no instruction for it (CUDA Math API, "Half Precision
// Intrinsics" and "Bfloat16 Precision Intrinsics").

// NOLINTBEGIN(modernize-deprecated-headers): the C headers, which declare functions outside std
#include <math.h>
#include <string.h>
// NOLINTEND(modernize-deprecated-headers)

#include <type_traits>

#include "tailwave_rounding.h"
#include "tailwave_small_comparisons.h"
#include "tailwave_small_float.h"

// A type with its operators, and its vector of two.
#define TAILWAVE_SMALL_TYPE(name, number)                                                       \
  struct name##_raw {                                                                           \
    unsigned short x;                                                                           \
  };                                                                                            \
  struct name##2_raw {                                                                          \
    unsigned short x, y;                                                                        \
  };                                                                                            \
  struct name {                                                                                 \
    ::tailwave::number stored;                                                                  \
    name() = default;                                                                           \
    template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>>                  \
    name(T value) : stored(static_cast<double>(value)) {}                                       \
    name(::tailwave::number value) : stored(value) {}                                           \
    name(name##_raw raw) { stored.bits = raw.x; }                                               \
    operator name##_raw() const { return {stored.bits}; }                                       \
    operator float() const { return static_cast<float>(stored); }                               \
    name& operator+=(name other) { return *this = name(float(*this) + float(other)); }          \
    name& operator-=(name other) { return *this = name(float(*this) - float(other)); }          \
    name& operator*=(name other) { return *this = name(float(*this) * float(other)); }          \
    name& operator/=(name other) { return *this = name(float(*this) / float(other)); }          \
  };                                                                                            \
  inline name operator+(name a, name b) {                                                       \
    return float(a) + float(b);                                                                 \
  }                                                                                             \
  inline name operator-(name a, name b) {                                                       \
    return float(a) - float(b);                                                                 \
  }                                                                                             \
  inline name operator*(name a, name b) {                                                       \
    return float(a) * float(b);                                                                 \
  }                                                                                             \
  inline name operator/(name a, name b) {                                                       \
    return float(a) / float(b);                                                                 \
  }                                                                                             \
  inline name operator-(name a) {                                                               \
    return -float(a);                                                                           \
  }                                                                                             \
  struct alignas(4) name##2 {                                                                   \
    name x, y;                                                                                  \
    name##2() = default;                                                                        \
    name##2(name low, name high) : x(low), y(high) {}                                           \
    name##2(name##2_raw raw) : x(name##_raw{raw.x}), y(name##_raw{raw.y}) {}                    \
    operator name##2_raw() const {                                                              \
      return {x.stored.bits, y.stored.bits};                                                    \
    }                                                                                           \
    name##2 & operator+=(name##2 other) {                                                       \
      return *this = {x + other.x, y + other.y};                                                \
    }                                                                                           \
    name##2 & operator-=(name##2 other) {                                                       \
      return *this = {x - other.x, y - other.y};                                                \
    }                                                                                           \
    name##2 & operator*=(name##2 other) {                                                       \
      return *this = {x * other.x, y * other.y};                                                \
    }                                                                                           \
    name##2 & operator/=(name##2 other) {                                                       \
      return *this = {x / other.x, y / other.y};                                                \
    }                                                                                           \
  };                                                                                            \
  inline name##2 operator-(name##2 a) {                                                         \
    return {-a.x, -a.y};                                                                        \
  }                                                                                             \
  inline name##2 operator+(name##2 a, name##2 b) {                                              \
    return {a.x + b.x, a.y + b.y};                                                              \
  }                                                                                             \
  inline name##2 operator-(name##2 a, name##2 b) {                                              \
    return {a.x - b.x, a.y - b.y};                                                              \
  }                                                                                             \
  inline name##2 operator*(name##2 a, name##2 b) {                                              \
    return {a.x * b.x, a.y * b.y};                                                              \
  }                                                                                             \
  inline name##2 operator/(name##2 a, name##2 b) {                                              \
    return {a.x / b.x, a.y / b.y};                                                              \
  }                                                                                             \
  inline name __hadd(name a, name b) {                                                          \
    return a + b;                                                                               \
  }                                                                                             \
  inline name __hsub(name a, name b) {                                                          \
    return a - b;                                                                               \
  }                                                                                             \
  inline name __hmul(name a, name b) {                                                          \
    return a * b;                                                                               \
  }                                                                                             \
  inline name __hdiv(name a, name b) {                                                          \
    return a / b;                                                                               \
  }                                                                                             \
  inline name __hneg(name a) {                                                                  \
    return -a;                                                                                  \
  }                                                                                             \
  inline name __habs(name a) {                                                                  \
    return fabsf(a);                                                                            \
  }                                                                                             \
  inline name __hfma(name a, name b, name c) {                                                  \
    return fma(double(float(a)), double(float(b)), double(float(c)));                           \
  }                                                                                             \
  inline name __hfma_relu(name a, name b, name c) {                                             \
    const float sum = __hfma(a, b, c);                                                          \
    return sum < 0 ? 0.0f : sum;                                                                \
  }                                                                                             \
  inline name __hmax(name a, name b) {                                                          \
    return fmaxf(a, b);                                                                         \
  }                                                                                             \
  inline name __hmin(name a, name b) {                                                          \
    return fminf(a, b);                                                                         \
  }                                                                                             \
  inline bool __hisnan(name a) {                                                                \
    return float(a) != float(a);                                                                \
  }                                                                                             \
  inline int __hisinf(name a) {                                                                 \
    return isinf(float(a)) ? (float(a) > 0 ? 1 : -1) : 0;                                       \
  }                                                                                             \
  inline name##2 __hadd2(name##2 a, name##2 b) {                                                \
    return a + b;                                                                               \
  }                                                                                             \
  inline name##2 __hsub2(name##2 a, name##2 b) {                                                \
    return a - b;                                                                               \
  }                                                                                             \
  inline name##2 __hmul2(name##2 a, name##2 b) {                                                \
    return a * b;                                                                               \
  }                                                                                             \
  inline name##2 __h2div(name##2 a, name##2 b) {                                                \
    return a / b;                                                                               \
  }                                                                                             \
  inline name##2 __hneg2(name##2 a) {                                                           \
    return {-a.x, -a.y};                                                                        \
  }                                                                                             \
  inline name##2 __habs2(name##2 a) {                                                           \
    return {__habs(a.x), __habs(a.y)};                                                          \
  }                                                                                             \
  inline name##2 __hmax2(name##2 a, name##2 b) {                                                \
    return {__hmax(a.x, b.x), __hmax(a.y, b.y)};                                                \
  }                                                                                             \
  inline name##2 __hmin2(name##2 a, name##2 b) {                                                \
    return {__hmin(a.x, b.x), __hmin(a.y, b.y)};                                                \
  }                                                                                             \
  inline name##2 __hfma2(name##2 a, name##2 b, name##2 c) {                                     \
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};                                      \
  }                                                                                             \
  inline name##2 __hfma2_relu(name##2 a, name##2 b, name##2 c) {                                \
    return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};                            \
  }                                                                                             \
  inline name __hadd_rn(name a, name b) {                                                       \
    return a + b;                                                                               \
  }                                                                                             \
  inline name __hsub_rn(name a, name b) {                                                       \
    return a - b;                                                                               \
  }                                                                                             \
  inline name __hmul_rn(name a, name b) {                                                       \
    return a * b;                                                                               \
  }                                                                                             \
  inline name##2 __hadd2_rn(name##2 a, name##2 b) {                                             \
    return a + b;                                                                               \
  }                                                                                             \
  inline name##2 __hsub2_rn(name##2 a, name##2 b) {                                             \
    return a - b;                                                                               \
  }                                                                                             \
  inline name##2 __hmul2_rn(name##2 a, name##2 b) {                                             \
    return a * b;                                                                               \
  }                                                                                             \
  inline name __hadd_sat(name a, name b) {                                                      \
    return fminf(fmaxf(a + b, 0.0f), 1.0f);                                                     \
  }                                                                                             \
  inline name __hsub_sat(name a, name b) {                                                      \
    return fminf(fmaxf(a - b, 0.0f), 1.0f);                                                     \
  }                                                                                             \
  inline name __hmul_sat(name a, name b) {                                                      \
    return fminf(fmaxf(a * b, 0.0f), 1.0f);                                                     \
  }                                                                                             \
  inline name __hfma_sat(name a, name b, name c) {                                              \
    return fminf(fmaxf(__hfma(a, b, c), 0.0f), 1.0f);                                           \
  }                                                                                             \
  inline name##2 __hadd2_sat(name##2 a, name##2 b) {                                            \
    return {__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)};                                        \
  }                                                                                             \
  inline name##2 __hsub2_sat(name##2 a, name##2 b) {                                            \
    return {__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)};                                        \
  }                                                                                             \
  inline name##2 __hmul2_sat(name##2 a, name##2 b) {                                            \
    return {__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)};                                        \
  }                                                                                             \
  inline name##2 __hfma2_sat(name##2 a, name##2 b, name##2 c) {                                 \
    return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};                              \
  }                                                                                             \
  inline name __hmax_nan(name a, name b) {                                                      \
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);                                    \
  }                                                                                             \
  inline name __hmin_nan(name a, name b) {                                                      \
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);                                    \
  }                                                                                             \
  inline name##2 __hmax2_nan(name##2 a, name##2 b) {                                            \
    return {__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)};                                        \
  }                                                                                             \
  inline name##2 __hmin2_nan(name##2 a, name##2 b) {                                            \
    return {__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)};                                        \
  }                                                                                             \
  inline name##2 __hisnan2(name##2 a) {                                                         \
    return {float(__hisnan(a.x)), float(__hisnan(a.y))};                                        \
  }                                                                                             \
  inline name##2 __hcmadd(name##2 a, name##2 b, name##2 c) {                                    \
    return {__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))}; \
  }                                                                                             \
  inline name hsqrt(name a) {                                                                   \
    return sqrtf(a);                                                                            \
  }                                                                                             \
  inline name hrsqrt(name a) {                                                                  \
    return 1.0f / sqrtf(a);                                                                     \
  }                                                                                             \
  inline name hrcp(name a) {                                                                    \
    return 1.0f / float(a);                                                                     \
  }                                                                                             \
  inline name hexp(name a) {                                                                    \
    return expf(a);                                                                             \
  }                                                                                             \
  inline name hexp2(name a) {                                                                   \
    return exp2f(a);                                                                            \
  }                                                                                             \
  inline name hexp10(name a) {                                                                  \
    return powf(10.0f, a);                                                                      \
  }                                                                                             \
  inline name hlog(name a) {                                                                    \
    return logf(a);                                                                             \
  }                                                                                             \
  inline name hlog2(name a) {                                                                   \
    return log2f(a);                                                                            \
  }                                                                                             \
  inline name hlog10(name a) {                                                                  \
    return log10f(a);                                                                           \
  }                                                                                             \
  inline name hsin(name a) {                                                                    \
    return sinf(a);                                                                             \
  }                                                                                             \
  inline name hcos(name a) {                                                                    \
    return cosf(a);                                                                             \
  }                                                                                             \
  inline name htanh(name a) {                                                                   \
    return tanhf(a);                                                                            \
  }                                                                                             \
  inline name hfloor(name a) {                                                                  \
    return floorf(a);                                                                           \
  }                                                                                             \
  inline name hceil(name a) {                                                                   \
    return ceilf(a);                                                                            \
  }                                                                                             \
  inline name hrint(name a) {                                                                   \
    return rintf(a);                                                                            \
  }                                                                                             \
  inline name htrunc(name a) {                                                                  \
    return truncf(a);                                                                           \
  }                                                                                             \
  inline name##2 h2sqrt(name##2 a) {                                                            \
    return {hsqrt(a.x), hsqrt(a.y)};                                                            \
  }                                                                                             \
  inline name##2 h2rsqrt(name##2 a) {                                                           \
    return {hrsqrt(a.x), hrsqrt(a.y)};                                                          \
  }                                                                                             \
  inline name##2 h2rcp(name##2 a) {                                                             \
    return {hrcp(a.x), hrcp(a.y)};                                                              \
  }                                                                                             \
  inline name##2 h2exp(name##2 a) {                                                             \
    return {hexp(a.x), hexp(a.y)};                                                              \
  }                                                                                             \
  inline name##2 h2exp2(name##2 a) {                                                            \
    return {hexp2(a.x), hexp2(a.y)};                                                            \
  }                                                                                             \
  inline name##2 h2log(name##2 a) {                                                             \
    return {hlog(a.x), hlog(a.y)};                                                              \
  }                                                                                             \
  inline name##2 h2tanh(name##2 a) {                                                            \
    return {htanh(a.x), htanh(a.y)};                                                            \
  }                                                                                             \
  inline name##2 h2exp10(name##2 a) {                                                           \
    return {hexp10(a.x), hexp10(a.y)};                                                          \
  }                                                                                             \
  inline name##2 h2log2(name##2 a) {                                                            \
    return {hlog2(a.x), hlog2(a.y)};                                                            \
  }                                                                                             \
  inline name##2 h2log10(name##2 a) {                                                           \
    return {hlog10(a.x), hlog10(a.y)};                                                          \
  }                                                                                             \
  inline name##2 h2sin(name##2 a) {                                                             \
    return {hsin(a.x), hsin(a.y)};                                                              \
  }                                                                                             \
  inline name##2 h2cos(name##2 a) {                                                             \
    return {hcos(a.x), hcos(a.y)};                                                              \
  }                                                                                             \
  inline name##2 h2floor(name##2 a) {                                                           \
    return {hfloor(a.x), hfloor(a.y)};                                                          \
  }                                                                                             \
  inline name##2 h2ceil(name##2 a) {                                                            \
    return {hceil(a.x), hceil(a.y)};                                                            \
  }                                                                                             \
  inline name##2 h2rint(name##2 a) {                                                            \
    return {hrint(a.x), hrint(a.y)};                                                            \
  }                                                                                             \
  inline name##2 h2trunc(name##2 a) {                                                           \
    return {htrunc(a.x), htrunc(a.y)};                                                          \
  }                                                                                             \
  inline name##2 __lowhigh2highlow(name##2 a) {                                                 \
    return {a.y, a.x};                                                                          \
  }                                                                                             \
  inline float __low2float(name##2 a) {                                                         \
    return a.x;                                                                                 \
  }                                                                                             \
  inline float __high2float(name##2 a) {                                                        \
    return a.y;                                                                                 \
  }                                                                                             \
  TAILWAVE_SMALL_COMPARISONS(name)

// What is called by the type's own word: "half" in __float2half, ...
#define TAILWAVE_SMALL_CONVERSIONS(name, word)                    \
  inline name __float2##word(float a) {                           \
    return a;                                                     \
  }                                                               \
  inline name __double2##word(double a) {                         \
    return a;                                                     \
  }                                                               \
  inline float __##word##2float(name a) {                         \
    return a;                                                     \
  }                                                               \
  inline name##2 __##word##2##word##2(name a) {                   \
    return {a, a};                                                \
  }                                                               \
  inline name##2 __float2##word##2_rn(float a) {                  \
    return {a, a};                                                \
  }                                                               \
  inline name##2 __floats2##word##2_rn(float a, float b) {        \
    return {a, b};                                                \
  }                                                               \
  inline name##2 __halves2##word##2(name a, name b) {             \
    return {a, b};                                                \
  }                                                               \
  inline unsigned short __##word##_as_ushort(name a) {            \
    return a.stored.bits;                                         \
  }                                                               \
  inline short __##word##_as_short(name a) {                      \
    return static_cast<short>(a.stored.bits);                     \
  }                                                               \
  inline name __ushort_as_##word(unsigned short bits) {           \
    name a;                                                       \
    a.stored.bits = bits;                                         \
    return a;                                                     \
  }                                                               \
  inline name __short_as_##word(short bits) {                     \
    return __ushort_as_##word(static_cast<unsigned short>(bits)); \
  }                                                               \
  TAILWAVE_SMALL_ROUNDED(name, word, rn, nearest)                 \
  TAILWAVE_SMALL_ROUNDED(name, word, rz, zero)                    \
  TAILWAVE_SMALL_ROUNDED(name, word, ru, up)                      \
  TAILWAVE_SMALL_ROUNDED(name, word, rd, down)

#define TAILWAVE_SMALL_ROUNDED(name, word, suffix, mode)                                       \
  inline name __float2##word##_##suffix(float a) {                                             \
    return ::tailwave_cpu::rounded<decltype(name::stored)>(a, ::tailwave_cpu::Rounding::mode); \
  }                                                                                            \
  TAILWAVE_SMALL_INTEGER(name, word, suffix, mode, int, int)                                   \
  TAILWAVE_SMALL_INTEGER(name, word, suffix, mode, unsigned, uint)                             \
  TAILWAVE_SMALL_INTEGER(name, word, suffix, mode, short, short)                               \
  TAILWAVE_SMALL_INTEGER(name, word, suffix, mode, unsigned short, ushort)                     \
  TAILWAVE_SMALL_INTEGER(name, word, suffix, mode, long long, ll)                              \
  TAILWAVE_SMALL_INTEGER(name, word, suffix, mode, unsigned long long, ull)
#define TAILWAVE_SMALL_INTEGER(name, word, suffix, mode, Integer, integer)                     \
  inline name __##integer##2##word##_##suffix(Integer a) {                                     \
    return ::tailwave_cpu::rounded<decltype(name::stored)>(::tailwave_cpu::with_sticky_bit(a), \
                                                           ::tailwave_cpu::Rounding::mode);    \
  }                                                                                            \
  inline Integer __##word##2##integer##_##suffix(name a) {                                     \
    return ::tailwave_cpu::integer_of<Integer>(a, ::tailwave_cpu::Rounding::mode);             \
  }

// Of a pair each element by itself.
#define TAILWAVE_SMALL_ATOMICS(name)                                                        \
  inline name atomicAdd(name* address, name value) {                                        \
    return tailwave_cpu::atomic_update(address, [value](name old) { return old + value; }); \
  }                                                                                         \
  inline name##2 atomicAdd(name##2 * address, name##2 value) {                              \
    return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};              \
  }
