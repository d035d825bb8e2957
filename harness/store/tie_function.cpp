#include "store/tie_function.h"

#include <cmath>
#include <exception>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <vector>

#include "core/bootstrap.h"
#include "core/error.h"
#include "core/standing.h"
#include "store/aggregate.h"

namespace tailwave {
namespace {

// Sorted, so that the answer does not depend on the order of the rows.
struct Costs {
  std::map<std::int64_t, std::map<std::int64_t, std::vector<double>>> by_trial;  // then by repetition
  std::set<std::int64_t> wanted;  // trials whose interval is asked for, slower or not
  double margin = 0;
  int together = 1;
};

void collect_cost(sqlite3_context* context, int count, sqlite3_value** values) {
  for (int i = 0; i < 3; ++i) {
    if (sqlite3_value_numeric_type(values[i]) == SQLITE_NULL) return;
  }
  const int type = sqlite3_value_numeric_type(values[3]);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
    return sqlite3_result_error(context, "the margin must be a number", -1);
  const int together = count < 6 ? 1 : sqlite3_value_int(values[5]);
  if (together < 1) return sqlite3_result_error(context, "there must be a set", -1);
  // What an imported file says is no measurement of ours: a rate of negative work has no place among costs.
  const double cost = sqlite3_value_double(values[2]);
  if (!std::isfinite(cost) || cost < 0) return;
  add_row<Costs>(context, [&](Costs& costs) {
    const std::int64_t trial = sqlite3_value_int64(values[0]);
    costs.margin = sqlite3_value_double(values[3]);
    costs.together = together;
    if (count < 5 || sqlite3_value_int(values[4]) != 0) costs.wanted.insert(trial);
    costs.by_trial[trial][sqlite3_value_int64(values[1])].push_back(cost);
  });
}

// JSON has no infinities, and a ratio to a best time of zero is none.
nlohmann::json finite(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

std::string verdicts(const Costs& costs) {
  std::vector<Series> all;
  std::vector<bool> wanted;
  for (const auto& [trial, repetitions] : costs.by_trial) {
    Series& series = all.emplace_back();
    for (const auto& [repetition, times] : repetitions) series.repetitions.push_back(times);
    wanted.push_back(costs.wanted.contains(trial));
  }
  const std::vector<BesideBest> compared =
      compare_with_best(all, wanted, {.margin = costs.margin, .together = costs.together});
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& [trial, repetitions] : costs.by_trial) {
    const BesideBest& one = compared[rows.size()];
    nlohmann::json row{
        {"trial_id", trial}, {"verdict", to_string(one.standing)}, {"ratio", finite(one.ratio)}};
    if (one.interval) {
      row["low"] = finite(one.interval->low);
      row["high"] = finite(one.interval->high);
    }
    rows.push_back(std::move(row));
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
  for (const int arguments : {4, 5, 6}) {
    const int result = sqlite3_create_function_v2(database, "compare_with_best", arguments,
                                                  SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                                  nullptr, nullptr, collect_cost, finish_costs, nullptr);
    if (result != SQLITE_OK) throw Error(sqlite3_errmsg(database));
  }
}

}  // namespace tailwave
