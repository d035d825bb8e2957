#include "search/forest_proposer.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "search/candidates.h"
#include "search/features.h"
#include "search/trees.h"

namespace tailwave::search {
namespace {

// Trees forecast costs; docs/searching.md explains it.
class ForestProposer : public Proposer {
 public:
  ForestProposer(const SearchProblem& problem, const PriorTrust& prior, const ForestSettings& settings)
      : space_(*problem.space),
        settings_(settings),
        random_(problem.seed),
        features_(problem, &prior),
        trees_(features_.columns(), settings.trees),
        candidates_(features_, trees_),
        refit_at_(settings.first_fit) {}

  void expect(Point point) override {
    pending_.push_back(point);
    learn_guess(point);
  }

  void learn(Point point, double cost) override {
    std::erase(pending_, point);
    told_.push_back({point, cost});
    if (cost < lowest_) {
      lowest_ = cost;
      best_point_ = point;
    }
    if (!trees_.is_fitted()) return;
    const float target = scale_(cost);
    if (target <= best_target_) add_neighbours(point);
    add(point, target);
  }

  void begin_anew() override { refit_at_ = 0; }

  std::optional<Point> propose(const Remaining& remaining) override {
    if (told_.size() >= refit_at_) refit(remaining);
    if (!trees_.is_fitted()) return std::nullopt;
    if (++turn_ % settings_.probe_every == 0)
      if (const auto found = probe(remaining)) return found;
    return candidates_.most_promising(best_target_, remaining);
  }

 private:
  struct Told {
    Point point;
    double cost;
  };

  // Of the best point's neighbours by the parameter whose values were tried least there, the one forecast to be
  // cheapest: so that no parameter is passed over because it did not matter elsewhere.
  std::optional<Point> probe(const Remaining& remaining) {
    space_.neighbours(best_point_, Neighbourhood::hamming, neighbours_);
    const auto parameter_of = [&](Point neighbour) {
      const auto own = space_.digits(best_point_), other = space_.digits(neighbour);
      return static_cast<std::size_t>(std::ranges::mismatch(own, other).in1 - own.begin());
    };
    std::vector<std::size_t> tried(space_.parameters().size(), 0);
    for (const Point neighbour : neighbours_)
      if (!remaining.has(neighbour)) ++tried[parameter_of(neighbour)];
    std::optional<Point> found;
    std::pair<std::size_t, float> least;
    row_.resize(features_.columns().size());
    for (const Point neighbour : neighbours_) {
      if (!remaining.has(neighbour)) continue;
      features_.fill(neighbour, row_.data());
      const std::pair one(tried[parameter_of(neighbour)], trees_.forecast(row_.data()));
      if (found && one >= least) continue;
      least = one;
      found = neighbour;
    }
    return found;
  }

  void refit(const Remaining& remaining) {
    std::vector<double> costs;
    std::ranges::sort(told_, [](const Told& one, const Told& other) {
      return std::pair(one.cost, one.point) < std::pair(other.cost, other.point);
    });
    for (const Told& told : told_) costs.push_back(told.cost);
    is_broad_ = !is_broad_;
    if (!scale_.fit(costs, is_broad_ ? settings_.broad_share : settings_.good_share)) return;
    const std::size_t width = features_.columns().size();
    std::vector<float> rows(told_.size() * width), targets;
    for (std::size_t i = 0; i < told_.size(); ++i) {
      features_.fill(told_[i].point, &rows[i * width]);
      targets.push_back(scale_(told_[i].cost));
    }
    trees_.fit(rows, targets, random_);
    best_target_ = targets.front();
    refit_at_ =
        told_.size() + 1 + static_cast<std::size_t>(settings_.growth * static_cast<double>(told_.size()));
    collect_candidates(remaining);
    for (const Point point : pending_) learn_guess(point);
  }

  void collect_candidates(const Remaining& remaining) {
    candidates_.clear();
    for (std::size_t i = 0; i < std::min(settings_.elites, told_.size()) && told_[i].cost < kFailed; ++i)
      add_neighbours(told_[i].point);
    scatter(space_, settings_.scattered, random_, [&](Point point) {
      if (remaining.has(point)) candidates_.add(point);
    });
  }

  void add_neighbours(Point point) {
    space_.neighbours(point, Neighbourhood::hamming, neighbours_);
    for (const Point neighbour : neighbours_) candidates_.add(neighbour);
  }

  void add(Point point, float target) {
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
    add(point, std::max(best_target_, trees_.forecast(row_.data())));
  }

  const SearchSpace& space_;
  const ForestSettings settings_;
  Generator random_;
  Features features_;
  Trees trees_;
  Candidates candidates_;
  CostScale scale_;
  std::vector<Told> told_;
  std::vector<Point> pending_, neighbours_;
  std::vector<float> row_;
  std::vector<Trees::Leaf> touched_;
  std::size_t refit_at_;
  float best_target_ = 0;
  bool is_broad_ = true;
  double lowest_ = kFailed;
  Point best_point_ = 0;
  std::size_t turn_ = 0;
};

}  // namespace

std::unique_ptr<Proposer> forest_proposer(const SearchProblem& problem, const PriorTrust& prior,
                                          const ForestSettings& settings) {
  return std::make_unique<ForestProposer>(problem, prior, settings);
}

}  // namespace tailwave::search
