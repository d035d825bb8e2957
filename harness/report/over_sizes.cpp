#include "report/over_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "json/values.h"
#include "spec/problem_sizes.h"

namespace tailwave {
namespace {

// What was skipped has the time of the one with the same machine code.
constexpr const char* kOfSizes = R"(
  SELECT current_trial.system || '/' || current_trial.experiment, run_device, run_kind, peers, current_trial.system,
    variant, parameters, problem, current_trial.maximise, trial_rate.value, run.spec_text
  FROM current_trial JOIN run ON run.id = current_trial.run_id
    LEFT JOIN identical_trial ON identical_trial.trial_id = current_trial.trial_id
    LEFT JOIN trial AS measured ON measured.id = coalesce(measured_trial_id, current_trial.trial_id)
    LEFT JOIN trial_rate ON trial_rate.trial_id = measured.id AND measured.outcome = 'correct'
  WHERE current_trial.device = run_device AND current_trial.kind = run_kind
    AND (:experiment IS NULL AND instr(current_trial.experiment, '@') = 0
      OR :experiment IN (current_trial.experiment, current_trial.system || '/' || current_trial.experiment))
    AND (:system IS NULL OR :system = current_trial.system) AND (:device IS NULL OR :device IN (run_device, run_kind))
  ORDER BY 1, run_kind DESC, run_device, current_trial.run_id, current_trial.trial_id)";

struct SizeSeries {
  OverSizesOf of;
  std::map<std::int64_t, std::vector<SizeResult>> results;  // by current_trial.peers
  std::string spec_text;                                    // of the latest run
  bool on_cpu = false;
};

std::vector<SizeSeries> all_series(Database& database, const Values& parameters) {
  Statement row = database.prepare(kOfSizes);
  row.bind_given(parameters, {"experiment", "system", "device"});
  std::vector<SizeSeries> all;
  while (row.step()) {
    if (all.empty() || all.back().of.experiment != row.text(0) || all.back().of.device != row.text(1)) {
      all.emplace_back().of.experiment = row.text(0);
      all.back().of.device = row.text(1);
    }
    SizeSeries& series = all.back();
    series.on_cpu = row.text(2) == "cpu";
    series.of.maximise = row.integer(8) == 1;
    series.spec_text = row.text(10);
    SizeResult& result = series.results[row.integer(3)].emplace_back(
        SizeResult{{row.text(4), row.text(5), from_json(row.text(6)), from_json(row.text(7))}, {}});
    if (row.is_null(9)) continue;
    const double value = row.real(9);
    if (std::isfinite(value) && value > 0) result.cost = series.of.maximise ? 1 / value : value;
  }
  return all;
}

// The first kind that has any value: nothing compares it with another.
const std::vector<SizeResult>& compared_of(const SizeSeries& series) {
  for (const auto& [peers, results] : series.results)
    if (std::ranges::any_of(results, [](const SizeResult& one) { return one.cost.has_value(); }))
      return results;
  return series.results.begin()->second;
}

OverSizesOptions over_sizes_asked(const Values& parameters) {
  OverSizesOptions options;
  if (const auto keep = parameters.find("keep"); keep != parameters.end()) {
    const auto* const whole = std::get_if<std::int64_t>(&keep->second);
    if (whole == nullptr || *whole < 1)
      throw Error(Diagnostic{.place = "query",
                             .cause = fmt::format("keep cannot be '{}'", to_string(keep->second)),
                             .hint = "use a whole number from 1 on"});
    options.keep = static_cast<std::size_t>(*whole);
  }
  if (const auto goal = parameters.find("goal"); goal != parameters.end()) {
    const std::string name = to_string(goal->second);
    if (name != "mean" && name != "worst")
      throw Error(Diagnostic{
          .place = "query", .cause = fmt::format("goal cannot be '{}'", name), .hint = "use mean or worst"});
    if (name == "worst") options.goal = SizesGoal::worst_case;
  }
  return options;
}

Cell finite_cell(double number) {
  return std::isfinite(number) ? Cell{number} : Cell{};
}

}  // namespace

std::vector<OverSizesOf> answers_over_sizes(Database& database, const Values& parameters) {
  const OverSizesOptions asked = over_sizes_asked(parameters);
  std::vector<OverSizesOf> answers;
  for (SizeSeries& series : all_series(database, parameters)) {
    const std::vector<SizeResult>& results = compared_of(series);
    OverSizesOptions options = asked;
    for (const SizeResult& one : results)
      if (!options.weights.contains(one.configuration.problem))
        options.weights[one.configuration.problem] =
            weight_in_spec(series.spec_text, one.configuration.problem, series.on_cpu);
    if (options.weights.size() < 2) continue;
    series.of.answer = over_sizes(results, options);
    answers.push_back(std::move(series.of));
  }
  return answers;
}

Table over_sizes_table(Database& database, const Values& parameters) {
  Table table{{"experiment", "run_device", "problem", "weight", "configuration", "value", "ratio", "best",
               "best_value", "single", "single_ratio", "geometric_mean", "worst_case", "exact"},
              {}};
  for (const OverSizesOf& of : answers_over_sizes(database, parameters)) {
    const OverSizes& answer = of.answer;
    if (answer.kept.empty()) continue;
    for (const OverSizes::Size& size : answer.sizes)
      table.rows.push_back({of.experiment, of.device, to_json(size.problem), size.weight,
                            answer.kept[size.serving].name(),
                            value_of_cost(size.best_cost * size.ratio, of.maximise), size.ratio,
                            without_problem(size.best).name(), value_of_cost(size.best_cost, of.maximise),
                            answer.single ? Cell{answer.single->name()} : Cell{},
                            finite_cell(size.single_ratio), answer.choice.geometric_mean,
                            answer.choice.worst_case, std::int64_t{answer.choice.exact ? 1 : 0}});
  }
  return table;
}

}  // namespace tailwave
