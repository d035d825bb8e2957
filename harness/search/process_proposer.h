#pragma once

#include <cstddef>
#include <memory>

#include "search/prior.h"
#include "search/proposer.h"
#include "search/strategy.h"

namespace tailwave::search {

struct ProcessSettings {
  double good_share = 0.5;  // of what ran: beyond it, costs count alike
  std::size_t scattered = 1500;
  double growth = 0.1;  // new points, as a share of the old, after which costs are scaled anew
  std::size_t first_fit = 6;
};
// A GaussianProcess over the ranks of values. `prior` is kept by reference.
std::unique_ptr<Proposer> process_proposer(const SearchProblem& problem, const PriorTrust& prior,
                                           const ProcessSettings& settings);

}  // namespace tailwave::search
