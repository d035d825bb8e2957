// Chooses the most promising of a few neighbours, a mix of two of the best, and random points; walks as annealing does.
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <unordered_map>

#include "search/kinds.h"
#include "search/nearest_costs.h"
#include "search/point_by_point.h"

namespace tailwave::search {
namespace {

// One step in any number of parameters, one step in one parameter, any value in one parameter.
enum Step : std::size_t { kDiagonal, kAdjacent, kHamming, kSteps };

class HybridVndx : public PointByPoint {
 public:
  HybridVndx(const SearchProblem& problem, const StrategyOptions& options)
      : PointByPoint(problem),
        nearest_(static_cast<std::size_t>(options.at("nearest"))),
        pool_size_(static_cast<std::size_t>(options.at("pool"))),
        patience_(static_cast<int>(options.at("patience"))),
        tabu_size_(static_cast<std::size_t>(options.at("tabu"))),
        elite_size_(static_cast<std::size_t>(options.at("elite"))),
        first_temperature_(options.at("temperature")),
        cooling_(options.at("cooling")),
        temperature_(first_temperature_) {}

 protected:
  std::optional<Point> propose() override {
    if (!current_) return any_point();
    const Step step = any_step();
    fill_pool(step);
    const Point chosen = most_promising();
    steps_[chosen] = step;
    return chosen;
  }

  // The worst of the elite makes room for a better one.
  void learn(Point point, double cost) override {
    nearest_.add(space().digits(point), cost);
    const auto place = std::upper_bound(elite_.begin(), elite_.end(), cost,
                                        [](double limit, const Member& one) { return limit < one.cost; });
    elite_.insert(place, {point, cost});
    if (elite_.size() > elite_size_) elite_.pop_back();
  }

  void judge(Point point, double cost) override {
    const double excess = current_ ? relative_excess(cost, current_cost_) : -1;
    const bool accepted = excess < 0 || random().uniform() < std::exp(-excess / temperature_);
    if (accepted) {
      current_ = point;
      current_cost_ = cost;
      remember(point);
    }
    refused_ = accepted ? 0 : refused_ + 1;
    weigh(point, accepted);
    temperature_ *= cooling_;
    if (refused_ >= patience_) restart();
  }

 private:
  struct Member {
    Point point;
    double cost;
  };

  // In proportion to the weights.
  Step any_step() {
    double left = random().uniform() * (weights_[kDiagonal] + weights_[kAdjacent] + weights_[kHamming]);
    std::size_t step = 0;
    while (step + 1 < kSteps && left >= weights_[step]) left -= weights_[step++];
    return static_cast<Step>(step);
  }

  void weigh(Point point, bool accepted) {
    const auto step = steps_.find(point);
    if (step == steps_.end()) return;
    double& weight = weights_[step->second];
    weight = std::clamp(weight * (accepted ? 1.1 : 0.9), 1e-3, 1e3);
    steps_.erase(step);
  }

  void fill_pool(Step step) {
    pool_.clear();
    for (std::size_t i = 0; i < pool_size_ / 2; ++i)
      pool_.push_back(step == kDiagonal
                          ? diagonal_neighbour()
                          : any_neighbour(*current_, step == kAdjacent ? Neighbourhood::adjacent
                                                                       : Neighbourhood::hamming));
    if (elite_.size() >= 2) pool_.push_back(elite_child());
    while (pool_.size() < pool_size_) pool_.push_back(any_point());
  }

  // The current point where a few tries bring none.
  Point diagonal_neighbour() {
    constexpr int kTries = 20;
    const auto own = space().digits(*current_);
    std::vector<std::uint16_t> digits(own.size());
    for (int i = 0; i < kTries; ++i) {
      for (std::size_t parameter = 0; parameter < own.size(); ++parameter) {
        const int last = static_cast<int>(space().parameters()[parameter].values.size()) - 1;
        const int rank = space().rank(parameter, own[parameter]) + static_cast<int>(random().below(3)) - 1;
        digits[parameter] = space().digit(parameter, static_cast<std::uint16_t>(std::clamp(rank, 0, last)));
      }
      if (const auto found = space().find(digits); found && *found != *current_) return *found;
    }
    return *current_;
  }

