#include "report/rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/bootstrap.h"
#include "report/units.h"

namespace tailwave {
namespace {

bool has_published(const DeviceStudy& device, const StudyRow& row) {
  return std::any_of(device.published.begin(), device.published.end(),
                     [&](const PublishedFigure& figure) { return figure.trial_id == row.trial_id; });
}

}  // namespace

std::vector<const StudyRow*> shown_rows(const DeviceStudy& device, std::size_t most, bool keep_published) {
  std::vector<const StudyRow*> rows;
  for (const StudyRow& row : device.rows) rows.push_back(&row);
  if (rows.size() <= most) return rows;
  const auto better = [&](const StudyRow* a, const StudyRow* b) {
    if (a->value.has_value() != b->value.has_value()) return a->value.has_value();
    if (!a->value) return false;
    if (device.competes(*a) != device.competes(*b)) return device.competes(*a);
    return device.maximise ? *a->value > *b->value : *a->value < *b->value;
  };
  std::stable_sort(rows.begin(), rows.end(), better);
  std::vector<const StudyRow*> shown(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(most));
  for (std::size_t i = most; keep_published && i < rows.size(); ++i) {
    if (has_published(device, *rows[i])) shown.push_back(rows[i]);
  }
  return shown;
}

std::optional<double> share_of_best(const DeviceStudy& device, const StudyRow& row) {
  if (!row.value || !device.competes(row)) return std::nullopt;
  double best = *row.value;
  for (const StudyRow& other : device.rows) {
    if (!other.value || !device.competes(other) || other.problem != row.problem) continue;
    best = device.maximise ? std::max(best, *other.value) : std::min(best, *other.value);
  }
  return device.maximise ? *row.value / best : best / *row.value;
}

bool is_noisy(const StudyRow& row) {
  return row.median_s && !noise_text(row.samples, *row.median_s, row.interval_s).empty();
}

std::string noise_text(std::int64_t samples, double median, const Interval& interval) {
  if (samples < static_cast<std::int64_t>(kFewestSamples))
    return fmt::format("{} sample{}", samples, samples == 1 ? "" : "s");
  const double width = interval.high - interval.low;
  return width > kNoisyShare * median ? fmt::format("{:.0f} %", 100 * width / median) : "";
}

std::string noise_remark() {
  return fmt::format("{}: the 95 % interval of the median is wider than {:g} % of it, or has too few samples",
                     kNoiseColumn, 100 * kNoisyShare);
}

std::string describe_value(const std::string& metric, double value) {
  if (metric == "time") return format_time(value);
  const std::string number = format_si(value);
  return number + (number.ends_with(' ') ? "" : " ") + metric_heading(metric);
}

std::string predicted_for(const DeviceStudy& device) {
  if (device.kind == DeviceKind::cuda) return "";
  for (const StudyRow& row : device.rows) {
    if (row.waves && !row.waves->occupancy_device.empty()) return row.waves->occupancy_device;
  }
  return "";
}

}  // namespace tailwave
