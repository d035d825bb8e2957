#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/metric.h"
#include "core/outcome.h"
#include "report/labels.h"
#include "report/noise.h"
#include "report/section_text.h"
#include "report/study_reader.h"
#include "report/units.h"

namespace tailwave {
namespace {

// Four significant digits, so that a table shows no more.
Cell rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double scale = std::pow(10.0, 3 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

struct Scale {
  double factor;
  std::string prefix;
};

Cell noise(const StudyRow& row) {
  return cell_of(noise_text(row));
}

// One unit for the whole column, from its largest value. A unit of its own has no prefix.
Scale column_scale(const Study& study, const std::vector<const StudyRow*>& rows) {
  if (study.metric.own) return {1, ""};
  double largest = 0;
  for (const StudyRow* row : rows) largest = std::max(largest, row->value.value_or(0));
  if (largest >= 1e9) return {1e9, "G "};
  if (largest >= 1e6) return {1e6, "M "};
  return {1, ""};
}

// Whole numbers are no text.
Cell label_cell(const std::string& label) {
  const Value value = parse_value(label);
  const auto* const whole = std::get_if<std::int64_t>(&value);
  return label.empty() ? Cell{} : whole != nullptr ? Cell{*whole} : Cell{label};
}

Cell rounded_or_none(const std::optional<double>& value) {
  return value ? rounded(*value) : Cell{};
}

// Blocks per SM, limiter and waves.
std::vector<Cell> wave_cells(const StudyRow& row) {
  const bool known = row.waves && row.waves->blocks_per_sm;
  // Nothing that occupancy knows limits a launch that the device refuses.
  return {known ? Cell{*row.waves->blocks_per_sm} : Cell{},
          known && !row.waves->limiter.empty() ? Cell{row.waves->limiter} : Cell{},
          row.waves ? rounded_or_none(row.waves->waves) : Cell{}};
}

}  // namespace

RunTable summary_table(Database& database, const std::string& experiment, const std::string& device_name,
                       std::size_t most) {
  return summary_table(load_results(database, experiment, device_name), most);
}

RunTable summary_table(const Study& study, std::size_t most) {
  const DeviceStudy& device = study.devices.front();
  const std::vector<const StudyRow*> rows = shown_rows(device, most, false);
  const Labels labels(rows, study.names);
  const Scale scale = column_scale(study, rows);
  const bool has_rate = !is_time(study.metric.name);
  const std::string predicted = predicted_for(device);

  const auto failures = std::count_if(device.rows.begin(), device.rows.end(),
                                      [](const StudyRow& row) { return !row.correct(); });
  RunTable summary{{}, labels.common(), device.rows.size(), static_cast<std::size_t>(failures)};
  Table& table = summary.shown;
  table.columns = labels.headings();
  table.columns.insert(table.columns.end(), {"outcome", "median us"});
  const bool noisy =
      std::any_of(rows.begin(), rows.end(), [](const StudyRow* row) { return !noise_text(*row).empty(); });
  if (noisy) table.columns.emplace_back(kNoiseColumn);
  const bool has_programs = std::any_of(rows.begin(), rows.end(),
                                        [](const StudyRow* row) { return !row->program_timer().empty(); });
  if (has_programs) table.columns.emplace_back("timed as");
  if (has_rate) table.columns.push_back(scale.prefix + metric_heading(study.metric));
  const std::vector<MetricRecord> further = further_metrics(rows);
  for (const MetricRecord& one : further) table.columns.push_back(metric_heading(shown_metric(one)));
  table.columns.insert(
      table.columns.end(),
      {"of the best", "blocks/SM" + (predicted.empty() ? "" : " (" + predicted + ")"), "limiter", "waves"});
  for (const StudyRow* row : rows) {
    std::vector<Cell> cells;
    for (const std::string& label : labels.cells(*row)) cells.push_back(label_cell(label));
    cells.emplace_back(outcome_text(*row));
    cells.push_back(row->median_s ? rounded(*row->median_s * 1e6) : Cell{});
    if (noisy) cells.push_back(noise(*row));
    if (has_programs) cells.push_back(cell_of(row->program_timer()));
    if (has_rate) cells.push_back(row->value ? rounded(*row->value / scale.factor) : Cell{});
    for (const MetricRecord& one : further) {
      const MetricRecord* const found = row->metric(one.name);
      cells.push_back(found == nullptr ? Cell{} : rounded_or_none(found->value));
    }
    cells.push_back(rounded_or_none(share_of_best(device, *row)));
    for (Cell& cell : wave_cells(*row)) cells.push_back(std::move(cell));
    table.rows.push_back(std::move(cells));
  }
  return summary;
}

}  // namespace tailwave
