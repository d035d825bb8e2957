#include "analysis/rows.h"

#include <algorithm>

#include "analysis/units.h"

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
  if (!row.value || !device.ran_here(row)) return std::nullopt;
  double best = *row.value;
  for (const StudyRow& other : device.rows) {
    if (!other.value || other.device != row.device || other.kind != row.kind || other.problem != row.problem)
      continue;
    best = device.maximise ? std::max(best, *other.value) : std::min(best, *other.value);
  }
  return device.maximise ? *row.value / best : best / *row.value;
}

std::string describe_value(const std::string& metric, double value) {
  if (metric == "time") return format_time(value);
  const std::string number = format_si(value);
  return number + (number.ends_with(' ') ? "" : " ") + metric_heading(metric);
}

std::string predicted_for(const DeviceStudy& device) {
  if (device.kind == "cuda") return "";
  for (const StudyRow& row : device.rows) {
    if (row.waves && !row.waves->occupancy_device.empty()) return row.waves->occupancy_device;
  }
  return "";
}

}  // namespace tailwave
