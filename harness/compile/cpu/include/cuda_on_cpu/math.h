#pragma once

// The math functions that C has too: they are C's, with overloads as in C++.

#include <limits.h>
#include <stdint.h>

// The C headers alone: libstdc++'s wrappers take longer to read than most templates take to compile.
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <math.h>
#include <stdlib.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#define _GLIBCXX_MATH_H 1
#define _GLIBCXX_STDLIB_H 1
#undef isnan
#undef isinf
#undef isfinite
#undef isnormal
#undef signbit

#include "integers.h"

// A using directive instead of global declarations: std::sqrt and its like can be declared beside these.
namespace tailwave_cpu::math {

// Integers are taken as doubles: "%" is what only they have.
template <class T>
using IfInteger = decltype(static_cast<T>(1) % 1);

#define TAILWAVE_UNARY(name)               \
  inline float name(float x) {             \
    return ::name##f(x);                   \
  }                                        \
  template <class T, class = IfInteger<T>> \
  inline double name(T x) {                \
    return ::name(static_cast<double>(x)); \
  }
TAILWAVE_UNARY(acos)
TAILWAVE_UNARY(acosh)
TAILWAVE_UNARY(asin)
TAILWAVE_UNARY(asinh)
TAILWAVE_UNARY(atan)
TAILWAVE_UNARY(atanh)
TAILWAVE_UNARY(cbrt)
TAILWAVE_UNARY(ceil)
TAILWAVE_UNARY(cos)
TAILWAVE_UNARY(cosh)
TAILWAVE_UNARY(erf)
TAILWAVE_UNARY(erfc)
TAILWAVE_UNARY(exp)
TAILWAVE_UNARY(exp2)
TAILWAVE_UNARY(expm1)
TAILWAVE_UNARY(fabs)
TAILWAVE_UNARY(floor)
TAILWAVE_UNARY(lgamma)
TAILWAVE_UNARY(log)
TAILWAVE_UNARY(log10)
TAILWAVE_UNARY(log1p)
TAILWAVE_UNARY(log2)
TAILWAVE_UNARY(logb)
TAILWAVE_UNARY(nearbyint)
TAILWAVE_UNARY(rint)
TAILWAVE_UNARY(round)
TAILWAVE_UNARY(sin)
TAILWAVE_UNARY(sinh)
TAILWAVE_UNARY(sqrt)
TAILWAVE_UNARY(tan)
TAILWAVE_UNARY(tanh)
TAILWAVE_UNARY(tgamma)
TAILWAVE_UNARY(trunc)
#undef TAILWAVE_UNARY

#define TAILWAVE_MIXED(name, ...)                                  \
  template <class T, class = IfInteger<T>>                         \
  inline double name(__VA_ARGS__) {                                \
    return ::name(static_cast<double>(x), static_cast<double>(y)); \
  }
#define TAILWAVE_BINARY(name)                 \
  inline float name(float x, float y) {       \
    return ::name##f(x, y);                   \
  }                                           \
  inline double name(double x, float y) {     \
    return ::name(x, static_cast<double>(y)); \
  }                                           \
  inline double name(float x, double y) {     \
    return ::name(static_cast<double>(x), y); \
  }                                           \
  TAILWAVE_MIXED(name, float x, T y)          \
  TAILWAVE_MIXED(name, double x, T y)         \
  TAILWAVE_MIXED(name, T x, float y)          \
  TAILWAVE_MIXED(name, T x, double y)         \
  TAILWAVE_MIXED(name, T x, T y)
TAILWAVE_BINARY(atan2)
TAILWAVE_BINARY(copysign)
TAILWAVE_BINARY(fdim)
TAILWAVE_BINARY(fmax)
TAILWAVE_BINARY(fmin)
TAILWAVE_BINARY(fmod)
TAILWAVE_BINARY(hypot)
TAILWAVE_BINARY(nextafter)
TAILWAVE_BINARY(pow)
TAILWAVE_BINARY(remainder)
#undef TAILWAVE_BINARY
#undef TAILWAVE_MIXED

inline float pow(float x, int y) {
  return ::powf(x, static_cast<float>(y));
}
inline double pow(double x, int y) {
  return ::pow(x, static_cast<double>(y));
}
inline float fma(float x, float y, float z) {
  return ::fmaf(x, y, z);
}
inline float ldexp(float x, int exponent) {
  return ::ldexpf(x, exponent);
}
inline float frexp(float x, int* exponent) {
  return ::frexpf(x, exponent);
}
inline float modf(float x, float* whole) {
  return ::modff(x, whole);
}
inline long lrint(float x) {
  return ::lrintf(x);
}
inline long lround(float x) {
  return ::lroundf(x);
}
inline long long llrint(float x) {
  return ::llrintf(x);
}
inline long long llround(float x) {
  return ::llroundf(x);
}
inline int ilogb(float x) {
  return ::ilogbf(x);
}

inline float abs(float x) {
  return ::fabsf(x);
}
inline double abs(double x) {
  return ::fabs(x);
}
inline long abs(long x) {
  return ::labs(x);
}
inline long long abs(long long x) {
  return ::llabs(x);
}

inline bool isnan(float x) {
  return __builtin_isnan(x);
}
inline bool isnan(double x) {
  return __builtin_isnan(x);
}
inline bool isinf(float x) {
  return __builtin_isinf(x);
}
inline bool isinf(double x) {
  return __builtin_isinf(x);
}
inline bool isfinite(float x) {
  return __builtin_isfinite(x);
}
inline bool isfinite(double x) {
  return __builtin_isfinite(x);
}
inline bool signbit(float x) {
  return __builtin_signbitf(x);
}
inline bool signbit(double x) {
  return __builtin_signbit(x);
}

#define TAILWAVE_MIN_MAX(Result, First, Second)                                      \
  constexpr Result min(First a, Second b) {                                          \
    return static_cast<Result>(a) < static_cast<Result>(b) ? static_cast<Result>(a)  \
                                                           : static_cast<Result>(b); \
  }                                                                                  \
  constexpr Result max(First a, Second b) {                                          \
    return static_cast<Result>(a) < static_cast<Result>(b) ? static_cast<Result>(b)  \
                                                           : static_cast<Result>(a); \
  }
TAILWAVE_MIN_MAX(int, int, int)
TAILWAVE_MIN_MAX(unsigned, unsigned, unsigned)
TAILWAVE_MIN_MAX(unsigned, int, unsigned)
TAILWAVE_MIN_MAX(unsigned, unsigned, int)
TAILWAVE_MIN_MAX(long, long, long)
TAILWAVE_MIN_MAX(unsigned long, unsigned long, unsigned long)
TAILWAVE_MIN_MAX(unsigned long, long, unsigned long)
TAILWAVE_MIN_MAX(unsigned long, unsigned long, long)
TAILWAVE_MIN_MAX(long long, long long, long long)
TAILWAVE_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
TAILWAVE_MIN_MAX(unsigned long long, long long, unsigned long long)
TAILWAVE_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef TAILWAVE_MIN_MAX

// The operand that is a number where one is NaN, as the C functions; written so that loops vectorise.
#define TAILWAVE_FLOAT_MIN_MAX(Result, First, Second, suffix) \
  inline Result min(First a, Second b) {                      \
    return __builtin_fmin##suffix(a, b);                      \
  }                                                           \
  inline Result max(First a, Second b) {                      \
    return __builtin_fmax##suffix(a, b);                      \
  }
TAILWAVE_FLOAT_MIN_MAX(float, float, float, f)
TAILWAVE_FLOAT_MIN_MAX(double, double, double, )
TAILWAVE_FLOAT_MIN_MAX(double, float, double, )
TAILWAVE_FLOAT_MIN_MAX(double, double, float, )
#undef TAILWAVE_FLOAT_MIN_MAX

}  // namespace tailwave_cpu::math

using namespace tailwave_cpu::math;
