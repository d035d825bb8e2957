#include "interchange/export_google_benchmark.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <regex>
#include <span>
#include <vector>

#include "core/outcome.h"
#include "core/statistics.h"

namespace tailwave {
namespace {

using OrderedJson = nlohmann::ordered_json;  // Google Benchmark's order, for people who compare two files

// Columns of kTrials.
enum TrialColumn { kId, kConfiguration, kVariant, kOutcome, kDetail, kWork, kLabel };
constexpr const char* kTrials = R"(
  SELECT trial_id, configuration, variant, outcome, detail, work, 
    CASE WHEN device <> run_device THEN device || coalesce(', unverified: ' || unverified, '')
      ELSE 'unverified: ' || unverified END
  FROM current_trial
  WHERE experiment = :experiment AND run_device = :device AND (:system = '' OR system = :system)
  ORDER BY system, variant, configuration)";

constexpr const char* kLatestRun = R"(
  SELECT started_at, host, driver, compiler, project_commit, tailwave_version, run.system
  FROM run WHERE id IN (
    SELECT run_id FROM current_trial
    WHERE experiment = :experiment AND run_device = :device AND (:system = '' OR system = :system))
  ORDER BY started_at DESC, identity DESC LIMIT 1)";

struct Repetition {
  std::vector<double> times_ns;
  std::int64_t executions = 0;
};

// Where a configuration stands in Google Benchmark's order; a variant is a family.
struct Place {
  std::string name;
  int family = -1;
  int instance = 0;
};

void bind_scope(Statement& statement, const ExportScope& scope) {
  statement.bind(":experiment", scope.experiment).bind(":device", scope.device).bind(":system", scope.system);
}

// The host is kept as text, "Intel Xeon, 16 cores, Linux 6.1"; 0 where it does not say.
int cores_of(const std::string& host) {
  std::smatch found;
  return std::regex_search(host, found, std::regex(R"((\d{1,6}) cores?\b)")) ? std::stoi(found[1]) : 0;
}

OrderedJson context_of(Database& database, const ExportScope& scope) {
  Statement run = database.prepare(kLatestRun);
  bind_scope(run, scope);
  run.step();
  return {{"date", run.text(0)},
          {"host_name", run.text(1)},
          {"executable", "tailwave"},
          {"num_cpus", cores_of(run.text(1))},
          {"caches", OrderedJson::array()},
          {"load_avg", OrderedJson::array()},
          {"library_build_type", "release"},
          {"system", run.text(6)},
          {"experiment", scope.experiment},
          {"device", scope.device},
          {"driver", run.text(2)},
          {"compiler", run.text(3)},
          {"project_commit", run.text(4)},
          {"tailwave_version", run.text(5)}};
}

std::vector<Repetition> repetitions_of(Database& database, std::int64_t trial) {
  Statement statement = database.prepare(
      "SELECT repetition, time_ns, executions FROM sample WHERE trial_id = ? AND dropped IS NULL "
      "ORDER BY repetition, position");
  statement.bind_all(trial);
  std::map<std::int64_t, Repetition> repetitions;
  while (statement.step()) {
    if (!std::isfinite(statement.real(1))) continue;
    Repetition& repetition = repetitions[statement.integer(0)];
    repetition.times_ns.push_back(statement.real(1));
    repetition.executions += statement.integer(2);
  }
  std::vector<Repetition> result;
  for (auto& [number, repetition] : repetitions) result.push_back(std::move(repetition));
  return result;
}

OrderedJson entry(const Place& place, const std::string& suffix, const std::string& type,
                  std::size_t repetitions) {
  return {{"name", place.name + suffix},
          {"family_index", place.family},
          {"per_family_instance_index", place.instance},
          {"run_name", place.name},
          {"run_type", type},
          {"repetitions", repetitions}};
}

void add_times(OrderedJson& entry, std::int64_t iterations, double time_ns) {
  entry["iterations"] = iterations;
  entry["real_time"] = time_ns;
  entry["cpu_time"] = time_ns;
  entry["time_unit"] = "ns";
}

OrderedJson failure(const Place& place, const std::string& message) {
  OrderedJson one = entry(place, "", "iteration", 1);
  one["repetition_index"] = 0;
  one["threads"] = 1;
  one["error_occurred"] = true;
  one["error_message"] = message;
  add_times(one, 0, 0);
  return one;
}

