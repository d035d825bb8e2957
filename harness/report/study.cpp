#include "report/study.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tailwave {
namespace {

// Those of one kind; names that the spec does not have come last.
void add_names(const std::set<std::string>& names, const std::vector<std::string>& spec,
               std::vector<std::string>& all) {
  std::vector<std::pair<std::ptrdiff_t, std::string>> placed;
  for (const std::string& name : names)
    placed.emplace_back(std::find(spec.begin(), spec.end(), name) - spec.begin(), name);
  std::sort(placed.begin(), placed.end());
  for (auto& [place, name] : placed) all.push_back(std::move(name));
}

bool has_published(const DeviceStudy& device, const StudyRow& row) {
  return std::any_of(device.published.begin(), device.published.end(),
                     [&](const PublishedFigure& figure) { return figure.trial_id == row.trial_id; });
}

}  // namespace

std::vector<const StudyRow*> DeviceStudy::contenders() const {
  const auto any = [this](bool (DeviceStudy::*counts)(const StudyRow&) const) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const StudyRow& row) { return row.value && (this->*counts)(row); });
  };
  const bool competing = any(&DeviceStudy::competes);
  const bool here = any(&DeviceStudy::ran_here);
  std::vector<const StudyRow*> found;
  for (const StudyRow& row : rows)
    if (row.value && (competing ? competes(row) : !here || ran_here(row))) found.push_back(&row);
  return found;
}

std::vector<const StudyRow*> DeviceStudy::best_of_problems() const {
  std::map<Values, const StudyRow*> best;
  for (const StudyRow* row : contenders()) {
    const StudyRow*& known = best[row->problem];
    if (known == nullptr || better(*row->value, *known->value)) known = row;
  }
  std::vector<const StudyRow*> found;
  for (const auto& [problem, row] : best) found.push_back(row);
  return found;
}

std::size_t DeviceStudy::correct() const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const StudyRow& row) { return row.correct(); }));
}

void Study::put_in_order(const SpecOrder& spec) {
  std::set<std::string> parameters;
  std::set<std::string> problem;
  std::set<std::string> of_rows;
  for (const DeviceStudy& device : devices)
    for (const StudyRow& row : device.rows) {
      of_rows.insert(row.variant);
      for (const auto& [name, value] : row.parameters) parameters.insert(name);
      for (const auto& [name, value] : row.problem) problem.insert(name);
    }
  names.clear();
  add_names(parameters, spec.parameters, names);
  add_names(problem, spec.quantities, names);
  variants.clear();
  add_names(of_rows, spec.variants, variants);
  const auto before = [this](const StudyRow& a, const StudyRow& b) { return in_order(a, b); };
  for (DeviceStudy& device : devices) std::sort(device.rows.begin(), device.rows.end(), before);
}

bool Study::in_order(const StudyRow& a, const StudyRow& b) const {
  const auto place_of = [this](const StudyRow& row) {
    return std::find(variants.begin(), variants.end(), row.variant) - variants.begin();
  };
  if (a.variant != b.variant && place_of(a) != place_of(b)) return place_of(a) < place_of(b);
  if (std::tie(a.variant, a.problem) != std::tie(b.variant, b.problem))
    return std::tie(a.variant, a.problem) < std::tie(b.variant, b.problem);
  const auto value_of = [](const StudyRow& row, const std::string& name) {
    const auto found = row.parameters.find(name);
    return found == row.parameters.end() ? std::nullopt : std::optional(found->second);
  };
  for (const std::string& parameter : names) {
    const auto first = value_of(a, parameter), second = value_of(b, parameter);
    if (first != second) return first < second;
  }
  return a.configuration < b.configuration;
}

std::vector<const StudyRow*> rows_beside(const DeviceStudy& device, const StudyRow& row) {
  std::vector<const StudyRow*> rows;
  for (const StudyRow& other : device.rows)
    if (other.problem == row.problem && other.peers == row.peers &&
        device.ran_here(other) == device.ran_here(row))
      rows.push_back(&other);
  return rows;
}

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
  if ((device.maximise ? best : *row.value) == 0) return std::nullopt;  // of work that is none
  return device.maximise ? *row.value / best : best / *row.value;
}

const MetricRecord* StudyRow::metric(const std::string& name) const {
  const auto found = std::ranges::find(metrics, name, &MetricRecord::name);
  return found == metrics.end() ? nullptr : &*found;
}

std::vector<MetricRecord> further_metrics(const std::vector<const StudyRow*>& rows) {
  std::vector<MetricRecord> all;
  for (const StudyRow* row : rows)
    for (const MetricRecord& one : row->metrics)
      if (one.position > 0 && !is_time(one.name) &&
          std::ranges::find(all, one.name, &MetricRecord::name) == all.end())
        all.push_back(one);
  return all;
}

std::string predicted_for(const DeviceStudy& device) {
  if (device.kind == DeviceKind::cuda) return "";
  for (const StudyRow& row : device.rows) {
    if (row.waves && !row.waves->occupancy_device.empty()) return row.waves->occupancy_device;
  }
  return "";
}

}  // namespace tailwave
