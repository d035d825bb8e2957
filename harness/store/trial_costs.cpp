#include "store/trial_costs.h"

#include <cmath>
#include <utility>

namespace tailwave {

std::optional<double> cost_in(const Statement& row, int column) {
  const double cost = row.real(column);
  if (row.is_null(column) || !std::isfinite(cost) || cost < 0) return std::nullopt;
  return cost;
}

Series series_of(CostsByRepetition&& costs) {
  Series series;
  for (auto& [repetition, samples] : costs) series.repetitions.push_back(std::move(samples));
  return series;
}

Series costs_of_trial(Database& database, std::int64_t trial) {
  Statement row = database.prepare(
      "SELECT repetition, cost FROM sample_cost WHERE trial_id = ? ORDER BY repetition, position");
  row.bind_all(trial);
  CostsByRepetition costs;
  while (row.step())
    if (const std::optional<double> cost = cost_in(row, 1)) costs[row.integer(0)].push_back(*cost);
  return series_of(std::move(costs));
}

}  // namespace tailwave
