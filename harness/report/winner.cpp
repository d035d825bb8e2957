#include "report/winner.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/metric.h"
#include "core/standing.h"
#include "report/baseline.h"
#include "report/labels.h"
#include "report/question.h"

namespace tailwave {
namespace {

std::string_view as_good(const Study& study) {
  return is_speed(study) ? "as fast as" : "better than";
}

// "1881 G interactions/s, 8.921 us (95 %: 8.90 to 8.94 us)".
std::string value_text(const Study& study, const StudyRow& row) {
  std::string text;
  if (row.value && !is_time(study.metric.name)) text = describe_value(study.metric, *row.value);
  if (!row.median_s) return text;
  text += fmt::format("{}{}", text.empty() ? "" : ", ", format_time(*row.median_s));
  if (row.samples < static_cast<std::int64_t>(kFewestSamples))
    return text + fmt::format(" ({} sample{})", row.samples, row.samples == 1 ? "" : "s");
  return text +
         fmt::format(" (95 %: {} to {})", format_time(row.interval_s.low), format_time(row.interval_s.high));
}

}  // namespace

std::string full_name(const Study& study, const StudyRow& row) {
  std::string text = row.variant;
  for (const std::string& name : study.names)
    if (const auto found = row.parameters.find(name); found != row.parameters.end())
      text += fmt::format(", {} {}", name, to_shown(found->second));
  return text;
}

std::vector<const StudyRow*> contenders_of(const DeviceStudy& device, const StudyRow& winner) {
  std::vector<const StudyRow*> rows = rows_beside(device, winner);
  std::erase_if(rows, [](const StudyRow* row) { return !row->value; });
  return rows;
}

std::optional<Winner> winner_of(Database& database, const DeviceStudy& device,
                                const std::vector<const StudyRow*>& contenders) {
  TrialCosts costs(database);
  std::vector<Series> all;
  std::vector<const StudyRow*> rows;
  for (const StudyRow* row : contenders) {
    if (costs.of(*row).repetitions.empty()) continue;
    rows.push_back(row);
    all.push_back(costs.of(*row));
  }
  if (rows.empty()) return std::nullopt;
  const std::vector<BesideBest> standings = compare_with_best(all, std::vector<bool>(all.size(), false));
  Winner winner{.others = rows.size() - 1};
  std::size_t next = rows.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    winner.tied += standings[i].standing == Standing::tied ? 1 : 0;
    winner.unclear += standings[i].standing == Standing::unclear ? 1 : 0;
    winner.disturbed += rows[i]->other_processes > 0 ? 1 : 0;
    if (standings[i].standing == Standing::best)
      winner.row = rows[i];
    else if (next == rows.size() || standings[i].ratio < standings[next].ratio)
      next = i;
  }
  if (next < rows.size()) winner.next = costs.beside(*rows[next], *winner.row);
  const Baseline baseline = baseline_of(contenders_of(device, *winner.row));
  winner.baseline = costs.beside(*baseline.row, *winner.row);
  if (winner.baseline) winner.baseline_is = baseline.is;
  return winner;
}

std::vector<Winner> winners_of(Database& database, const DeviceStudy& device) {
  std::vector<Winner> winners;
  for (const StudyRow* best : device.best_of_problems())
    if (auto winner = winner_of(database, device, contenders_of(device, *best)))
      winners.push_back(*std::move(winner));
  return winners;
}

std::string winner_text(const Study& study, const Winner& winner) {
  const Labels labels(rows_beside(study.devices.front(), *winner.row), study.names);
  std::string text =
      fmt::format("winner: {}\n  {}\n", full_name(study, *winner.row), value_text(study, *winner.row));
  if (!winner.row->unverified.empty()) text += fmt::format("  unverified: {}\n", winner.row->unverified);
  const auto line = [&](const Beside& beside, const std::string& what) {
    text += fmt::format("  {} times{} {} {}\n", times_text(beside.times),
                        times_interval_text(beside.interval), as_good(study), what);
  };
  const bool is_next = winner.baseline && winner.next && winner.baseline->row == winner.next->row;
  if (winner.baseline && winner.baseline->row == winner.row)
    text += fmt::format("  it is the baseline ({})\n", winner.baseline_is);
  else if (winner.baseline)
    line(*winner.baseline, fmt::format("the baseline{}, {} ({})", is_next ? " and the next" : "",
                                       labels.line(*winner.baseline->row), winner.baseline_is));
  if (winner.next && !is_next) line(*winner.next, "the next, " + labels.line(*winner.next->row));
  return text;
}

std::string tied_text(const Study& study, const Winner& winner) {
  std::string text = tied_text(study, winner.tied, winner.unclear, winner.others);
  if (text.empty() || winner.disturbed == 0) return text;
  return fmt::format("{}; but other programs ran beside {} of all {} while they were measured", text,
                     winner.disturbed, winner.others + 1);
}

Table winners_table(const Study& study, const std::vector<Winner>& winners) {
  Table table;
  std::vector<const StudyRow*> rows;
  for (const Winner& winner : winners) rows.push_back(winner.row);
  for (const std::string& name : study.names)
    if (std::ranges::any_of(rows, [&](const StudyRow* row) {
          return row->problem.contains(name) && row->problem != rows.front()->problem;
        }))
      table.columns.push_back(name);
  const std::size_t quantities = table.columns.size();
  table.columns.insert(table.columns.end(), {"winner", metric_heading(study.metric), "times the baseline",
                                             "times the next", "tied", "unclear", "baseline", "baseline is"});
  const auto times = [](const std::optional<Beside>& beside) {
    return beside ? Cell{times_text(beside->times) + times_interval_text(beside->interval)} : Cell{};
  };
  for (const Winner& winner : winners) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    for (std::size_t i = 0; i < quantities; ++i) {
      const auto found = winner.row->problem.find(table.columns[i]);
      cells.push_back(found == winner.row->problem.end() ? Cell{} : Cell{to_string(found->second)});
    }
    cells.emplace_back(full_name(study, *winner.row) +
                       (winner.row->unverified.empty() ? "" : " (unverified)"));
    cells.push_back(winner.row->value ? Cell{format_metric(study.metric, *winner.row->value)} : Cell{});
    cells.insert(cells.end(), {times(winner.baseline), times(winner.next)});
    for (const std::size_t count : {winner.tied, winner.unclear})
      cells.emplace_back(fmt::format("{} of {}", count, winner.others));
    cells.push_back(winner.baseline ? Cell{full_name(study, *winner.baseline->row)} : Cell{});
    cells.push_back(winner.baseline ? Cell{winner.baseline_is} : Cell{});
  }
  return table;
}

}  // namespace tailwave
