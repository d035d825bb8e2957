#pragma once

#include <vector>

#include "core/configuration.h"
#include "spec/experiment.h"

namespace tailwave {

// A configuration to look for races in, on a problem that may be smaller than any of its experiment's.
struct RaceCandidate {
  const Experiment* experiment;
  const VariantSpec* variant;
  Configuration configuration;
};

// Of each variant of a system that the experiments name.
inline constexpr std::size_t kMostCandidates = 3;

// A few small configurations of each cuda variant of the experiments. The first has the smallest blocks of at least 64
// threads; the others have other values of the parameters that have few. The problem is the experiment's largest on the
// CPU device with its whole numbers halved as long as that makes less work, every launch still takes place, loops go
// round twice and grids have three blocks (or fewer, where three are too many threads) as far as they did before, the
// largest buffer has an element for each thread of two blocks, and the experiment's constraints hold. Throws Error for
// a constraint that cannot be evaluated. Pointers are into the experiments.
std::vector<RaceCandidate> race_candidates(const std::vector<Experiment>& experiments);

}  // namespace tailwave
