// Bayesian optimisation with a Gaussian process; docs/searching.md explains it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "search/candidates.h"
#include "search/gaussian_process.h"
#include "search/kinds.h"
#include "search/remaining.h"

namespace tailwave::search {
namespace {

constexpr double kNoise = 3e-3;
constexpr float kFirstLength = 0.7F;
constexpr std::size_t kRowsForLengths = 80;  // the last ones

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Ranks from 0 to 1; of texts and bools one column a value, so that any two are equally far apart.
std::vector<float> kernel_row(const SearchSpace& space, Point point) {
  std::vector<float> row;
  const auto digits = space.digits(point);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t values = space.parameters()[i].values.size();
    if (values < 2) continue;
    if (space.is_ordered(i)) {
      row.push_back(static_cast<float>(space.rank(i, digits[i])) / static_cast<float>(values - 1));
    } else {
      row.resize(row.size() + values, 0);
      row[row.size() - values + digits[i]] = 0.7F;  // about 1 / sqrt(2)
    }
  }
  return row;
}

class Bayesian : public Strategy {
 public:
  Bayesian(const SearchProblem& problem, const StrategyOptions& options)
      : space_(*problem.space),
        initial_(static_cast<std::size_t>(options.at("initial"))),
        scattered_(static_cast<std::size_t>(options.at("scattered"))),
        good_share_(options.at("good_share")),
        growth_(options.at("growth")),
        random_(problem.seed),
        remaining_(problem) {}

  void ask(std::size_t most, std::vector<Point>& points) override {
    for (std::size_t i = 0; i < most && !remaining_.is_empty(); ++i) {
      if (told_ >= std::max(initial_, refit_at_)) refit();
      const std::optional<Point> point = next();
      if (!point) return;
      remaining_.take(*point);
      points.push_back(*point);
      join(*point);
    }
  }

  void tell(Point point, double cost) override {
    const auto is_it = [&](const Member& member) { return member.point == point; };
    const auto found = std::ranges::find_if(members_, is_it);
    found->cost = cost;
    ++told_;
    if (!process_) return;
    const double target = target_of(cost);
    // No candidate has taken up the last member yet.
    if (found + 1 == members_.end())
      process_->set_last_target(target);
    else
      stale_ = true;
    if (target < best_target_) add_neighbours(point);
    best_target_ = std::min(best_target_, target);
  }

 private:
  struct Member {
    Point point;
    double cost;  // kUnknown until it is told
  };
  struct Candidate {
    Point point;
    std::vector<float> row;
    GaussianProcess::Forecast forecast;
  };

  // Until its cost is known, a point is taken to be as good as the mean, so that the next ones are sought elsewhere.
  [[nodiscard]] double target_of(double cost) const {
    return std::isnan(cost) ? 0 : (scale_(cost) - mean_) / deviation_;
  }

  void join(Point point) {
    members_.push_back({point, kUnknown});
    if (process_) process_->add(kernel_row(space_, point), 0);
  }

  std::optional<Point> next() {
    if (!process_) return remaining_.any(random_);
    if (stale_) set_targets();
    std::erase_if(candidates_, [&](const Candidate& one) { return !remaining_.has(one.point); });
    double most = -1;
    Point found = 0;
    for (Candidate& candidate : candidates_) {
      process_->update(candidate.row, candidate.forecast);
      const auto& [mean, variance, solved] = candidate.forecast;
      const double improvement = expected_improvement(best_target_, mean, std::sqrt(variance));
      if (improvement <= most) continue;
      most = improvement;
      found = candidate.point;
    }
    if (most < 0) return remaining_.any(random_);
    return found;
  }

  void set_targets() {
    std::vector<double> targets;
    for (const Member& member : members_) targets.push_back(target_of(member.cost));
    process_->set_targets(targets);
    for (Candidate& candidate : candidates_) process_->update_mean(candidate.forecast);
    stale_ = false;
  }

