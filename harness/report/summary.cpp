// summary_table: what a run ends with.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "report/labels.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/study.h"
#include "report/units.h"
#include "store/no_trials.h"

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
  if (!is_noisy(row)) return {};
  return noise_text(row.samples, *row.median_s, row.interval_s);
}

// One unit for the whole column, from its largest value.
Scale column_scale(const std::vector<const StudyRow*>& rows) {
  double largest = 0;
  for (const StudyRow* row : rows) largest = std::max(largest, row->value.value_or(0));
  if (largest >= 1e9) return {1e9, "G "};
  if (largest >= 1e6) return {1e6, "M "};
  return {1, ""};
}

const DeviceStudy& find_device(const Database& database, const std::vector<Study>& studies,
                               const std::string& experiment, const std::string& device,
                               const Study*& study) {
  for (const Study& one : studies) {
    for (const DeviceStudy& candidate : one.devices) {
      if (candidate.device != device) continue;
      study = &one;
      return candidate;
    }
  }
  throw Error(no_trials(database, experiment, device, ""));
}

}  // namespace

RunTable summary_table(Database& database, const std::string& experiment, const std::string& device_name,
                       std::size_t most) {
  const std::vector<Study> studies = load_studies(database, {experiment});
  const Study* study = nullptr;
  const DeviceStudy& device = find_device(database, studies, experiment, device_name, study);
  const std::vector<const StudyRow*> rows = shown_rows(device, most, false);
  const Labels labels(rows, study->names);
  const Scale scale = column_scale(rows);
  const bool has_rate = study->metric != "time";
  const std::string predicted = predicted_for(device);

  const auto failures = std::count_if(device.rows.begin(), device.rows.end(),
                                      [](const StudyRow& row) { return !row.correct(); });
  RunTable summary{{}, device.rows.size(), static_cast<std::size_t>(failures)};
  Table& table = summary.shown;
  table.columns = labels.headings();
  table.columns.insert(table.columns.end(), {"outcome", "median us"});
  const bool noisy =
      std::any_of(rows.begin(), rows.end(), [](const StudyRow* row) { return is_noisy(*row); });
  if (noisy) table.columns.emplace_back(kNoiseColumn);
  if (has_rate) table.columns.push_back(scale.prefix + metric_heading(study->metric));
  table.columns.insert(
      table.columns.end(),
      {"of the best", "blocks/SM" + (predicted.empty() ? "" : " (" + predicted + ")"), "limiter", "waves"});
  for (const StudyRow* row : rows) {
    std::vector<Cell> cells;
    for (const std::string& label : labels.cells(*row)) {
      const Value value = parse_value(label);
      const auto* const whole = std::get_if<std::int64_t>(&value);
      cells.push_back(label.empty() ? Cell{} : whole != nullptr ? Cell{*whole} : Cell{label});
    }
    cells.emplace_back(std::string(to_string(row->outcome)));
    cells.push_back(row->median_s ? rounded(*row->median_s * 1e6) : Cell{});
    if (noisy) cells.push_back(noise(*row));
    if (has_rate) cells.push_back(row->value ? rounded(*row->value / scale.factor) : Cell{});
    const auto share = share_of_best(device, *row);
    cells.push_back(share ? rounded(*share) : Cell{});
    const bool known = row->waves && row->waves->blocks_per_sm;
    cells.push_back(known ? Cell{*row->waves->blocks_per_sm} : Cell{});
    // Nothing that occupancy knows limits a launch that the device refuses.
    cells.push_back(known && !row->waves->limiter.empty() ? Cell{row->waves->limiter} : Cell{});
    cells.push_back(row->waves && row->waves->waves ? rounded(*row->waves->waves) : Cell{});
    table.rows.push_back(std::move(cells));
  }
  return summary;
}

}  // namespace tailwave
