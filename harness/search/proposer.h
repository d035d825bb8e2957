#pragma once

#include <memory>
#include <optional>

#include "search/remaining.h"
#include "search/strategy.h"

namespace tailwave::search {

// A model of costs that chooses points; several share a search, each told of what the others asked for.
class Proposer {
 public:
  virtual ~Proposer() = default;

  // A point is asked for. Until its cost is known the model guesses it, so that the next ones are sought elsewhere.
  virtual void expect(Point point) = 0;
  // The cost of one that was expected.
  virtual void learn(Point point, double cost) = 0;
  // What the features say of points has changed.
  virtual void begin_anew() = 0;
  // The most promising of those that remain; none where too little is known.
  virtual std::optional<Point> propose(const Remaining& remaining) = 0;
};

// Trees: forest_proposer.cpp.
struct ForestSettings {
  std::size_t trees = 16;
  double good_share = 0.15, broad_share = 1;  // of what ran, by turns: beyond it, costs count alike
  std::size_t probe_every = 4;  // of so many points one tries the parameter least tried around the best point
  std::size_t elites = 4;       // best points whose neighbours are candidates
  std::size_t scattered = 1500;  // random candidates
  double growth = 0.1;           // new points, as a share of the old, after which the trees are grown anew
  std::size_t first_fit = 6;     // points
};
std::unique_ptr<Proposer> forest_proposer(const SearchProblem& problem, const PriorTrust& prior,
                                          const ForestSettings& settings);

// A Gaussian process: process_proposer.cpp.
struct ProcessSettings {
  double good_share = 0.5;  // of what ran: beyond it, costs count alike
  std::size_t scattered = 1500;
  double growth = 0.1;  // new points, as a share of the old, after which costs are scaled anew
  std::size_t first_fit = 6;
};
std::unique_ptr<Proposer> process_proposer(const SearchProblem& problem, const PriorTrust& prior,
                                           const ProcessSettings& settings);

}  // namespace tailwave::search
