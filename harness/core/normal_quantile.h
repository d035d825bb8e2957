#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tailwave {

// The number that a standard normal one is less than with a given probability: PPND16 of Wichura, "Algorithm AS 241: the
// percentage points of the normal distribution", Applied Statistics 37 (3), 1988, whose relative error is some 1e-16.
// It is made of operations alone that IEEE 754 rounds the same everywhere (+ - * / sqrt; nothing may be fused), so that a
// GPU that does them in this order has the same bits (device/cuda/random_filler.cpp). The logarithm that the tails take
// is therefore a series of its own.
namespace normal_quantile {

// Of a quotient of two polynomials, the highest power first.
using Coefficients = std::array<double, 8>;
struct Quotient {
  Coefficients above, below;
};
inline constexpr Quotient kCentre{
    {2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4, 4.5921953931549871457e+4,
     1.3731693765509461125e+4, 1.9715909503065514427e+3, 1.3314166789178437745e+2, 3.3871328727963666080e+0},
    {5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4, 2.1213794301586595867e+4,
     5.3941960214247511077e+3, 6.8718700749205790830e+2, 4.2313330701600911252e+1, 1.0}};
inline constexpr Quotient kTail{
    {7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
     1.27045825245236838258e+0, 3.64784832476320460504e+0, 5.76949722146069140550e+0,
     4.63033784615654529590e+0, 1.42343711074968357734e+0},
    {1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
     1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940e+0,
     2.05319162663775882187e+0, 1.0}};
inline constexpr Quotient kFarTail{
    {2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
     2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580e+0,
     5.46378491116411436990e+0, 6.65790464350110377720e+0},
    {2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
     7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
     5.99832206555887937690e-1, 1.0}};
inline constexpr double kCentreEnd = 0.425,
                        kCentreSquare = 0.180625;             // of |probability - 1/2|, and its square
inline constexpr double kTailShift = 1.6, kFarTailShift = 5;  // which is where the far tail begins, too

// ln(m) = 2 s (1 + s^2 (1/3 + s^2 (1/5 + ...))) with s = (m - 1) / (m + 1), the highest power first: for m between
// sqrt(1/2) and sqrt(2) what follows is less than 1e-17.
inline constexpr std::array<double, 12> kLogSeries{1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                                   1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
inline constexpr double kSqrt2 = 1.4142135623730951, kLn2 = 0.6931471805599453;
inline constexpr int kMantissaBits = 52, kExponentBias = 1023;

template <std::size_t count>
double polynomial(const std::array<double, count>& coefficients, double at) {
  double value = coefficients[0];
  for (std::size_t i = 1; i < count; ++i) value = value * at + coefficients[i];
  return value;
}

inline double quotient(const Quotient& of, double at) {
  return polynomial(of.above, at) / polynomial(of.below, at);
}

// Of a positive number that is not subnormal.
inline double logarithm(double number) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  auto exponent = static_cast<double>(static_cast<std::int64_t>(bits >> kMantissaBits) - kExponentBias);
  constexpr std::uint64_t kFraction = (std::uint64_t{1} << kMantissaBits) - 1;
  constexpr std::uint64_t kOne = std::uint64_t{kExponentBias} << kMantissaBits;
  bits = (bits & kFraction) | kOne;
  double mantissa = 0;
  std::memcpy(&mantissa, &bits, sizeof mantissa);
  if (mantissa > kSqrt2) {
    mantissa *= 0.5;
    exponent += 1;
  }
  const double s = (mantissa - 1) / (mantissa + 1);
  return exponent * kLn2 + (s + s) * polynomial(kLogSeries, s * s);
}

}  // namespace normal_quantile

// `probability` is more than 0 and less than 1.
inline double standard_normal(double probability) {
  using namespace normal_quantile;
  const double from_centre = probability - 0.5;
  if (std::abs(from_centre) <= kCentreEnd)
    return quotient(kCentre, kCentreSquare - from_centre * from_centre) * from_centre;
  const double depth = std::sqrt(-logarithm(from_centre < 0 ? probability : 1 - probability));
  const double size = depth <= kFarTailShift ? quotient(kTail, depth - kTailShift)
                                             : quotient(kFarTail, depth - kFarTailShift);
  return from_centre < 0 ? -size : size;
}

}  // namespace tailwave
