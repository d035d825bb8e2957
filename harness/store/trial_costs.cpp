#include "store/trial_costs.h"

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "store/statement.h"

namespace tailwave {

Series costs_of_trial(Database& database, std::int64_t trial) {
  Statement row = database.prepare(
      "SELECT repetition, cost FROM sample_cost WHERE trial_id = ? ORDER BY repetition, position");
  row.bind_all(trial);
  std::map<std::int64_t, std::vector<double>> repetitions;
  while (row.step()) {
    const double cost = row.real(1);
    if (!row.is_null(1) && std::isfinite(cost) && cost >= 0) repetitions[row.integer(0)].push_back(cost);
  }
  Series series;
  for (auto& [repetition, costs] : repetitions) series.repetitions.push_back(std::move(costs));
  return series;
}

}  // namespace tailwave
