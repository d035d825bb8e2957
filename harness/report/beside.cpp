#include "report/beside.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/units.h"
#include "store/trial_costs.h"

namespace tailwave {

std::string times_interval_text(const std::optional<Interval>& interval) {
  if (!interval) return "";
  return fmt::format(" ({} to {})", format_number(interval->low), format_number(interval->high));
}

const Series& TrialCosts::of(const StudyRow& row) {
  const auto [found, is_new] = series_.try_emplace(row.trial_id);
  if (is_new) found->second = costs_of_trial(database_, row.trial_id);
  return found->second;
}

std::optional<Beside> TrialCosts::beside(const StudyRow& other, const StudyRow& best) {
  const Series &costs = of(other), &least = of(best);
  if (costs.repetitions.empty() || least.repetitions.empty()) return std::nullopt;
  const double lowest = median(samples_of(least));
  if (lowest <= 0) return std::nullopt;
  Beside beside{&other, median(samples_of(costs)) / lowest, std::nullopt};
  if (&other != &best && std::min(samples_of(costs).size(), samples_of(least).size()) >= kFewestSamples)
    beside.interval = ratio_interval(costs, least);
  return beside;
}

}  // namespace tailwave
