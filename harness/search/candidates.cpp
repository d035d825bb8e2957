#include "search/candidates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace tailwave::search {

double expected_improvement(double best, double mean, double deviation) {
  if (!(deviation > 0)) return std::max(0.0, best - mean);
  const double z = (best - mean) / deviation;
  const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
  const double density = std::exp(-z * z / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return deviation * (z * below + density);
}

Candidates::Candidates(const Features& features, const Trees& trees)
    : features_(&features), trees_(&trees), leaves_(trees.size()) {}

void Candidates::clear() {
  points_.clear();
  rows_.clear();
  for (auto& leaves : leaves_) leaves.clear();
}

void Candidates::add(Point point) {
  const std::size_t width = features_->columns().size();
  points_.push_back(point);
  rows_.resize(rows_.size() + width);
  float* row = &rows_[rows_.size() - width];
  features_->fill(point, row);
  for (std::size_t tree = 0; tree < leaves_.size(); ++tree)
    leaves_[tree].push_back(trees_->descend(trees_->root(tree), row));
}

void Candidates::descend(const std::vector<Trees::Leaf>& touched) {
  const std::size_t width = features_->columns().size();
  for (std::size_t tree = 0; tree < leaves_.size(); ++tree) {
    std::vector<Trees::Leaf>& leaves = leaves_[tree];
    for (std::size_t i = 0; i < leaves.size(); ++i)
      if (leaves[i] == touched[tree]) leaves[i] = trees_->descend(leaves[i], &rows_[i * width]);
  }
}

std::optional<Point> Candidates::most_promising(float best, const Remaining& remaining) const {
  std::vector<float> sums(points_.size(), 0), squares(points_.size(), 0);
  for (const auto& leaves : leaves_) {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const float value = trees_->value(leaves[i]) - best;
      sums[i] += value;
      squares[i] += value * value;
    }
  }
  std::optional<Point> found;
  const auto trees = static_cast<double>(leaves_.size());
  double most = 0, lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (!remaining.has(points_[i])) continue;
    const double mean = sums[i] / trees;
    const double variance = std::max(0.0, squares[i] / trees - mean * mean);
    const double improvement = expected_improvement(0, mean, std::sqrt(variance));
    if (improvement < most || (improvement == most && mean >= lowest)) continue;
    most = improvement;
    lowest = mean;
    found = points_[i];
  }
  return found;
}

}  // namespace tailwave::search
