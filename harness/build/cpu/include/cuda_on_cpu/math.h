#pragma once

// CUDA's math functions. Those that C has are C's, with overloads as in C++; fast intrinsics (__sinf, ...) are the
// accurate functions, which --use_fast_math then lets the host compiler approximate.

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

inline float rsqrtf(float x) {
  return 1.0f / sqrtf(x);
}
inline double rsqrt(double x) {
  return 1.0 / sqrt(x);
}
inline float rsqrt(float x) {
  return rsqrtf(x);
}
inline float rcbrtf(float x) {
  return 1.0f / cbrtf(x);
}
inline double rcbrt(double x) {
  return 1.0 / cbrt(x);
}
inline float rhypotf(float x, float y) {
  return 1.0f / hypotf(x, y);
}
inline double rhypot(double x, double y) {
  return 1.0 / hypot(x, y);
}
inline float norm3df(float x, float y, float z) {
  return sqrtf(x * x + y * y + z * z);
}
inline double norm3d(double x, double y, double z) {
  return sqrt(x * x + y * y + z * z);
}
inline float rnorm3df(float x, float y, float z) {
  return 1.0f / norm3df(x, y, z);
}
inline double rnorm3d(double x, double y, double z) {
  return 1.0 / norm3d(x, y, z);
}
inline float norm4df(float x, float y, float z, float w) {
  return sqrtf(x * x + y * y + z * z + w * w);
}
inline double norm4d(double x, double y, double z, double w) {
  return sqrt(x * x + y * y + z * z + w * w);
}
inline float fdividef(float x, float y) {
  return x / y;
}

// The argument is reduced before it is multiplied by pi, so that whole and half numbers give exact results.
namespace tailwave_cpu {
constexpr double kPi = 3.14159265358979323846;

inline double sine_of_pi(double x) {
  const double quarter = nearbyint(2 * x);
  const double rest = (x - quarter / 2) * kPi;
  switch (static_cast<int>(fmod(quarter, 4.0)) & 3) {
    case 0:
      return sin(rest);
    case 1:
      return cos(rest);
    case 2:
      return -sin(rest);
    default:
      return -cos(rest);
  }
}
inline double cosine_of_pi(double x) {
  const double quarter = nearbyint(2 * x);
  const double rest = (x - quarter / 2) * kPi;
  switch (static_cast<int>(fmod(quarter, 4.0)) & 3) {
    case 0:
      return cos(rest);
    case 1:
      return -sin(rest);
    case 2:
      return -cos(rest);
    default:
      return sin(rest);
  }
}
}  // namespace tailwave_cpu

inline double sinpi(double x) {
  return tailwave_cpu::sine_of_pi(x);
}
inline double cospi(double x) {
  return tailwave_cpu::cosine_of_pi(x);
}
inline float sinpif(float x) {
  return static_cast<float>(tailwave_cpu::sine_of_pi(x));
}
inline float cospif(float x) {
  return static_cast<float>(tailwave_cpu::cosine_of_pi(x));
}
inline float sinpi(float x) {
  return sinpif(x);
}
inline float cospi(float x) {
  return cospif(x);
}
inline void sincospi(double x, double* sine, double* cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
inline void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}

