#include "cli/run_counts.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/section_text.h"
#include "store/metric_store.h"

namespace tailwave {
namespace {

std::size_t counted_all(const std::map<Outcome, std::size_t>& outcomes) {
  std::size_t all = 0;
  for (const auto& [outcome, count] : outcomes) all += count;
  return all;
}

}  // namespace

std::map<std::string, std::size_t> counts_of(const System& system,
                                             const std::map<Outcome, std::size_t>& outcomes) {
  std::map<std::string, std::size_t> counts;
  for (const auto& [outcome, count] : outcomes) {
    const bool is_unverified = outcome == Outcome::correct && !system.reference.none.empty();
    counts[is_unverified ? kUnverified : std::string(to_string(outcome))] = count;
  }
  return counts;
}

std::string counts_text(const System& system, const std::map<Outcome, std::size_t>& outcomes) {
  std::string text;
  for (const auto& [name, count] : counts_of(system, outcomes))
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", count, name);
  return text;
}

std::string ended_text(const System& system, const RunSummary& summary) {
  std::map<Outcome, std::size_t> all = summary.outcomes;
  for (const auto& [outcome, count] : summary.reused_outcomes) all[outcome] += count;
  std::string text = counts_text(system, all);
  if (summary.reused > 0) text += fmt::format(", {} from before", summary.reused);
  if (!summary.interrupted) return text;
  return fmt::format("interrupted, {} of {} measured: {}", counted_all(summary.outcomes), summary.to_measure,
                     text);
}

std::string no_winner_text(Database& database, const Experiment& experiment, const Study& study) {
  const DeviceStudy& device = study.devices.front();
  if (device.correct() == 0)
    return fmt::format("no winner: none of {} is correct\n", plural(device.rows.size(), "configuration"));
  std::string text = fmt::format("no winner: no configuration has a value of '{}'", study.metric.name);
  for (const MissingMetric& one :
       missing_metrics(database, experiment.system.name, experiment.name, device.device))
    if (one.name == study.metric.name) return fmt::format("{}: {}\n", text, one.reason);
  return text + "\n";
}

}  // namespace tailwave
