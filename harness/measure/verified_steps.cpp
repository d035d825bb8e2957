#include "measure/verified_steps.h"

#include <algorithm>
#include <utility>

#include "measure/launch_plan.h"
#include "spec/paths.h"
#include "spec/verify_reader.h"

namespace tailwave {
namespace {

bool compares_anything(const Candidate& candidate, const Values& scope) {
  try {
    return !comparisons_of(candidate, scope).empty();
  } catch (const Failure&) {
    return false;
  }
}

// What differs from the configuration's own problem; empty where other problem `number` is none for it.
Values changes_of(const Candidate& candidate, std::size_t number, Reporter& reporter) {
  const System& system = *candidate.system;
  const VariantSpec& variant = candidate.variant();
  if (!can_have_problem(variant, system, number)) return {};
  const Values scope = candidate.configuration().scope();
  const std::optional<Values> quantities = other_problem(system, number, scope, reporter);
  if (!quantities) return {};
  Values changes, changed = scope;
  for (const auto& [name, value] : *quantities) {
    if (to_string(value) != to_string(scope.at(name))) changes[name] = value;
    changed[name] = value;
  }
  const bool is_one = !changes.empty() && is_in_domain(variant, changed, reporter).value_or(false) &&
                      compares_anything(candidate, changed);
  return is_one ? changes : Values();
}

// The other problems that it is verified with, each by the quantities that differ. Throws Failure(wrong_result) for
// what cannot be evaluated.
std::vector<Values> other_problems(const Candidate& candidate) {
  std::vector<Values> problems;
  Diagnostics wrong;
  Reporter reporter(shown_path(candidate.system->file), wrong);
  for (std::size_t number = 0; number < candidate.system->verify.problems.size(); ++number) {
    Values changes = changes_of(candidate, number, reporter);
    if (!wrong.empty()) throw Failure(Outcome::wrong_result, to_string(wrong.front()));
    if (!changes.empty() && std::find(problems.begin(), problems.end(), changes) == problems.end())
      problems.push_back(std::move(changes));
  }
  return problems;
}

}  // namespace

std::map<std::string, ResolvedComparison> comparisons_of(const Candidate& candidate, const Values& scope) {
  const System& system = *candidate.system;
  const VariantSpec& variant = candidate.variant();
  const bool is_reference =
      variant.name == system.reference.variant && variant.target == VariantSpec::Target::host;
  const std::vector<std::string> used = used_buffers(system, variant);
  std::map<std::string, ResolvedComparison> comparisons;
  for (const auto& [buffer, comparison] : system.reference.compare) {
    if (std::find(used.begin(), used.end(), buffer) == used.end()) continue;
    Comparison own = comparison;
    // The reference need not have the parameters that a tolerance names, and differs from itself in nothing.
    if (is_reference) own.tolerance = own.absolute = Expression();
    if (const auto resolved = resolve(own, scope_of_reference(system, scope)))
      comparisons.emplace(buffer, *resolved);
  }
  if (comparisons.empty() && system.reference.none.empty())
    throw Failure(Outcome::wrong_result, "no comparison of the manifest holds for this problem");
  return comparisons;
}

bool is_range(const ResolvedComparison& comparison) {
  return comparison.norm == Comparison::Norm::range;
}

bool uses_reference(const std::map<std::string, ResolvedComparison>& comparisons) {
  return std::any_of(comparisons.begin(), comparisons.end(),
                     [](const auto& entry) { return !is_range(entry.second); });
}

std::vector<Step> steps_of(const Candidate& candidate, std::uint64_t first_draw) {
  if (candidate.drift_block) return {{.draw = first_draw + 1, .timed = true}};
  std::vector<Step> steps;
  if (candidate.is_first()) {
    for (Values& problem : other_problems(candidate))
      steps.push_back({.draw = first_draw, .looked_at = true, .problem = std::move(problem)});
    steps.push_back({.draw = first_draw, .looked_at = true});
  }
  steps.push_back({.draw = first_draw + 1, .timed = true, .looked_at = true});
  if (candidate.settings->mode == TimingMode::isolated)
    for (const std::uint64_t draw : {first_draw, first_draw + 1})
      steps.push_back({.draw = draw, .timed = true, .looked_at = true, .in_doubt = true});
  if (!candidate.is_last()) return steps;
  for (int i = 0; i < candidate.looks_again; ++i)
    steps.push_back(
        {.draw = first_draw + static_cast<std::uint64_t>(i % 2), .looked_at = true, .again = true});
  const auto draws = static_cast<std::uint64_t>(candidate.system->verify.draws);
  for (std::uint64_t i = 2; i < draws; ++i) steps.push_back({.draw = first_draw + i, .looked_at = true});
  return steps;
}

}  // namespace tailwave
