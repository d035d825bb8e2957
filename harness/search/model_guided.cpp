// Strategies that ask for what models of the costs find promising; docs/searching.md explains them.
#include <algorithm>
#include <memory>
#include <utility>

#include "search/forest_proposer.h"
#include "search/kinds.h"
#include "search/process_proposer.h"
#include "search/remaining.h"
#include "search/spread.h"

namespace tailwave::search {
namespace {

// Begins with the best point of those known elsewhere and points that are far apart; then each model has its turn.
class ModelGuided : public Strategy {
 public:
  ModelGuided(const SearchProblem& problem, std::size_t initial)
      : initial_(initial),
        random_(problem.seed),
        remaining_(problem),
        spread_(problem),
        prior_(problem.prior),
        trust_(problem.prior) {}

  void add(std::unique_ptr<Proposer> model) { models_.push_back(std::move(model)); }
  [[nodiscard]] const PriorTrust& trust() const { return trust_; }

  void ask(std::size_t most, std::vector<Point>& points) override {
    for (std::size_t i = 0; i < most && !remaining_.is_empty(); ++i) {
      const std::optional<Point> point = next();
      if (!point) return;
      remaining_.take(*point);
      for (const auto& model : models_) model->expect(*point);
      points.push_back(*point);
      ++asked_;
    }
  }

  void tell(Point point, double cost) override {
    for (const auto& model : models_) model->learn(point, cost);
    trust_.tell(point, cost);
    if (trust_.changes())
      for (const auto& model : models_) model->begin_anew();
  }

 private:
  std::optional<Point> next() {
    if (asked_ >= initial_)
      if (const auto point = models_[turn_++ % models_.size()]->propose(remaining_)) return point;
    if (asked_ == 0)
      if (const auto point = best_elsewhere()) return point;
    return spread_.next([this] { return remaining_.any(random_); });
  }

  // What is true elsewhere may be wrong here, and more of it would cost a small budget much.
  std::optional<Point> best_elsewhere() const {
    if (prior_ == nullptr) return std::nullopt;
    const auto best = prior_->best_first();
    const auto found = std::ranges::find_if(best, [this](Point point) { return remaining_.has(point); });
    return found == best.end() ? std::nullopt : std::optional(*found);
  }

  std::size_t initial_;
  Generator random_;
  Remaining remaining_;
  SpreadPoints spread_;
  const PriorCosts* prior_;
  PriorTrust trust_;
  std::vector<std::unique_ptr<Proposer>> models_;
  std::size_t asked_ = 0, turn_ = 0;
};

const Hyperparameter kInitial{"initial", 6, 1, 1000, "points far apart before the first that a model chooses",
                              kWhole};
const Hyperparameter kScattered{"scattered", 1500, 1, 1e6, "random candidates of a model", kWhole};

std::size_t whole(const StrategyOptions& options, const char* name) {
  return static_cast<std::size_t>(options.find(name)->second);
}

ProcessSettings process_settings(const StrategyOptions& options, const char* good_share) {
  return {.good_share = options.find(good_share)->second,
          .scattered = whole(options, "scattered"),
          .growth = options.at("growth"),
          .first_fit = whole(options, "initial")};
}

ForestSettings forest_settings(const StrategyOptions& options) {
  return {.trees = whole(options, "trees"),
          .good_share = options.at("good_share"),
          .broad_share = options.at("broad_share"),
          .probe_every = whole(options, "probe_every"),
          .elites = whole(options, "elites"),
          .scattered = whole(options, "scattered"),
          .growth = options.at("growth"),
          .first_fit = whole(options, "initial")};
}

std::unique_ptr<Strategy> make_bayesian(const SearchProblem& problem, const StrategyOptions& options) {
  auto strategy = std::make_unique<ModelGuided>(problem, whole(options, "initial"));
  strategy->add(process_proposer(problem, strategy->trust(), process_settings(options, "good_share")));
  return strategy;
}

std::unique_ptr<Strategy> make_wave_guided(const SearchProblem& problem, const StrategyOptions& options) {
  auto strategy = std::make_unique<ModelGuided>(problem, whole(options, "initial"));
  strategy->add(forest_proposer(problem, strategy->trust(), forest_settings(options)));
  strategy->add(process_proposer(problem, strategy->trust(), process_settings(options, "process_share")));
  return strategy;
}

}  // namespace

StrategyKind bayesian() {
  return {
      "bayesian",
      "a Gaussian process forecasts costs; the largest expected improvement on the best is asked for next",
      "Jones, Schonlau & Welch, Efficient global optimization of expensive black-box functions, 1998",
      {kInitial,
       kScattered,
       {"good_share", 0.5, 0.01, 1, "of what ran: costs beyond it count alike"},
       {"growth", 0.1, 0, 10, "new points, as a share of the old, after which costs are scaled anew"}},
      make_bayesian};
}

StrategyKind wave_guided() {
  return {
      "wave_guided",
      "trees that learn from block shape, waves and occupancy, and a Gaussian process, choose by turns",
      "",
      {kInitial,
       kScattered,
       {"trees", 16, 2, 1000, "regression trees", kWhole},
       {"good_share", 0.15, 0.01, 1, "of what ran: beyond it, costs count alike for the trees"},
       {"broad_share", 1, 0.01, 1, "the same for every other growing of the trees"},
       {"process_share", 0.5, 0.01, 1, "the same for the Gaussian process"},
       {"probe_every", 4, 1, 1e6,
        "of so many points of the trees one tries the parameter least tried around the best point", kWhole},
       {"elites", 4, 1, 1000, "best points whose neighbours are candidates of the trees", kWhole},
       {"growth", 0.1, 0, 10,
        "new points, as a share of the old, after which the trees are grown and costs scaled anew"}},
      make_wave_guided};
}

}  // namespace tailwave::search