inline float saturate(float x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
inline float __saturatef(float x) {
  return saturate(x);
}

inline float __sinf(float x) {
  return sinf(x);
}
inline float __cosf(float x) {
  return cosf(x);
}
inline float __tanf(float x) {
  return tanf(x);
}
inline void __sincosf(float x, float* sine, float* cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}
inline float __expf(float x) {
  return expf(x);
}
inline float __exp10f(float x) {
  return powf(10.0f, x);
}
inline float __logf(float x) {
  return logf(x);
}
inline float __log2f(float x) {
  return log2f(x);
}
inline float __log10f(float x) {
  return log10f(x);
}
inline float __powf(float x, float y) {
  return powf(x, y);
}
inline float __fdividef(float x, float y) {
  return x / y;
}
inline float __frsqrt_rn(float x) {
  return 1.0f / sqrtf(x);
}

// Rounding: to nearest whatever the suffix says, except where it decides an integer.
#define TAILWAVE_ROUNDED(suffix)                               \
  inline float __fadd_##suffix(float x, float y) {             \
    return x + y;                                              \
  }                                                            \
  inline float __fsub_##suffix(float x, float y) {             \
    return x - y;                                              \
  }                                                            \
  inline float __fmul_##suffix(float x, float y) {             \
    return tailwave_cpu::alone(x * y);                         \
  }                                                            \
  inline float __fdiv_##suffix(float x, float y) {             \
    return x / y;                                              \
  }                                                            \
  inline float __frcp_##suffix(float x) {                      \
    return 1.0f / x;                                           \
  }                                                            \
  inline float __fsqrt_##suffix(float x) {                     \
    return sqrtf(x);                                           \
  }                                                            \
  inline float __fmaf_##suffix(float x, float y, float z) {    \
    return fmaf(x, y, z);                                      \
  }                                                            \
  inline double __dadd_##suffix(double x, double y) {          \
    return x + y;                                              \
  }                                                            \
  inline double __dsub_##suffix(double x, double y) {          \
    return x - y;                                              \
  }                                                            \
  inline double __dmul_##suffix(double x, double y) {          \
    return tailwave_cpu::alone(x * y);                         \
  }                                                            \
  inline double __ddiv_##suffix(double x, double y) {          \
    return x / y;                                              \
  }                                                            \
  inline double __drcp_##suffix(double x) {                    \
    return 1.0 / x;                                            \
  }                                                            \
  inline double __dsqrt_##suffix(double x) {                   \
    return sqrt(x);                                            \
  }                                                            \
  inline double __fma_##suffix(double x, double y, double z) { \
    return fma(x, y, z);                                       \
  }
namespace tailwave_cpu {
// Keeps a product from being contracted into a fused multiply-add.
template <class T>
inline T alone(T product) {
#if defined(__x86_64__)
  __asm__("" : "+x"(product));
#elif defined(__aarch64__)
  __asm__("" : "+w"(product));
#endif
  return product;
}
}  // namespace tailwave_cpu
TAILWAVE_ROUNDED(rn)
TAILWAVE_ROUNDED(rz)
TAILWAVE_ROUNDED(ru)
TAILWAVE_ROUNDED(rd)
#undef TAILWAVE_ROUNDED

#define TAILWAVE_CONVERSIONS(From, from)       \
  inline int __##from##2int_rn(From x) {       \
    return static_cast<int>(rint(x));          \
  }                                            \
  inline int __##from##2int_rz(From x) {       \
    return static_cast<int>(x);                \
  }                                            \
  inline int __##from##2int_ru(From x) {       \
    return static_cast<int>(ceil(x));          \
  }                                            \
  inline int __##from##2int_rd(From x) {       \
    return static_cast<int>(floor(x));         \
  }                                            \
  inline unsigned __##from##2uint_rn(From x) { \
    return static_cast<unsigned>(rint(x));     \
  }                                            \
  inline unsigned __##from##2uint_rz(From x) { \
    return static_cast<unsigned>(x);           \
  }                                            \
  inline unsigned __##from##2uint_ru(From x) { \
    return static_cast<unsigned>(ceil(x));     \
  }                                            \
  inline unsigned __##from##2uint_rd(From x) { \
    return static_cast<unsigned>(floor(x));    \
  }                                            \
  inline long long __##from##2ll_rn(From x) {  \
    return static_cast<long long>(rint(x));    \
  }                                            \
  inline long long __##from##2ll_rz(From x) {  \
    return static_cast<long long>(x);          \
  }
TAILWAVE_CONVERSIONS(float, float)
TAILWAVE_CONVERSIONS(double, double)
#undef TAILWAVE_CONVERSIONS
inline float __int2float_rn(int x) {
  return static_cast<float>(x);
}
inline float __uint2float_rn(unsigned x) {
  return static_cast<float>(x);
}
inline float __ll2float_rn(long long x) {
  return static_cast<float>(x);
}
inline float __ull2float_rn(unsigned long long x) {
  return static_cast<float>(x);
}
inline double __int2double_rn(int x) {
  return x;
}
inline double __uint2double_rn(unsigned x) {
  return x;
}
inline double __ll2double_rn(long long x) {
  return static_cast<double>(x);
}
inline double __ull2double_rn(unsigned long long x) {
  return static_cast<double>(x);
}
inline float __double2float_rn(double x) {
  return static_cast<float>(x);
}
