#include "tune/search_cost.h"

#include <cmath>

#include "core/metric.h"
#include "search/search.h"

namespace tailwave {

double cost_of(const Metric& metric, double time_ns, const Values& work) {
  double amount = 1;
  for (const auto& [name, value] : work)
    if (metric.name == name + "_per_second") amount = to_double(value);
  const double cost = is_time(metric.name) == metric.maximise ? amount / time_ns : time_ns / amount;
  if (!std::isfinite(cost) || cost <= 0) return kFailed;
  return cost;
}

double stored_cost(const Metric& metric, const StoredResult& result) {
  if (result.outcome != Outcome::correct || !result.median_ns) return kFailed;
  if (metric.value) return !result.value ? kFailed : metric.maximise ? 1 / *result.value : *result.value;
  return cost_of(metric, *result.median_ns, result.work);
}

double swept_cost(const SweptConfiguration& known) {
  if (known.cost && *known.cost > 0) return *known.cost;
  return kFailed;
}

double stored_least_cost(const Metric& metric, const StoredResult& result) {
  if (!result.at_least_ns || metric.value) return kFailed;
  return cost_of(metric, *result.at_least_ns, result.work);
}

std::optional<double> cost_of_a_ns(const Metric& metric, const Values& work) {
  if (metric.value || is_time(metric.name) == metric.maximise) return {};
  const double cost = cost_of(metric, 1, work);
  return cost == kFailed ? std::nullopt : std::optional(cost);
}

double value_of(const Metric& metric, double cost) {
  constexpr double kNsPerS = 1e9;
  if (metric.value) return metric.maximise ? 1 / cost : cost;
  if (is_time(metric.name)) return metric.maximise ? 1 / (cost * kNsPerS) : cost / kNsPerS;
  return metric.maximise ? kNsPerS / cost : cost * kNsPerS;
}

}  // namespace tailwave
