#include "cli/result_json.h"

#include <nlohmann/json.hpp>
#include <variant>

#include "cli/console.h"
#include "cli/leaders_said.h"
#include "cli/run_counts.h"
#include "report/comparison_text.h"
#include "report/queries.h"
#include "store/current_trials.h"

namespace tailwave {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Columns that hold JSON as text become what they hold.
OrderedJson opened(OrderedJson rows) {
  for (OrderedJson& row : rows)
    for (const char* column : {"parameters", "problem", "metrics"})
      if (row.contains(column) && row[column].is_string())
        row[column] = OrderedJson::parse(row[column].get<std::string>());
  return rows;
}

OrderedJson of_phases(const PhaseTimes& phases) {
  return {{"waiting_for_builds", phases.wait},
          {"loading", phases.load},
          {"verifying", phases.verify},
          {"measuring", phases.measure},
          {"storing", phases.store}};
}

OrderedJson failure_json(const std::optional<StrategyFailure>& failure) {
  if (!failure) return nullptr;
  return {{"fault", to_string(failure->fault())}, {"message", failure->what()}};
}

}  // namespace

OrderedJson run_json(Database& database, const Experiment& experiment, const std::string& device,
                     const RunSummary& summary) {
  const Table trials = current_trials(database, experiment.system.name, experiment.name, device);
  return {{"system", experiment.system.name},
          {"experiment", experiment.name},
          {"device", device},
          {"run", summary.run},
          {"outcomes", counts_of(experiment.system, summary.outcomes)},
          {"to_measure", summary.to_measure},
          {"reused", summary.reused},
          {"left_out", summary.left_out},
          {"of_other_shards", summary.of_other_shards},
          {"interrupted", summary.interrupted},
          {"seconds", summary.total_s},
          {"phases_s", of_phases(summary.phases)},
          {"trials", opened(to_json(trials))}};
}

OrderedJson search_json(Database& database, const Experiment& experiment, const DeviceDescription& device,
                        const SearchSummary& summary) {
  OrderedJson document{{"problem", values_json(summary.start.problem)},
                       {"run", summary.run},
                       {"configurations", summary.start.space_size.whole()},
                       {"configurations_are", counted_as(summary.start.space_size)},
                       {"evaluations", summary.evaluations},
                       {"outcomes", counts_of(experiment.system, summary.outcomes)},
                       {"reused", summary.reused},
                       {"impossible", summary.start.impossible},
                       {"stopped_by", to_string(summary.stopped_by)},
                       {"failure", failure_json(summary.failure)},
                       {"seconds", summary.total_s},
                       {"phases_s", of_phases(summary.phases)},
                       {"outlook", nullptr},
                       {"best", nullptr},
                       {"winner", search_winner_json(database, experiment, device, summary)},
                       {"leaders", OrderedJson::array()}};
  if (summary.best)
    document["best"] = {{"variant", summary.best->variant},
                        {"parameters", values_json(summary.best->parameters)},
                        {"problem", values_json(summary.best->problem)}};
  if (summary.outlook)
    document["outlook"] = {{"evaluations", Outlook::kAhead},
                           {"gain", summary.outlook->gain},
                           {"probability", summary.outlook->probability}};
  if (summary.final_run)
    document["leaders"] = to_json(run_query(database, find_query("leaders", "."), {{"search", summary.run}}));
  return document;
}

std::string counted_as(const Count& count) {
  return count.is_exact ? "all" : "at least";
}

OrderedJson comparison_json(const SideComparison& comparison, std::size_t most) {
  OrderedJson counts = OrderedJson::object(), differences = OrderedJson::array(),
              unverified = OrderedJson::array();
  for (const ComparedRow& row : comparison.rows) {
    OrderedJson& count = counts[std::string(to_string(row.compared))];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  for (const Difference& one : comparison.differences)
    differences.push_back({{"what", one.what}, {"A", one.a}, {"B", one.b}});
  for (const UnverifiedPart& part : comparison.unverified())
    unverified.push_back({{"side", part.side}, {"why", part.why}, {"configurations", part.configurations}});
  return {{"A", comparison.name_a},
          {"B", comparison.name_b},
          {"margin", comparison.margin},
          {"counts", counts},
          {"differences", differences},
          {"unverified", unverified},
          {"only_in_A", comparison.only_a},
          {"only_in_B", comparison.only_b},
          {"configurations", to_json(comparison_table(comparison, most))}};
}

OrderedJson values_json(const Values& values) {
  OrderedJson object = OrderedJson::object();
  for (const auto& [name, value] : values)
    std::visit([&, &key = name](const auto& held) { object[key] = held; }, value);
  return object;
}

OrderedJson diagnostic_json(const Diagnostic& diagnostic) {
  OrderedJson document{{"file", diagnostic.file}, {"place", diagnostic.place}, {"cause", diagnostic.cause}};
  if (!diagnostic.excerpt.empty()) document["excerpt"] = diagnostic.excerpt;
  if (diagnostic.column >= 0) document["column"] = diagnostic.column;
  if (!diagnostic.hint.empty()) document["hint"] = diagnostic.hint;
  return document;
}

}  // namespace tailwave
