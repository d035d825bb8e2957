#pragma once

#include <cstddef>

#include "search/strategy.h"

namespace tailwave {

// When a search is no longer worth its time: when one of the next Outlook::kAhead evaluations costs less than the best, by at
// least `gain` of its cost, with less than this probability.
struct StopTerms {
  double gain = 0.01, probability = 0.03;
};

// What going on with a search may gain, by how searches of recorded spaces went on; docs/searching.md ("When it ends") has
// the formula, where it is from and how often it is right.
class Outlook {
 public:
  static constexpr std::size_t kAhead = 20;

  explicit Outlook(double gain) : gain_(gain) {}

  // Of each evaluation, in the order of the results; kFailed counts as one that found nothing.
  void tell(double cost);
  // That one of the next kAhead evaluations is better than the best by `gain`; 1 as long as nothing ran.
  [[nodiscard]] double probability() const;

 private:
  double gain_;
  double lowest_ = kFailed;
  double reference_ = kFailed;  // the lowest cost when `gain` was won last
  std::size_t told_ = 0, won_at_ = 0;
};

}  // namespace tailwave
