#pragma once

// The special functions that CUDA has and C has not, computed in float64.

#include "math_extra.h"

namespace tailwave_cpu {

constexpr double kTwoBySqrtPi = 1.12837916709551257390, kSqrtHalf = 0.70710678118654752440;

// exp(x^2) * erfc(x), by its asymptotic series where the first factor would overflow.
inline double scaled_erfc(double x) {
  if (x < 25) {
    const double square = x * x, rest = fma(x, x, -square);
    return exp(square) * (1 + rest) * ::erfc(x);
  }
  const double step = -0.5 / (x * x);
  double term = 1, sum = 1;
  for (int k = 1; k <= 6; ++k) sum += term *= (2 * k - 1) * step;
  return kTwoBySqrtPi / 2 / x * sum;
}

// Halley's iteration from a rational approximation (Abramowitz and Stegun, 26.2.23).
inline double inverse_erfc(double y) {
  if (!(y >= 0 && y <= 2)) return __builtin_nan("");
  if (y == 0) return __builtin_inf();
  if (y > 1) return -inverse_erfc(2 - y);
  const double t = sqrt(-2 * log(y / 2));
  double x = kSqrtHalf * (t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                                  (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
  for (int i = 0; i < 3; ++i) {
    const double wrong = ::erfc(x) - y;
    x += wrong / (kTwoBySqrtPi * exp(-x * x) - x * wrong);
  }
  return x;
}

inline double inverse_erf(double y) {
  const double size = fabs(y);
  if (size > 0.5) return copysign(inverse_erfc(1 - size), y);
  double x = y / kTwoBySqrtPi;
  for (int i = 0; i < 4; ++i) {
    const double wrong = ::erf(x) - y;
    x -= wrong / (kTwoBySqrtPi * exp(-x * x) + x * wrong);
  }
  return x;
}

// The modified Bessel function of the first kind, by its power series.
inline double bessel_i(int order, double x) {
  double term = order == 0 ? 1 : x / 2, sum = term;
  for (int k = 1; fabs(term) > 1e-17 * fabs(sum); ++k)
    sum += term *= x * x / 4 / (static_cast<double>(k) * (k + order));
  return sum;
}

inline double norm_of(int count, const double* values) {
  double norm = 0;
  for (int i = 0; i < count; ++i) norm = ::hypot(norm, values[i]);
  return norm;
}
inline float norm_of(int count, const float* values) {
  double squares = 0;
  for (int i = 0; i < count; ++i) squares += static_cast<double>(values[i]) * values[i];
  return static_cast<float>(sqrt(squares));
}

}  // namespace tailwave_cpu

#define TAILWAVE_SPECIAL(name, ...)             \
  inline double name(double x) {                \
    return __VA_ARGS__;                         \
  }                                             \
  inline float name##f(float x) {               \
    return static_cast<float>(name(double(x))); \
  }                                             \
  inline float name(float x) {                  \
    return name##f(x);                          \
  }
TAILWAVE_SPECIAL(erfcx, tailwave_cpu::scaled_erfc(x))
TAILWAVE_SPECIAL(erfinv, tailwave_cpu::inverse_erf(x))
TAILWAVE_SPECIAL(erfcinv, tailwave_cpu::inverse_erfc(x))
TAILWAVE_SPECIAL(normcdf, 0.5 * ::erfc(-x * tailwave_cpu::kSqrtHalf))
TAILWAVE_SPECIAL(normcdfinv, -tailwave_cpu::inverse_erfc(2 * x) / tailwave_cpu::kSqrtHalf)
#undef TAILWAVE_SPECIAL
#define TAILWAVE_SPECIAL(name, ...)             \
  inline double name(double x) {                \
    return __VA_ARGS__;                         \
  }                                             \
  inline float name##f(float x) {               \
    return static_cast<float>(name(double(x))); \
  }
TAILWAVE_SPECIAL(cyl_bessel_i0, tailwave_cpu::bessel_i(0, x))
TAILWAVE_SPECIAL(cyl_bessel_i1, tailwave_cpu::bessel_i(1, x))
#undef TAILWAVE_SPECIAL

inline double norm(int count, const double* values) {
  return tailwave_cpu::norm_of(count, values);
}
inline float normf(int count, const float* values) {
  return tailwave_cpu::norm_of(count, values);
}
inline double rnorm(int count, const double* values) {
  return 1.0 / norm(count, values);
}
inline float rnormf(int count, const float* values) {
  return 1.0f / normf(count, values);
}
inline double rnorm4d(double x, double y, double z, double w) {
  return 1.0 / norm4d(x, y, z, w);
}
inline float rnorm4df(float x, float y, float z, float w) {
  return 1.0f / norm4df(x, y, z, w);
}

inline unsigned umin(unsigned x, unsigned y) {
  return x < y ? x : y;
}
inline unsigned umax(unsigned x, unsigned y) {
  return x < y ? y : x;
}
inline long long llmin(long long x, long long y) {
  return x < y ? x : y;
}
inline long long llmax(long long x, long long y) {
  return x < y ? y : x;
}
inline unsigned long long ullmin(unsigned long long x, unsigned long long y) {
  return x < y ? x : y;
}
inline unsigned long long ullmax(unsigned long long x, unsigned long long y) {
  return x < y ? y : x;
}
