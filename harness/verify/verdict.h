#pragma once

#include <cstddef>

#include "core/trial.h"
#include "spec/scalar_type.h"
#include "verify/compare.h"
#include "verify/difference.h"
#include "verify/relative_norm.h"

namespace tailwave {

// What is around difference.h, the same for every way to go through the arrays.

// The bounds of a range become values that an element of the type can have.
DifferenceRule difference_rule(ScalarType type, const ResolvedComparison& comparison);

// What compare() returns, from what was found in all `count` elements.
Verification verdict(ScalarType type, std::size_t count, const ArrayDifference& found,
                     const ResolvedComparison& comparison);

// Calls visit.operator()<norm, T>() with the norm and the element type as constants; returns what it does.
template <class Visit>
auto visit_comparison(Comparison::Norm norm, ScalarType type, Visit visit) {
  const auto with = [&]<DifferenceNorm constant>() {
    return visit_scalar(type,
                        [&](auto number) { return visit.template operator()<constant, decltype(number)>(); });
  };
  switch (norm) {
    case Comparison::Norm::relative_l2:
      return with.template operator()<DifferenceNorm::relative_l2>();
    case Comparison::Norm::max_abs:
      return with.template operator()<DifferenceNorm::max_abs>();
    case Comparison::Norm::max_rel:
      return with.template operator()<DifferenceNorm::max_rel>();
    case Comparison::Norm::exact:
      return with.template operator()<DifferenceNorm::exact>();
    case Comparison::Norm::ulp:
      return with.template operator()<DifferenceNorm::ulp>();
    case Comparison::Norm::close:
      return with.template operator()<DifferenceNorm::close>();
    case Comparison::Norm::differing:
      return with.template operator()<DifferenceNorm::differing>();
    case Comparison::Norm::range:
      break;
  }
  return with.template operator()<DifferenceNorm::range>();
}

}  // namespace tailwave
