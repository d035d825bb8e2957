#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace tailwave {

// Which parameters of a measured space explain its costs: a functional analysis of variance, after Hutter, Hoos &
// Leyton-Brown, "An efficient approach for assessing hyperparameter importance" (ICML 2014), of what was measured
// alone.

struct MeasuredPoint {
  std::vector<std::size_t> levels;  // of each parameter, counted from 0
  double y = 0;                     // the logarithm of its cost, or anything else
};

// What a parameter explains, or a pair beyond single parameters.
struct Effect {
  std::size_t parameter = 0;
  std::optional<std::size_t> with;
  std::size_t settings = 0;       // levels, or pairs of them, that there are
  double share = 0;               // of the variance of y
  double alone = 0;               // of a parameter: the share that it would explain alone
  std::vector<std::size_t> best;  // its level with the lowest mean of y, or the levels of both
  double range = 0;               // of a parameter: the highest mean of y less the lowest
};

struct Importance {
  std::vector<Effect> effects;  // parameters in the order in which they are taken, then pairs likewise
  double rest = 0;              // what none of them explains: interactions of more, and noise
};

// Shares are what each adds to those before it, so that with `rest` they add up to 1. The parameter comes first that
// alone explains most of what is left, and all taken so far are fitted together as a sum of functions of one each
// (least squares by backfitting; Breiman & Friedman, "Estimating optimal transformations", J. American Statistical
// Association 80, 1985): on a full grid a share is then the variance of the means over the levels, whatever the order.
// Where levels depend on each other, since constraints rule combinations out, what two could both explain counts for the
// first. Then pairs likewise, of what the sum leaves: 0 for a sum of functions, whatever combinations are missing.
// A parameter with one level has no effect. All points have as many levels. Empty where y does not vary.
Importance importance_of(const std::vector<MeasuredPoint>& points, bool with_pairs);

}  // namespace tailwave
