#pragma once

#include <span>

namespace tailwave {

struct Interval {
  double low = 0;
  double high = 0;
};

// All take samples in any order and throw std::invalid_argument when there are none.

// Middle value; mean of the two middle values for an even count.
double median(std::span<const double> samples);

// Linear interpolation between order statistics (Hyndman & Fan 1996, type 7); fraction in 0..1.
double quantile(std::span<const double> samples, double fraction);

double root_mean_square(std::span<const double> samples);

// Distribution-free confidence interval of the median from binomial order statistics (Conover, Practical
// Nonparametric Statistics, 3.2): the narrowest symmetric pair of order statistics with at least `level`
// coverage; the whole range when there are too few samples for that.
Interval median_interval(std::span<const double> samples, double level = 0.95);

// Spearman's rank correlation with mean ranks for ties; NaN for fewer than 2 pairs or no variation.
// Throws std::invalid_argument when the lengths differ.
double rank_correlation(std::span<const double> first, std::span<const double> second);

}  // namespace tailwave
