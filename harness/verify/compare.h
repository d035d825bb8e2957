#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <tuple>

#include "core/members.h"
#include "core/trial.h"
#include "spec/reference_spec.h"

namespace tailwave {

// A comparison of one configuration.
struct ResolvedComparison {
  Comparison::Norm norm = Comparison::Norm::relative_l2;
  double tolerance = 0;      // close: the share of the expected value that is allowed
  double low = 0, high = 0;  // close: `low` is allowed besides

  static constexpr auto members() {
    return std::tuple{member("norm", &ResolvedComparison::norm),
                      member("tolerance", &ResolvedComparison::tolerance),
                      member("low", &ResolvedComparison::low), member("high", &ResolvedComparison::high)};
  }
};
// Empty where its condition is false. Throws Failure(wrong_result) when condition or tolerance cannot be evaluated.
std::optional<ResolvedComparison> resolve(const Comparison& comparison, const Values& scope);

// Compares `actual` with `expected`, both arrays of `type`:
//   relative_l2  ||actual - expected||_2 / ||expected||_2 (absolute when expected is all zero)
//   max_abs      max |actual - expected|
//   max_rel      max |actual - expected| / |expected|, where expected is 0: |actual|
//   exact        number of elements whose bytes differ
//   ulp          max of how many values of the type an element is off: its units in the last place
//   close        max |actual - expected| / (absolute + relative * |expected|), at most 1; without anything allowed 0 is
//   differing    share of elements whose bytes differ
//   range        how far the farthest element of `actual` lies outside [low, high]; `expected` does not count.
//                `detail` gives the least and the greatest element
// A NaN or infinity in `actual` where `expected` has none fails whatever the norm, and so does a NaN in `expected`; an
// infinity agrees with itself. The error is then infinite, and `detail` says how many there are and which is the first.
// A NaN whose bytes are all kPoisonByte may never have been written. Else `detail` names the worst element by the norm,
// of equally bad ones the first, and also the first that is wrong if that is another (for relative_l2 none is wrong by
// itself). Integers of 64 bits are compared as they are, and no square overflows or vanishes (difference.h).
//
// Runs on `threads` threads, which have ended when it returns; 0: up to as many as there are cores, one for each MiB.
// Sums may differ in their last digits with that number. phase and buffer are left to the caller. Throws
// std::invalid_argument when the sizes differ.
Verification compare(ScalarType type, std::span<const std::byte> expected, std::span<const std::byte> actual,
                     const ResolvedComparison& comparison, std::size_t threads = 0);

}  // namespace tailwave
