#include "store/additive_function.h"

#include <map>
#include <string>
#include <utility>

#include "core/additive_fit.h"
#include "core/error.h"
#include "store/aggregate.h"

namespace tailwave {
namespace {

// By their headings as text, so that the answer does not depend on the order of the rows.
struct CrossTable {
  std::map<std::pair<std::string, std::string>, std::pair<double, double>> cells;  // weight, weight * mean
};

std::string heading(sqlite3_value* value) {
  const auto* const text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return text == nullptr ? "" : text;
}

void collect_cell(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  for (int i = 0; i < 4; ++i)
    if (sqlite3_value_type(values[i]) == SQLITE_NULL) return;
  const double weight = sqlite3_value_double(values[2]);
  if (!(weight > 0)) return;
  add_row<CrossTable>(context, [&](CrossTable& table) {
    auto& [sum, weighted] = table.cells[{heading(values[0]), heading(values[1])}];
    sum += weight;
    weighted += weight * sqlite3_value_double(values[3]);
  });
}

double residual_of(const CrossTable& table) {
  std::map<std::string, std::size_t> rows, columns;
  std::vector<TableCell> cells;
  for (const auto& [headings, sums] : table.cells) {
    const std::size_t row = rows.try_emplace(headings.first, rows.size()).first->second;
    const std::size_t column = columns.try_emplace(headings.second, columns.size()).first->second;
    cells.push_back({row, column, sums.first, sums.second / sums.first});
  }
  return additive_residual(cells);
}

void finish_cells(sqlite3_context* context) {
  finish_group<CrossTable>(
      context, [&](const CrossTable& table) { sqlite3_result_double(context, residual_of(table)); });
}

}  // namespace

void add_additive_function(sqlite3* database) {
  const int result = sqlite3_create_function_v2(database, "additive_residual", 4,
                                                SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                                nullptr, nullptr, collect_cell, finish_cells, nullptr);
  if (result != SQLITE_OK) throw Error(sqlite3_errmsg(database));
}

}  // namespace tailwave
