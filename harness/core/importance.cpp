#include "core/importance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace tailwave {
namespace {

// The points' levels of a parameter, or of a pair as one number each.
struct Factor {
  std::vector<std::size_t> cells;  // of each point
  std::vector<double> counts;      // points of each cell; 0: there are none
};

Factor factor_of(std::vector<std::size_t> cells) {
  Factor factor{std::move(cells), {}};
  for (const std::size_t cell : factor.cells) {
    if (cell >= factor.counts.size()) factor.counts.resize(cell + 1, 0);
    ++factor.counts[cell];
  }
  return factor;
}

std::size_t settings_of(const Factor& factor) {
  return static_cast<std::size_t>(
      std::ranges::count_if(factor.counts, [](double count) { return count > 0; }));
}

std::vector<double> means_of(const Factor& factor, const std::vector<double>& values) {
  std::vector<double> means(factor.counts.size(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) means[factor.cells[i]] += values[i];
  for (std::size_t cell = 0; cell < means.size(); ++cell)
    if (factor.counts[cell] > 0) means[cell] /= factor.counts[cell];
  return means;
}

// The sum of squares that its means take from the values.
double explained_by(const Factor& factor, const std::vector<double>& values) {
  const std::vector<double> means = means_of(factor, values);
  double sum = 0;
  for (std::size_t cell = 0; cell < means.size(); ++cell)
    sum += factor.counts[cell] * means[cell] * means[cell];
  return sum;
}

double squares_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

void take_means(const Factor& factor, std::vector<double>& values) {
  const std::vector<double> means = means_of(factor, values);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= means[factor.cells[i]];
}

// The least squares fit of a sum of functions of these factors is taken from the values.
void take_sum(const std::vector<const Factor*>& factors, std::vector<double>& values, double total) {
  constexpr int kMostSweeps = 1000;
  constexpr double kEnough = 1e-14;
  double before = squares_of(values);
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    for (const Factor* factor : factors) take_means(*factor, values);
    const double after = squares_of(values);
    if (before - after <= kEnough * total) return;
    before = after;
  }
}

// As many of one cell as of the other lie beside each other: a pair of levels is one number.
Factor pair_of(const Factor& one, const Factor& other) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> numbers;
  std::vector<std::size_t> cells;
  for (std::size_t i = 0; i < one.cells.size(); ++i)
    cells.push_back(numbers.try_emplace({one.cells[i], other.cells[i]}, numbers.size()).first->second);
  return factor_of(std::move(cells));
}

// A point of the cell with the lowest mean.
std::size_t best_point(const Factor& factor, const std::vector<double>& y) {
  const std::vector<double> means = means_of(factor, y);
  std::size_t best = 0;
  for (std::size_t i = 1; i < y.size(); ++i) {
    const std::size_t cell = factor.cells[i], least = factor.cells[best];
    if (means[cell] < means[least] || (means[cell] == means[least] && cell < least)) best = i;
  }
  return best;
}

double range_of(const Factor& factor, const std::vector<double>& y) {
  const std::vector<double> means = means_of(factor, y);
  double low = 0, high = 0;
  bool any = false;
  for (std::size_t cell = 0; cell < means.size(); ++cell) {
    if (factor.counts[cell] == 0) continue;
    low = any ? std::min(low, means[cell]) : means[cell];
    high = any ? std::max(high, means[cell]) : means[cell];
    any = true;
  }
  return high - low;
}

// One space while its variance is shared out.
class Shares {
 public:
  explicit Shares(const std::vector<MeasuredPoint>& points) {
    for (const MeasuredPoint& point : points) y_.push_back(point.y);
    double mean = 0;
    for (const double y : y_) mean += y / static_cast<double>(y_.size());
    for (double& y : y_) y -= mean;
    total_ = squares_of(y_);
    constexpr double kRounding = 1e-24;  // of the squares of equal values
    varies_ = total_ > kRounding * static_cast<double>(y_.size()) * (1 + mean * mean);
    left_ = y_;
    for (std::size_t i = 0; !points.empty() && i < points.front().levels.size(); ++i) {
      std::vector<std::size_t> cells;
      for (const MeasuredPoint& point : points) cells.push_back(point.levels[i]);
      factors_.push_back(factor_of(std::move(cells)));
    }
  }

  Importance share_out(bool with_pairs) {
    if (!varies_) return {};
    take_parameters();
    if (with_pairs) take_pairs();
    return {std::move(effects_), squares_of(left_) / total_};
  }

 private:
  void take_parameters() {
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < factors_.size(); ++i)
      if (settings_of(factors_[i]) > 1) candidates.push_back(i);
    std::vector<const Factor*> taken;
    while (!candidates.empty()) {
      const auto next = std::ranges::max_element(
          candidates, {}, [&](std::size_t i) { return explained_by(factors_[i], left_); });
      const Factor& factor = factors_[*next];
      taken.push_back(&factor);
      const double before = squares_of(left_);
      take_sum(taken, left_, total_);
      effects_.push_back({.parameter = *next,
                          .with = {},
                          .settings = settings_of(factor),
                          .share = (before - squares_of(left_)) / total_,
                          .alone = explained_by(factor, y_) / total_,
                          .best = {factor.cells[best_point(factor, y_)]},
                          .range = range_of(factor, y_)});
      candidates.erase(next);
    }
  }

  void take_pairs() {
    struct Pair {
      std::size_t one, other;
      Factor factor;
      double explained;
    };
    std::vector<Pair> pairs;
    for (std::size_t one = 0; one < factors_.size(); ++one)
      for (std::size_t other = one + 1; other < factors_.size(); ++other) {
        if (settings_of(factors_[one]) < 2 || settings_of(factors_[other]) < 2) continue;
        Factor factor = pair_of(factors_[one], factors_[other]);
        const double explained = explained_by(factor, left_);
        pairs.push_back({one, other, std::move(factor), explained});
      }
    std::ranges::stable_sort(pairs, std::ranges::greater{}, &Pair::explained);
    for (const Pair& pair : pairs) {
      const double before = squares_of(left_);
      take_means(pair.factor, left_);
      const std::size_t best = best_point(pair.factor, y_);
      effects_.push_back({.parameter = pair.one,
                          .with = pair.other,
                          .settings = settings_of(pair.factor),
                          .share = (before - squares_of(left_)) / total_,
                          .alone = 0,
                          .best = {factors_[pair.one].cells[best], factors_[pair.other].cells[best]},
                          .range = 0});
    }
  }

  std::vector<double> y_, left_;  // without their mean; what is not explained yet
  double total_ = 0;
  bool varies_ = false;
  std::vector<Factor> factors_;
  std::vector<Effect> effects_;
};

}  // namespace

Importance importance_of(const std::vector<MeasuredPoint>& points, bool with_pairs) {
  return Shares(points).share_out(with_pairs);
}

}  // namespace tailwave
