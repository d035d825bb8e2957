#include "interchange/safe_choice.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>

namespace tailwave {
namespace {

Configuration configuration(int block_size, int n = 0) {
  return {"nbody", "shared", {{"BLOCK_SIZE", block_size}}, n == 0 ? Values{} : Values{{"N", n}}};
}

// 20 samples about `cost`, of two repetitions.
Series about(double cost) {
  Series series{{{}, {}}};
  for (int i = 0; i < 20; ++i) series.repetitions[i % 2].push_back(cost * (1 + 0.001 * ((i * 7) % 11 - 5)));
  return series;
}

ChoiceTrial trial(int block_size, int n, double cost) {
  return {configuration(block_size, n), "", {{"GPU-1", false, about(cost)}}, {}, {}};
}

std::vector<Configuration> chosen(const SafeChoice& choice) {
  std::vector<Configuration> all;
  for (const SafeCandidate& one : choice.candidates) all.push_back(one.configuration);
  return all;
}

using Configurations = std::vector<Configuration>;

TEST(SafeChoice, HasTheDefaultAndTheBestOfWhatIsBetterOnEachProblem) {
  const SafeChoice choice = safe_choice({trial(128, 1024, 100), trial(64, 1024, 90), trial(32, 1024, 80),
                                         trial(128, 4096, 400), trial(64, 4096, 300), trial(32, 4096, 410)},
                                        configuration(128));
  EXPECT_EQ(choice.problems, (std::vector<Values>{{{"N", 1024}}, {{"N", 4096}}}));
  EXPECT_EQ(chosen(choice), (Configurations{configuration(128), configuration(32), configuration(64)}));
  EXPECT_NEAR(choice.candidates[1].log_costs[0], std::log(80), 0.01);
  EXPECT_EQ(choice.candidates[1].log_costs[1], kUnknownCost);
  EXPECT_NEAR(choice.candidates[2].log_costs[0], std::log(90), 0.01);
}

TEST(SafeChoice, TakesNothingThatTheSamplesDoNotShowToBeBetter) {
  const SafeChoice choice = safe_choice({trial(128, 1024, 100), trial(64, 1024, 99.95)}, configuration(128));
  EXPECT_EQ(chosen(choice), Configurations{configuration(128)});
}

TEST(SafeChoice, KnowsNothingWhereTheDefaultWasNotMeasured) {
  EXPECT_TRUE(safe_choice({trial(64, 1024, 90)}, configuration(128)).candidates.empty());
  const SafeChoice choice =
      safe_choice({trial(128, 1024, 100), trial(64, 1024, 90), trial(64, 4096, 300)}, configuration(128));
  EXPECT_EQ(choice.problems, (std::vector<Values>{{{"N", 1024}}}));
}

TEST(SafeChoice, TakesNothingThatFailed) {
  ChoiceTrial failed = trial(64, 1024, 90);
  failed.gpus.push_back({"GPU-2", true, {}});
  EXPECT_EQ(safe_choice({trial(128, 1024, 100), failed}, configuration(128)).candidates.size(), 1U);
}

TEST(SafeChoice, PoolsTheGpusOfAModelAndTakesNothingThatIsWorseOnOne) {
  ChoiceTrial standard = trial(128, 1024, 100), other = trial(64, 1024, 80);
  standard.gpus.push_back({"GPU-2", false, about(100)});
  other.gpus.push_back({"GPU-2", false, about(97)});
  EXPECT_EQ(safe_choice({standard, other}, configuration(128)).candidates.size(), 2U);
  other.gpus.back().costs = about(103);
  EXPECT_EQ(safe_choice({standard, other}, configuration(128)).candidates.size(), 1U);
  // What only one of them has run says nothing about the other one.
  standard.gpus.pop_back();
  EXPECT_EQ(safe_choice({standard, trial(64, 1024, 80)}, configuration(128)).candidates.size(), 2U);
}

TEST(SafeChoice, HasNoOtherThanThoseThatAreKept) {
  const std::vector<ChoiceTrial> trials{trial(128, 1024, 100), trial(64, 1024, 90), trial(32, 1024, 80)};
  EXPECT_EQ(chosen(safe_choice(trials, configuration(128), {configuration(64)})),
            (Configurations{configuration(128), configuration(64)}));
}

TEST(SafeChoice, HasThoseThatAreTheBestOfMostProblemsWhereThereAreMany) {
  std::vector<ChoiceTrial> trials;
  for (int i = 0; i < 40; ++i) {
    const int n = 1024 * (i + 1);
    trials.push_back(trial(1024, n, 100));
    trials.push_back(trial(i < 30 ? i + 1 : 1, n, 50));
  }
  const SafeChoice choice = safe_choice(trials, configuration(1024));
  EXPECT_EQ(choice.candidates.size(), 1 + kMostSafeCandidates);
  EXPECT_EQ(choice.candidates[1].configuration, configuration(1));
}

TEST(SafeChoice, LeavesWavesOutWhereSlotsAreNotTheSameForAllProblems) {
  std::vector<ChoiceTrial> trials;
  for (int n = 1024; n < 100'000; n = n * 3 / 2) {
    for (const int block_size : {128, 64}) {
      const double blocks = std::ceil(n / static_cast<double>(block_size));
      trials.push_back(trial(block_size, n, block_size * n * wave_time(blocks, {528, 132}, 4)));
      trials.back().blocks = blocks;
      trials.back().slots = WaveSlots{528, 132};
    }
  }
  EXPECT_EQ(safe_choice(trials, configuration(128)).candidates.at(1).filling, 4);
  trials.back().slots->slots = 264;
  EXPECT_EQ(safe_choice(trials, configuration(128)).candidates.at(1).filling, 0);
}

TEST(SafeChoice, KnowsNothingOfProblemsWithDifferentQuantities) {
  std::vector<ChoiceTrial> trials{trial(128, 1000, 2), trial(64, 1000, 1), trial(128, 2000, 2),
                                  trial(64, 2000, 1)};
  EXPECT_EQ(safe_choice(trials, configuration(128)).candidates.size(), 2U);
  for (std::size_t i = 2; i < 4; ++i) trials[i].configuration.problem["M"] = std::int64_t{1};
  EXPECT_TRUE(safe_choice(trials, configuration(128)).candidates.empty());
}

TEST(SafeChoice, KnowsNothingOfProblemsWithTooManyAxes) {
  std::vector<ChoiceTrial> trials;
  for (int i = 0; i < 16; ++i) {
    for (const int block_size : {128, 64}) {
      ChoiceTrial one = trial(block_size, 1, block_size);
      for (int q = 0; q < 7; ++q)
        one.configuration.problem["Q" + std::to_string(q)] = 1 + ((i * (2 * q + 3)) >> q) % 5;
      trials.push_back(one);
    }
  }
  EXPECT_TRUE(safe_choice(trials, configuration(128)).candidates.empty());
}

}  // namespace
}  // namespace tailwave
