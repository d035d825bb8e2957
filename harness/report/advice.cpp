#include "report/advice.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "report/launch_changes.h"
#include "report/measured_problems.h"
#include "report/neighbours.h"

namespace tailwave {
namespace {

constexpr std::size_t kMostAsked = 300;    // configurations of a problem, for "all"
constexpr std::int64_t kMostChanges = 40;  // of a configuration's launch, of which most may be no advice

double number_or(const Values& parameters, const char* name, double otherwise) {
  const auto given = parameters.find(name);
  return given == parameters.end() ? otherwise : to_double(given->second);
}

AdviceOptions options_of(const Values& parameters) {
  AdviceOptions options;
  options.limit = static_cast<std::size_t>(
      std::max(0.0, number_or(parameters, "limit", static_cast<double>(options.limit))));
  options.least = number_or(parameters, "least", options.least);
  options.margin = number_or(parameters, "margin", options.margin);
  return options;
}

Values only(const Values& parameters, const std::set<std::string, std::less<>>& names) {
  Values kept = parameters;
  std::erase_if(kept, [&](const auto& one) { return !names.contains(one.first); });
  return kept;
}

// Which points of a variant are asked about. `has_best`: of its problem.
std::vector<std::size_t> asked_points(const MeasuredProblem& problem, const NeighbourModel& model,
                                      bool has_best, const Values& parameters) {
  const auto given = parameters.find("configuration");
  if (given == parameters.end()) return has_best ? std::vector<std::size_t>{0} : std::vector<std::size_t>{};
  const std::string name = to_string(given->second);
  if (name == "all") return model.fastest(kMostAsked);
  const auto found = std::find(problem.configurations.begin(), problem.configurations.end(), name);
  if (found == problem.configurations.end()) return {};
  return {static_cast<std::size_t>(found - problem.configurations.begin())};
}

using Name = std::tuple<std::string, std::string, std::string>;  // experiment, device, configuration

std::map<Name, std::vector<LaunchChange>> changes_of_launches(Database& database, Values parameters) {
  parameters["limit"] = kMostChanges;
  std::map<Name, std::vector<LaunchChange>> changes;
  for (LaunchChange& change : launch_changes(database, parameters)) {
    const Name name{change.experiment, change.device, change.configuration};
    changes[name].push_back(std::move(change));
  }
  return changes;
}

}  // namespace

AllAdvice load_advice(Database& database, const Values& parameters) {
  const AdviceOptions options = options_of(parameters);
  const Values place = only(parameters, {"experiment", "system", "device"});
  AdviceRecords records;
  records.add(rule_record(database, place));
  records.add(curve_changes(database, place));
  const auto launches = changes_of_launches(database, parameters);
  AllAdvice all;
  for_each_problem(database, place, [&](const std::vector<MeasuredProblem>& variants) {
    const auto best = std::max_element(variants.begin(), variants.end(), [](const auto& a, const auto& b) {
      return a.points.points.front().log_speed < b.points.points.front().log_speed;
    });
    for (const MeasuredProblem& problem : variants) {
      const NeighbourModel model(problem.points);
      const SpeedSurface surface(problem.points);
      records.add(problem, AdviceSource::neighbours, model.trust());
      records.add(problem, AdviceSource::surface, surface.trust());
      const Adviser adviser(database, problem, model, surface, records, options);
      for (const std::size_t point : asked_points(problem, model, &problem == &*best, parameters)) {
        const auto own = launches.find({problem.experiment, problem.device, problem.configurations[point]});
        for (Advice& one :
             adviser.advise(point, own == launches.end() ? std::vector<LaunchChange>{} : own->second))
          all.advice.push_back(std::move(one));
      }
    }
  });
  all.records = records.list();
  return all;
}

Table advice_table(Database& database, const Values& parameters) {
  Table table{{"experiment", "device", "configuration", "place", "parameter", "value", "new_value", "source",
               "gain", "gain_low", "gain_high", "evidence"},
              {}};
  std::string configuration;
  std::int64_t place = 0;
  for (const Advice& one : load_advice(database, parameters).advice) {
    const std::string name = one.experiment + one.device + one.configuration;
    place = name == configuration ? place + 1 : 1;
    configuration = name;
    const auto side = [&](double Interval::*end) { return one.interval ? Cell(*one.interval.*end) : Cell(); };
    table.rows.push_back({one.experiment, one.device, one.configuration, place, one.parameter, one.value,
                          one.new_value, std::string(to_string(one.source)), one.gain, side(&Interval::low),
                          side(&Interval::high), one.evidence});
  }
  return table;
}

Table advice_record_table(Database& database, const Values& parameters) {
  Table table{{"experiment", "device", "source", "changes", "advised", "right", "share", "correlation"}, {}};
  for (const AdviceRecord& one : load_advice(database, parameters).records)
    table.rows.push_back({one.experiment, one.device, std::string(to_string(one.source)),
                          static_cast<std::int64_t>(one.changes), static_cast<std::int64_t>(one.advised),
                          static_cast<std::int64_t>(one.right), cell_of(one.share()),
                          cell_of(one.correlation)});
  return table;
}

}  // namespace tailwave
