#pragma once

#include <vector>

#include "core/bootstrap.h"
#include "core/statistics.h"

namespace tailwave {

// What became of one configuration between two measurements of it, by the ratio of its second median to its first.
enum class Change { faster, same, slower, unclear };

struct RatioVerdict {
  double ratio = 1;   // above 1: the second is slower; 0/0 counts as 1
  Interval interval;  // ratio_interval(second, first) at options.level
  Change change = Change::unclear;
  bool tested = false;  // no: too few samples on a side
};

struct SeriesPair {
  Series first, second;
};

// A verdict for each pair:
// - slower, where it is shown that the second median is above (1 + margin) times the first; faster, where the first is
//   above (1 + margin) times the second. The p-value is twice the share of resamples that say otherwise, and Holm's
//   procedure over all pairs keeps the probability that any of them is called slower or faster wrongly at 1 - level or
//   less, as far as the bootstrap's approximation holds. The medians differ by more than untold_share(), too;
// - same, where it is neither and the pair's own interval lies from 1 / (1 + margin) to 1 + margin;
// - unclear, where it is none of these, and always with fewer than kFewestSamples on a side.
// Changing sides turns slower into faster. Throws as tied_with_best().
std::vector<RatioVerdict> compare_pairs(const std::vector<SeriesPair>& pairs, const TieOptions& options = {});

}  // namespace tailwave
