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
#include "store/functions.h"

namespace tailwave {
namespace {

// Sorted, so that the answer does not depend on the order of the rows.
struct Costs {
  std::map<std::int64_t, std::map<std::int64_t, std::vector<double>>> by_trial;  // then by repetition
  double margin = 0;
};

// SQLite zeroes the memory it hands out for a group.
struct Group {
  Costs* costs;
};

Costs** group(sqlite3_context* context, bool create) {
  auto* const memory = static_cast<Group*>(sqlite3_aggregate_context(context, create ? sizeof(Group) : 0));
  return memory == nullptr ? nullptr : &memory->costs;
}

void collect(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  for (int i = 0; i < 3; ++i) {
    if (sqlite3_value_numeric_type(values[i]) == SQLITE_NULL) return;
  }
  const int type = sqlite3_value_numeric_type(values[3]);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
    return sqlite3_result_error(context, "the margin must be a number", -1);
  Costs** const slot = group(context, true);
  if (slot == nullptr) return sqlite3_result_error_nomem(context);
  try {
    if (*slot == nullptr) *slot = new Costs;
    (*slot)->margin = sqlite3_value_double(values[3]);
    (*slot)->by_trial[sqlite3_value_int64(values[0])][sqlite3_value_int64(values[1])].push_back(
        sqlite3_value_double(values[2]));
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
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

void finish(sqlite3_context* context) {
  Costs** const slot = group(context, false);
  if (slot == nullptr || *slot == nullptr) return sqlite3_result_null(context);
  try {
    const std::string text = verdicts(**slot);
    sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  } catch (const std::exception& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
  delete *slot;
  *slot = nullptr;
}

}  // namespace

void add_tie_function(sqlite3* database) {
  const int result = sqlite3_create_function_v2(database, "compare_with_best", 4,
                                                SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                                nullptr, nullptr, collect, finish, nullptr);
  if (result != SQLITE_OK) throw Error(sqlite3_errmsg(database));
}

}  // namespace tailwave
