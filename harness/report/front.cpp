#include "report/front.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "core/pareto.h"
#include "json/values.h"
#include "report/units.h"
#include "store/record_row.h"

namespace tailwave {
namespace {

const std::string kObjectives = R"(
  SELECT system || '/' || experiment, run_device, problem, peers, configuration, unverified, )" +
                                columns_of<MetricRecord>("trial_metric") + R"(
  FROM current_trial JOIN trial_metric USING (trial_id)
  WHERE trial_metric.objective AND device = run_device AND kind = run_kind
    AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
    AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))
  ORDER BY system, experiment, run_kind DESC, run_device, problem, trial_id, trial_metric.position)";

struct Candidates {
  Front front;
  std::map<std::int64_t, std::vector<FrontRow>> rows;  // by current_trial.peers
};

ParetoPoint point_of(const FrontRow& row) {
  ParetoPoint point;
  for (const MetricRecord& one : row.objectives)
    point.push_back(one.maximise ? ParetoCost{-*one.value, -*one.high, -*one.low}
                                 : ParetoCost{*one.value, *one.low, *one.high});
  return point;
}

Front front_of(Candidates candidates) {
  Front front = std::move(candidates.front);
  std::vector<FrontRow> rows = std::move(candidates.rows.begin()->second);
  std::erase_if(rows, [&](const FrontRow& row) {
    const auto lacking =
        std::ranges::find_if(row.objectives, [](const MetricRecord& one) { return !one.value; });
    if (lacking == row.objectives.end()) return false;
    ++front.incomplete;
    front.missing = lacking->name + ": " + lacking->missing;
    return true;
  });
  std::vector<ParetoPoint> points;
  for (const FrontRow& row : rows) points.push_back(point_of(row));
  const std::vector<bool> stays = pareto_front(points);
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (stays[i]) order.emplace_back(points[i].front().value, i);
  std::ranges::sort(order);
  front.compared = rows.size();
  for (const auto& [cost, i] : order) front.rows.push_back(std::move(rows[i]));
  return front;
}

std::string and_joined(const std::vector<std::string>& names) {
  if (names.size() == 1) return names.front();
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

}  // namespace

std::string Front::text() const {
  std::string text = fmt::format(
      "{} of {} configuration{} {} on the front of {}: nothing is surely better in one of these and as good in the "
      "others",
      rows.size(), compared, compared == 1 ? "" : "s", rows.size() == 1 ? "is" : "are",
      and_joined(objectives));
  if (incomplete > 0) text += fmt::format("; {} not compared ({})", incomplete, missing);
  return text;
}

std::vector<Front> fronts(Database& database, const Values& parameters) {
  Statement row = database.prepare(kObjectives);
  row.bind_given(parameters, {"experiment", "system", "device"});
  std::vector<Candidates> all;
  std::vector<std::string> last;
  while (row.step()) {
    std::vector<std::string> series{row.text(0), row.text(1), row.text(2)};
    if (series != last) {
      Candidates& next = all.emplace_back();
      next.front = {.experiment = row.text(0), .device = row.text(1), .problem = from_json(row.text(2))};
      last = std::move(series);
    }
    Candidates& now = all.back();
    std::vector<FrontRow>& rows = now.rows[row.integer(3)];
    if (rows.empty() || rows.back().configuration != row.text(4))
      rows.push_back({row.text(4), {}, row.text(5)});
    rows.back().objectives.push_back(read_row<MetricRecord>(row, 6));
    std::vector<std::string>& names = now.front.objectives;
    const std::string& name = rows.back().objectives.back().name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  std::vector<Front> fronts;
  for (Candidates& one : all) fronts.push_back(front_of(std::move(one)));
  return fronts;
}

Table front_shown(const Front& front) {
  Table table{{"configuration"}, {}};
  for (std::size_t i = 0; i < front.objectives.size(); ++i) {
    const bool self_reported = !front.rows.empty() && front.rows.front().objectives.at(i).self_reported;
    table.columns.push_back(front.objectives[i] + (self_reported ? " (self-reported)" : ""));
  }
  for (const FrontRow& row : front.rows) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    cells.emplace_back(row.configuration + (row.unverified.empty() ? "" : " (unverified)"));
    for (const MetricRecord& one : row.objectives) {
      const ShownMetric metric = shown_metric(one);
      cells.emplace_back(fmt::format("{} ({} to {})", format_metric(metric, *one.value),
                                     format_metric(metric, *one.low), format_metric(metric, *one.high)));
    }
  }
  return table;
}

Table fronts_table(Database& database, const Values& parameters) {
  Table table{{"experiment", "run_device", "problem", "configuration", "metric", "value", "low", "high",
               "unit", "goal", "unverified"},
              {}};
  for (const Front& front : fronts(database, parameters))
    for (const FrontRow& row : front.rows)
      for (const MetricRecord& one : row.objectives)
        table.rows.push_back({front.experiment, front.device, to_json(front.problem), row.configuration,
                              one.name, *one.value, *one.low, *one.high, one.unit,
                              std::string(one.maximise ? "max" : "min"), cell_of(row.unverified)});
  return table;
}

}  // namespace tailwave
