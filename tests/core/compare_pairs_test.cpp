#include "core/compare_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/bootstrap.h"
#include "core/random.h"
#include "fakes/rounds.h"

namespace tailwave {
namespace {

double bell(Generator& generator) {
  double sum = -6;
  for (int j = 0; j < 12; ++j) sum += generator.uniform();
  return sum;
}

// Times with a floor and noise above and below it; now and then a straggler.
Series timed(Generator& generator, double time, double noise, int samples) {
  Series series{{{}}};
  for (int i = 0; i < samples; ++i) {
    const double noisy = time * std::exp(noise * bell(generator));
    series.repetitions[0].push_back(noisy * (generator.uniform() < 0.02 ? 1.5 : 1));
  }
  return series;
}

std::vector<SeriesPair> family(Generator& generator, double ratio, double noise, int samples, int size) {
  std::vector<SeriesPair> pairs;
  for (int i = 0; i < size; ++i)
    pairs.push_back({timed(generator, 10, noise, samples), timed(generator, 10 * ratio, noise, samples)});
  return pairs;
}

// Times of which those of a repetition share some of the noise.
Series repeated(Generator& generator, double time, double within, double between, int repetitions,
                int samples) {
  Series series;
  for (int i = 0; i < repetitions; ++i) {
    const double shared = std::exp(between * bell(generator));
    series.repetitions.push_back(timed(generator, time * shared, within, samples).repetitions[0]);
  }
  return series;
}

std::vector<SeriesPair> repeated_family(Generator& generator, double ratio, int repetitions, int size) {
  std::vector<SeriesPair> pairs;
  for (int i = 0; i < size; ++i)
    pairs.push_back({repeated(generator, 10, 0.005, 0.02, repetitions, 4),
                     repeated(generator, 10 * ratio, 0.005, 0.02, repetitions, 4)});
  return pairs;
}

// The families, of as many as are made by `make`, in which anything is called slower or faster.
template <class Make>
int families_with_a_change(int families, Make make) {
  int found = 0;
  for (int i = 0; i < fakes::rounds(families); ++i) {
    const auto verdicts = compare_pairs(make());
    found += std::any_of(verdicts.begin(), verdicts.end(), [](const RatioVerdict& one) {
      return one.change == Change::slower || one.change == Change::faster;
    });
  }
  return found;
}

long count(const std::vector<RatioVerdict>& verdicts, Change change) {
  return std::count_if(verdicts.begin(), verdicts.end(),
                       [change](const RatioVerdict& one) { return one.change == change; });
}

// In how many of 100 families of 20 pairs that differ by the margin at most anything is called slower or faster.
int false_alarms(double ratio, double noise, int samples) {
  Generator generator(11);
  int families = 0;
  for (int i = 0; i < fakes::rounds(100); ++i) {
    const auto verdicts = compare_pairs(family(generator, ratio, noise, samples, 20));
    if (count(verdicts, Change::slower) + count(verdicts, Change::faster) > 0) ++families;
  }
  return families;
}

TEST(ComparePairs, RarelyFindsADifferenceBetweenTwoMeasurementsOfTheSame) {
  EXPECT_LE(false_alarms(1, 0.03, 20), 5);
  EXPECT_LE(false_alarms(1, 0.03, 7), 7);
  EXPECT_EQ(false_alarms(1, 0.005, 10), 0);
}

// Of 6 families at 5 % one may have a change; here none has.
TEST(ComparePairs, FindNoDifferenceAmong500OfTheSame) {
  Generator generator(21);
  EXPECT_EQ(families_with_a_change(3, [&] { return family(generator, 1, 0.03, 20, 500); }), 0);
  EXPECT_EQ(families_with_a_change(3, [&] { return repeated_family(generator, 1, 10, 500); }), 0);
}

TEST(ComparePairs, RarelyFindADifferenceInSixSamples) {
  Generator generator(25);
  EXPECT_LE(families_with_a_change(400, [&] { return family(generator, 1, 0.03, 6, 5); }), 20);
  EXPECT_EQ(families_with_a_change(1, [&] { return family(generator, 2, 0.01, 6, 5); }), 1);
}

TEST(ComparePairs, RarelyFindADifferenceWhereRepetitionsDiffer) {
  Generator generator(22);
  EXPECT_LE(families_with_a_change(400, [&] { return repeated_family(generator, 1, 5, 1); }), 20);
  EXPECT_LE(families_with_a_change(60, [&] { return repeated_family(generator, 1, 6, 20); }), 3);
}

// One configuration of 500 is slower by 10 %, one faster.
TEST(ComparePairs, FindTheTwoOf500ThatChanged) {
  Generator generator(23);
  for (int i = 0; i < fakes::rounds(3); ++i) {
    std::vector<SeriesPair> pairs = family(generator, 1, 0.01, 20, 500);
    pairs[123] = family(generator, 1.1, 0.01, 20, 1)[0];
    pairs[321] = family(generator, 0.9, 0.01, 20, 1)[0];
    const auto verdicts = compare_pairs(pairs);
    EXPECT_EQ(verdicts[123].change, Change::slower);
    EXPECT_EQ(verdicts[321].change, Change::faster);
    EXPECT_EQ(count(verdicts, Change::slower) + count(verdicts, Change::faster), 2);
  }
}

TEST(ComparePairs, FindAChangeBeyondWhatRepetitionsDifferBy) {
  Generator generator(24);
  EXPECT_EQ(count(compare_pairs(repeated_family(generator, 1.3, 5, 1)), Change::slower), 1);
  EXPECT_EQ(count(compare_pairs(repeated_family(generator, 1.3, 10, 100)), Change::slower), 100);
  // 2 / 252 is the smallest p of 5 repetitions against 5: too little for 100.
  EXPECT_EQ(count(compare_pairs(repeated_family(generator, 1.3, 5, 100)), Change::slower), 0);
}

// The smallest p of 6 samples against 6 is 2 / 924: enough for one pair, too little for one of 100.
TEST(ComparePairs, ShowNothingThatSoFewSamplesCannotShow) {
  Generator generator(3);
  EXPECT_EQ(count(compare_pairs(family(generator, 2, 0.01, 6, 1)), Change::slower), 1);
  EXPECT_EQ(count(compare_pairs(family(generator, 2, 0.01, 6, 100)), Change::slower), 0);
  EXPECT_EQ(count(compare_pairs(family(generator, 2, 0.01, 20, 100)), Change::slower), 100);
}

TEST(ComparePairs, RarelyFindsADifferenceThatIsJustTheMargin) {
  EXPECT_LE(false_alarms(1.01, 0.02, 20), 5);
}

TEST(ComparePairs, FindsEverySlowDownByEightPercent) {
  Generator generator(3);
  const auto verdicts = compare_pairs(family(generator, 1.08, 0.005, 10, 50));
  EXPECT_EQ(count(verdicts, Change::slower), 50);
  for (const RatioVerdict& one : verdicts) {
    EXPECT_NEAR(one.ratio, 1.08, 0.015);
    EXPECT_LE(one.interval.low, one.ratio);
    EXPECT_GE(one.interval.high, one.ratio);
  }
}

// 4 %, which two measurements of the same may differ by.
TEST(ComparePairs, DoesNotKnowFromOneRepetitionWhatIsLessThanFivePercent) {
  Generator generator(3);
  EXPECT_EQ(count(compare_pairs(family(generator, 1.04, 0.001, 20, 10)), Change::unclear), 10);
}

TEST(ComparePairs, SeesThroughSamplesThatOverlap) {
  Generator generator(4);
  EXPECT_GE(count(compare_pairs(family(generator, 1.08, 0.02, 40, 20)), Change::slower), 18);
}

TEST(ComparePairs, CallsEqualTimesTheSame) {
  Generator generator(5);
  EXPECT_EQ(count(compare_pairs(family(generator, 1, 0.002, 20, 30)), Change::same), 30);
}

TEST(ComparePairs, IsUnclearWhereNoiseIsLargerThanTheMargin) {
  Generator generator(6);
  const auto verdicts = compare_pairs(family(generator, 1, 0.05, 10, 30));
  EXPECT_EQ(count(verdicts, Change::unclear), 30);
  EXPECT_TRUE(verdicts[0].tested);
}

TEST(ComparePairs, IsUnclearWithFewSamplesHoweverFarTheyLieApart) {
  Generator generator(7);
  const auto verdicts = compare_pairs({{timed(generator, 10, 0.01, 5), timed(generator, 20, 0.01, 50)},
                                       {timed(generator, 10, 0.01, 50), timed(generator, 20, 0.01, 5)}});
  EXPECT_EQ(count(verdicts, Change::unclear), 2);
  EXPECT_FALSE(verdicts[0].tested || verdicts[1].tested);
  EXPECT_NEAR(verdicts[0].ratio, 2, 0.1);
}

TEST(ComparePairs, TurnsSlowerIntoFasterWhenTheSidesChange) {
  Generator generator(8);
  std::vector<SeriesPair> pairs = family(generator, 1.08, 0.01, 20, 10);
  const long slower = count(compare_pairs(pairs), Change::slower);
  for (SeriesPair& pair : pairs) std::swap(pair.first, pair.second);
  EXPECT_EQ(count(compare_pairs(pairs), Change::faster), slower);
  EXPECT_EQ(slower, 10);
}

TEST(ComparePairs, TakesAMargin) {
  Generator generator(9);
  const auto pairs = family(generator, 1.05, 0.005, 20, 10);
  EXPECT_EQ(count(compare_pairs(pairs, {.margin = 0.1}), Change::same), 10);
  EXPECT_THROW(compare_pairs(pairs, {.margin = -0.1}), std::invalid_argument);
  EXPECT_THROW(compare_pairs({{Series{}, Series{}}}), std::invalid_argument);
}

TEST(ComparePairs, OfZerosIsTheSame) {
  const Series zeros{{std::vector<double>(10, 0)}};
  const auto verdicts = compare_pairs({{zeros, zeros}});
  EXPECT_EQ(verdicts[0].ratio, 1);
  EXPECT_EQ(verdicts[0].change, Change::same);
}

}  // namespace
}  // namespace tailwave
