#include "report/measured_problems.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <utility>

#include "json/values.h"

namespace tailwave {
namespace {

// Best first within a problem.
constexpr const char* kTried = R"(
  SELECT system || '/' || experiment, run_device, problem, variant, current_trial.metric, current_trial.trial_id,
    configuration, parameters, CASE WHEN value > 0 THEN iif(current_trial.maximise, value, 1 / value) END AS speed,
    run_id, run_kind
  FROM current_trial LEFT JOIN trial_rate ON trial_rate.trial_id = current_trial.trial_id
  WHERE run_kind IN ('cuda', 'recorded') AND current_trial.kind = run_kind AND peers = 0
    AND (:experiment IS NULL AND instr(experiment, '@') = 0 OR :experiment IN (experiment, system || '/' || experiment))
    AND (:system IS NULL OR :system = system) AND (:device IS NULL OR :device IN (run_device, run_kind))
  ORDER BY system, experiment, run_device, run_kind, problem, variant, current_trial.metric, speed DESC,
    configuration)";

struct Tried {
  std::int64_t trial = 0;
  std::string configuration;
  Values parameters;
  std::optional<double> speed;
  std::int64_t run = 0;
};

struct Together {
  MeasuredProblem problem;
  std::vector<Tried> tried;
};

// Numbers of a parameter's values, ascending.
std::map<Value, std::uint32_t> numbers_of(const std::vector<Tried>& tried, const std::string& parameter) {
  std::map<Value, std::uint32_t> numbers;
  for (const Tried& one : tried) {
    const auto value = one.parameters.find(parameter);
    if (value != one.parameters.end()) numbers.emplace(value->second, 0);
  }
  std::uint32_t next = 0;
  for (auto& [value, number] : numbers) number = next++;
  return numbers;
}

std::string spec_of(Database& database, std::int64_t run) {
  Statement spec = database.prepare("SELECT spec_text FROM run WHERE id = ?");
  spec.bind_all(run);
  return spec.step() ? spec.text(0) : "";
}

// Every step-th, the fastest among them.
void add_points(MeasuredProblem& problem, const std::vector<Tried>& tried,
                const std::vector<std::vector<std::uint32_t>>& rows) {
  const auto timed = static_cast<std::size_t>(
      std::count_if(tried.begin(), tried.end(), [](const Tried& one) { return one.speed.has_value(); }));
  const std::size_t step = (timed + kMostPoints - 1) / kMostPoints;
  std::size_t place = 0;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    if (!tried[i].speed || place++ % step != 0) continue;
    problem.points.points.push_back({tried[i].trial, rows[i], std::log(*tried[i].speed)});
    problem.configurations.push_back(tried[i].configuration);
  }
}

MeasuredProblem finished(Database& database, Together together) {
  MeasuredProblem problem = std::move(together.problem);
  const std::vector<Tried>& tried = together.tried;
  for (const auto& [name, value] : tried.front().parameters) problem.parameters.push_back(name);
  problem.points.parameters = problem.parameters.size();
  std::vector<std::vector<std::uint32_t>> rows(tried.size());
  for (const std::string& name : problem.parameters) {
    const std::map<Value, std::uint32_t> numbers = numbers_of(tried, name);
    std::vector<Value>& values = problem.values.emplace_back();
    for (const auto& [value, number] : numbers) values.push_back(value);
    for (std::size_t i = 0; i < tried.size(); ++i) {
      const auto value = tried[i].parameters.find(name);
      rows[i].push_back(value == tried[i].parameters.end() ? static_cast<std::uint32_t>(numbers.size())
                                                           : numbers.at(value->second));
    }
  }
  problem.tried.insert(rows.begin(), rows.end());
  add_points(problem, tried, rows);
  const auto latest = std::max_element(tried.begin(), tried.end(),
                                       [](const Tried& a, const Tried& b) { return a.run < b.run; });
  problem.rules = SpaceRules::of(spec_of(database, latest->run));
  return problem;
}

}  // namespace

SpaceRules SpaceRules::of(const std::string& spec_text) {
  SpaceRules rules;
  const nlohmann::json spec = nlohmann::json::parse(spec_text, nullptr, false);
  if (!spec.is_object()) return rules;
  nlohmann::json list = spec.value("constraints", nlohmann::json::array());
  const auto space = spec.find("ConfigurationSpace");
  if (space != spec.end() && space->is_object()) list = space->value("Conditions", nlohmann::json::array());
  for (const nlohmann::json& one : list) {
    const nlohmann::json& text = one.is_object() && one.contains("Expression") ? one.at("Expression") : one;
    try {
      if (!text.is_string()) throw ExpressionError("no text", 0);
      rules.constraints_.push_back(Expression::parse(text.get<std::string>()));
    } catch (const ExpressionError&) {
      rules.unreadable_ = true;
    }
  }
  return rules;
}

bool SpaceRules::allow(const Values& values) const {
  if (unreadable_) return false;
  const auto is_met = [&](const Expression& constraint) {
    const std::vector<std::string>& names = constraint.names();
    if (!std::all_of(names.begin(), names.end(), [&](const auto& name) { return values.contains(name); }))
      return true;
    try {
      return constraint.evaluate_bool(values);
    } catch (const ExpressionError&) {
      return false;
    }
  };
  return std::all_of(constraints_.begin(), constraints_.end(), is_met);
}

std::vector<std::uint32_t> MeasuredProblem::end_of(const NeighbourChange& change) const {
  std::vector<std::uint32_t> end = points.points[change.point].values;
  end[change.parameter] = change.value;
  return end;
}

Values MeasuredProblem::values_of(const std::vector<std::uint32_t>& numbers) const {
  Values named = problem;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (numbers[i] < values[i].size()) named.insert_or_assign(parameters[i], values[i][numbers[i]]);
  return named;
}

void for_each_problem(Database& database, const Values& parameters,
                      const std::function<void(const std::vector<MeasuredProblem>&)>& visit) {
  Statement row = database.prepare(kTried);
  row.bind_given(parameters, {"experiment", "system", "device"});
  using Key = std::vector<std::string>;
  Key own_problem, own_variant;
  std::vector<MeasuredProblem> variants;
  Together together;
  const auto end_variant = [&] {
    const bool any_timed = !together.tried.empty() && together.tried.front().speed.has_value();
    if (any_timed) variants.push_back(finished(database, std::move(together)));
    together = {};
  };
  const auto end_problem = [&] {
    if (!variants.empty()) visit(variants);
    variants.clear();
  };
  while (row.step()) {
    const Key problem{row.text(0), row.text(1), row.text(10), row.text(2)};
    const Key variant{row.text(3), row.text(4)};
    if (problem != own_problem || variant != own_variant) end_variant();
    if (problem != own_problem) end_problem();
    own_problem = problem;
    own_variant = variant;
    if (together.tried.empty()) {
      together.problem.experiment = row.text(0);
      together.problem.device = row.text(1);
      together.problem.problem = from_json(row.text(2));
      together.problem.variant = row.text(3);
      together.problem.metric = row.text(4);
    }
    together.tried.push_back(
        {row.integer(5), row.text(6), from_json(row.text(7)), row.optional_real(8), row.integer(9)});
  }
  end_variant();
  end_problem();
}

}  // namespace tailwave
