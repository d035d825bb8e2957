#include "interchange/wisdom.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.h"
#include "interchange/recorded_format.h"
#include "interchange/tuner_query.h"
#include "interchange/tuner_results.h"
#include "interchange/tuner_words.h"
#include "json/values.h"
#include "store/no_trials.h"

namespace tailwave {
namespace {

struct WisdomDevice {
  std::string name;
  int compute_capability = 0;
  int sms = 0;
};

// Those that ran the experiment: the one of the scope, or all GPUs.
std::vector<WisdomDevice> devices_of(Database& database, const ExportScope& scope) {
  Statement statement = database.prepare(R"(
    SELECT name, max(compute_capability), max(sms) FROM device
    WHERE name IN (
      SELECT run_device FROM current_trial
      WHERE experiment = :experiment AND (:system = '' OR system = :system)
        AND CASE WHEN :device = '' THEN run_kind <> 'cpu' ELSE :device IN (run_device, run_kind) END)
    GROUP BY name ORDER BY name)");
  statement.bind(":experiment", scope.experiment).bind(":device", scope.device).bind(":system", scope.system);
  std::vector<WisdomDevice> devices;
  while (statement.step())
    devices.push_back(
        {statement.text(0), static_cast<int>(statement.integer(1)), static_cast<int>(statement.integer(2))});
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

void add_best(const TunerResults& results, const WisdomDevice& device, Wisdom& wisdom) {
  std::map<Values, WisdomEntry> best;
  std::optional<std::int64_t> peers;  // the first kind that has a value: nothing compares it with another
  for (const TunerTrial& trial : results.trials)
    if (metric_value(trial, results.metric)) peers = std::min(peers.value_or(trial.peers), trial.peers);
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

Wisdom load_wisdom(Database& database, const ExportScope& scope) {
  Wisdom wisdom{.experiment = scope.experiment};
  for (const WisdomDevice& device : devices_of(database, scope)) {
    const TunerResults results = load_tuner_results(database, {scope.experiment, device.name, scope.system});
    if (!wisdom.system.empty() && results.system != wisdom.system) {
      // Two devices that ran experiments of one name.
      require_one_system(scope, {wisdom.system, results.system});
    }
    wisdom.system = results.system;
    wisdom.metric = results.metric;
    wisdom.maximise = results.maximise;
    add_best(results, device, wisdom);
  }
  if (wisdom.entries.empty()) refuse_no_time(database, scope);
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
  return pretty(document);
}

}  // namespace tailwave
