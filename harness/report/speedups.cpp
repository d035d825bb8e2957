#include "report/speedups.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "report/baseline.h"
#include "report/queries.h"
#include "report/study_reader.h"

namespace tailwave {
namespace {

// What may be compared: the rows of a problem on one device that are of one kind, in their order.
using Group = std::tuple<Values, std::string, DeviceKind, std::int64_t>;

std::map<Group, StudyRows> groups_of(const DeviceStudy& device) {
  std::map<Group, StudyRows> groups;
  for (const StudyRow& row : device.rows)
    if (row.value && *row.value > 0) groups[{row.problem, row.device, row.kind, row.peers}].push_back(&row);
  return groups;
}

// The best one of a variant on a problem; null: none. What a program reports of itself is compared with nothing that was measured.
const StudyRow* best_of(const DeviceStudy& device, const std::string& variant, const StudyRow& beside) {
  const auto is_report = [](const StudyRow& row) { return row.program_timer() == "self-reported"; };
  return best_row(device, [&](const StudyRow& row) {
    return *row.value > 0 && row.variant == variant && row.problem == beside.problem &&
           is_report(row) == is_report(beside);
  });
}

class SpeedupRows {
 public:
  SpeedupRows(const Study& study, const DeviceStudy& device, std::string variant)
      : study_(study), device_(device), variant_(std::move(variant)) {}

  // Of each problem the best first.
  void add_to(Table& table) const {
    std::vector<std::tuple<Values, double, std::string, std::vector<Cell>>> made;
    for (const auto& [group, rows] : groups_of(device_)) {
      const StudyRows steps = steps_of(device_, rows);
      for (const StudyRow* row : rows) {
        const Baseline over = baseline(rows, *row);
        if (over.row == nullptr) continue;
        const double times = times_better(device_, *row->value, *over.row->value).value_or(0);
        made.emplace_back(row->problem, -times, row->configuration, cells(*row, over, times, steps));
      }
    }
    std::sort(made.begin(), made.end(), [](const auto& a, const auto& b) {
      return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a)) <
             std::tie(std::get<0>(b), std::get<1>(b), std::get<2>(b));
    });
    for (auto& one : made) table.rows.push_back(std::move(std::get<3>(one)));
  }

 private:
  [[nodiscard]] Baseline baseline(const StudyRows& rows, const StudyRow& row) const {
    if (variant_.empty()) return baseline_of(rows);
    return {best_of(device_, variant_, row), "the best of variant " + variant_};
  }

  [[nodiscard]] Cell over_the_step_before(const StudyRow& row, const StudyRows& steps) const {
    const auto found = std::find(steps.begin(), steps.end(), &row);
    if (found == steps.end() || found == steps.begin()) return {};
    const auto times = times_better(device_, *row.value, *(*std::prev(found))->value);
    return times ? Cell{*times} : Cell{};
  }

  [[nodiscard]] std::vector<Cell> cells(const StudyRow& row, const Baseline& over, double times,
                                        const StudyRows& steps) const {
    return {study_.name(),
            device_.device,
            row.device,
            std::string(to_string(row.kind)),
            row.configuration,
            study_.metric.name,
            *row.value,
            times,
            over_the_step_before(row, steps),
            over.row->configuration,
            over.is,
            over.row->device,
            std::string(to_string(over.row->kind)),
            cell_of(row.unverified)};
  }

  const Study& study_;
  const DeviceStudy& device_;
  std::string variant_;
};

}  // namespace

Table speedup_table(Database& database, const Values& parameters) {
  Table table{
      {"experiment", "run_device", "device", "kind", "configuration", "metric", "value", "speedup",
       "over_the_step_before", "baseline", "baseline_is", "baseline_device", "baseline_kind", "unverified"},
      {}};
  const auto variant = parameters.find("baseline");
  for (const Study& study : load_results(database, parameters))
    for (const DeviceStudy& device : study.devices)
      SpeedupRows(study, device, variant == parameters.end() ? "" : to_string(variant->second)).add_to(table);
  return table;
}

}  // namespace tailwave
