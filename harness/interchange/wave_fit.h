#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "interchange/size_axes.h"

namespace tailwave {

// How the time of a configuration goes up in steps while the problem grows, from the few problems that were measured: by
// waves of its grid, and by its overhang, which is the blocks that the problem needs without rounding over those that it fills.
// It is 1 where nothing is left over. Kernels do what is left over in code of its own, which is slower: a tile that
// is not full by a loop that is not unrolled, say.

// What runs at once of a configuration's main launch.
struct WaveSlots {
  double slots = 1;  // blocks that are resident together
  double sms = 1;    // multiprocessors that they are spread over
};

// Relative time of a grid of `blocks` blocks: full waves, then one that is not full. An SM with r resident blocks takes
// max(1, r / filling): it works at so many blocks at once, and with fewer each takes equally long. With `filling` 1 the
// busiest SM's number of blocks counts, with as many as are resident it is a staircase of waves (as the models of
// occupancy/wave_models.h do it, with one number for what those measure grid by grid).
double wave_time(double blocks, const WaveSlots& slots, double filling);

struct WaveFit {
  double filling = 0;         // 0: without waves, since they explain nothing
  double overhang_power = 0;  // time grows with overhang to this power; 0: it explains nothing
  double error = 0;           // root mean square of all residuals; 0 where there are none
};

// Of the fits without waves and with `filling` 1, 2, ..., each without overhang and with the power of least squares, the one
// with the least error. A residual is log(predicted / measured) of a problem on an axis on which its neighbours on both sides,
// from which it is predicted, were measured. It has the power that is fitted without its problem, so that a power does not look better
// than it is where it was not fitted; one that is below 0, or rests on one problem, is none. By problem: `costs` and
// `blocks`, none where that is not known, and `overhangs`, then 1. Without slots there are no waves; with fewer than
// kFewestPredicted problems to predict, neither.
WaveFit fit_waves(const SizeAxes& axes, const std::vector<std::optional<double>>& costs,
                  const std::vector<std::optional<double>>& blocks, const std::vector<double>& overhangs,
                  const std::optional<WaveSlots>& slots);

inline constexpr std::size_t kFewestPredicted = 3;

}  // namespace tailwave
