#include "store/functions.h"

#include <array>
#include <cmath>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/outcome.h"
#include "core/statistics.h"
#include "store/aggregate.h"
#include "store/importance_function.h"
#include "store/tie_function.h"

namespace tailwave {
namespace {

struct Columns {
  std::vector<double> first;
  std::vector<double> second;  // the other column, or the fraction of quantile()
};

void collect(sqlite3_context* context, int count, sqlite3_value** values) {
  for (int i = 0; i < count; ++i) {
    if (sqlite3_value_numeric_type(values[i]) == SQLITE_NULL) return;
  }
  add_row<Columns>(context, [&](Columns& columns) {
    columns.first.push_back(sqlite3_value_double(values[0]));
    if (count > 1) columns.second.push_back(sqlite3_value_double(values[1]));
  });
}

template <double (*statistic)(const Columns&)>
void finish(sqlite3_context* context) {
  finish_group<Columns>(context,
                        [&](const Columns& columns) { sqlite3_result_double(context, statistic(columns)); });
}

double median_of(const Columns& columns) {
  return median(columns.first);
}
double quantile_of(const Columns& columns) {
  const double fraction = columns.second.front();
  if (!(fraction >= 0 && fraction <= 1)) throw std::invalid_argument("a quantile is one of 0 to 1");
  return quantile(columns.first, fraction);
}
double low_of(const Columns& columns) {
  return median_interval(columns.first).low;
}
double high_of(const Columns& columns) {
  return median_interval(columns.first).high;
}
double correlation_of(const Columns& columns) {
  return rank_correlation(columns.first, columns.second);
}

void sql_next_step(sqlite3_context* context, int, sqlite3_value** values) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  const std::optional<Outcome> outcome = text == nullptr ? std::nullopt : find_enum<Outcome>(text);
  if (!outcome) return;
  const auto* detail = reinterpret_cast<const char*>(sqlite3_value_text(values[1]));
  const std::string_view step = next_step(*outcome, detail == nullptr ? "" : detail);
  sqlite3_result_text(context, step.data(), static_cast<int>(step.size()), SQLITE_STATIC);
}

struct Function {
  const char* name;
  int arguments;
  void (*finish)(sqlite3_context*);
};

constexpr std::array<Function, 5> kFunctions{{{"median", 1, finish<median_of>},
                                              {"quantile", 2, finish<quantile_of>},
                                              {"median_low", 1, finish<low_of>},
                                              {"median_high", 1, finish<high_of>},
                                              {"rank_correlation", 2, finish<correlation_of>}}};

}  // namespace

void add_functions(sqlite3* database) {
  for (const Function& function : kFunctions) {
    const int result = sqlite3_create_function_v2(database, function.name, function.arguments,
                                                  SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                                  nullptr, nullptr, collect, function.finish, nullptr);
    if (result != SQLITE_OK) throw Error(sqlite3_errmsg(database));
  }
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  if (sqlite3_create_function_v2(database, "next_step", 2, kFlags, nullptr, sql_next_step, nullptr, nullptr,
                                 nullptr) != SQLITE_OK)
    throw Error(sqlite3_errmsg(database));
  add_tie_function(database);
  add_importance_function(database);
}

}  // namespace tailwave
