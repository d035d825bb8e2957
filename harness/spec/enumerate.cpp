#include "spec/enumerate.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "space/assignment.h"
#include "space/joined_spaces.h"
#include "spec/configuration_walk.h"
#include "spec/empty_space.h"
#include "spec/problem_space.h"

namespace tailwave {
namespace {

constexpr int kEnough = 10000;

// What the cases have, constraints ignored.
double cartesian_size(const Experiment& experiment, bool for_cpu_device) {
  double size = 0;
  CaseParts(experiment, for_cpu_device).for_each([&](const CasePart& part) {
    size += part.space.cartesian_size();
    return true;
  });
  return size;
}

// Without going through the configurations.
bool has_any(const Experiment& experiment, bool for_cpu_device) {
  Generator random(0);
  CaseParts parts(experiment, for_cpu_device);
  if (for_cpu_device) parts.add_cpu_constraints();
  return !parts.for_each([&](CasePart& part) {
    std::vector<SpacePart> one;
    one.push_back(SpacePart::of(std::move(part.space)));
    PointSource::Row row;
    return !JoinedSpaces(std::move(one)).draw(random, row);
  });
}

// Cases on any of the problems; `seen` are known to have a configuration.
void warn_of_empty_cases(Experiment& experiment, std::set<const Case*> seen) {
  if (seen.size() == experiment.cases.size()) return;
  std::map<const Case*, std::string> why;
  CaseParts(experiment, false).for_each([&](const CasePart& part) {
    if (seen.contains(&part.each)) return true;
    if (may_have_any(part.space))
      seen.insert(&part.each);
    else
      why.try_emplace(&part.each, why_empty(part.space));
    return true;
  });
  Reporter warnings(experiment.file.string(), experiment.warnings);
  for (std::size_t i = 0; i < experiment.cases.size(); ++i) {
    const Case& each = experiment.cases[i];
    if (!seen.contains(&each))
      warnings.report(pointer_to_case(experiment, i),
                      fmt::format("the case of the variant '{}' has no configuration", each.variant),
                      why[&each]);
  }
}

}  // namespace

std::string pointer_to_case(const Experiment& experiment, std::size_t number) {
  const bool is_spec = experiment.constraints_pointer == Experiment().constraints_pointer;
  return is_spec ? pointer_to("/cases", number) : experiment.constraints_pointer;
}

bool is_too_large(const Experiment& experiment, bool for_cpu_device) {
  try {
    if (cartesian_size(experiment, for_cpu_device) <= kMostEnumerated) return false;
  } catch (const ConstraintFailure& failure) {
    throw_error(experiment, failure);
  }
  const Count count = count_configurations(experiment, for_cpu_device);
  if (count.is_exact || count.number > kMostEnumerated) return count.number > kMostEnumerated;
  // To be told from a walk, which keeps nothing.
  std::size_t found = 0;
  const auto is_few = [&](const ConfigurationWalk::Place&) { return ++found <= kMostEnumerated; };
  try {
    return !ConfigurationWalk(experiment, for_cpu_device, is_few).run();
  } catch (const ConstraintFailure& failure) {
    throw_error(experiment, failure);
  }
}

void refuse_to_enumerate(const Experiment& experiment, const Count& count) {
  throw Error(Diagnostic{
      .file = experiment.file.string(),
      .cause =
          fmt::format("{} configurations: to go through all of them would take too long (the limit is {})",
                      to_string(count), kMostEnumerated),
      .hint = "'tailwave tune' searches them; '--filter NAME=VALUE,...' leaves fewer"});
}

Enumeration enumerate(const Experiment& experiment, bool for_cpu_device) {
  if (is_too_large(experiment, for_cpu_device))
    refuse_to_enumerate(experiment, count_configurations(experiment, for_cpu_device));
  Enumeration result;
  std::unordered_set<std::string> seen;
  const bool may_repeat = experiment.cases.size() > 1;
  try {
    ConfigurationWalk(experiment, for_cpu_device, [&](const ConfigurationWalk::Place& place) {
      Configuration configuration = place.configuration(experiment.system.name);
      if (may_repeat && !seen.insert(configuration.name()).second) return true;
      if (for_cpu_device && !allowed_on_cpu(experiment, configuration)) {
        ++result.left_out_on_cpu;
      } else {
        if (result.configurations.size() == kMostEnumerated)
          refuse_to_enumerate(experiment, {double{kMostEnumerated + 1}, false});
        result.configurations.push_back(std::move(configuration));
      }
      return true;
    }).run();
  } catch (const ConstraintFailure& failure) {
    throw_error(experiment, failure);
  }
  return result;
}

void check_enumeration(Experiment& experiment, Reporter& reporter) {
  std::set<const Case*> seen;
  try {
    for (const bool for_cpu_device : {false, true}) {
      if (for_cpu_device && !experiment.has_cpu_problem() && experiment.cpu_constraints.empty()) break;
      int visited = 0;
      std::size_t asked = 0;
      ConfigurationWalk walk(experiment, for_cpu_device, [&](const ConfigurationWalk::Place& place) {
        if (!for_cpu_device) seen.insert(&place.each);
        return ++visited < kEnough;
      });
      if (for_cpu_device) walk.add_cpu_constraints();
      walk.run([&] { return ++asked > kMostTriedPoints / Assignment::kGivenBetween; });
      const bool gave_up = asked > kMostTriedPoints / Assignment::kGivenBetween;
      if (visited > 0 || (gave_up && has_any(experiment, for_cpu_device))) continue;
      const EmptyReason why = why_empty(experiment, for_cpu_device);
      return reporter.report(
          why.pointer, (gave_up ? "as far as was tried, " : "") + none_satisfies(for_cpu_device), why.text);
    }
    warn_of_empty_cases(experiment, std::move(seen));
  } catch (const ConstraintFailure& failure) {
    reporter.report(failure.pointer, failure.error);
  }
}

}  // namespace tailwave
