// Our own strategy; docs/searching.md explains it.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "search/candidates.h"
#include "search/features.h"
#include "search/kinds.h"
#include "search/remaining.h"
#include "search/trees.h"

namespace tailwave::search {
namespace {

constexpr int kDrawsByPrediction =
    3;  // of them one that is predicted to be clearly cheaper is asked for first
constexpr float kClearlyCheaper = 2;  // so many times: nearer ones a prediction does not tell apart

class WaveGuided : public Strategy {
 public:
  WaveGuided(const SearchProblem& problem, const StrategyOptions& options)
      : space_(*problem.space),
        initial_(static_cast<std::size_t>(options.at("initial"))),
        elites_(static_cast<std::size_t>(options.at("elites"))),
        probe_every_(static_cast<std::size_t>(options.at("probe_every"))),
        scattered_(static_cast<std::size_t>(options.at("scattered"))),
        good_share_(options.at("good_share")),
        broad_share_(options.at("broad_share")),
        growth_(options.at("growth")),
        random_(problem.seed),
        features_(problem),
        trees_(features_.columns(), static_cast<std::size_t>(options.at("trees"))),
        candidates_(features_, trees_),
        remaining_(problem),
        knowledge_(problem.knowledge),
        predicts_(knowledge_ != nullptr && knowledge_->predicts) {}

  void ask(std::size_t most, std::vector<Point>& points) override {
    for (std::size_t i = 0; i < most && !remaining_.is_empty(); ++i) {
      if (told_.size() >= std::max(initial_, refit_at_)) refit();
      const std::optional<Point> next_one = next();
      if (!next_one) return;
      const Point point = *next_one;
      remaining_.take(point);
      pending_.push_back(point);
      learn_guess(point);
      points.push_back(point);
    }
  }

  void tell(Point point, double cost) override {
    std::erase(pending_, point);
    told_.push_back({point, cost});
    if (cost < lowest_) {
      lowest_ = cost;
      best_point_ = point;
    }
    if (!trees_.is_fitted()) return;
    const float target = scale_(cost);
    if (target <= best_target_) add_neighbours(point);
    learn(point, target);
  }

 private:
  struct Told {
    Point point;
    double cost;
  };

  std::optional<Point> next() {
    if (trees_.is_fitted()) {
      if (++turn_ % probe_every_ == 0)
        if (const auto found = probe()) return *found;
      if (const auto found = candidates_.most_promising(best_target_, remaining_)) return *found;
    }
    const std::optional<Point> point = remaining_.any(random_);
    by_prediction_ = !by_prediction_;
    return !point || !predicts_ || !by_prediction_ ? point : best_predicted(*point);
  }

  // Of the best point's neighbours by the parameter whose values were tried least there, the one forecast to be
  // cheapest: so that no parameter is passed over because it did not matter elsewhere.
  std::optional<Point> probe() {
    space_.neighbours(best_point_, Neighbourhood::hamming, neighbours_);
    const auto parameter_of = [&](Point neighbour) {
      const auto own = space_.digits(best_point_), other = space_.digits(neighbour);
      return static_cast<std::size_t>(std::ranges::mismatch(own, other).in1 - own.begin());
    };
    std::vector<std::size_t> tried(space_.parameters().size(), 0);
    for (const Point neighbour : neighbours_)
      if (!remaining_.has(neighbour)) ++tried[parameter_of(neighbour)];
    std::optional<Point> found;
    std::pair<std::size_t, float> least;
    row_.resize(features_.columns().size());
    for (const Point neighbour : neighbours_) {
      if (!remaining_.has(neighbour)) continue;
      features_.fill(neighbour, row_.data());
      const std::pair one(tried[parameter_of(neighbour)], trees_.forecast(row_.data()));
      if (found && one >= least) continue;
      least = one;
      found = neighbour;
    }
    return found;
  }

  // Every other of the first points, so that a prediction that is wrong does not spoil all of them.
  Point best_predicted(Point best) {
    const auto predicted = [&](Point point) { return knowledge_->facts(point).predicted_cost; };
    for (int i = 1; i < kDrawsByPrediction; ++i) {
      const Point other = remaining_.any(random_).value_or(best);
      if (kClearlyCheaper * predicted(other) < predicted(best) || std::isnan(predicted(best))) best = other;
    }
    return best;
  }

