#include "search/process_proposer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "search/candidates.h"
#include "search/gaussian_process.h"

namespace tailwave::search {
namespace {

constexpr double kNoise = 3e-3;
constexpr float kFirstLength = 0.7F;
constexpr std::size_t kRowsForLengths = 80;  // the last ones

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Ranks from 0 to 1; of texts and bools one column a value, so that any two are equally far apart.
std::vector<float> kernel_row(const SearchSpace& space, const PriorTrust& prior, Point point) {
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
  if (prior.has_prior()) row.push_back(prior.rank(point));
  return row;
}

// A Gaussian process forecasts costs; docs/searching.md explains it.
class ProcessProposer : public Proposer {
 public:
  ProcessProposer(const SearchProblem& problem, const PriorTrust& prior, const ProcessSettings& settings)
      : space_(*problem.space),
        prior_(prior),
        settings_(settings),
        random_(problem.seed),
        refit_at_(settings.first_fit) {}

  void expect(Point point) override {
    members_.push_back({point, kUnknown});
    if (process_) process_->add(kernel_row(space_, prior_, point), 0);
  }

  void learn(Point point, double cost) override {
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

  void begin_anew() override {
    refit_at_ = lengthen_at_ = 0;
    lengths_.clear();
  }

  std::optional<Point> propose(const Remaining& remaining) override {
    if (told_ >= refit_at_) refit();
    if (!process_) return std::nullopt;
    if (stale_) set_targets();
    std::erase_if(candidates_, [&](const Candidate& one) { return !remaining.has(one.point); });
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
    return most < 0 ? std::nullopt : std::optional(found);
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
    if (!scale_.fit(costs, settings_.good_share)) return;
    refit_at_ = told_ + 1 + static_cast<std::size_t>(settings_.growth * static_cast<double>(told_));
    double sum = 0, squares = 0;
    for (const double cost : costs) sum += scale_(cost);
    mean_ = sum / static_cast<double>(costs.size());
    for (const double cost : costs) squares += (scale_(cost) - mean_) * (scale_(cost) - mean_);
    deviation_ = squares > 0 ? std::sqrt(squares / static_cast<double>(costs.size())) : 1;
    best_target_ = -mean_ / deviation_;
    stale_ = true;
    if (process_ && told_ < lengthen_at_) return;
    lengthen_at_ = 2 * told_;
    fit();
  }

  void fit() {
    std::vector<float> rows;
    std::vector<double> targets;
    for (const Member& member : members_) {
      const std::vector<float> row = kernel_row(space_, prior_, member.point);
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
    candidates_.clear();
    scatter(space_, settings_.scattered, random_, [&](Point point) { add_candidate(point); });
    const auto best = std::ranges::min_element(members_, [](const Member& one, const Member& other) {
      return std::isnan(other.cost) || one.cost < other.cost;
    });
    add_neighbours(best->point);
  }

  void add_candidate(Point point) { candidates_.push_back({point, kernel_row(space_, prior_, point), {}}); }

  void add_neighbours(Point point) {
    space_.neighbours(point, Neighbourhood::hamming, neighbours_);
    for (const Point neighbour : neighbours_) add_candidate(neighbour);
  }

  const SearchSpace& space_;
  const PriorTrust& prior_;
  const ProcessSettings settings_;
  Generator random_;
  std::vector<Member> members_;  // as the process has them
  std::vector<Candidate> candidates_;
  std::vector<Point> neighbours_;
  std::optional<GaussianProcess> process_;
  std::vector<float> lengths_;
  CostScale scale_;
  double mean_ = 0, deviation_ = 1, best_target_ = 0;
  std::size_t told_ = 0, refit_at_, lengthen_at_ = 0;
  bool stale_ = false;
};

}  // namespace

std::unique_ptr<Proposer> process_proposer(const SearchProblem& problem, const PriorTrust& prior,
                                           const ProcessSettings& settings) {
  return std::make_unique<ProcessProposer>(problem, prior, settings);
}

}  // namespace tailwave::search
