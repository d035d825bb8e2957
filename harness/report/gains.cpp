#include "report/gains.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/configuration.h"
#include "json/values.h"
#include "report/baseline.h"
#include "report/measured_problems.h"
#include "report/question.h"
#include "report/section_text.h"
#include "report/study_reader.h"
#include "report/study_rows.h"
#include "report/winner.h"

namespace tailwave {
namespace {

// Of the run of a trial.
SpaceRules rules_of(Database& database, std::int64_t trial) {
  Statement spec =
      database.prepare("SELECT spec_text FROM run JOIN trial ON run_id = run.id WHERE trial.id = ?");
  spec.bind_all(trial);
  return SpaceRules::of(spec.step() ? spec.text(0) : "");
}

// Of what the manifest has a variant require of problem and parameters, as the latest run stored it.
SpaceRules domain_of(Database& database, const std::string& system, const std::string& variant) {
  Statement row = database.prepare(
      "SELECT json_object('constraints', json_array(requires)) FROM variant_domain WHERE system = ? AND variant = ?");
  row.bind_all(system, variant);
  return SpaceRules::of(row.step() ? row.text(0) : "");
}

// Rules that nobody can read rule nothing out.
bool rule_out(const SpaceRules& rules, const Values& values) {
  return rules.allow({}) && !rules.allow(values);
}

// "none of 12 has a time (compile_error 2, wrong_result 10)"
std::string outcomes_text(const StudyRows& rows) {
  std::map<std::string, std::size_t> counts;
  for (const StudyRow* row : rows) ++counts[std::string(to_string(row->outcome))];
  std::string text;
  for (const auto& [outcome, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", outcome, count);
  return fmt::format("none of {} has a time ({})", rows.size(), text);
}

class GainsOfDevice {
 public:
  GainsOfDevice(Database& database, const Study& study, const DeviceStudy& device)
      : database_(database),
        study_(study),
        device_(device),
        best_(device.best_of_problems()),
        varying_(varying_quantities(best_)),
        costs_(database),
        identical_(names_of_identical(database, study, device)) {
    for (const StudyRow& row : device.rows) by_name_.emplace(row.configuration, &row);
  }

  [[nodiscard]] std::vector<ProblemGains> of_all() {
    std::vector<ProblemGains> all;
    for (const StudyRow* best : best_) all.push_back(of_problem(*best));
    return all;
  }

 private:
  using Of = Gain::Of;

  ProblemGains of_problem(const StudyRow& best) {
    const StudyRows beside = rows_beside(device_, best);
    const Baseline baseline = baseline_of(contenders_of(device_, best));
    ProblemGains problem{&best, quantities_text(best.problem, varying_), baseline.is, {}};
    const StudyRow* const failed = failed_default(beside);
    problem.gains.push_back(
        gain(Of::standard, failed == nullptr ? "default" : "in place of the default", *baseline.row, best));
    if (failed != nullptr) problem.gains.push_back(gain(Of::standard, "default", *failed, best));
    const SpaceRules rules = rules_of(database_, best.trial_id);
    for (const StudyRow* winner : best_)
      if (winner != &best) problem.gains.push_back(of_winner(*winner, best, beside, rules));
    for (const std::string& variant : study_.variants)
      if (variant != best.variant && competes(variant))
        problem.gains.push_back(of_variant(variant, best, beside));
    return problem;
  }

  // Of the first variant what has the manifest's defaults, where it has no time; null: it has one, or was not tried.
  [[nodiscard]] const StudyRow* failed_default(const StudyRows& beside) const {
    const auto is_default = [&](const StudyRow* row) {
      return row->standard && row->variant == beside.front()->variant;
    };
    const auto found = std::ranges::find_if(beside, is_default);
    return found == beside.end() || measured(**found) != nullptr ? nullptr : *found;
  }

  // Whose time a row has; null: none.
  [[nodiscard]] const StudyRow* measured(const StudyRow& row) const {
    if (row.value) return &row;
    const auto twin = identical_.find(row.configuration);
    if (twin == identical_.end()) return nullptr;
    const auto found = by_name_.find(twin->second);
    return found == by_name_.end() || !found->second->value ? nullptr : found->second;
  }

  // A variant of what the winners are chosen from, on any problem.
  [[nodiscard]] bool competes(const std::string& variant) const {
    return std::ranges::any_of(device_.rows, [&](const StudyRow& row) {
      return row.variant == variant && row.peers == best_.front()->peers &&
             device_.ran_here(row) == device_.ran_here(*best_.front());
    });
  }

  Gain gain(Of of, std::string beside, const StudyRow& row, const StudyRow& best) {
    Gain one{.of = of,
             .beside = std::move(beside),
             .configuration = row.configuration,
             .chosen = &row,
             .measured = measured(row)};
    one.outcome = row.correct() && !row.unverified.empty() ? kUnverified : to_string(row.outcome);
    if (one.measured == nullptr) return one;
    if (const auto costs = costs_.beside(*one.measured, best)) {
      one.times = costs->times;
      one.interval = costs->interval;
    } else {
      one.times = times_better(device_, *best.value, *one.measured->value);
    }
    return one;
  }

  Gain of_winner(const StudyRow& winner, const StudyRow& best, const StudyRows& beside,
                 const SpaceRules& rules) {
    const std::string is = "winner of " + quantities_text(winner.problem, varying_);
    const auto here = std::ranges::find_if(beside, [&](const StudyRow* row) {
      return row->variant == winner.variant && row->parameters == winner.parameters;
    });
    if (here != beside.end()) return gain(Of::other_problem, is, **here, best);
    const Configuration used{study_.system, winner.variant, winner.parameters, best.problem};
    return {.of = Of::other_problem,
            .beside = is,
            .configuration = used.name(),
            .chosen = &winner,
            .outcome = why_not(used, rules)};
  }

  // There is no trial of it.
  std::string why_not(const Configuration& used, const SpaceRules& rules) {
    if (rule_out(domain_of(database_, study_.system, used.variant), used.scope()))
      return "not valid: its variant requires otherwise";
    if (rule_out(rules, used.scope())) return "ruled out by constraints";
    return device_.is_choice() ? "not among the trials that this report chose" : "not measured";
  }

  // Of two with a time the better one; of equals the one that was measured itself.
  [[nodiscard]] bool is_before(const StudyRow& one, const StudyRow& other) const {
    const double value = *measured(one)->value, of_other = *measured(other)->value;
    return device_.better(value, of_other) || (value == of_other && one.value && !other.value);
  }

  Gain of_variant(const std::string& variant, const StudyRow& best, const StudyRows& beside) {
    const std::string is = "best of " + variant;
    StudyRows of_it;
    const StudyRow* first = nullptr;
    for (const StudyRow* row : beside) {
      if (row->variant != variant) continue;
      of_it.push_back(row);
      if (measured(*row) != nullptr && (first == nullptr || is_before(*row, *first))) first = row;
    }
    if (first != nullptr) return gain(Of::other_variant, is, *first, best);
    return {.of = Of::other_variant,
            .beside = is,
            .outcome = of_it.empty() ? "not measured" : outcomes_text(of_it)};
  }

  Database& database_;
  const Study& study_;
  const DeviceStudy& device_;
  StudyRows best_;
  std::set<std::string> varying_;
  TrialCosts costs_;
  std::map<std::string, std::string> identical_;
  std::map<std::string, const StudyRow*> by_name_;
};

void add_gains(Table& table, const Study& study, const DeviceStudy& device, const ProblemGains& problem) {
  for (const Gain& gain : problem.gains) {
    const auto bound = [&](double Interval::*end) {
      return gain.interval ? Cell{(*gain.interval).*end} : Cell{};
    };
    const bool has_verdict = gain.measured != nullptr && gain.measured->standing;
    table.rows.push_back({study.name(), device.device, to_json(problem.best->problem),
                          problem.best->configuration, median_in_us(problem.best), gain.beside,
                          gain.configuration.empty() ? Cell{} : Cell{gain.configuration},
                          median_in_us(gain.measured), gain.times ? Cell{*gain.times} : Cell{},
                          bound(&Interval::low), bound(&Interval::high),
                          has_verdict ? Cell{std::string(to_string(*gain.measured->standing))} : Cell{},
                          gain.outcome, gain.of == Gain::Of::standard ? Cell{problem.baseline_is} : Cell{}});
  }
}

}  // namespace

std::vector<ProblemGains> gains_of(Database& database, const Study& study, const DeviceStudy& device) {
  if (device.best_of_problems().empty()) return {};
  return GainsOfDevice(database, study, device).of_all();
}

Table gains_table(Database& database, const Values& parameters) {
  Table table{{"experiment", "run_device", "problem", "best", "best_us", "beside", "configuration",
               "median_us", "ratio", "ratio_low", "ratio_high", "verdict", "outcome", "baseline_is"},
              {}};
  for (Study& study : load_results(database, parameters))
    for (DeviceStudy& device : study.devices) {
      load_standings(database, study, device);
      for (const ProblemGains& problem : gains_of(database, study, device))
        add_gains(table, study, device, problem);
    }
  return table;
}

}  // namespace tailwave
