// Adds differences between members of a population to another one.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "search/kinds.h"
#include "search/point_by_point.h"

namespace tailwave::search {
namespace {

class DifferentialEvolution : public PointByPoint {
 public:
  DifferentialEvolution(const SearchProblem& problem, const StrategyOptions& options)
      : PointByPoint(problem),
        size_(static_cast<std::size_t>(options.at("population"))),
        weight_(options.at("weight")),
        crossover_(options.at("crossover")),
        greedy_(options.at("greedy")) {}

 protected:
  std::optional<Point> propose() override {
    if (proposed_ < size_ || population_.size() < 4) {
      ++proposed_;
      return any_point();
    }
    target_ = (target_ + 1) % population_.size();
    const Point point = trial();
    targets_[point] = target_;
    return point;
  }

  // A trial takes the place of its target unless it is worse, or another member already: all would soon be the same.
  void judge(Point point, double cost) override {
    if (population_.size() < size_) {
      population_.push_back({point, cost});
      return;
    }
    const auto target = targets_.find(point);
    if (target == targets_.end()) return;
    Member& member = population_[target->second];
    if (cost <= member.cost && !is_member(point)) member = {point, cost};
    targets_.erase(target);
  }

 private:
  struct Member {
    Point point;
    double cost;
  };

  [[nodiscard]] bool is_member(Point point) const {
    return std::any_of(population_.begin(), population_.end(),
                       [&](const Member& one) { return one.point == point; });
  }
  Point member() { return population_[random().below(static_cast<std::uint32_t>(population_.size()))].point; }
  [[nodiscard]] Point best() const {
    return std::min_element(population_.begin(), population_.end(),
                            [](const Member& one, const Member& other) { return one.cost < other.cost; })
        ->point;
  }

  Point trial() {
    const auto base = space().digits(random().uniform() < greedy_ ? best() : member());
    const auto plus = space().digits(member()), minus = space().digits(member());
    const auto own = space().digits(population_[target_].point);
    std::vector<std::uint16_t> digits(own.begin(), own.end());
    const std::uint32_t always = random().below(static_cast<std::uint32_t>(digits.size()));
    for (std::size_t i = 0; i < digits.size(); ++i)
      if (i == always || random().uniform() < crossover_) digits[i] = moved(i, base[i], plus[i], minus[i]);
    const Point point = repaired(digits);
    return is_asked(point) ? mutated(point, 1) : point;
  }

  // One parameter of base + weight * (plus - minus), in steps of its values; without an order, one of the three.
  std::uint16_t moved(std::size_t parameter, std::uint16_t base, std::uint16_t plus, std::uint16_t minus) {
    if (!space().is_ordered(parameter)) {
      if (plus == minus) return base;
      return random().uniform() < weight_ ? plus : base;
    }
    const double step =
        weight_ * (double{1} * space().rank(parameter, plus) - space().rank(parameter, minus));
    const auto last = static_cast<double>(space().parameters()[parameter].values.size() - 1);
    const double rank = std::floor(space().rank(parameter, base) + step + random().uniform());
    return space().digit(parameter, static_cast<std::uint16_t>(std::clamp(rank, 0.0, last)));
  }

  std::size_t size_;
  double weight_, crossover_, greedy_;
  std::size_t proposed_ = 0, target_ = 0;
  std::vector<Member> population_;
  std::unordered_map<Point, std::size_t> targets_;  // of trials that were proposed
};

}  // namespace

StrategyKind differential_evolution() {
  return {"differential_evolution",
          "adds differences between members of a population to another one",
          "Storn & Price, \"Differential evolution\", Journal of Global Optimization 11, 1997",
          {{"population", 8, 4, 1e6, "members", kWhole},
           {"weight", 0.3, 0, 2, "factor of a difference"},
           {"crossover", 0.7, 0, 1, "probability that a parameter comes from the sum, not from the target"},
           {"greedy", 1, 0, 1, "probability that the difference is added to the best member, not to any"}},
          [](const SearchProblem& problem, const StrategyOptions& options) {
            return std::make_unique<DifferentialEvolution>(problem, options);
          }};
}

}  // namespace tailwave::search