  void refit() {
    std::vector<double> costs;
    std::ranges::sort(told_, [](const Told& one, const Told& other) {
      return std::pair(one.cost, one.point) < std::pair(other.cost, other.point);
    });
    for (const Told& told : told_) costs.push_back(told.cost);
    is_broad_ = !is_broad_;
    if (!scale_.fit(costs, is_broad_ ? broad_share_ : good_share_)) return;
    const std::size_t width = features_.columns().size();
    std::vector<float> rows(told_.size() * width), targets;
    for (std::size_t i = 0; i < told_.size(); ++i) {
      features_.fill(told_[i].point, &rows[i * width]);
      targets.push_back(scale_(told_[i].cost));
    }
    trees_.fit(rows, targets, random_);
    best_target_ = targets.front();
    refit_at_ = told_.size() + 1 + static_cast<std::size_t>(growth_ * static_cast<double>(told_.size()));
    collect_candidates();
    for (const Point point : pending_) learn_guess(point);
  }

  void collect_candidates() {
    candidates_.clear();
    for (std::size_t i = 0; i < std::min(elites_, told_.size()) && told_[i].cost < kFailed; ++i)
      add_neighbours(told_[i].point);
    scatter(space_, scattered_, random_, [&](Point point) {
      if (remaining_.has(point)) candidates_.add(point);
    });
  }

  void add_neighbours(Point point) {
    space_.neighbours(point, Neighbourhood::hamming, neighbours_);
    for (const Point neighbour : neighbours_)
      if (remaining_.has(neighbour)) candidates_.add(neighbour);
  }

  void learn(Point point, float target) {
    row_.resize(features_.columns().size());
    features_.fill(point, row_.data());
    trees_.insert(row_, target, random_, touched_);
    candidates_.descend(touched_);
    best_target_ = std::min(best_target_, target);
  }

  // Until its cost is known, a point is taken to cost what the trees forecast, so that the next ones are sought
  // elsewhere.
  void learn_guess(Point point) {
    if (!trees_.is_fitted()) return;
    row_.resize(features_.columns().size());
    features_.fill(point, row_.data());
    learn(point, std::max(best_target_, trees_.forecast(row_.data())));
  }

  const SearchSpace& space_;
  std::size_t initial_, elites_, probe_every_, scattered_;
  double good_share_, broad_share_, growth_;
  Generator random_;
  Features features_;
  Trees trees_;
  Candidates candidates_;
  Remaining remaining_;
  CostScale scale_;
  const Knowledge* knowledge_;
  bool predicts_;
  std::vector<Told> told_;
  std::vector<Point> pending_, neighbours_;
  std::vector<float> row_;
  std::vector<Trees::Leaf> touched_;
  std::size_t refit_at_ = 0;
  float best_target_ = 0;
  bool by_prediction_ = false, is_broad_ = true;
  double lowest_ = kFailed;
  Point best_point_ = 0;
  std::size_t turn_ = 0;
};

}  // namespace

StrategyKind wave_guided() {
  return {"wave_guided",
          "trees that learn from block shape, "
          "waves and occupancy choose among neighbours of the best and scattered points",
          "",
          {{"trees", 16, 2, 1000, "regression trees", kWhole},
           {"initial", 6, 1, 1000, "points before the first trees", kWhole},
           {"good_share", 0.15, 0.01, 1, "of what ran: beyond it, costs count alike"},
           {"broad_share", 0.5, 0.01, 1, "the same for every other growing of the trees"},
           {"probe_every", 4, 1, 1e6,
            "of so many points one tries the parameter least tried around the best point", kWhole},
           {"elites", 4, 1, 1000, "best points whose neighbours are candidates", kWhole},
           {"scattered", 600, 1, 1e6, "random candidates", kWhole},
           {"growth", 0.1, 0, 10, "new points, as a share of the old, after which the trees are grown anew"}},
          [](const SearchProblem& problem, const StrategyOptions& options) {
            return std::make_unique<WaveGuided>(problem, options);
          }};
}

}  // namespace tailwave::search
