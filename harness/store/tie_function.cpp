// compare_with_best(): core/bootstrap for the configurations of one group.
#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "core/bootstrap.h"
#include "core/error.h"
#include "store/aggregate.h"
#include "store/functions.h"

namespace tailwave {
namespace {

// Sorted, so that the answer does not depend on the order of the rows.
struct Costs {
  std::map<std::int64_t, std::map<std::int64_t, std::vector<double>>> by_trial;  // then by repetition
  double margin = 0;
};

void collect_cost(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  for (int i = 0; i < 3; ++i) {
    if (sqlite3_value_numeric_type(values[i]) == SQLITE_NULL) return;
  }
  const int type = sqlite3_value_numeric_type(values[3]);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
    return sqlite3_result_error(context, "the margin must be a number", -1);
  add_row<Costs>(context, [&](Costs& costs) {
    costs.margin = sqlite3_value_double(values[3]);
    costs.by_trial[sqlite3_value_int64(values[0])][sqlite3_value_int64(values[1])].push_back(
        sqlite3_value_double(values[2]));
  });
}

// JSON has no infinities, and a ratio to a best time of zero is none.
nlohmann::json finite(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

std::string verdicts(const Costs& costs) {
  std::vector<Series> all;
  std::vector<double> medians;
  for (const auto& [trial, repetitions] : costs.by_trial) {
    Series& series = all.emplace_back();
    std::vector<double> samples;
    for (const auto& [repetition, times] : repetitions) {
      series.repetitions.push_back(times);
      samples.insert(samples.end(), times.begin(), times.end());
    }
    medians.push_back(median(samples));
  }
  const std::vector<bool> tied = tied_with_best(all, {.margin = costs.margin});
  const auto best =
      static_cast<std::size_t>(std::min_element(medians.begin(), medians.end()) - medians.begin());
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& [trial, repetitions] : costs.by_trial) {
    const std::size_t i = rows.size();
    // The best is exactly as good as itself.
    const Interval interval = i == best ? Interval{1, 1} : ratio_interval(all[i], all[best]);
    const double ratio = medians[i] == medians[best] ? 1 : medians[i] / medians[best];
    rows.push_back({{"trial_id", trial},
                    {"tied", tied[i] ? 1 : 0},
                    {"ratio", finite(ratio)},
                    {"low", finite(interval.low)},
                    {"high", finite(interval.high)}});
  }
  return rows.dump();
}

void finish_costs(sqlite3_context* context) {
  finish_group<Costs>(context, [&](const Costs& costs) {
    const std::string text = verdicts(costs);
    sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  });
}

}  // namespace

void add_tie_function(sqlite3* database) {
  const int result = sqlite3_create_function_v2(database, "compare_with_best", 4,
                                                SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                                nullptr, nullptr, collect_cost, finish_costs, nullptr);
  if (result != SQLITE_OK) throw Error(sqlite3_errmsg(database));
}

}  // namespace tailwave
