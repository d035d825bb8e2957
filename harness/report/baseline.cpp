#include "report/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/device.h"
#include "report/question.h"
#include "report/units.h"
#include "store/regime_store.h"

namespace tailwave {
namespace {

// "the other one", "all 5 others", "2 of 5 others".
std::string counted_others(std::size_t count, std::size_t of) {
  if (of == 1) return "the other one";
  return count == of ? fmt::format("all {} others", of) : fmt::format("{} of {} others", count, of);
}

// The first variant of those that compete: of an experiment with kernels its host variants are passed over.
std::string kind_of(const StudyRow& row) {
  if (row.peers == 0) return "GPU variant";
  return row.program_timer().empty() ? "host variant" : "program";
}

}  // namespace

Baseline baseline_of(const StudyRows& rows) {
  const std::string& variant = rows.front()->variant;
  const auto is_first = [&](const StudyRow* row) { return row->variant == variant; };
  const auto of_first = std::ranges::count_if(rows, is_first);
  const bool several = static_cast<std::size_t>(of_first) < rows.size();
  const std::string kind = kind_of(*rows.front());
  for (const StudyRow* row : rows)
    if (is_first(row) && row->standard)
      return {row, several ? "the manifest's defaults of the first " + kind : "the manifest's defaults"};
  if (several && of_first == 1) return {rows.front(), "the first " + kind};
  return {rows.front(), several ? "the first configuration of the first " + kind : "the first configuration"};
}

std::map<std::string, std::string> names_of_identical(Database& database, const Study& study,
                                                      const DeviceStudy& device) {
  DeviceDescription run_device;
  run_device.kind = device.kind;
  run_device.name = device.device;
  return names_of_identical(database, study.system, study.experiment, run_device);
}

void mark_standard(Database& database, const Study& study, DeviceStudy& device,
                   const std::map<std::string, Values>& defaults) {
  if (defaults.empty()) return;
  const auto identical = names_of_identical(database, study, device);
  std::set<std::string> standard;
  for (const StudyRow& row : device.rows) {
    const auto found = defaults.find(row.variant);
    if (found == defaults.end() || found->second != row.parameters) continue;
    const auto twin = identical.find(row.configuration);
    standard.insert(twin == identical.end() ? row.configuration : twin->second);
  }
  for (StudyRow& row : device.rows) row.standard = standard.contains(row.configuration);
}

const StudyRow* best_row(const DeviceStudy& device, const std::function<bool(const StudyRow&)>& is_wanted) {
  const StudyRow* best = nullptr;
  for (const StudyRow& row : device.rows)
    if (row.value && is_wanted(row) && (best == nullptr || device.better(*row.value, *best->value)))
      best = &row;
  return best;
}

StudyRows steps_of(const DeviceStudy& device, const StudyRows& rows, std::size_t most) {
  if (rows.size() <= most) return rows;
  std::map<std::string, const StudyRow*> best;
  for (const StudyRow* row : rows) {
    const StudyRow*& known = best[row->variant];
    if (known == nullptr || device.better(*row->value, *known->value)) known = row;
  }
  const StudyRow* const baseline = baseline_of(rows).row;
  StudyRows steps;
  for (const StudyRow* row : rows)
    if (row == baseline || row == best.at(row->variant)) steps.push_back(row);
  return steps;
}

const StudyRow* best_on_host(const DeviceStudy& device, const Values& problem) {
  if (device.kind != DeviceKind::cuda) return nullptr;
  return best_row(device,
                  [&](const StudyRow& row) { return !device.ran_here(row) && row.problem == problem; });
}

std::optional<double> times_better(const DeviceStudy& device, double value, double over) {
  if (!(value > 0) || !(over > 0)) return std::nullopt;
  return device.maximise ? value / over : over / value;
}

std::string times_text(double ratio) {
  if (ratio >= 1000) return fmt::format("{:.0f}", ratio);
  const double scale = std::pow(10.0, 2 - std::floor(std::log10(ratio)));
  return format_number(std::round(ratio * scale) / scale);
}

std::string tied_text(const Study& study, std::size_t tied, std::size_t unclear, std::size_t others) {
  if (others == 0) return "";
  const char* const worse = is_speed(study) ? "slower" : "worse";
  std::string text;
  if (tied > 0) text = "tied with " + counted_others(tied, others);
  if (unclear > 0)
    text += fmt::format("{}the samples do not show whether {} {} {}", text.empty() ? "" : ", ",
                        counted_others(unclear, others), unclear == 1 ? "is" : "are", worse);
  if (!text.empty()) return text;
  return fmt::format("not tied ({} {} shown to be {})", counted_others(others, others),
                     others == 1 ? "is" : "are", worse);
}

}  // namespace tailwave
