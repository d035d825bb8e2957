#pragma once

#include <span>
#include <vector>

#include "space/search_space.h"

namespace tailwave::search {

// Guesses a cost from what was told: the mean of those of the nearest configurations, by the number of parameters that
// differ (of equally near ones the first told). A failure counts as the highest cost told.
class NearestCosts {
 public:
  explicit NearestCosts(std::size_t neighbours) : neighbours_(neighbours) {}

  // The nearest of what was told so far, nearest first.
  struct Nearest {
    struct One {
      std::uint16_t distance;
      double cost;
    };
    std::vector<One> ones;
    std::size_t seen = 0;  // of what was told
  };

  void add(std::span<const std::uint16_t> digits, double cost);
  // 0 as long as nothing was told. `nearest`: empty, or as an earlier prediction for the same digits left it, so that
  // only what was told since is looked at.
  [[nodiscard]] double predict(std::span<const std::uint16_t> digits, Nearest& nearest);
  [[nodiscard]] double predict(std::span<const std::uint16_t> digits) {
    Nearest none;
    return predict(digits, none);
  }

 private:
  std::size_t neighbours_;
  std::vector<std::vector<std::uint16_t>> columns_;  // by parameter
  std::vector<std::uint16_t> distances_;             // of one prediction
  std::vector<double> costs_;
  double highest_ = 0;  // that did not fail
};

}  // namespace tailwave::search
