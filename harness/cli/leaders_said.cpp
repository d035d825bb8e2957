#include "cli/leaders_said.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "cli/winner_said.h"
#include "core/curve_line.h"
#include "core/metric.h"
#include "core/table.h"
#include "report/noise.h"
#include "report/queries.h"
#include "report/study_reader.h"
#include "report/winner.h"
#include "search/strategy.h"
#include "spec/experiment.h"
#include "store/metric_store.h"

namespace tailwave {
namespace {

std::size_t place_of(const std::vector<std::string>& columns, const std::string& name) {
  return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
}

// As in the table of a run; "" of what is not noisy.
std::string leader_noise(const std::vector<std::string>& columns, const std::vector<Cell>& row) {
  const auto number = [&](const char* name) { return std::get<double>(row.at(place_of(columns, name))); };
  const auto count = [&](const char* name) {
    return std::get<std::int64_t>(row.at(place_of(columns, name)));
  };
  return noise_text(count("samples"), number("median_us"), {number("low_us"), number("high_us")},
                    count("other_processes"));
}

// What an experiment's leaders have beside the metric that is optimised, but for the time.
std::vector<Metric> shown_beside(const Experiment& experiment) {
  std::vector<Metric> beside = experiment.further_metrics;
  std::erase_if(beside, [](const Metric& one) { return is_time(one.name); });
  return beside;
}

std::vector<Cell> cells_beside(Database& database, const Experiment& experiment, const std::string& device,
                               const std::string& configuration) {
  const auto trial =
      current_trial_of(database, experiment.system.name, experiment.name, device, configuration);
  const std::vector<MetricRecord> known =
      trial ? metrics_of_trial(database, *trial) : std::vector<MetricRecord>();
  std::vector<Cell> cells;
  for (const Metric& metric : shown_beside(experiment)) {
    const auto found = std::ranges::find(known, metric.name, &MetricRecord::name);
    const bool there = found != known.end() && found->value;
    cells.push_back(there ? Cell{format_metric(shown_metric(*found), *found->value)} : Cell{});
  }
  return cells;
}

// Those that were measured again; no rows where none was.
Table leaders_table(Database& database, const SearchSummary& summary) {
  if (!summary.final_run) return {};
  return run_query(database, find_query("leaders", "."), {{"search", summary.run}});
}

// Of those that were measured again, else of the best alone; none where the best is known by the time of another one.
std::optional<Winner> winner_among(Database& database, const Study& study, const Table& leaders,
                                   const SearchSummary& summary) {
  std::set<std::string> names;
  for (const auto& row : leaders.rows)
    names.insert(std::get<std::string>(row.at(place_of(leaders.columns, "configuration"))));
  if (names.empty()) names.insert(summary.best->name());
  std::vector<const StudyRow*> contenders;
  for (const StudyRow& row : study.devices.front().rows)
    if (row.value && names.contains(row.configuration)) contenders.push_back(&row);
  return winner_of(database, study.devices.front(), contenders);
}

std::string standing_text(const Study& study, const Winner& winner, const Table& leaders,
                          const SearchSummary& summary) {
  if (leaders.rows.empty()) return "not measured again: nothing says what else is as good";
  if (winner.others > 0) return tied_text(study, winner) + " (of those measured again)";
  return summary.leaders > 1
             ? "no other one was measured again (--final)"
             : fmt::format("in the search no other one came within {:g} % of it", 100 * kLeaderShare);
}

// "█▅▃▁▁▁ the best so far over 50 evaluations: from 2.31 times its last cost to that at evaluation 34"; "" where it is
// one from the beginning.
std::string curve_text(Database& database, const SearchSummary& summary) {
  constexpr std::size_t kColumns = 30;
  const Table steps = run_query(database, find_query("search_steps", "."), {{"search", summary.run}});
  const std::size_t column = place_of(steps.columns, "best");
  std::vector<double> best;
  for (const auto& row : steps.rows) {
    const auto* const cost = std::get_if<double>(&row.at(column));
    best.push_back(cost == nullptr ? kFailed : *cost);
  }
  const auto first = std::ranges::find_if(best, [](double cost) { return cost != kFailed; });
  if (first == best.end() || *first == best.back()) return "";
  const auto last = std::ranges::find(best, best.back());
  return fmt::format(
      "{} the best so far over {} evaluations: from {:.3g} times its last cost to that at "
      "evaluation {}\n",
      curve_line(best, kColumns), best.size(), *first / best.back(), last - best.begin() + 1);
}

void show_leaders(Database& database, const Experiment& experiment, DeviceKind device, const Table& leaders,
                  const Console& console) {
  const auto column = [&](const std::string& name) { return place_of(leaders.columns, name); };
  const ShownMetric metric = shown_metric(experiment.metric);
  Table table{{"configuration", metric_heading(metric), "median us", "low", "high", "samples"}, {}};
  const bool noisy = std::any_of(leaders.rows.begin(), leaders.rows.end(), [&](const auto& row) {
    return !leader_noise(leaders.columns, row).empty();
  });
  if (noisy) table.columns.emplace_back(kNoiseColumn);
  for (const Metric& beside : shown_beside(experiment))
    table.columns.push_back(beside.name + (beside.self_reported ? " (self-reported)" : ""));
  table.columns.insert(table.columns.end(), {"verdict", "times the best"});
  for (const auto& row : leaders.rows) {
    const auto* value = std::get_if<double>(&row.at(column("value")));
    std::vector<Cell>& cells = table.rows.emplace_back();
    cells.push_back(row.at(column("configuration")));
    cells.push_back(value != nullptr ? Cell{format_metric(metric, *value)} : Cell{});
    for (const char* name : {"median_us", "low_us", "high_us", "samples"})
      cells.push_back(row.at(column(name)));
    const std::string noise = leader_noise(leaders.columns, row);
    if (noisy) cells.push_back(noise.empty() ? Cell{} : Cell{noise});
    for (Cell& cell : cells_beside(database, experiment, std::get<std::string>(row.at(column("run_device"))),
                                   std::get<std::string>(row.at(column("configuration")))))
      cells.push_back(std::move(cell));
    for (const char* name : {"verdict", "ratio"}) cells.push_back(row.at(column(name)));
  }
  console.say("\n");
  console.show(table);
  if (noisy) console.say(noise_remark(device) + "\n");
}

}  // namespace

ShownMetric shown_metric(const Metric& metric) {
  return {metric.name, metric.value.has_value(), metric.unit, metric.self_reported};
}

nlohmann::ordered_json search_winner_json(Database& database, const Experiment& experiment,
                                          const DeviceDescription& device, const SearchSummary& summary) {
  if (!summary.best) return nullptr;
  const Study study = load_results(database, experiment.system.name + "/" + experiment.name, device.name);
  const std::optional<Winner> winner =
      winner_among(database, study, leaders_table(database, summary), summary);
  return winner ? winner_json(*winner) : nullptr;
}

void say_leaders(Database& database, const Experiment& experiment, const DeviceDescription& device,
                 const SearchSummary& summary, const Console& console) {
  const Table leaders = leaders_table(database, summary);
  const Study study = load_results(database, experiment.system.name + "/" + experiment.name, device.name);
  const std::optional<Winner> winner = winner_among(database, study, leaders, summary);
  if (winner)
    console.say("\n" + winner_text(study, *winner) + "  " + standing_text(study, *winner, leaders, summary) +
                "\n");
  else
    console.say(fmt::format("best: {}, {}{} (not measured again)\n", summary.best->name(),
                            describe_value(shown_metric(experiment.metric), summary.best_value),
                            experiment.system.reference.none.empty() ? "" : ", unverified"));
  const std::string curve = curve_text(database, summary);
  if (!curve.empty()) console.say("\n" + curve);
  if (!leaders.rows.empty()) show_leaders(database, experiment, device.kind, leaders, console);
}

}  // namespace tailwave
