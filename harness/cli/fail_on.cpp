#include "cli/fail_on.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include "core/error.h"
#include "report/comparison_text.h"

namespace tailwave {
namespace {

// What a configuration must have for a condition to say anything of it.
enum class Needs { nothing, outcomes, times };

struct Condition {
  std::string_view name;
  std::vector<ComparedAs> fulfilled_by;
  Needs needs;
};

const std::array<Condition, 5>& conditions() {
  using enum ComparedAs;
  static const std::array<Condition, 5> all{
      {{"slower", {slower, failed}, Needs::times},
       {"failed", {failed}, Needs::outcomes},
       {"missing", {only_a}, Needs::nothing},
       {"unclear", {unclear}, Needs::times},
       {"any-difference", {slower, faster, failed, fixed, other_outcome, only_a, only_b}, Needs::times}}};
  return all;
}

std::vector<const Condition*> conditions_of(const std::vector<std::string>& names) {
  std::vector<const Condition*> asked;
  for (const std::string& name : names)
    for (const Condition& condition : conditions())
      if (condition.name == name) asked.push_back(&condition);
  return asked;
}

bool can_be_judged(const ComparedRow& row, Needs needs) {
  using enum ComparedAs;
  const bool devices_differ =
      row.obstacle == Obstacle::cpu_and_gpu || row.obstacle == Obstacle::recorded_and_measured;
  if (!row.a || !row.b || devices_differ) return false;
  if (row.compared == failed || row.compared == fixed || row.tested) return true;
  return needs == Needs::outcomes && row.a->outcome == Outcome::correct;
}

void check_fulfilled(const SideComparison& comparison, const Condition& condition) {
  std::size_t count = 0;
  for (const ComparedAs one : condition.fulfilled_by) count += comparison.count(one);
  const bool counts_missing = std::find(condition.fulfilled_by.begin(), condition.fulfilled_by.end(),
                                        ComparedAs::only_a) != condition.fulfilled_by.end();
  const std::size_t missing = counts_missing ? comparison.only_a.size() : 0;
  if (count + missing == 0) return;
  std::string text = fmt::format("compare: --fail-on {} fulfilled by {} configuration{}", condition.name,
                                 count, count == 1 ? "" : "s");
  if (missing > 0) text += fmt::format(" and {} missing experiment{}", missing, missing == 1 ? "" : "s");
  throw Error(text, Error::kConditionFulfilled);
}

// "" where all that is correct in A could be judged.
std::string not_judged(const SideComparison& comparison, const Condition& condition) {
  if (condition.needs == Needs::nothing) return "";
  const auto is_left = [&](const ComparedRow& row) {
    return row.a && row.a->outcome == Outcome::correct && !can_be_judged(row, condition.needs) &&
           std::find(condition.fulfilled_by.begin(), condition.fulfilled_by.end(), row.compared) ==
               condition.fulfilled_by.end();
  };
  const auto count = std::count_if(comparison.rows.begin(), comparison.rows.end(), is_left);
  if (count == 0) return "";
  return fmt::format("--fail-on {}: {} of {} configurations could not be judged\n", condition.name, count,
                     comparison.rows.size());
}

[[noreturn]] void refuse_condition(const Condition& condition, const std::string& where) {
  throw Error(Diagnostic{
      .cause = fmt::format("--fail-on {} has nothing to judge{}", condition.name, where),
      .hint = condition.needs == Needs::times
                  ? "it judges what is correct on both sides, on one kind of device, in one metric, "
                    "with 6 or more samples a side"
                  : "it judges what is on both sides, on one kind of device, and correct on one of them"});
}

void require_something_judged(const SideComparison& comparison, const Condition& condition) {
  if (condition.needs == Needs::nothing) return;
  const std::vector<ComparedRow>& rows = comparison.rows;
  if (rows.empty()) {
    refuse_condition(condition,
                     fmt::format(": no experiment is on both sides; in A {}; in B {}",
                                 fmt::join(comparison.only_a, ", "), fmt::join(comparison.only_b, ", ")));
  }
  if (std::any_of(rows.begin(), rows.end(),
                  [&](const ComparedRow& row) { return can_be_judged(row, condition.needs); }))
    return;
  const bool one_experiment = std::all_of(rows.begin(), rows.end(), [&](const ComparedRow& row) {
    return row.experiment == rows.front().experiment;
  });
  refuse_condition(condition, fmt::format("{}: {}", one_experiment ? " in " + rows.front().experiment : "",
                                          count_line(rows)));
}

constexpr std::string_view kAnyFailed = "failed", kAllFailed = "all-failed";

std::size_t count_of(const RunOutcomes& experiment, const std::function<bool(Outcome)>& counts) {
  std::size_t number = 0;
  for (const auto& [outcome, count] : experiment.counts)
    if (counts(outcome)) number += count;
  return number;
}

bool all_failed(const RunOutcomes& experiment) {
  return !experiment.counts.contains(Outcome::correct) && count_of(experiment, is_failure) > 0;
}

[[noreturn]] void say_run_fulfils(std::string_view condition, std::size_t count, std::size_t of,
                                  std::string_view noun, const std::vector<std::string>& experiments) {
  throw Error(fmt::format("run: --fail-on {} fulfilled by {} of {} {}{} ({})", condition, count, of, noun,
                          of == 1 ? "" : "s", fmt::join(experiments, ", ")),
              Error::kConditionFulfilled);
}

void check_run_condition(const std::vector<RunOutcomes>& experiments, const std::string& name) {
  const bool by_experiment = name == kAllFailed;
  std::size_t fulfilled = 0, of = 0;
  std::vector<std::string> where;
  for (const RunOutcomes& one : experiments) {
    const std::size_t here =
        by_experiment ? static_cast<std::size_t>(all_failed(one)) : count_of(one, [&](Outcome outcome) {
          return name == kAnyFailed ? is_failure(outcome) : name == to_string(outcome);
        });
    of += by_experiment ? 1 : count_of(one, [](Outcome) { return true; });
    fulfilled += here;
    if (here > 0) where.push_back(one.experiment);
  }
  if (fulfilled > 0)
    say_run_fulfils(name, fulfilled, of, by_experiment ? "experiment" : "configuration", where);
}

}  // namespace

std::vector<std::string> condition_names() {
  std::vector<std::string> names;
  for (const Condition& condition : conditions()) names.emplace_back(condition.name);
  return names;
}

std::string not_judged(const SideComparison& comparison, const std::vector<std::string>& names) {
  std::string text;
  for (const Condition* condition : conditions_of(names)) text += not_judged(comparison, *condition);
  return text;
}

void check_conditions(const SideComparison& comparison, const std::vector<std::string>& names) {
  const std::vector<const Condition*> asked = conditions_of(names);
  for (const Condition* condition : asked) check_fulfilled(comparison, *condition);
  for (const Condition* condition : asked) require_something_judged(comparison, *condition);
}

std::vector<std::string> run_condition_names() {
  std::vector<std::string> names{std::string(kAnyFailed), std::string(kAllFailed)};
  for (std::size_t i = 0; i < EnumNames<Outcome>::names.size(); ++i)
    if (is_failure(static_cast<Outcome>(i))) names.emplace_back(EnumNames<Outcome>::names[i]);
  return names;
}

void check_run_conditions(const std::vector<RunOutcomes>& experiments,
                          const std::vector<std::string>& names) {
  for (const std::string& name : names) check_run_condition(experiments, name);
}

}  // namespace tailwave
