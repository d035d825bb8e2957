// Walks to neighbours, to worse ones too as long as it is warm.
#include <algorithm>
#include <cmath>

#include "search/kinds.h"
#include "search/point_by_point.h"

namespace tailwave::search {
namespace {

class Annealing : public PointByPoint {
 public:
  Annealing(const SearchProblem& problem, const StrategyOptions& options)
      : PointByPoint(problem),
        neighbourhood_(options.at("adjacent") != 0 ? Neighbourhood::adjacent : Neighbourhood::hamming),
        first_(options.at("first_temperature")),
        temperature_(first_),
        patience_(static_cast<int>(options.at("patience"))) {
    const auto steps = static_cast<double>(std::max<std::size_t>(problem.budget, 1));
    cooling_ = std::pow(options.at("last_temperature") / first_, 1 / steps);
  }

 protected:
  std::optional<Point> propose() override {
    if (const std::optional<Point> point = first_point()) return point;
    return current_ ? any_neighbour(*current_, neighbourhood_) : any_point();
  }

  void learn(Point /*point*/, double /*cost*/) override { temperature_ *= cooling_; }

  void judge(Point point, double cost) override {
    if (judges_first_point() || !current_) {  // begins where the first points are best
      if (!current_ || cost < current_cost_) move_to(point, cost);
      return;
    }
    const double excess = relative_excess(cost, current_cost_);
    if (excess <= 0 || random().uniform() < std::exp(-excess / temperature_)) {
      if (excess != 0) refused_ = 0;
      move_to(point, cost);
    } else if (++refused_ > patience_) {
      current_.reset();
      refused_ = 0;
    }
  }

 private:
  void move_to(Point point, double cost) {
    current_ = point;
    current_cost_ = cost;
  }

  Neighbourhood neighbourhood_;
  double first_, temperature_, cooling_ = 1;
  int patience_;
  std::optional<Point> current_;
  double current_cost_ = kFailed;
  int refused_ = 0;
};

}  // namespace

StrategyKind annealing() {
  return {"annealing",
          "walks to neighbours, to worse ones too as long as it is warm",
          "Kirkpatrick, Gelatt & Vecchi, \"Optimization by simulated annealing\", Science 220, 1983",
          {{"adjacent", 0, 0, 1, "1: neighbours differ by one step in one parameter; 0: by any one value",
            kWhole},
           {"first_temperature", 0.005, 1e-6, 100,
            "at the start; 0.1 accepts 10 % more cost with probability 1/e"},
           {"last_temperature", 0.0005, 1e-9, 100,
            "at the end of the budget; it falls by the same factor each evaluation"},
           {"patience", 200, 1, 1e6, "neighbours refused in a row before it starts anew at random", kWhole}},
          [](const SearchProblem& problem, const StrategyOptions& options) {
            return std::make_unique<Annealing>(problem, options);
          }};
}

}  // namespace tailwave::search