// Quantities by name, one value a repetition: "real_time" and the counters.
using Measured = std::map<std::string, std::vector<double>>;

Measured measured(const std::vector<Repetition>& repetitions, const OrderedJson& work) {
  Measured values;
  for (const Repetition& repetition : repetitions) values["real_time"].push_back(median(repetition.times_ns));
  for (const auto& [quantity, amount] : work.items()) {
    std::vector<double> rates;
    for (const double time_ns : values["real_time"]) {
      const double rate = amount.is_number() ? amount.get<double>() / (time_ns / 1e9) : NAN;
      if (std::isfinite(rate)) rates.push_back(rate);
    }
    // A rate of one repetition and not of another could not be told apart later.
    if (rates.size() == repetitions.size()) values[quantity + "_per_second"] = std::move(rates);
  }
  return values;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}
double middle(std::span<const double> values) {
  return median(values);
}
// Of a sample: divided by n - 1.
double deviation(std::span<const double> values) {
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}
double variation(std::span<const double> values) {
  const double centre = mean(values);
  return centre > 0 ? deviation(values) / centre : 0;
}

struct Aggregate {
  const char* name;
  const char* unit;
  double (*of)(std::span<const double>);
};
constexpr Aggregate kAggregates[] = {{"mean", "time", mean},
                                     {"median", "time", middle},
                                     {"stddev", "time", deviation},
                                     {"cv", "percentage", variation}};

void add_aggregates(OrderedJson& benchmarks, const Place& place, const Measured& values,
                    std::size_t repetitions) {
  for (const Aggregate& aggregate : kAggregates) {
    OrderedJson one = entry(place, fmt::format("_{}", aggregate.name), "aggregate", repetitions);
    one["threads"] = 1;
    one["aggregate_name"] = aggregate.name;
    one["aggregate_unit"] = aggregate.unit;
    add_times(one, static_cast<std::int64_t>(repetitions), aggregate.of(values.at("real_time")));
    for (const auto& [name, list] : values)
      if (name != "real_time") one[name] = aggregate.of(list);
    benchmarks.push_back(std::move(one));
  }
}

void add_configuration(OrderedJson& benchmarks, const Place& place, const Statement& trial,
                       const std::vector<Repetition>& repetitions) {
  if (repetitions.empty()) {
    const auto outcome = from_string<Outcome>(trial.text(kOutcome));
    const std::string detail = trial.text(kDetail);
    const std::string cause(outcome == Outcome::correct ? "no sample counts" : to_string(outcome));
    benchmarks.push_back(failure(place, detail.empty() ? cause : cause + ": " + detail));
    return;
  }
  const Measured values = measured(repetitions, OrderedJson::parse(trial.text(kWork)));
  for (std::size_t i = 0; i < repetitions.size(); ++i) {
    OrderedJson one = entry(place, "", "iteration", repetitions.size());
    one["repetition_index"] = i;
    one["threads"] = 1;
    add_times(one, repetitions[i].executions, values.at("real_time")[i]);
    for (const auto& [name, list] : values)
      if (name != "real_time") one[name] = list[i];
    if (!trial.is_null(kLabel)) one["label"] = trial.text(kLabel);
    benchmarks.push_back(std::move(one));
  }
  if (repetitions.size() > 1) add_aggregates(benchmarks, place, values, repetitions.size());
}

}  // namespace

std::string export_google_benchmark(Database& database, const ExportScope& scope) {
  require_trials(database, scope);
  OrderedJson document{{"context", context_of(database, scope)}, {"benchmarks", OrderedJson::array()}};
  Statement trial = database.prepare(kTrials);
  bind_scope(trial, scope);
  Place place;
  std::string variant;
  while (trial.step()) {
    const bool next_family = place.family < 0 || trial.text(kVariant) != variant;
    variant = trial.text(kVariant);
    place.family += next_family ? 1 : 0;
    place.instance = next_family ? 0 : place.instance + 1;
    // Times are tailwave's own, which is what Google Benchmark calls manual.
    place.name = trial.text(kConfiguration) + "/manual_time";
    add_configuration(document["benchmarks"], place, trial, repetitions_of(database, trial.integer(kId)));
  }
  return document.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace tailwave
