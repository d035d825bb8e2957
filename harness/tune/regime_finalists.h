#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "spec/experiment.h"
#include "store/regime_store.h"

namespace tailwave {

// Which configurations of an experiment are measured again in its regimes.

inline constexpr std::size_t kMostFinalists = 8;
inline constexpr std::size_t kFewestFinalists = 3;
inline constexpr double kNearShare = 0.25;  // slower than the best by no more is near
inline constexpr double kVariantFactor =
    10;  // the best of a variant that takes this much longer has no chance

struct ProblemFinalists {
  Values problem;
  std::vector<Finalist>
      finalists;             // the winner first, then by place; one: there is nothing to compare it with
  std::size_t left_out = 0;  // that are not shown to be slower than the best, or near it
};

// For each problem, until there are `most` (at least 2):
// 1. winner: the best;
// 2. default: the configuration of the winner's variant whose parameters have the manifest's defaults, or that with
//    the same code, if it is correct;
// 3. variant: the best of each other variant that takes up to kVariantFactor times as long: other ways to do the work
//    are what conditions set apart;
// 4. tied: the others that are not shown to be slower than the best, tied or unclear;
// 5. near: others that are slower by kNearShare at most;
// 6. next: while there are less than kFewestFinalists, others up to kVariantFactor times as long.
// Of 3 to 6 those with the lower cost first. Host variants count where the experiment has nothing else.
//
// `ranked`: see ranked_trials(); `identical`: names_of_identical().
std::vector<ProblemFinalists> choose_finalists(const Experiment& experiment,
                                               const std::vector<RankedTrial>& ranked,
                                               const std::map<std::string, std::string>& identical,
                                               std::size_t most = kMostFinalists);

}  // namespace tailwave
