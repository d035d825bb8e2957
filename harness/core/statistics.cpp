#include "core/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace tailwave {
namespace {

std::vector<double> sorted(std::span<const double> samples) {
  if (samples.empty()) throw std::invalid_argument("statistics of no samples");
  std::vector<double> copy(samples.begin(), samples.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

// P(X = k), X ~ Binomial(n, 1/2), in logarithms so that large n does not underflow early.
double binomial_half(std::size_t n, std::size_t k) {
  const auto count = static_cast<double>(n);
  const auto chosen = static_cast<double>(k);
  return std::exp(std::lgamma(count + 1) - std::lgamma(chosen + 1) - std::lgamma(count - chosen + 1) -
                  count * std::log(2.0));
}

std::vector<double> mean_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    const double rank = static_cast<double>(first + last - 1) / 2;
    for (std::size_t i = first; i < last; ++i) ranks[order[i]] = rank;
    first = last;
  }
  return ranks;
}

}  // namespace

double median(std::span<const double> samples) {
  return quantile(samples, 0.5);
}

double quantile(std::span<const double> samples, double fraction) {
  const std::vector<double> order = sorted(samples);
  const double position = fraction * static_cast<double>(order.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, order.size() - 1);
  return order[below] + (position - static_cast<double>(below)) * (order[above] - order[below]);
}

double root_mean_square(std::span<const double> samples) {
  if (samples.empty()) throw std::invalid_argument("statistics of no samples");
  double sum = 0;
  for (const double one : samples) sum += one * one;
  return std::sqrt(sum / static_cast<double>(samples.size()));
}

Interval median_interval(std::span<const double> samples, double level) {
  const std::vector<double> order = sorted(samples);
  const std::size_t n = order.size();
  // Dropping the `outside` smallest and largest leaves coverage 1 - 2 P(X <= outside).
  std::size_t outside = 0;
  double tail = 0;
  for (std::size_t next = 0; 2 * (next + 1) < n; ++next) {
    tail += binomial_half(n, next);
    if (1 - 2 * tail < level) break;
    outside = next;
  }
  return {order[outside], order[n - 1 - outside]};
}

double rank_correlation(std::span<const double> first, std::span<const double> second) {
  if (first.size() != second.size()) throw std::invalid_argument("rank correlation of unequal lengths");
  if (first.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> a = mean_ranks(first);
  const std::vector<double> b = mean_ranks(second);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double covariance = 0;
  double variance_a = 0;
  double variance_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    covariance += (a[i] - mean) * (b[i] - mean);
    variance_a += (a[i] - mean) * (a[i] - mean);
    variance_b += (b[i] - mean) * (b[i] - mean);
  }
  return covariance / std::sqrt(variance_a * variance_b);
}

}  // namespace tailwave
