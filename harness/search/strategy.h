#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/value.h"
#include "search/prior.h"
#include "space/search_space.h"

namespace tailwave {

// The cost of a configuration that does not run correctly. Costs are positive and smaller is better: a time, or the
// inverse of a rate.
inline constexpr double kFailed = std::numeric_limits<double>::infinity();

// What is known of a point before it is measured.
struct PointFacts {
  std::vector<float> features;  // by name; may be empty
  float predicted_cost =
      std::numeric_limits<float>::quiet_NaN();  // up to an unknown factor; NaN: no prediction
  bool impossible = false;                      // cannot run on the device, so is never asked for
};

// What is known of the points before any is measured.
struct Knowledge {
  // Of a list with one for each point.
  static Knowledge of(std::vector<std::string> names, std::vector<PointFacts> list);

  std::vector<std::string> names;  // of the features: "threads", "waves", "occupancy", ...
  bool predicts = false;           // a cost of some point
  // Valid until the next call; none: nothing is known. May work it out when it is asked.
  std::function<const PointFacts&(Point)> facts;

  [[nodiscard]] bool is_impossible(Point point) const { return facts && facts(point).impossible; }
};

struct SearchProblem {
  const SearchSpace* space = nullptr;
  std::size_t budget = 0;                // evaluations that will be made, or a guess of their number
  std::uint64_t seed = 1;                // the same seed gives the same sequence of points
  const Knowledge* knowledge = nullptr;  // may be null
  const PriorCosts* prior = nullptr;     // may be null
  // As far as they are known, as text, and what they name that is no parameter.
  std::vector<std::string> constraints = {};
  Values fixed = {};
  // Asked by a strategy that waits: it may then ask for nothing. May be empty.
  std::function<bool()> stop_requested = {};
};

// Decides what to evaluate next. A strategy knows nothing of devices and budgets in seconds.
class Strategy {
 public:
  virtual ~Strategy() = default;

  // Appends up to `most` points whose cost it wants to know, at least one unless it has to be told the cost of one
  // asked for before, or has nothing more to ask. May ask for a point again: it is told at once what was found then.
  virtual void ask(std::size_t most, std::vector<Point>& points) = 0;
  // The cost of a point asked for, in any order; kFailed is one too.
  virtual void tell(Point point, double cost) = 0;
};

// A number that a strategy can be given: `--option population=20`.
struct Hyperparameter {
  std::string name;
  double default_value = 0;
  double least = 0, most = 0;
  std::string description;
  bool whole = false;  // a count, or yes and no: no fraction is taken
};
inline constexpr bool kWhole = true;

// A strategy's hyperparameters by name, complete and within bounds.
using StrategyOptions = std::map<std::string, double, std::less<>>;

struct StrategyKind {
  std::string name;         // as `--strategy` takes it: genetic
  std::string description;  // one line
  std::string source;       // the paper or program that it follows
  std::vector<Hyperparameter> hyperparameters;
  std::function<std::unique_ptr<Strategy>(const SearchProblem&, const StrategyOptions&)> make;
};

// All strategies, in the order that lists show them in.
std::span<const StrategyKind> strategies();
// One of them, or that of a command (search/external.h). Throws Error with a suggestion for an unknown name.
const StrategyKind& find_strategy(const std::string& name);
// The defaults, with `given` in their place. Throws Error for an unknown name (with a suggestion), a value out of
// bounds and a fraction where a whole number is due.
StrategyOptions complete_options(const StrategyKind& kind, const std::map<std::string, double>& given);

}  // namespace tailwave
