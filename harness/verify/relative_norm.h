#pragma once

// What sums of squares make of a difference: C++17 and of the project only difference.h, since exported programs have it,
// too (standalone/).

#include <cmath>

#include "verify/difference.h"

namespace tailwave {

// A norm as what a multiple of it is, so that neither overflows.
struct ScaledNorm {
  double value = 0, unit = 1;
};

inline ScaledNorm norm_of(const SquareSum& sum) {
  if (sum.huge > 0) {
    const double scaled = std::sqrt(sum.ordinary) * SquareSum::kHugeScale;
    return {std::sqrt(sum.huge + scaled * scaled), 1 / SquareSum::kHugeScale};
  }
  if (sum.tiny == 0 || sum.ordinary > 0)
    return {std::hypot(std::sqrt(sum.ordinary), std::sqrt(sum.tiny) / SquareSum::kTinyScale), 1};
  return {std::sqrt(sum.tiny), 1 / SquareSum::kTinyScale};
}

// ||difference|| / ||expected||, or ||difference|| where all of expected is 0.
inline double relative_norm(const SquareSum& squares, const SquareSum& expected_squares) {
  const ScaledNorm difference = norm_of(squares);
  const ScaledNorm expected = norm_of(expected_squares);
  if (expected.value == 0) return difference.value * difference.unit;
  return difference.value / expected.value * difference.unit / expected.unit;
}

}  // namespace tailwave
