#pragma once

#include "core/bootstrap.h"

namespace tailwave {

// What all samples of one repetition share, such as where buffers lie or what else the machine does, is in no interval of
// theirs. By this share two medians differ at least where that is: one configuration, measured six times within a minute
// on an H200, had medians 3.7 % apart with intervals of 0.03 %, and the ratio of two of them was 1.61 in one experiment
// and 1.70 in another.
inline constexpr double kBetweenRepetitions = 0.05;

bool has_one_repetition(const Series& series);

// By how much one of two medians may be above the other, as a share, without that being shown. 0 where both series have
// several repetitions; else kBetweenRepetitions, or the interquartile range over the median of one that has a single
// repetition if that is more: where samples scatter, something else ran, which may have gone on for a whole repetition.
double untold_share(const Series& a, const Series& b);

}  // namespace tailwave
