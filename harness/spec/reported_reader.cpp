#include "spec/reported_reader.h"

#include <algorithm>

#include "spec/metric_reader.h"
#include "spec/names.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

std::string why_not_reported(const std::string& name, const System& system) {
  std::string why = why_not_a_parameter_name(name);
  if (!why.empty()) return why;
  if (std::ranges::find(measured_names(), name) != measured_names().end()) return "is what is measured";
  const std::vector<std::string> taken = names_in_scope(system);
  if (std::ranges::find(taken, name) != taken.end()) return "is a parameter or problem quantity, too";
  for (const auto& [work, amount] : system.work)
    if (name == work || name == work + "_per_second") return "is of the manifest's work, too";
  return "";
}

}  // namespace

void read_reported(const Json& metrics, System& system, Reporter& reporter) {
  for (const auto& [name, place] : metrics.members()) {
    ReportedMetric metric;
    const std::string* const goal = place.find("goal").as_text();
    metric.maximise = goal != nullptr && *goal == "max";
    const Json unit = place.find("unit");
    if (unit.as_text() != nullptr && check_one_line(unit, reporter)) metric.unit = *unit.as_text();
    system.reported.insert_or_assign(name, metric);
  }
}

void check_reported(const Json& metrics, const System& system, Reporter& reporter) {
  for (const auto& [name, place] : metrics.members())
    if (const std::string why = why_not_reported(name, system); !why.empty())
      reporter.report(place.pointer(), "the name '" + name + "' " + why);
  if (metrics && std::ranges::none_of(system.variants, &VariantSpec::is_program))
    reporter.report(metrics.pointer(), "no variant is a program, which could report metrics",
                    "metrics of kernels stand in the experiment: docs/specs.md#metrics");
}

}  // namespace tailwave
