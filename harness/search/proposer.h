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

}  // namespace tailwave::search
