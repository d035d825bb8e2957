#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/choose_over_sizes.h"
#include "core/configuration.h"
#include "core/value.h"

namespace tailwave {

// A few configurations for many sizes: what is best for each of the problems is not the same, and a program does not
// ship them all.

// What is known of a configuration on its problem.
struct SizeResult {
  Configuration configuration;
  std::optional<double> cost;  // above 0, less is better; none: it failed
};

struct OverSizesOptions {
  std::size_t keep = 1;  // configurations at most
  SizesGoal goal = SizesGoal::geometric_mean;
  std::map<Values, double> weights = {};  // by problem, above 0

  [[nodiscard]] double weight_of(const Values& problem) const;  // 1 where it has none
};

struct OverSizes {
  struct Size {
    Values problem;
    double weight = 1;
    Configuration best;  // of all on this problem, what fails on others included
    double best_cost = 0;
    std::size_t serving = 0;  // which of `kept`
    double ratio = 1;         // its cost over the best
    double single_ratio = 1;  // that of the best single configuration; infinite where there is none
  };
  std::vector<Size> sizes;              // by problem
  std::vector<Configuration> kept;      // without a problem; empty: `why_none`
  std::optional<Configuration> single;  // the best where only one is kept; none: no one serves all sizes
  SizesChoice choice, single_choice;    // their figures
  std::size_t compared = 0;             // configurations that failed on no problem
  std::size_t everywhere = 0;           // of these, known on all problems
  std::size_t failed = 0;               // others
  std::string why_none;

  // "N = 1024": what tells a size from the others.
  [[nodiscard]] std::string words(const Size& size) const;
};

// The choice of choose_over_sizes() among these, one result for each configuration at most. What failed on any problem
// is out.
OverSizes over_sizes(const std::vector<SizeResult>& results, const OverSizesOptions& options);

// The same on any problem.
Configuration without_problem(Configuration configuration);

}  // namespace tailwave
