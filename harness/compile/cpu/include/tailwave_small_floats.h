#pragma once

// CUDA's floating point types of 16 and 8 bits, for kernels on the CPU device and for host variants: each operation is
// done in float32 and rounded once, as a GPU does where it has no instruction for it (CUDA Math API, "Half Precision
// Intrinsics" and "Bfloat16 Precision Intrinsics").

// NOLINTBEGIN(modernize-deprecated-headers): the C headers, which declare functions outside std
#include <math.h>
#include <string.h>
// NOLINTEND(modernize-deprecated-headers)

#include <type_traits>

#include "tailwave_small_float.h"

// A type with its operators, and its vector of two.
#define TAILWAVE_SMALL_TYPE(name, number)                                              \
  struct name {                                                                        \
    ::tailwave::number stored;                                                         \
    name() = default;                                                                  \
    template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>>         \
    name(T value) : stored(static_cast<double>(value)) {}                              \
    operator float() const { return static_cast<float>(stored); }                      \
    name& operator+=(name other) { return *this = name(float(*this) + float(other)); } \
    name& operator-=(name other) { return *this = name(float(*this) - float(other)); } \
    name& operator*=(name other) { return *this = name(float(*this) * float(other)); } \
    name& operator/=(name other) { return *this = name(float(*this) / float(other)); } \
  };                                                                                   \
  struct alignas(4) name##2 {                                                          \
    name x, y;                                                                         \
    name##2() = default;                                                               \
    name##2(name low, name high) : x(low), y(high) {}                                  \
  };                                                                                   \
  inline name operator+(name a, name b) {                                              \
    return float(a) + float(b);                                                        \
  }                                                                                    \
  inline name operator-(name a, name b) {                                              \
    return float(a) - float(b);                                                        \
  }                                                                                    \
  inline name operator*(name a, name b) {                                              \
    return float(a) * float(b);                                                        \
  }                                                                                    \
  inline name operator/(name a, name b) {                                              \
    return float(a) / float(b);                                                        \
  }                                                                                    \
  inline name operator-(name a) {                                                      \
    return -float(a);                                                                  \
  }                                                                                    \
  inline bool operator==(name a, name b) {                                             \
    return float(a) == float(b);                                                       \
  }                                                                                    \
  inline bool operator!=(name a, name b) {                                             \
    return float(a) != float(b);                                                       \
  }                                                                                    \
  inline bool operator<(name a, name b) {                                              \
    return float(a) < float(b);                                                        \
  }                                                                                    \
  inline bool operator<=(name a, name b) {                                             \
    return float(a) <= float(b);                                                       \
  }                                                                                    \
  inline bool operator>(name a, name b) {                                              \
    return float(a) > float(b);                                                        \
  }                                                                                    \
  inline bool operator>=(name a, name b) {                                             \
    return float(a) >= float(b);                                                       \
  }                                                                                    \
  inline name##2 operator+(name##2 a, name##2 b) {                                     \
    return {a.x + b.x, a.y + b.y};                                                     \
  }                                                                                    \
  inline name##2 operator-(name##2 a, name##2 b) {                                     \
    return {a.x - b.x, a.y - b.y};                                                     \
  }                                                                                    \
  inline name##2 operator*(name##2 a, name##2 b) {                                     \
    return {a.x * b.x, a.y * b.y};                                                     \
  }                                                                                    \
  inline name##2 operator/(name##2 a, name##2 b) {                                     \
    return {a.x / b.x, a.y / b.y};                                                     \
  }                                                                                    \
  inline name __hadd(name a, name b) {                                                 \
    return a + b;                                                                      \
  }                                                                                    \
  inline name __hsub(name a, name b) {                                                 \
    return a - b;                                                                      \
  }                                                                                    \
  inline name __hmul(name a, name b) {                                                 \
    return a * b;                                                                      \
  }                                                                                    \
  inline name __hdiv(name a, name b) {                                                 \
    return a / b;                                                                      \
  }                                                                                    \
  inline name __hneg(name a) {                                                         \
    return -a;                                                                         \
  }                                                                                    \
  inline name __habs(name a) {                                                         \
    return fabsf(a);                                                                   \
  }                                                                                    \
  inline name __hfma(name a, name b, name c) {                                         \
    return fma(double(float(a)), double(float(b)), double(float(c)));                  \
  }                                                                                    \
  inline name __hfma_relu(name a, name b, name c) {                                    \
    return fmaxf(__hfma(a, b, c), 0.0f);                                               \
  }                                                                                    \
  inline name __hmax(name a, name b) {                                                 \
    return fmaxf(a, b);                                                                \
  }                                                                                    \
  inline name __hmin(name a, name b) {                                                 \
    return fminf(a, b);                                                                \
  }                                                                                    \
  inline bool __heq(name a, name b) {                                                  \
    return a == b;                                                                     \
  }                                                                                    \
  inline bool __hne(name a, name b) {                                                  \
    return a != b;                                                                     \
  }                                                                                    \
  inline bool __hlt(name a, name b) {                                                  \
    return a < b;                                                                      \
  }                                                                                    \
  inline bool __hle(name a, name b) {                                                  \
    return a <= b;                                                                     \
  }                                                                                    \
  inline bool __hgt(name a, name b) {                                                  \
    return a > b;                                                                      \
  }                                                                                    \
  inline bool __hge(name a, name b) {                                                  \
    return a >= b;                                                                     \
  }                                                                                    \
  inline bool __hisnan(name a) {                                                       \
    return float(a) != float(a);                                                       \
  }                                                                                    \
  inline int __hisinf(name a) {                                                        \
    return isinf(float(a)) ? (float(a) > 0 ? 1 : -1) : 0;                              \
  }                                                                                    \
  inline name##2 __hadd2(name##2 a, name##2 b) {                                       \
    return a + b;                                                                      \
  }                                                                                    \
  inline name##2 __hsub2(name##2 a, name##2 b) {                                       \
    return a - b;                                                                      \
  }                                                                                    \
  inline name##2 __hmul2(name##2 a, name##2 b) {                                       \
    return a * b;                                                                      \
  }                                                                                    \
  inline name##2 __h2div(name##2 a, name##2 b) {                                       \
    return a / b;                                                                      \
  }                                                                                    \
  inline name##2 __hneg2(name##2 a) {                                                  \
    return {-a.x, -a.y};                                                               \
  }                                                                                    \
  inline name##2 __habs2(name##2 a) {                                                  \
    return {__habs(a.x), __habs(a.y)};                                                 \
  }                                                                                    \
  inline name##2 __hmax2(name##2 a, name##2 b) {                                       \
    return {__hmax(a.x, b.x), __hmax(a.y, b.y)};                                       \
  }                                                                                    \
  inline name##2 __hmin2(name##2 a, name##2 b) {                                       \
    return {__hmin(a.x, b.x), __hmin(a.y, b.y)};                                       \
  }                                                                                    \
  inline name##2 __hfma2(name##2 a, name##2 b, name##2 c) {                            \
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};                             \
  }                                                                                    \
  inline name hsqrt(name a) {                                                          \
    return sqrtf(a);                                                                   \
  }                                                                                    \
  inline name hrsqrt(name a) {                                                         \
    return 1.0f / sqrtf(a);                                                            \
  }                                                                                    \
  inline name hrcp(name a) {                                                           \
    return 1.0f / float(a);                                                            \
  }                                                                                    \
  inline name hexp(name a) {                                                           \
    return expf(a);                                                                    \
  }                                                                                    \
  inline name hexp2(name a) {                                                          \
    return exp2f(a);                                                                   \
  }                                                                                    \
  inline name hexp10(name a) {                                                         \
    return powf(10.0f, a);                                                             \
  }                                                                                    \
  inline name hlog(name a) {                                                           \
    return logf(a);                                                                    \
  }                                                                                    \
  inline name hlog2(name a) {                                                          \
    return log2f(a);                                                                   \
  }                                                                                    \
  inline name hlog10(name a) {                                                         \
    return log10f(a);                                                                  \
  }                                                                                    \
  inline name hsin(name a) {                                                           \
    return sinf(a);                                                                    \
  }                                                                                    \
  inline name hcos(name a) {                                                           \
    return cosf(a);                                                                    \
  }                                                                                    \
  inline name htanh(name a) {                                                          \
    return tanhf(a);                                                                   \
  }                                                                                    \
  inline name hfloor(name a) {                                                         \
    return floorf(a);                                                                  \
  }                                                                                    \
  inline name hceil(name a) {                                                          \
    return ceilf(a);                                                                   \
  }                                                                                    \
  inline name hrint(name a) {                                                          \
    return rintf(a);                                                                   \
  }                                                                                    \
  inline name htrunc(name a) {                                                         \
    return truncf(a);                                                                  \
  }                                                                                    \
  inline name##2 h2sqrt(name##2 a) {                                                   \
    return {hsqrt(a.x), hsqrt(a.y)};                                                   \
  }                                                                                    \
  inline name##2 h2rsqrt(name##2 a) {                                                  \
    return {hrsqrt(a.x), hrsqrt(a.y)};                                                 \
  }                                                                                    \
  inline name##2 h2rcp(name##2 a) {                                                    \
    return {hrcp(a.x), hrcp(a.y)};                                                     \
  }                                                                                    \
  inline name##2 h2exp(name##2 a) {                                                    \
    return {hexp(a.x), hexp(a.y)};                                                     \
  }                                                                                    \
  inline name##2 h2exp2(name##2 a) {                                                   \
    return {hexp2(a.x), hexp2(a.y)};                                                   \
  }                                                                                    \
  inline name##2 h2log(name##2 a) {                                                    \
    return {hlog(a.x), hlog(a.y)};                                                     \
  }                                                                                    \
  inline name##2 h2tanh(name##2 a) {                                                   \
    return {htanh(a.x), htanh(a.y)};                                                   \
  }                                                                                    \
  inline name##2 __lowhigh2highlow(name##2 a) {                                        \
    return {a.y, a.x};                                                                 \
  }                                                                                    \
  inline float __low2float(name##2 a) {                                                \
    return a.x;                                                                        \
  }                                                                                    \
  inline float __high2float(name##2 a) {                                               \
    return a.y;                                                                        \
  }

