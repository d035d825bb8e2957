// Breeds children of good parents; the best of all survive.
#include <algorithm>

#include "search/kinds.h"
#include "search/point_by_point.h"

namespace tailwave::search {
namespace {

class Genetic : public PointByPoint {
 public:
  Genetic(const SearchProblem& problem, const StrategyOptions& options)
      : PointByPoint(problem),
        size_(static_cast<std::size_t>(options.at("population"))),
        rivals_(static_cast<int>(options.at("rivals"))),
        mutation_(options.at("mutation")) {}

 protected:
  std::optional<Point> propose() override {
    if (proposed_ < size_ || population_.empty()) {
      ++proposed_;
      return any_point();
    }
    const auto one = space().digits(parent());
    const auto other = space().digits(parent());
    std::vector<std::uint16_t> child(one.begin(), one.end());
    for (std::size_t i = 0; i < child.size(); ++i)
      if (random().uniform() < 0.5) child[i] = other[i];
    Point point = repaired(child);
    if (is_asked(point) || random().uniform() < mutation_) point = mutated(point, 1);
    return point;
  }

  // The worst of the population makes room for a better one, an old one for one as good.
  void learn(Point point, double cost) override {
    const auto place = std::lower_bound(population_.begin(), population_.end(), cost,
                                        [](const Member& one, double limit) { return one.cost < limit; });
    population_.insert(place, {point, cost});
    if (population_.size() > size_) population_.pop_back();
  }

  void judge(Point /*point*/, double /*cost*/) override {}

 private:
  struct Member {
    Point point;
    double cost;
  };

  // The best of a few at random.
  Point parent() {
    auto chosen = static_cast<std::uint32_t>(population_.size());
    for (int rival = 0; rival < rivals_; ++rival)
      chosen = std::min(chosen, random().below(static_cast<std::uint32_t>(population_.size())));
    return population_[chosen].point;
  }

  std::size_t size_;
  int rivals_;
  double mutation_;
  std::size_t proposed_ = 0;
  std::vector<Member> population_;  // best first
};

}  // namespace

StrategyKind genetic() {
  return {"genetic",
          "breeds children of good parents; the best of all survive",
          "Syswerda, \"Uniform crossover in genetic algorithms\", ICGA 1989; steady state after Whitley, "
          "\"The GENITOR algorithm\", ICGA 1989",
          {{"population", 10, 2, 1e6, "configurations that parents are chosen from", kWhole},
           {"rivals", 4, 1, 1000, "the better of so many at random becomes a parent", kWhole},
           {"mutation", 0.1, 0, 1,
            "probability that a child has a parameter changed; one that is known always has"}},
          [](const SearchProblem& problem, const StrategyOptions& options) {
            return std::make_unique<Genetic>(problem, options);
          }};
}

}  // namespace tailwave::search
