#include "search/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace tailwave::search {
namespace {

// Four sums at a time, which the compiler may not do by itself.
float dot(const float* one, const float* other, std::size_t count) {
  float sums[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (std::size_t k = 0; k < 4; ++k) sums[k] += one[i + k] * other[i + k];
  for (; i < count; ++i) sums[0] += one[i] * other[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

GaussianProcess::GaussianProcess(std::vector<float> lengths, double noise)
    : inverse_lengths_(std::move(lengths)), noise_(noise) {
  for (float& length : inverse_lengths_) length = 1 / length;
}

double GaussianProcess::kernel(const float* one, const float* other) const {
  float squares = 0;
  for (std::size_t i = 0; i < inverse_lengths_.size(); ++i) {
    const float distance = (one[i] - other[i]) * inverse_lengths_[i];
    squares += distance * distance;
  }
  const double scaled = std::sqrt(5 * static_cast<double>(squares));
  return (1 + scaled + scaled * scaled / 3) * std::exp(-scaled);
}

void GaussianProcess::add(std::span<const float> row, double target) {
  Forecast forecast;
  update(row, forecast);
  factor_.insert(factor_.end(), forecast.solved.begin(), forecast.solved.end());
  const double diagonal = std::sqrt(forecast.variance + noise_);
  factor_.push_back(static_cast<float>(diagonal));
  rows_.insert(rows_.end(), row.begin(), row.end());
  targets_.push_back(target);
  solved_.push_back((target - forecast.mean) / diagonal);
}

void GaussianProcess::set_targets(std::span<const double> targets) {
  targets_.assign(targets.begin(), targets.end());
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    double rest = targets_[i];
    for (std::size_t k = 0; k < i; ++k) rest -= static_cast<double>(factor(i)[k]) * solved_[k];
    solved_[i] = rest / static_cast<double>(factor(i)[i]);
  }
}

void GaussianProcess::set_last_target(double target) {
  solved_.back() += (target - targets_.back()) / static_cast<double>(factor_.back());
  targets_.back() = target;
}

void GaussianProcess::update(std::span<const float> row, Forecast& forecast) const {
  const std::size_t width = inverse_lengths_.size();
  for (std::size_t i = forecast.solved.size(); i < size(); ++i) {
    const double known = dot(factor(i), forecast.solved.data(), i);
    const double own = (kernel(row.data(), &rows_[i * width]) - known) / static_cast<double>(factor(i)[i]);
    forecast.solved.push_back(static_cast<float>(own));
    forecast.mean += own * solved_[i];
    forecast.variance = std::max(0.0, forecast.variance - own * own);
  }
}

void GaussianProcess::update_mean(Forecast& forecast) const {
  forecast.mean = 0;
  for (std::size_t i = 0; i < forecast.solved.size(); ++i)
    forecast.mean += static_cast<double>(forecast.solved[i]) * solved_[i];
}

double GaussianProcess::log_likelihood() const {
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i)
    sum -= solved_[i] * solved_[i] / 2 + std::log(static_cast<double>(factor(i)[i]));
  return sum - static_cast<double>(size()) * std::log(2 * std::numbers::pi) / 2;
}

std::vector<float> likelier_lengths(std::span<const float> rows, std::span<const double> targets,
                                    std::vector<float> lengths, double noise) {
  constexpr float kShortest = 0.05F, kLongest = 12;
  const std::size_t width = lengths.size();
  const auto likelihood = [&] {
    GaussianProcess process(lengths, noise);
    for (std::size_t i = 0; i < targets.size(); ++i) process.add(rows.subspan(i * width, width), targets[i]);
    return process.log_likelihood();
  };
  double best = likelihood();
  for (float& length : lengths) {
    for (const float factor : {2.0F, 0.5F}) {
      const float old = length;
      length = std::clamp(length * factor, kShortest, kLongest);
      const double tried = likelihood();
      if (tried > best) {
        best = tried;
        break;
      }
      length = old;
    }
  }
  return lengths;
}

}  // namespace tailwave::search
