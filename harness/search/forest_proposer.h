#pragma once

#include <cstddef>
#include <memory>

#include "search/prior.h"
#include "search/proposer.h"
#include "search/strategy.h"

namespace tailwave::search {

struct ForestSettings {
  std::size_t trees = 16;
  double good_share = 0.15, broad_share = 1;  // of what ran, by turns: beyond it, costs count alike
  std::size_t probe_every = 4;  // of so many points one tries the parameter least tried around the best point
  std::size_t elites = 4;       // best points whose neighbours are candidates
  std::size_t scattered = 1500;  // random candidates
  double growth = 0.1;           // new points, as a share of the old, after which the trees are grown anew
  std::size_t first_fit = 6;     // points
};
// Trees (Trees) that learn what features (Features) say of points. `prior` is kept by reference.
std::unique_ptr<Proposer> forest_proposer(const SearchProblem& problem, const PriorTrust& prior,
                                          const ForestSettings& settings);

}  // namespace tailwave::search
