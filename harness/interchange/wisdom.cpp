#include "interchange/wisdom.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.h"
#include "interchange/recorded_format.h"
#include "interchange/safe_choice_query.h"
#include "interchange/tuner_query.h"
#include "interchange/tuner_results.h"
#include "interchange/tuner_words.h"
#include "json/values.h"
#include "spec/problem_sizes.h"
#include "store/no_trials.h"

namespace tailwave {
namespace {

struct WisdomDevice {
  std::string name;
  int compute_capability = 0;
  int sms = 0;
  bool is_cpu = false;
};

// Those that ran the experiment: the one of the scope, or all GPUs.
std::vector<WisdomDevice> devices_of(Database& database, const ExportScope& scope) {
  Statement statement = database.prepare(R"(
    SELECT name, max(compute_capability), max(sms), max(kind = 'cpu') FROM device
    WHERE name IN (
      SELECT run_device FROM current_trial
      WHERE experiment = :experiment AND (:system = '' OR system = :system)
        AND CASE WHEN :device = '' THEN run_kind <> 'cpu' ELSE :device IN (run_device, run_kind) END)
    GROUP BY name ORDER BY name)");
  statement.bind(":experiment", scope.experiment).bind(":device", scope.device).bind(":system", scope.system);
  std::vector<WisdomDevice> devices;
  while (statement.step())
    devices.push_back({statement.text(0), static_cast<int>(statement.integer(1)),
                       static_cast<int>(statement.integer(2)), statement.integer(3) == 1});
  return devices;
}

// In SI units: a time, which those formats have in ms, in s.
std::optional<double> metric_value(const TunerTrial& trial, const std::string& metric) {
  if (trial.outcome != Outcome::correct) return std::nullopt;
  for (const TunerMeasurement& one : trial.measurements) {
    if (one.name != metric) continue;
    if (metric != "time") return one.value;
    return one.value * tuner_time_unit(one.unit).value_or(TunerTimeUnit{}).in_ms / kMsPerSecond;
  }
  return std::nullopt;
}

// The first kind that has a value: nothing compares it with another.
std::optional<std::int64_t> compared_peers(const TunerResults& results) {
  std::optional<std::int64_t> peers;
  for (const TunerTrial& trial : results.trials)
    if (metric_value(trial, results.metric)) peers = std::min(peers.value_or(trial.peers), trial.peers);
  return peers;
}

void add_best(const TunerResults& results, const WisdomDevice& device, Wisdom& wisdom) {
  std::map<Values, WisdomEntry> best;
  const std::optional<std::int64_t> peers = compared_peers(results);
  for (const TunerTrial& trial : results.trials) {
    const std::optional<double> value = metric_value(trial, results.metric);
    if (!value || trial.peers != *peers) continue;
    const auto [place, is_first] = best.try_emplace(trial.configuration.problem);
    const bool better = results.maximise ? *value > place->second.value : *value < place->second.value;
    if (is_first || better)
      place->second = {device.name, device.compute_capability, device.sms, trial.configuration,
                       *value,      trial.unverified};
  }
  for (auto& [problem, entry] : best) wisdom.entries.push_back(std::move(entry));
}

// Of the kind that is compared, failures included.
std::vector<SizeResult> size_results(const TunerResults& results) {
  const std::optional<std::int64_t> peers = compared_peers(results);
  std::vector<SizeResult> all;
  for (const TunerTrial& trial : results.trials) {
    if (trial.peers != peers) continue;
    const std::optional<double> value = metric_value(trial, results.metric);
    SizeResult& one = all.emplace_back(SizeResult{trial.configuration, {}});
    if (value && *value > 0) one.cost = results.maximise ? 1 / *value : *value;
  }
  return all;
}

std::string latest_spec(Database& database, const std::string& system, const std::string& experiment,
                        const std::string& device) {
  Statement row = database.prepare(
      "SELECT spec_text FROM run JOIN device ON device.id = device_id "
      "WHERE system = ? AND experiment = ? AND name = ? ORDER BY started_at DESC, run.identity DESC LIMIT 1");
  row.bind_all(system, experiment, device);
  return row.step() ? row.text(0) : "";
}

// Instead of the best of each problem, that of the kept configurations.
void add_kept(Database& database, const TunerResults& results, const WisdomDevice& device,
              OverSizesOptions options, Wisdom& wisdom) {
  const std::vector<SizeResult> measured = size_results(results);
  const std::string spec = latest_spec(database, results.system, results.experiment, device.name);
  for (const SizeResult& one : measured)
    options.weights.emplace(one.configuration.problem,
                            weight_in_spec(spec, one.configuration.problem, device.is_cpu));
  const OverSizes answer = over_sizes(measured, options);
  if (answer.kept.empty())
    throw Error(
        Diagnostic{.file = database.file().string(),
                   .cause = fmt::format("{} on {}: {}", results.experiment, device.name, answer.why_none),
                   .hint = "more configurations may serve them together: --keep"});
  for (const OverSizes::Size& size : answer.sizes) {
    Configuration own = answer.kept[size.serving];
    own.problem = size.problem;
    const auto trial = std::ranges::find(results.trials, own, &TunerTrial::configuration);
    wisdom.entries.push_back({device.name, device.compute_capability, device.sms, own,
                              *metric_value(*trial, results.metric), trial->unverified});
  }
  wisdom.over_sizes.push_back({device.name, answer.kept, answer.choice});
}

// Those of the results that are compared, as long as there are such.
std::vector<std::string> compared_variants(const TunerResults& results) {
  const std::optional<std::int64_t> peers = compared_peers(results);
  std::vector<std::string> variants;
  for (const TunerTrial& trial : results.trials)
    if (trial.peers == peers) variants.push_back(trial.configuration.variant);
  return variants;
}

void add_choice(Database& database, const TunerResults& results, const WisdomDevice& device,
                const System* manifest, Wisdom& wisdom) {
  const ExportScope scope{results.experiment, device.name, results.system};
  if (!wisdom.standard)
    wisdom.standard = standard_configuration(database, scope, compared_variants(results), manifest);
  if (!wisdom.standard) return;
  std::vector<ChoiceTrial> trials = load_choice_trials(database, scope, compared_peers(results).value_or(0));
  if (manifest == nullptr)
    for (ChoiceTrial& trial : trials) trial.blocks.reset();
  else
    for (const auto& [variant, grid] : known_grids(*manifest, trials)) wisdom.grids.emplace(variant, grid);
  std::vector<Configuration> kept;
  if (!wisdom.over_sizes.empty() && wisdom.over_sizes.back().device == device.name)
    kept = wisdom.over_sizes.back().kept;
  // Of a GPU that has only the default this is known, too: nothing of another one is taken there.
  wisdom.choices.push_back(
      {device.name, device.compute_capability, device.sms, safe_choice(trials, *wisdom.standard, kept)});
}

// A header asks for all quantities that any of its problems has. Of a GPU whose problems lack one nothing is known.
void complete_choices(Wisdom& wisdom) {
  Quantities all;
  for (const WisdomEntry& entry : wisdom.entries) all.merge(quantity_names(entry.configuration.problem));
  for (WisdomChoice& one : wisdom.choices) {
    if (!has_quantities(one.choice.problems, all)) one.choice = {};
    if (one.choice.candidates.empty()) {
      SafeCandidate& standard = one.choice.candidates.emplace_back();
      standard.configuration = *wisdom.standard;
    }
  }
}

void add_conditions(Database& database, Wisdom& wisdom) {
  std::vector<Configuration> configurations;
  for (const WisdomEntry& entry : wisdom.entries) configurations.push_back(entry.configuration);
  if (wisdom.standard) configurations.push_back(*wisdom.standard);
  for (const WisdomChoice& one : wisdom.choices)
    for (const SafeCandidate& candidate : one.choice.candidates)
      configurations.push_back(candidate.configuration);
  wisdom.conditions = conditions_of(database, {wisdom.experiment, "", wisdom.system}, configurations);
}

// Throws Error: why there is nothing to say.
[[noreturn]] void refuse_no_time(Database& database, const ExportScope& scope) {
  Statement statement = database.prepare("SELECT DISTINCT experiment FROM run ORDER BY 1");
  std::vector<std::string> known;
  while (statement.step()) known.push_back(statement.text(0));
  if (std::find(known.begin(), known.end(), scope.experiment) == known.end())
    throw Error(unknown_experiment(database, scope.experiment, known));
  throw Error(
      Diagnostic{.file = database.file().string(),
                 .cause = fmt::format("no {} has run experiment '{}' with a correct result",
                                      scope.device.empty() ? "GPU" : scope.device, scope.experiment),
                 .hint = scope.device.empty()
                             ? "run it on one, import results, or take what a CPU measured: --device cpu"
                             : "run it on one, or import results"});
}

}  // namespace

Wisdom load_wisdom(Database& database, const ExportScope& scope, const FindManifest& manifest) {
  Wisdom wisdom{.experiment = scope.experiment};
  std::optional<System> system;
  for (const WisdomDevice& device : devices_of(database, scope)) {
    const TunerResults results = load_tuner_results(database, {scope.experiment, device.name, scope.system});
    if (!wisdom.system.empty() && results.system != wisdom.system) {
      // Two devices that ran experiments of one name.
      require_one_system(scope, {wisdom.system, results.system});
    }
    if (wisdom.system.empty() && manifest) system = manifest(results.system);
    wisdom.system = results.system;
    wisdom.metric = results.metric;
    wisdom.maximise = results.maximise;
    if (scope.over_sizes && compared_peers(results))
      add_kept(database, results, device, *scope.over_sizes, wisdom);
    else
      add_best(results, device, wisdom);
    add_choice(database, results, device, system ? &*system : nullptr, wisdom);
  }
  if (wisdom.entries.empty()) refuse_no_time(database, scope);
  complete_choices(wisdom);
  add_conditions(database, wisdom);
  return wisdom;
}

std::string wisdom_json(const Wisdom& wisdom) {
  using nlohmann::json;
  json document{{"schema_version", 1},
                {"system", wisdom.system},
                {"experiment", wisdom.experiment},
                {"metric", wisdom.metric},
                {"goal", wisdom.maximise ? "max" : "min"},
                {"entries", json::array()}};
  for (const WisdomEntry& entry : wisdom.entries) {
    document["entries"].push_back(
        {{"device", entry.device},
         {"compute_capability", entry.compute_capability},
         {"sms", entry.sms},
         {"problem", json::parse(to_json(entry.configuration.problem))},
         {"variant", entry.configuration.variant},
         {"parameters", json::parse(to_json(entry.configuration.parameters))},
         {"value", entry.value},
         {"unverified", entry.unverified.empty() ? json() : json(entry.unverified)}});
  }
  for (const WisdomOverSizes& one : wisdom.over_sizes) {
    json kept = json::array();
    for (const Configuration& configuration : one.kept)
      kept.push_back({{"variant", configuration.variant},
                      {"parameters", json::parse(to_json(configuration.parameters))}});
    document["over_sizes"].push_back({{"device", one.device},
                                      {"kept", kept},
                                      {"geometric_mean", one.choice.geometric_mean},
                                      {"worst_case", one.choice.worst_case},
                                      {"exact", one.choice.exact}});
  }
  return pretty(document);
}

}  // namespace tailwave
