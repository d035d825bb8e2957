#include "store/functions.h"

#include <array>
#include <cmath>
#include <exception>
#include <new>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/statistics.h"

namespace tailwave {
namespace {

struct Columns {
  std::vector<double> first;
  std::vector<double> second;  // the other column, or the fraction of quantile()
};

// SQLite zeroes the memory it hands out for a group; the vectors live behind a pointer in it.
struct Group {
  Columns* columns;
};

Columns** group(sqlite3_context* context, bool create) {
  auto* const memory = static_cast<Group*>(sqlite3_aggregate_context(context, create ? sizeof(Group) : 0));
  return memory == nullptr ? nullptr : &memory->columns;
}

void collect(sqlite3_context* context, int count, sqlite3_value** values) {
  for (int i = 0; i < count; ++i) {
    if (sqlite3_value_numeric_type(values[i]) == SQLITE_NULL) return;
  }
  Columns** const slot = group(context, true);
  if (slot == nullptr) return sqlite3_result_error_nomem(context);
  try {
    if (*slot == nullptr) *slot = new Columns;
    (*slot)->first.push_back(sqlite3_value_double(values[0]));
    if (count > 1) (*slot)->second.push_back(sqlite3_value_double(values[1]));
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

template <double (*statistic)(const Columns&)>
void finish(sqlite3_context* context) {
  Columns** const slot = group(context, false);
  if (slot == nullptr || *slot == nullptr) return sqlite3_result_null(context);
  try {
    sqlite3_result_double(context, statistic(**slot));
  } catch (const std::exception& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
  delete *slot;
  *slot = nullptr;
}

double median_of(const Columns& columns) {
  return median(columns.first);
}
double quantile_of(const Columns& columns) {
  return quantile(columns.first, columns.second.front());
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
  add_tie_function(database);
}

}  // namespace tailwave
