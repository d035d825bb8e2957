#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/statistics.h"

namespace tailwave {

// What repeated measurements can tell apart: bootstrap intervals (Efron & Tibshirani, An Introduction to the
// Bootstrap, 1993) and the set of configurations that are tied with the best one. Everything is deterministic:
// the same samples, options and seed give the same result on every machine.

// The times of one configuration, or anything else of which less is better, by repetition. Empty repetitions do
// not count.
struct Series {
  std::vector<std::vector<double>> repetitions;
};

// Of all repetitions, one after the other.
std::vector<double> samples_of(const Series& series);

// Samples of one repetition share its warm-up, clocks and memory layout, so that they are more alike than those of
// two. From this many repetitions on, a resample draws repetitions first and then samples in each of them (Davison &
// Hinkley, Bootstrap Methods and their Application, 1997, 3.8); with fewer there is too little to draw from,
// and all samples count as independent, which makes intervals too narrow where repetitions differ.
inline constexpr std::size_t kFewestRepetitions = 5;

// With fewer samples no interval of a median reaches 95 %: the whole range of 5 covers 93.75 %.
inline constexpr std::size_t kFewestSamples = 6;

struct BootstrapOptions {
  double level = 0.95;
  int resamples = 2000;
  std::uint64_t seed = 20240229;
};

// Percentile intervals (Efron & Tibshirani, 13.3): of the median of all samples, and of the median of `first` over
// that of `second`, resampled independently. Not BCa: its acceleration comes from the jackknife, which is
// inconsistent for a median (ibid., 11.6). An interval of fewer than kFewestSamples samples lies inside their range
// and covers less than `level`. 0/0 counts as 1, since both are below the clock's resolution.
//
// Throw std::invalid_argument for a series without samples, a sample that is negative or not finite, a level
// outside 0..1 and fewer than 1 resample.
Interval median_interval(const Series& series, const BootstrapOptions& options = {});
Interval ratio_interval(const Series& first, const Series& second, const BootstrapOptions& options = {});

struct TieOptions {
  double margin = 0.01;  // what is not slower by more than this share is as good as the best
  double level = 0.95;
  int resamples = 2000;  // at least; more where so many are tested that 2000 could not tell
  std::uint64_t seed = 20240229;
  // So many such sets answer one question: the probability that any configuration which is as good as the best of its
  // set is left out is kept at 1 - level or less over all of them (Bonferroni). Intervals are of their own.
  int together = 1;
};

// Which configurations may be the best: element i is false only when series i is shown to be slower than the best
// by more than the margin. The best has the smallest median, the first of equal ones; it is always in the set.
// Empty for no series; throws std::invalid_argument as above and for a margin that is negative or not finite.
//
// The best of K was chosen because its median came out low, so that it looks faster than it is, and the more so the
// larger K: among 50 equal configurations the extremes are 4.5 standard errors apart on average. A test of every
// configuration against it as if it had been named beforehand, each at 5 %, sets some apart in 94 % of such spaces
// of 20 samples each, and a correction for K - 1 comparisons still in 24 %. So the hypothesis for each configuration
// is that none of the others is faster by more than the margin (multiple comparisons with the best; Hsu, Constrained
// simultaneous confidence intervals, Annals of Statistics 12, 1984), and the bootstrap repeats the choice: the
// observed lead of the best is compared with
//
//   error of i + (1 + margin) * (standard error of the best) * (the luckiest standardised error of all rivals),
//
// errors being observed medians less resampled ones, whose sides are those of the percentile interval (those of the
// basic one reject twice too often for 20 samples). The share of resamples with at least the observed lead is the
// p-value, and Holm's procedure (A simple sequentially rejective multiple test procedure, Scand. J. Statistics 6,
// 1979) over all K hypotheses keeps the probability that any configuration which is as good as the best is left out
// at 1 - level or less, as far as the bootstrap's approximation holds: in the simulations of
// tests/core/bootstrap_test.cpp it is 1 % to 5 %. What was left out no longer counts among the rivals, and the rest
// is tested again until nothing more is left out (step-down; Romano and Wolf, Exact and approximate stepdown methods
// for multiple hypothesis testing, J. American Statistical Association 100, 2005): one that is far behind and noisy
// cannot be the best by luck. Noise that all samples of a configuration share, such as clocks that drift from one to
// the next, is invisible to it; repetitions make it visible.
//
// Where all samples of a configuration are slower by more than the margin than all of the best's, and a permutation
// test shows it at (1 - level) / (K * (K - 1)), since any of the K could have come out as the best, it is out and
// nothing is resampled. That is Holm's first step. With fewer than kFewestSamples on either side it is the only test,
// since too few values to draw from make the bootstrap sure of itself: n samples against m lie so by chance once in n
// + m choose n. Of two configurations 4 samples a side can therefore show it, of four 5 a side, of sixteen 2 against
// 100; up to 3 a side, never. However large their ratio: how far a sample strays is what so few cannot say, and on a
// busy machine it is many times. K ties of n samples cost K * K * n / (1 - level) steps; of
// more than kMostRivals that the order of samples does not tell apart those with the least medians are tested, and the rest counts
// as not shown to be slower.
inline constexpr std::size_t kMostRivals = 2000;
std::vector<bool> tied_with_best(const std::vector<Series>& all, const TieOptions& options = {});

}  // namespace tailwave
