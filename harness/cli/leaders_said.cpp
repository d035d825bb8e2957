#include "cli/leaders_said.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/metric.h"
#include "core/standing.h"
#include "core/table.h"
#include "report/noise.h"
#include "report/queries.h"
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

// How many of the leaders may be as good as the best; "" where none is.
std::string standing_text(const Table& leaders) {
  const std::size_t column = place_of(leaders.columns, "verdict");
  const auto count = [&](Standing standing) {
    return std::ranges::count_if(leaders.rows, [&](const auto& row) {
      return std::get<std::string>(row.at(column)).starts_with(to_string(standing));  // "tied, unverified"
    });
  };
  const auto unclear = count(Standing::unclear), tied = count(Standing::tied);
  if (unclear > 0)
    return fmt::format("it is unclear which is best: the samples do not show that {} {} slower\n",
                       unclear + tied == 1 ? "the other" : fmt::format("{} others", unclear + tied),
                       unclear + tied == 1 ? "is" : "are");
  return tied == 0 ? ""
                   : fmt::format("{} tied with the best\n", tied == 1 ? "1 is" : fmt::format("{} are", tied));
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

}  // namespace

ShownMetric shown_metric(const Metric& metric) {
  return {metric.name, metric.value.has_value(), metric.unit};
}

void say_leaders(Database& database, const Experiment& experiment, const SearchSummary& summary,
                 const Console& console) {
  Table leaders;
  if (summary.final_run) leaders = run_query(database, find_query("leaders", "."), {{"search", summary.run}});
  if (leaders.rows.empty()) {  // also where it was stopped before the first of them
    console.say(fmt::format("best: {}, {}{} (not measured again)\n", summary.best->name(),
                            describe_value(shown_metric(experiment.metric), summary.best_value),
                            experiment.system.reference.none.empty() ? "" : ", unverified"));
    return;
  }
  const auto column = [&](const std::string& name) { return place_of(leaders.columns, name); };
  const ShownMetric metric = shown_metric(experiment.metric);
  Table table{{"configuration", metric_heading(metric), "median us", "low", "high", "samples"}, {}};
  const bool noisy = std::any_of(leaders.rows.begin(), leaders.rows.end(), [&](const auto& row) {
    return !leader_noise(leaders.columns, row).empty();
  });
  if (noisy) table.columns.emplace_back(kNoiseColumn);
  for (const Metric& beside : shown_beside(experiment)) table.columns.push_back(beside.name);
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
  console.show(table);
  if (noisy) console.say(noise_remark() + "\n");
  console.say(standing_text(leaders));
}

}  // namespace tailwave