  // Another scale, because what is good has changed; other lengths whenever the observations have doubled.
  void refit() {
    std::vector<double> costs;
    for (const Member& member : members_)
      if (!std::isnan(member.cost)) costs.push_back(member.cost);
    if (!scale_.fit(costs, good_share_)) return;
    refit_at_ = told_ + 1 + static_cast<std::size_t>(growth_ * static_cast<double>(told_));
    double sum = 0, squares = 0;
    for (const double cost : costs) sum += scale_(cost);
    mean_ = sum / static_cast<double>(costs.size());
    for (const double cost : costs) squares += (scale_(cost) - mean_) * (scale_(cost) - mean_);
    deviation_ = squares > 0 ? std::sqrt(squares / static_cast<double>(costs.size())) : 1;
    best_target_ = -mean_ / deviation_;
    stale_ = true;
    if (process_ && told_ < lengthen_at_) return;
    lengthen_at_ = 2 * told_;
    begin_anew();
  }

  void begin_anew() {
    std::vector<float> rows;
    std::vector<double> targets;
    for (const Member& member : members_) {
      const std::vector<float> row = kernel_row(space_, member.point);
      rows.insert(rows.end(), row.begin(), row.end());
      targets.push_back(target_of(member.cost));
    }
    const std::size_t width = rows.size() / members_.size();
    if (lengths_.empty()) lengths_.assign(width, kFirstLength);
    const std::size_t skipped = members_.size() - std::min(members_.size(), kRowsForLengths);
    lengths_ = likelier_lengths(std::span(rows).subspan(skipped * width), std::span(targets).subspan(skipped),
                                std::move(lengths_), kNoise);
    process_.emplace(lengths_, kNoise);
    for (std::size_t i = 0; i < targets.size(); ++i)
      process_->add(std::span(rows).subspan(i * width, width), targets[i]);
    for (Candidate& candidate : candidates_) candidate.forecast = {};
    if (!candidates_.empty()) return;
    scatter(space_, scattered_, random_, [&](Point point) { add_candidate(point); });
    const auto best = std::ranges::min_element(members_, [](const Member& one, const Member& other) {
      return std::isnan(other.cost) || one.cost < other.cost;
    });
    add_neighbours(best->point);
  }

  void add_candidate(Point point) {
    if (remaining_.has(point)) candidates_.push_back({point, kernel_row(space_, point), {}});
  }

  void add_neighbours(Point point) {
    space_.neighbours(point, Neighbourhood::hamming, neighbours_);
    for (const Point neighbour : neighbours_) add_candidate(neighbour);
  }

  const SearchSpace& space_;
  std::size_t initial_, scattered_;
  double good_share_, growth_;
  Generator random_;
  Remaining remaining_;
  std::vector<Member> members_;  // as the process has them
  std::vector<Candidate> candidates_;
  std::vector<Point> neighbours_;
  std::optional<GaussianProcess> process_;
  std::vector<float> lengths_;
  CostScale scale_;
  double mean_ = 0, deviation_ = 1, best_target_ = 0;
  std::size_t told_ = 0, refit_at_ = 0, lengthen_at_ = 0;
  bool stale_ = false;
};

}  // namespace

StrategyKind bayesian() {
  return {
      "bayesian",
      "a Gaussian process forecasts costs; the largest expected improvement on the best is asked for next",
      "Jones, Schonlau & Welch, Efficient global optimization of expensive black-box functions, 1998",
      {{"initial", 8, 1, 1000, "random points before the first forecast", kWhole},
       {"scattered", 800, 1, 1e5, "random candidates", kWhole},
       {"good_share", 0.5, 0.01, 1, "of what ran: costs beyond it count alike"},
       {"growth", 0.1, 0, 10, "new points, as a share of the old, after which costs are scaled anew"}},
      [](const SearchProblem& problem, const StrategyOptions& options) {
        return std::make_unique<Bayesian>(problem, options);
      }};
}

}  // namespace tailwave::search
