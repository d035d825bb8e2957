#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/random.h"
#include "search/spread.h"
#include "search/strategy.h"

namespace tailwave::search {

// What the strategies share that propose one point after the other and judge each when its cost is known: what was
// asked and told, and draws at random. A point that was told before is judged again at once, without being asked for.
class PointByPoint : public Strategy {
 public:
  void ask(std::size_t most, std::vector<Point>& points) final;
  void tell(Point point, double cost) final;

 protected:
  explicit PointByPoint(const SearchProblem& problem)
      : space_(*problem.space), random_(problem.seed), spread_(problem) {}

  // The next point, which may have been proposed before. None: a cost has to be judged first.
  virtual std::optional<Point> propose() = 0;
  // The cost of a point, once, before it is judged.
  virtual void learn(Point /*point*/, double /*cost*/) {}
  // Also of a point that this strategy never proposed. `cost` may be kFailed.
  virtual void judge(Point point, double cost) = 0;

  [[nodiscard]] const SearchSpace& space() const { return space_; }
  Generator& random() { return random_; }
  [[nodiscard]] bool is_asked(Point point) const { return costs_.contains(point); }
  // None as long as it was not told.
  [[nodiscard]] std::optional<double> known_cost(Point point) const;
  [[nodiscard]] std::size_t waiting() const { return waiting_; }  // asked, not told

  // At random; the first kFirstPoints are far apart.
  static constexpr std::size_t kFirstPoints = 6;
  Point any_point();
  // For a strategy that begins at the best of these: the next one to propose; none after the last.
  std::optional<Point> first_point();
  // Whether what is judged now is one of the first so many judged; counts it.
  bool judges_first_point();
  [[nodiscard]] bool first_points_are_judged() const { return first_judged_ == kFirstPoints; }
  // Each neighbour is equally likely; the point itself where it has none.
  Point any_neighbour(Point point, Neighbourhood neighbourhood);
  // The configuration itself; where the space does not have it, one at random that differs from it in one parameter;
  // where there is none either, any point.
  Point repaired(std::span<const std::uint16_t> digits);
  // With `count` parameters changed at random, those with one value left alone, and repaired.
  Point mutated(Point point, std::size_t count);

 private:
  const SearchSpace& space_;
  Generator random_;
  SpreadPoints spread_;
  std::size_t drawn_ = 0, first_proposed_ = 0, first_judged_ = 0;
  std::unordered_map<Point, std::optional<double>> costs_;  // of points asked for; none: not told
  std::size_t waiting_ = 0;
  std::vector<Point> neighbours_;
};

// How much more a cost is than another, as a share of it: the same however costs are scaled. 0 for two failures.
double relative_excess(double cost, double reference);

}  // namespace tailwave::search
