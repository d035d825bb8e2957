#include "core/bootstrap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/random.h"
#include "core/resampler.h"
#include "core/standing.h"
#include "fakes/rounds.h"

namespace tailwave {
namespace {

using Samples = std::vector<double>;

// Times as a GPU gives them: a floor, noise above it and now and then a straggler.
double noisy(Generator& generator, double time, double noise) {
  double bell = -6;
  for (int i = 0; i < 12; ++i) bell += generator.uniform();
  return time * std::exp(noise * bell) * (generator.uniform() < 0.02 ? 1.5 : 1);
}

Series measured(Generator& generator, double time, double noise, int samples = 20) {
  Series series{{Samples()}};
  for (int i = 0; i < samples; ++i) series.repetitions[0].push_back(noisy(generator, time, noise));
  return series;
}

// Every repetition has a speed of its own.
Series repeated(Generator& generator, double time, int repetitions) {
  Series series;
  for (int i = 0; i < repetitions; ++i)
    series.repetitions.push_back(measured(generator, noisy(generator, time, 0.05), 0.01, 10).repetitions[0]);
  return series;
}

Series of(Samples samples) {
  return {{std::move(samples)}};
}

int count(const std::vector<bool>& tied) {
  return static_cast<int>(std::count(tied.begin(), tied.end(), true));
}

TEST(Resampler, DrawsFewSamplesAsItDrawsMany) {
  for (std::uint32_t count = 1; count <= 20; ++count) {
    Samples samples;
    for (std::uint32_t i = 0; i < count; ++i) samples.push_back(i * i);
    Resampler resampler(of(samples), count);
    Generator generator(count);
    for (int i = 0; i < 200; ++i) {
      Samples drawn;
      for (std::uint32_t j = 0; j < count; ++j) drawn.push_back(samples[generator.below(count)]);
      std::sort(drawn.begin(), drawn.end());
      EXPECT_EQ(resampler.next(), (drawn[(count - 1) / 2] + drawn[count / 2]) / 2) << count;
    }
  }
}

TEST(BootstrapInterval, OfAMedianIsLikeThatOfOrderStatistics) {
  Samples samples;
  for (int i = 1; i <= 101; ++i) samples.push_back(i);
  const Interval bootstrap = median_interval(of(samples));
  const Interval exact = median_interval(samples);
  EXPECT_NEAR(bootstrap.low, exact.low, 2);
  EXPECT_NEAR(bootstrap.high, exact.high, 2);
}

TEST(BootstrapInterval, IsTheSameForTheSameSeedAlone) {
  Generator generator(5);
  const Series series = measured(generator, 10, 0.1);
  const Series other = measured(generator, 10, 0.1);
  EXPECT_EQ(ratio_interval(series, other).low, ratio_interval(series, other).low);
  EXPECT_NE(ratio_interval(series, other, {0.95, 50, 1}).low,
            ratio_interval(series, other, {0.95, 50, 2}).low);
}

TEST(BootstrapInterval, IsAPointForOneSampleAndForIdenticalOnes) {
  EXPECT_EQ(median_interval(of({3})).low, 3);
  EXPECT_EQ(median_interval(of({3})).high, 3);
  EXPECT_EQ(ratio_interval(of({3, 3, 3}), of({2, 2})).low, 1.5);
  EXPECT_EQ(ratio_interval(of({3, 3, 3}), of({2, 2})).high, 1.5);
}

TEST(BootstrapInterval, OfTheRatioOfTwoZerosIsOne) {
  EXPECT_EQ(ratio_interval(of({0, 0}), of({0})).high, 1);
  EXPECT_EQ(ratio_interval(of({1}), of({0})).low, std::numeric_limits<double>::infinity());
}

TEST(BootstrapInterval, IsWiderWhereRepetitionsDiffer) {
  Generator generator(6);
  const Series grouped = repeated(generator, 10, 8);
  Series flat{{Samples()}};
  for (const Samples& repetition : grouped.repetitions)
    flat.repetitions[0].insert(flat.repetitions[0].end(), repetition.begin(), repetition.end());
  const Interval hierarchical = median_interval(grouped);
  const Interval naive = median_interval(flat);
  EXPECT_GT(hierarchical.high - hierarchical.low, 1.3 * (naive.high - naive.low));
}

TEST(BootstrapInterval, OfTheRatioCoversOneForTwoMeasurementsOfTheSame) {
  Generator generator(7);
  int covered = 0;
  for (int i = 0; i < 300; ++i) {
    const Interval ratio =
        ratio_interval(measured(generator, 10, 0.05), measured(generator, 10, 0.05), {0.95, 500, 3});
    covered += ratio.low <= 1 && 1 <= ratio.high;
  }
  EXPECT_GE(covered, 270);
  EXPECT_LE(covered, 297);
}

TEST(BootstrapInterval, OfTheRatioCoversOneForRepetitionsThatDiffer) {
  Generator generator(8);
  int covered = 0;
  for (int i = 0; i < 300; ++i) {
    const Interval ratio =
        ratio_interval(repeated(generator, 10, 10), repeated(generator, 10, 10), {0.95, 500, 3});
    covered += ratio.low <= 1 && 1 <= ratio.high;
  }
  EXPECT_GE(covered, 270);
  EXPECT_LE(covered, 298);
}

TEST(BootstrapInterval, RefusesWhatIsNoTime) {
  EXPECT_THROW((void)median_interval(Series{}), std::invalid_argument);
  EXPECT_THROW((void)median_interval(Series{{{}, {}}}), std::invalid_argument);
  EXPECT_THROW((void)median_interval(of({-1})), std::invalid_argument);
  EXPECT_THROW((void)ratio_interval(of({1}), of({std::nan("")})), std::invalid_argument);
  EXPECT_THROW((void)median_interval(of({1}), {1, 100, 0}), std::invalid_argument);
  EXPECT_THROW((void)median_interval(of({1}), {0.95, 0, 0}), std::invalid_argument);
}

// The fraction of spaces, all of whose configurations are equal or slower than the first by just the margin, in
// which any is left out.
double family_wise_error(int configurations, int samples, int spaces, double margin = 0) {
  Generator generator(static_cast<std::uint64_t>(configurations));
  spaces = fakes::rounds(spaces);
  int wrong = 0;
  for (int space = 0; space < spaces; ++space) {
    std::vector<Series> all;
    for (int i = 0; i < configurations; ++i)
      all.push_back(measured(generator, i > 0 ? 10 * (1 + margin) : 10, 0.05, samples));
    wrong += count(tied_with_best(all, {margin})) < configurations;
  }
  return static_cast<double>(wrong) / spaces;
}

TEST(TiedWithBest, RarelyLeavesAnyOutOfASpaceOfEquals) {
  for (const int samples : {1, 2, 3, 4, 5, 6, 10, 20}) {
    EXPECT_LE(family_wise_error(2, samples, 200), 0.08) << samples;
    EXPECT_LE(family_wise_error(10, samples, 100), 0.08) << samples;
    EXPECT_LE(family_wise_error(50, samples, 20), 0.1) << samples;
  }
}

TEST(TiedWithBest, RarelyLeavesAnyOutOfASpaceThatIsSlowerByJustTheMargin) {
  EXPECT_LE(family_wise_error(10, 20, 200, 0.01), 0.08);
}

// Medians of samples at two speeds, as of a machine with other work, jump when they are resampled.
TEST(TiedWithBest, IsNotConfusedByNoisyOnesFarBehind) {
  Generator generator(12);
  std::vector<Series> all{measured(generator, 10, 0.05, 20), measured(generator, 11, 0.05, 20)};
  ASSERT_EQ(tied_with_best(all), (std::vector<bool>{true, false}));
  for (int i = 0; i < 6; ++i) {
    Series& behind = all.emplace_back(measured(generator, 1000, 0.01, 14));
    behind.repetitions[0][0] = 9.9;
    behind.repetitions[0][1] /= 2;
    behind.repetitions[0][2] /= 2;
  }
  std::vector<bool> only_the_best(all.size(), false);
  only_the_best[0] = true;
  EXPECT_EQ(tied_with_best(all), only_the_best);
}

TEST(TiedWithBest, LeavesOutWhatIsClearlySlowerAndKeepsTheRest) {
  Generator generator(9);
  std::vector<Series> all;
  for (const double time : {10.4, 10.0, 11.0, 10.01, 30.0, 10.6})
    all.push_back(measured(generator, time, 0.005));
  EXPECT_EQ(tied_with_best(all), (std::vector<bool>{false, true, false, true, false, false}));
}

TEST(TiedWithBest, SeesThroughOverlappingSamples) {
  Generator generator(10);
  const std::vector<Series> all{measured(generator, 10, 0.02, 60), measured(generator, 10.5, 0.02, 60)};
  EXPECT_EQ(tied_with_best(all), (std::vector<bool>{true, false}));
}

TEST(TiedWithBest, KeepsWhatIsSlowerByLessThanTheMargin) {
  const std::vector<Series> all{of(Samples(20, 100)), of(Samples(20, 101)), of(Samples(20, 102))};
  EXPECT_EQ(tied_with_best(all), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(tied_with_best(all, {0.03}), (std::vector<bool>{true, true, true}));
  EXPECT_EQ(tied_with_best(all, {0}), (std::vector<bool>{true, false, false}));
}

TEST(TiedWithBest, ResamplesRepetitionsWhereThereAreEnough) {
  Generator generator(11);
  int wrong = 0;
  for (int i = 0; i < 100; ++i) {
    const std::vector<Series> all{repeated(generator, 10, 10), repeated(generator, 10, 10),
                                  repeated(generator, 10, 10)};
    wrong += count(tied_with_best(all)) < 3;
  }
  EXPECT_LE(wrong, 8);
}

TEST(TiedWithBest, KeepsASingleSampleHoweverSlow) {
  EXPECT_EQ(tied_with_best({of({100}), of({101.1}), of({100000})}), (std::vector<bool>{true, true, true}));
}

// All of so many configurations but the first are ten times as slow as that.
int shown_slower(std::size_t configurations, std::size_t samples_of_best, std::size_t samples_of_others) {
  std::vector<Series> all(configurations, of(Samples(samples_of_others, 10)));
  all[0] = of(Samples(samples_of_best, 1));
  return static_cast<int>(configurations) - count(tied_with_best(all));
}

TEST(TiedWithBest, DecidesOnFewSamplesWhatAPermutationTestOfAllPairsShows) {
  EXPECT_EQ(shown_slower(2, 3, 3), 0);  // two-sided p of 1/10
  EXPECT_EQ(shown_slower(2, 4, 4), 1);  // 1/35
  EXPECT_EQ(shown_slower(3, 4, 4), 0);
  EXPECT_EQ(shown_slower(4, 5, 5), 3);
  EXPECT_EQ(shown_slower(5, 5, 5), 0);
  EXPECT_EQ(shown_slower(16, 100, 2), 15);
  EXPECT_EQ(shown_slower(17, 100, 2), 0);
  EXPECT_EQ(shown_slower(16, 2, 100), 15);
}

TEST(TiedWithBest, AsksForMoreWhereSeveralSetsAnswerOneQuestion) {
  const std::vector<Series> few{of({1, 1.01, 1.02, 1.03}), of({2, 2.01, 2.02, 2.03})};
  EXPECT_EQ(count(tied_with_best(few)), 1);
  EXPECT_EQ(count(tied_with_best(few, {.together = 2})), 2);
  Generator generator(11);
  int alone = 0, together = 0;
  for (int round = 0; round < 20; ++round) {
    const std::vector<Series> near{measured(generator, 1, 0.02), measured(generator, 1.03, 0.02)};
    alone += 2 - count(tied_with_best(near));
    together += 2 - count(tied_with_best(near, {.together = 20}));
  }
  EXPECT_LT(together, alone);
  EXPECT_THROW(tied_with_best(few, {.together = 0}), std::invalid_argument);
}

TEST(CompareWithBest, KeepsTheIntervalsOfEachSetWhereSeveralAnswerOneQuestion) {
  Generator generator(5);
  const std::vector<Series> both{measured(generator, 1, 0.02), measured(generator, 1.02, 0.02)};
  const BesideBest one = compare_with_best(both, {true, true}).at(1);
  const BesideBest of_many = compare_with_best(both, {true, true}, {.together = 5}).at(1);
  EXPECT_EQ(one.interval->low, of_many.interval->low);
  EXPECT_EQ(one.interval->high, of_many.interval->high);
}

TEST(TiedWithBest, KeepsFewSamplesWhoseRangesOverlap) {
  EXPECT_EQ(tied_with_best({of({1, 2, 3, 40, 50}), of({45, 55, 65, 75, 85})}),
            (std::vector<bool>{true, true}));
}

TEST(TiedWithBest, TakesZerosAndIdenticalSamples) {
  EXPECT_EQ(tied_with_best({of(Samples(20, 0)), of(Samples(20, 0)), of(Samples(20, 5))}),
            (std::vector<bool>{true, true, false}));
  EXPECT_EQ(tied_with_best({of({0}), of({0})}), (std::vector<bool>{true, true}));
}

TEST(TiedWithBest, OfNothingIsNothingAndOfOneItself) {
  EXPECT_TRUE(tied_with_best({}).empty());
  EXPECT_EQ(tied_with_best({of({1})}), (std::vector<bool>{true}));
}

std::string standings(const std::vector<Series>& all, double margin = 0.01) {
  std::string text;
  for (const BesideBest& one : compare_with_best(all, std::vector<bool>(all.size(), false), {margin}))
    text += std::string(to_string(one.standing)) + " ";
  return text;
}

TEST(CompareWithBest, CallsTiedWhatIsShownToBeNear) {
  Generator generator(12);
  std::vector<Series> all;
  for (const double time : {10.7, 10.0, 10.01, 30.0}) all.push_back(measured(generator, time, 0.005));
  EXPECT_EQ(standings(all), "slower best tied slower ");
}

// 3 %, which the samples of one repetition show and its place in memory may make.
TEST(CompareWithBest, DoesNotKnowWhatChangesBetweenRepetitionsFromOne) {
  Generator generator(12);
  std::vector<Series> one{measured(generator, 10.0, 0.001), measured(generator, 10.3, 0.001)}, many(2);
  EXPECT_EQ(standings(one), "best tied ");
  for (int i = 0; i < 5; ++i) {
    many[0].repetitions.push_back(measured(generator, 10.0, 0.001).repetitions.front());
    many[1].repetitions.push_back(measured(generator, 10.3, 0.001).repetitions.front());
  }
  EXPECT_EQ(standings(many), "best slower ");
  EXPECT_EQ(standings({many[0], one[1]}), "best tied ");
}

// A busy machine: half of the samples are a half slower, and the next repetition may be so as a whole.
TEST(CompareWithBest, DoesNotKnowFromOneRepetitionWhatSamplesThatScatterMean) {
  Generator generator(12);
  std::vector<Series> scattered;
  for (const double time : {10.0, 14.0}) {
    scattered.push_back(measured(generator, time, 0.001));
    std::vector<double>& samples = scattered.back().repetitions[0];
    for (std::size_t i = 0; i < samples.size(); i += 3) samples[i] *= 1.5;
  }
  EXPECT_EQ(standings(scattered), "best unclear ");
  for (Series& series : scattered) series.repetitions.resize(5, series.repetitions[0]);
  EXPECT_EQ(standings(scattered), "best slower ");
}

TEST(CompareWithBest, CallsFewSamplesUnclearHoweverNearTheyAre) {
  EXPECT_EQ(standings({of({100}), of({100.5}), of({102}), of({9000})}), "best unclear unclear unclear ");
  EXPECT_EQ(standings({of({1, 1, 1}), of({10, 10, 10})}), "best unclear ");
  EXPECT_EQ(standings({of(Samples(5, 100)), of(Samples(20, 100))}), "best unclear ");
  EXPECT_EQ(standings({of(Samples(6, 100)), of(Samples(20, 100))}), "best tied ");
}

// A straggler among few samples of the best hides how much slower the other is; it does not tie the two.
TEST(CompareWithBest, NeverTiesWhatMayBeManyTimesAsSlow) {
  EXPECT_EQ(standings({of({1, 1, 700}), of({636, 640, 650})}), "best unclear ");
  EXPECT_EQ(standings({of(Samples(20, 1)), of(Samples(2, 636))}), "best slower ");
}

TEST(CompareWithBest, CallsNoiseUnclearUnlessTheMarginAllowsForIt) {
  Generator generator(13);
  const std::vector<Series> all{measured(generator, 10, 0.3), measured(generator, 10, 0.3)};
  EXPECT_NE(standings(all).find("unclear"), std::string::npos);
  EXPECT_NE(standings(all, 2).find("tied"), std::string::npos);
}

TEST(CompareWithBest, HasAnIntervalOfTheRatioForAllButWhatIsSlowerUnlessItIsWanted) {
  const std::vector<Series> all{of(Samples(20, 1)), of(Samples(20, 1.005)), of(Samples(20, 2))};
  const std::vector<BesideBest> some = compare_with_best(all, {false, false, false});
  EXPECT_EQ(some[0].interval->high, 1);
  EXPECT_EQ(some[1].interval->high, 1.005);
  EXPECT_FALSE(some[2].interval);
  EXPECT_EQ(some[2].ratio, 2);
  EXPECT_EQ(compare_with_best(all, {false, false, true})[2].interval->low, 2);
}

TEST(TiedWithBest, RefusesAMarginThatIsNone) {
  EXPECT_THROW((void)tied_with_best({}, {-0.1}), std::invalid_argument);
  EXPECT_THROW((void)tied_with_best({}, {std::nan("")}), std::invalid_argument);
  EXPECT_THROW((void)tied_with_best({Series{}}), std::invalid_argument);
}

// The bound is generous, since test machines are busy; half a second is what it takes at most.
}  // namespace
}  // namespace tailwave
