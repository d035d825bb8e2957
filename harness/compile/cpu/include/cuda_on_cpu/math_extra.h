#pragma once

// The math functions that CUDA has and C has not.

#include "math.h"

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

namespace tailwave_cpu {
// As a GPU converts (PTX ISA, "cvt"): what is beyond the type's numbers becomes the nearest of them; NaN becomes 0, or
// the highest bit alone where either type has 64 bits.
template <class To, class From>
inline To nearest_in(From x) {
  constexpr bool kSigned = static_cast<To>(-1) < static_cast<To>(0);
  constexpr To kMost = static_cast<To>(~0ull >> (64 - 8 * sizeof(To) + (kSigned ? 1 : 0)));
  constexpr To kLeast = kSigned ? static_cast<To>(~kMost) : 0;
  if (!(x == x))
    return sizeof(From) == 8 || sizeof(To) == 8 ? static_cast<To>(1ull << (8 * sizeof(To) - 1)) : 0;
  if (x >= static_cast<From>(kMost)) return kMost;  // both are exact, or the second is one more
  if (x <= static_cast<From>(kLeast)) return kLeast;
  return static_cast<To>(x);
}
}  // namespace tailwave_cpu