// What is called by the type's own word: "half" in __float2half, ...
#define TAILWAVE_SMALL_CONVERSIONS(name, word)                    \
  inline name __float2##word(float a) {                           \
    return a;                                                     \
  }                                                               \
  inline name __float2##word##_rn(float a) {                      \
    return a;                                                     \
  }                                                               \
  inline name __double2##word(double a) {                         \
    return a;                                                     \
  }                                                               \
  inline name __int2##word##_rn(int a) {                          \
    return a;                                                     \
  }                                                               \
  inline name __uint2##word##_rn(unsigned a) {                    \
    return a;                                                     \
  }                                                               \
  inline float __##word##2float(name a) {                         \
    return a;                                                     \
  }                                                               \
  inline int __##word##2int_rn(name a) {                          \
    return static_cast<int>(rintf(a));                            \
  }                                                               \
  inline int __##word##2int_rz(name a) {                          \
    return static_cast<int>(float(a));                            \
  }                                                               \
  inline int __##word##2int_rd(name a) {                          \
    return static_cast<int>(floorf(a));                           \
  }                                                               \
  inline int __##word##2int_ru(name a) {                          \
    return static_cast<int>(ceilf(a));                            \
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
  }

// An 8-bit type, which computes nothing: it is converted.
#define TAILWAVE_FP8_TYPE(name, number)                                                                      \
  struct name {                                                                                              \
    unsigned char __x;                                                                                       \
    name() = default;                                                                                        \
    template <class T, class = std::enable_if_t<std::is_convertible<T, float>::value>>                       \
    explicit name(T value) : __x(::tailwave::number(static_cast<double>(static_cast<float>(value))).bits) {} \
    explicit operator float() const {                                                                        \
      ::tailwave::number stored;                                                                             \
      stored.bits = __x;                                                                                     \
      return stored;                                                                                         \
    }                                                                                                        \
  };