  Point elite_child() {
    const auto count = static_cast<std::uint32_t>(elite_.size());
    const std::uint32_t one = random().below(count);
    const std::uint32_t other = (one + 1 + random().below(count - 1)) % count;
    const auto first = space().digits(elite_[one].point), second = space().digits(elite_[other].point);
    std::vector<std::uint16_t> child(first.begin(), first.end());
    for (std::size_t i = 0; i < child.size(); ++i)
      if (random().uniform() < 0.5) child[i] = second[i];
    return repaired(child);
  }

  // Of those that are not tabu, if there are any; of equals, but for rounding, the first.
  Point most_promising() {
    std::erase_if(pool_, [&](Point point) { return is_tabu(point) && point != pool_.back(); });
    constexpr double kRounding = 1e-12;
    Point chosen = pool_.front();
    double lowest = kFailed;
    for (const Point point : pool_) {
      const auto known = known_cost(point);
      const double guess = known ? *known : nearest_.predict(space().digits(point), guesses_[point]);
      if (guess < lowest * (1 - kRounding)) {
        chosen = point;
        lowest = guess;
      }
    }
    return chosen;
  }

  void remember(Point point) {
    tabu_.push_back(point);
    ++visits_[point];
    if (tabu_.size() <= tabu_size_) return;
    const auto oldest = visits_.find(tabu_.front());
    if (--oldest->second == 0) visits_.erase(oldest);
    tabu_.pop_front();
  }
  [[nodiscard]] bool is_tabu(Point point) const { return visits_.contains(point); }

  void restart() {
    current_.reset();
    current_cost_ = kFailed;
    tabu_.clear();
    visits_.clear();
    refused_ = 0;
    temperature_ = first_temperature_;
  }

  NearestCosts nearest_;
  std::unordered_map<Point, NearestCosts::Nearest> guesses_;  // of points that were in a pool
  std::size_t pool_size_;
  int patience_;
  std::size_t tabu_size_, elite_size_;
  double first_temperature_, cooling_, temperature_;
  std::optional<Point> current_;
  double current_cost_ = kFailed;
  std::array<double, kSteps> weights_{1, 1, 1};
  std::unordered_map<Point, Step> steps_;  // that brought the points proposed and not judged
  std::vector<Point> pool_;
  std::vector<Member> elite_;              // best first
  std::deque<Point> tabu_;                 // where the walk was
  std::unordered_map<Point, int> visits_;  // how often each is in tabu_
  int refused_ = 0;
};

}  // namespace

StrategyKind hybrid_vndx() {
  return {
      "hybrid_vndx",
      "variable neighbourhoods, an elite to cross, nearest neighbours to guess costs, a tabu list, annealing",
      "HybridVNDX of Willemsen, van Stein & van Werkhoven, "
      "\"Automated algorithm design for auto-tuning optimizers\", MLSys 2026, "
      "with its elite and its temperature mended",
      {{"pool", 12, 1, 1000, "candidates of which the most promising is evaluated", kWhole},
       {"nearest", 1, 1, 1000, "configurations whose mean cost is the guess for a candidate", kWhole},
       {"elite", 10, 2, 1000, "best configurations kept for crossing", kWhole},
       {"tabu", 300, 0, 1e6, "configurations that the walk may not come back to", kWhole},
       {"temperature", 0.003, 1e-9, 1000, "at the start; 0.1 accepts 10 % more cost with probability 1/e"},
       {"cooling", 0.995, 0.5, 1, "factor of the temperature, each step"},
       {"patience", 100, 1, 1e6, "candidates refused in a row before it starts anew at random", kWhole}},
      [](const SearchProblem& problem, const StrategyOptions& options) {
        return std::make_unique<HybridVndx>(problem, options);
      }};
}

}  // namespace tailwave::search
