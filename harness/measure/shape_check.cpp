#include "measure/shape_check.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/outcome.h"
#include "measure/launch_plan.h"
#include "spec/configuration_walk.h"
#include "spec/enumerate.h"
#include "spec/problem_space.h"
#include "spec/reporter.h"

namespace tailwave {
namespace {

constexpr std::size_t kMostChecked = 2000;

// What is found of one case.
struct Found {
  std::size_t all = 0, unfit = 0;
  std::string why, name;  // of the first that does not fit
};

std::string why_not_launched(const VariantSpec& variant, const Values& scope) {
  try {
    const Values of_pe = scope_of_pe(variant, scope);
    for (const auto* plan : {&variant.prepare, &variant.launches, &variant.finish})
      (void)launch_shapes(*plan, of_pe);
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "";
}

void look_at(const Experiment& experiment, const ConfigurationWalk::Place& place, bool on_cpu,
             std::vector<Found>& found) {
  const VariantSpec& variant = *experiment.system.find_variant(place.each.variant);
  if (variant.target != VariantSpec::Target::cuda) return;
  const Configuration configuration = place.configuration(experiment.system.name);
  if (on_cpu && !allowed_on_cpu(experiment, configuration)) return;
  Found& of_case = found[static_cast<std::size_t>(&place.each - experiment.cases.data())];
  ++of_case.all;
  const std::string why = why_not_launched(variant, configuration.scope());
  if (!why.empty() && ++of_case.unfit == 1) of_case.why = why, of_case.name = configuration.name();
}

std::string hint_of(const Found& found) {
  const bool is_fraction = found.why.find("expected a whole number") != std::string::npos;
  return fmt::format(
      "that of {}{}", found.name,
      is_fraction ? "; '//' divides whole numbers, ceil_div(A, B) rounds up, '/' gives a fraction" : "");
}

}  // namespace

Diagnostics check_shapes(const Experiment& experiment) {
  Diagnostics warnings;
  std::vector<Found> found(experiment.cases.size());
  for (const bool on_cpu : {false, true}) {
    if (on_cpu && !experiment.has_cpu_problem()) break;
    const Count count = count_configurations(experiment, on_cpu);
    if (!count.is_exact || count.number > kMostChecked) continue;
    try {
      ConfigurationWalk(experiment, on_cpu, [&](const ConfigurationWalk::Place& place) {
        look_at(experiment, place, on_cpu, found);
        return true;
      }).run();
    } catch (const ConstraintFailure& failure) {
      throw_error(experiment, failure);
    }
  }
  Reporter reporter(experiment.file.string(), warnings);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Found& one = found[i];
    if (one.unfit == 0) continue;
    const std::string how_many = one.all == one.unfit
                                     ? "no configuration"
                                     : fmt::format("{} of {} configurations", one.unfit, one.all);
    reporter.report(pointer_to_case(experiment, i),
                    fmt::format("{} of '{}' can{} be launched: {}", how_many, experiment.cases[i].variant,
                                one.all == one.unfit ? "" : "not", one.why),
                    hint_of(one));
  }
  return warnings;
}

}  // namespace tailwave
