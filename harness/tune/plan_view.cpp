#include "tune/plan_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tailwave {
namespace {

using PlanRow = std::vector<Cell>;

constexpr std::size_t kConfigurationColumn = 0, kKernelColumn = 1;

// Without the configuration.
PlanRow rest_of(const PlanRow& row) {
  return {row.begin() + kKernelColumn, row.end()};
}

// How many configurations each kernel has that is the same in all of them: two or more.
std::map<Cell, std::size_t> kernels_alike(const Table& plan) {
  std::map<Cell, std::set<PlanRow>> rests;
  std::map<Cell, std::set<Cell>> configurations;
  for (const PlanRow& row : plan.rows) {
    rests[row[kKernelColumn]].insert(rest_of(row));
    configurations[row[kKernelColumn]].insert(row[kConfigurationColumn]);
  }
  std::map<Cell, std::size_t> alike;
  for (const auto& [kernel, rows] : rests)
    if (rows.size() == 1 && configurations[kernel].size() > 1 &&
        !std::holds_alternative<std::monostate>(kernel))
      alike.emplace(kernel, configurations[kernel].size());
  return alike;
}

// Whether every configuration has a row left without those kernels.
bool leaves_all(const Table& plan, const std::map<Cell, std::size_t>& without) {
  std::set<Cell> all, left;
  for (const PlanRow& row : plan.rows) {
    all.insert(row[kConfigurationColumn]);
    if (!without.contains(row[kKernelColumn])) left.insert(row[kConfigurationColumn]);
  }
  return left == all;
}

}  // namespace

Table shorten_plan(const Table& plan) {
  std::map<Cell, std::size_t> alike = kernels_alike(plan);
  if (!leaves_all(plan, alike)) alike.clear();
  Table table{plan.columns, {}};
  std::vector<PlanRow> once;
  for (const PlanRow& row : plan.rows) {
    const auto found = alike.find(row[kKernelColumn]);
    if (found == alike.end()) {
      table.rows.push_back(row);
    } else if (found->second > 0) {
      PlanRow& one = once.emplace_back(row);
      one[kConfigurationColumn] = fmt::format("{} configurations alike", std::exchange(found->second, 0));
    }
  }
  table.rows.insert(table.rows.end(), once.begin(), once.end());
  return table.rows.empty() ? table : without_empty_columns(table);
}

}  // namespace tailwave
