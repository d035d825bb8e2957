#include "report/surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace tailwave {
namespace {

constexpr std::size_t kMostChanged = 3;
constexpr double kLeastMargin = 1.645;
constexpr std::array<double, 6> kDecays{0.03, 0.1, 0.3, 0.7, 1.5, 3};
constexpr std::array<double, 5> kNoises{0.001, 0.005, 0.02, 0.08, 0.2};
constexpr double kFirstDecay = 0.5;
constexpr int kMostRounds = 2;

// `most` of so many, evenly.
std::vector<std::size_t> evenly(std::size_t count, std::size_t most) {
  const std::size_t taken = std::min(count, most);
  std::vector<std::size_t> chosen(taken);
  for (std::size_t i = 0; i < taken; ++i) chosen[i] = i * count / taken;
  return chosen;
}

// Turns a positive definite matrix, of which the lower half is read, into the inverse of its Cholesky factor.
void invert_factor(std::vector<double>& matrix, std::size_t size) {
  const auto row = [&](std::size_t i) { return &matrix[i * size]; };
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      const double rest = row(i)[k] - std::inner_product(row(i), row(i) + k, row(k), 0.0);
      row(i)[k] = k < i ? rest / row(k)[k] : std::sqrt(rest);
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    const double own = 1 / row(i)[i];
    // Row i of the inverse from the rows above, which are inverse already.
    std::vector<double> inverse(i, 0.0);
    for (std::size_t k = 0; k < i; ++k)
      for (std::size_t j = 0; j <= k; ++j) inverse[j] -= row(i)[k] * row(k)[j];
    for (std::size_t j = 0; j < i; ++j) row(i)[j] = inverse[j] * own;
    row(i)[i] = own;
  }
}

}  // namespace

SpeedSurface::SpeedSurface(const MeasuredPoints& points) : points_(points) {
  if (points.points.size() < kFewestPoints) return;
  std::vector<const MeasuredPoints::Point*> order;
  for (const MeasuredPoints::Point& point : points.points) order.push_back(&point);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return a->log_speed > b->log_speed; });
  for (const std::size_t i : evenly(order.size(), kMostPoints)) {
    rows_.push_back(order[i]->values);
    speeds_.push_back(order[i]->log_speed);
  }
  mean_ = std::accumulate(speeds_.begin(), speeds_.end(), 0.0) / static_cast<double>(speeds_.size());
  for (std::size_t parameter = 0; parameter < points.parameters; ++parameter) {
    std::set<std::uint32_t> values;
    for (const auto* point : order) values.insert(point->values[parameter]);
    places_.push_back(std::max(1.0, static_cast<double>(values.size()) - 1));
  }
  decay_.assign(points.parameters, kFirstDecay);
  find_lengths();
  std::vector<std::size_t> all(speeds_.size());
  std::iota(all.begin(), all.end(), 0);
  fit_ = fit(all);
  trust_ = Trust(judge(), kLeastMargin);
}

double SpeedSurface::covariance(const Row& one, const Row& other) const {
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    sum += decay_[i] / places_[i] * std::abs(static_cast<double>(one[i]) - static_cast<double>(other[i]));
  return std::exp(-sum);
}

SpeedSurface::Fit SpeedSurface::fit(const std::vector<std::size_t>& chosen) const {
  const std::size_t size = chosen.size();
  Fit result;
  result.inverse.assign(size * size, 0);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < i; ++k)
      result.inverse[i * size + k] = covariance(rows_[chosen[i]], rows_[chosen[k]]);
    result.inverse[i * size + i] = 1 + noise_;
  }
  invert_factor(result.inverse, size);
  result.weights.assign(size, 0);
  result.precision.assign(size, 0);
  for (std::size_t i = 0; i < size; ++i) {
    const double* const row = &result.inverse[i * size];
    double solved = 0;
    for (std::size_t k = 0; k <= i; ++k) solved += row[k] * (speeds_[chosen[k]] - mean_);
    for (std::size_t k = 0; k <= i; ++k) {
      result.weights[k] += row[k] * solved;
      result.precision[k] += row[k] * row[k];
    }
  }
  double logs = 0;
  for (std::size_t i = 0; i < size; ++i) {
    result.scale += result.weights[i] * result.weights[i] / result.precision[i] / static_cast<double>(size);
    logs += std::log(result.precision[i]) / static_cast<double>(size);
  }
  // Of all measured points predicted from the others, the mean negative logarithm of the density, but for a constant.
  result.loss = (std::log(result.scale) - logs) / 2;
  return result;
}

void SpeedSurface::find_lengths() {
  const std::vector<std::size_t> chosen = evenly(speeds_.size(), kMostSearched);
  double best = fit(chosen).loss;
  const auto improve = [&](double& value, const auto& choices) {
    bool improved = false;
    double kept = value;
    for (const double choice : choices) {
      value = choice;
      const double loss = fit(chosen).loss;
      if (!(loss < best - 1e-6)) continue;
      best = loss;
      kept = choice;
      improved = true;
    }
    value = kept;
    return improved;
  };
  for (int round = 0; round < kMostRounds; ++round) {
    bool improved = false;
    for (double& decay : decay_) improved = improve(decay, kDecays) || improved;
    improved = improve(noise_, kNoises) || improved;
    if (!improved) break;
  }
}

std::vector<JudgedChange> SpeedSurface::judge() const {
  std::vector<JudgedChange> judged;
  for (std::size_t i = 0; i < fastest_fifth(speeds_.size()); ++i) {
    for (std::size_t end = 0; end < speeds_.size(); ++end) {
      const auto agreeing = static_cast<std::size_t>(
          std::inner_product(rows_[i].begin(), rows_[i].end(), rows_[end].begin(), 0, std::plus<>(),
                             [](std::uint32_t a, std::uint32_t b) { return a == b ? 1 : 0; }));
      if (end == i || agreeing + kMostChanged < rows_[i].size()) continue;
      const double without = speeds_[end] - fit_.weights[end] / fit_.precision[end];
      const double error = std::sqrt(fit_.scale / fit_.precision[end]);
      const double gain = without - speeds_[i];
      judged.push_back({i, gain, gain / error, speeds_[end] - speeds_[i]});
    }
  }
  return judged;
}

std::optional<SpeedSurface::Prediction> SpeedSurface::predict(const NeighbourChange& change,
                                                              double least) const {
  if (speeds_.empty()) return std::nullopt;
  const MeasuredPoints::Point& own = points_.points[change.point];
  Row end = own.values;
  end[change.parameter] = change.value;
  const std::size_t size = speeds_.size();
  std::vector<double> to(size);
  for (std::size_t i = 0; i < size; ++i) to[i] = covariance(rows_[i], end);
  const double gain =
      mean_ + std::inner_product(to.begin(), to.end(), fit_.weights.begin(), 0.0) - own.log_speed;
  if (gain < least) return std::nullopt;
  double known = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double* const row = &fit_.inverse[i * size];
    const double solved = std::inner_product(row, row + i + 1, to.begin(), 0.0);
    known += solved * solved;
  }
  const double variance = std::max(1e-12, fit_.scale * (1 + noise_ - known));
  return Prediction{gain, gain / std::sqrt(variance)};
}

}  // namespace tailwave
