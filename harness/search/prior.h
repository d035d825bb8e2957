#pragma once

#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "space/search_space.h"

namespace tailwave {

// What points cost elsewhere: on another device, or of another problem. Only their order counts.
class PriorCosts {
 public:
  using Costs = std::vector<std::pair<Point, double>>;  // each point once; kFailed is a cost, too

  explicit PriorCosts(Costs costs);
  // Of several places, such as devices: in the order of the means of a point's ranks there. What failed in more than
  // half of those that have it has failed.
  static PriorCosts of(const std::vector<Costs>& places);

  [[nodiscard]] std::size_t size() const { return ranks_.size(); }
  [[nodiscard]] bool has(Point point) const { return ranks_.contains(point); }
  // Those that ran, the cheapest first.
  [[nodiscard]] std::span<const Point> best_first() const { return best_first_; }
  // From 0, the cheapest, to 1; differences between the cheap ones count more: log(1 + i) / log(1 + n). A point whose
  // cost is not known is in the middle.
  [[nodiscard]] float rank(Point point) const;

 private:
  std::vector<Point> best_first_;
  std::unordered_map<Point, float> ranks_;
  float unknown_ = 0;
};

// Whether what points cost here has anything to do with what they cost elsewhere, as far as one can tell: a rank
// correlation (Spearman's) of at least three times what is usual by chance, 1 / sqrt(n - 1) of n points. One that is negative
// tells as much as one that is positive.
class PriorTrust {
 public:
  explicit PriorTrust(const PriorCosts* prior) : prior_(prior) {}

  void tell(Point point, double cost);
  // Looks again, where there are enough new points; true if it has changed.
  bool changes();
  // As PriorCosts has it; the same for all as long as it is not trusted.
  [[nodiscard]] float rank(Point point) const { return trusted_ ? prior_->rank(point) : 0; }
  [[nodiscard]] bool has_prior() const { return prior_ != nullptr; }

 private:
  const PriorCosts* prior_;
  std::vector<std::pair<float, double>> told_;  // rank elsewhere, cost here
  std::size_t look_at_ = 6;
  bool trusted_ = false;
};

}  // namespace tailwave
