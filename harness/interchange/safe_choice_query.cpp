#include "interchange/safe_choice_query.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/outcome.h"
#include "json/values.h"
#include "spec/spec_order.h"
#include "store/trial_costs.h"

namespace tailwave {
namespace {

Statement latest_run(Database& database, const ExportScope& scope, std::string_view columns) {
  Statement run = database.prepare(
      "SELECT " + std::string(columns) +
      " FROM run JOIN device ON device.id = device_id"
      " WHERE experiment = :experiment AND (:system = '' OR system = :system) AND device.kind <> 'recorded'"
      "   AND NOT EXISTS (SELECT 1 FROM regime WHERE regime.run_id = run.id)"
      " ORDER BY started_at DESC, run.id DESC LIMIT 1");
  run.bind(":experiment", scope.experiment).bind(":system", scope.system);
  return run;
}

// The top level's: those of devices say what is measured there.
std::vector<Expression> constraints_in(const std::string& spec_text) {
  const nlohmann::json spec = nlohmann::json::parse(spec_text, nullptr, false);
  std::vector<Expression> constraints;
  if (!spec.is_object() || !spec.contains("constraints")) return constraints;
  for (const nlohmann::json& text : spec.at("constraints")) {
    try {
      if (text.is_string()) constraints.push_back(Expression::parse(text.get<std::string>()));
    } catch (const ExpressionError&) {
      continue;  // of another format
    }
  }
  return constraints;
}

std::set<std::string> quantities_of(Database& database, const std::string& system) {
  Statement row = database.prepare(
      "SELECT key FROM (SELECT problem FROM configuration WHERE system = ? ORDER BY id DESC LIMIT 1), json_each(problem)");
  row.bind_all(system);
  std::set<std::string> names;
  while (row.step()) names.insert(row.text(0));
  return names;
}

// One that names a parameter which the variant lacks does not apply to it.
bool is_about(const Expression& constraint, const Values& parameters,
              const std::set<std::string>& quantities) {
  const auto is_parameter = [&](const std::string& name) { return parameters.contains(name); };
  return std::ranges::any_of(constraint.names(), is_parameter) &&
         std::ranges::all_of(constraint.names(), [&](const std::string& name) {
           return is_parameter(name) || quantities.contains(name);
         });
}

constexpr const char* kCurrent = R"(
  SELECT current_trial.configuration, current_trial.system, variant, parameters, problem, trial_id, current_trial.outcome,
    trial.same_as, current_trial.unverified, trial_waves.grid,
    coalesce(trial_waves.driver_blocks_per_sm, trial_waves.blocks_per_sm), trial_waves.sms, trial_waves.cluster,
    trial_waves.active_clusters
  FROM current_trial JOIN trial ON trial.id = trial_id
    LEFT JOIN trial_waves USING (trial_id)
  WHERE current_trial.experiment = :experiment AND run_device = :device AND current_trial.device = run_device
    AND peers = :peers AND (:system = '' OR current_trial.system = :system)
  ORDER BY current_trial.configuration)";
enum CurrentColumn : int {
  kCurrentName,
  kCurrentSystem,
  kCurrentVariant,
  kCurrentParameters,
  kCurrentProblem,
  kCurrentTrialId,
  kCurrentOutcome,
  kCurrentSameAs,
  kCurrentUnverified,
  kCurrentGrid,
  kCurrentBlocksPerSm,
  kCurrentSms,
  kCurrentCluster,
  kCurrentActiveClusters
};

// Of each GPU the latest first. What failed has no mode, and no machine code where that was not built.
constexpr const char* kOfGpus = R"(
  SELECT device.uuid, other.id, other.outcome
  FROM trial AS current
    JOIN trial AS other ON other.configuration_id = current.configuration_id AND other.regime IS NULL
    JOIN run ON run.id = other.run_id JOIN device ON device.id = other.device_id
  WHERE current.id = :trial AND run.experiment = (SELECT experiment FROM run WHERE run.id = current.run_id)
    AND (device.name, device.kind) = (SELECT name, kind FROM device WHERE device.id = current.device_id)
    AND coalesce((SELECT code_hash FROM build WHERE build.id = other.build_id), '')
      IN (coalesce((SELECT code_hash FROM build WHERE build.id = current.build_id), ''),
          CASE WHEN other.outcome <> 'correct' THEN '' END)
    AND (other.outcome <> 'correct' OR other.mode IS current.mode) AND other.outcome <> 'skipped_identical'
  ORDER BY device.uuid, run.started_at DESC, run.identity DESC)";

// Empty where one of its samples has no cost. Costs are compared as ratios.
Series load_costs(Database& database, std::int64_t trial) {
  Statement sample = database.prepare(
      "SELECT repetition, cost FROM sample_cost WHERE trial_id = ? ORDER BY repetition, position");
  sample.bind_all(trial);
  CostsByRepetition repetitions;
  std::int64_t count = 0;
  for (; sample.step(); ++count) {
    if (sample.is_null(1) || !(sample.real(1) > 0)) return {};
    repetitions[sample.integer(0)].push_back(sample.real(1));
  }
  Statement all = database.prepare("SELECT count(*) FROM sample WHERE trial_id = ? AND dropped IS NULL");
  if (all.bind_all(trial).step() && all.integer(0) != count) return {};
  return series_of(std::move(repetitions));
}

std::vector<GpuResult> load_gpus(Database& database, std::int64_t trial) {
  Statement row = database.prepare(kOfGpus);
  row.bind(":trial", trial);
  std::vector<GpuResult> gpus;
  while (row.step()) {
    if (!gpus.empty() && gpus.back().gpu == row.text(0)) continue;
    GpuResult& one = gpus.emplace_back(GpuResult{row.text(0), row.text(2) != "correct", {}});
    if (!one.failed) one.costs = load_costs(database, row.integer(1));
  }
  return gpus;
}

std::optional<WaveSlots> slots_of(const Statement& row) {
  if (row.is_null(kCurrentBlocksPerSm) || row.is_null(kCurrentSms) || row.integer(kCurrentSms) < 1)
    return std::nullopt;
  const auto sms = static_cast<double>(row.integer(kCurrentSms));
  if (!row.is_null(kCurrentCluster) && !row.is_null(kCurrentActiveClusters) &&
      row.integer(kCurrentActiveClusters) > 0)
    return WaveSlots{static_cast<double>(row.integer(kCurrentCluster) * row.integer(kCurrentActiveClusters)),
                     sms};
  if (row.integer(kCurrentBlocksPerSm) < 1) return std::nullopt;
  return WaveSlots{static_cast<double>(row.integer(kCurrentBlocksPerSm)) * sms, sms};
}

ChoiceTrial load_choice_trial(Database& database, const Statement& row) {
  ChoiceTrial trial;
  trial.configuration = {row.text(kCurrentSystem), row.text(kCurrentVariant),
                         from_json(row.text(kCurrentParameters)), from_json(row.text(kCurrentProblem))};
  trial.unverified = row.text(kCurrentUnverified);
  trial.gpus = load_gpus(database, row.integer(kCurrentTrialId));
  if (!row.is_null(kCurrentGrid)) trial.blocks = static_cast<double>(row.integer(kCurrentGrid));
  trial.slots = slots_of(row);
  return trial;
}

}  // namespace

std::optional<Configuration> standard_configuration(Database& database, const ExportScope& scope,
                                                    const std::vector<std::string>& variants,
                                                    const System* manifest) {
  Statement run = latest_run(database, scope, "system, spec_text, defaults");
  if (!run.step()) return std::nullopt;
  const std::map<std::string, Values> defaults = defaults_in(run.text(2));
  for (const std::string& variant : spec_order(run.text(1)).variants) {
    if (std::ranges::find(variants, variant) == variants.end()) continue;
    if (const auto noted = defaults.find(variant); noted != defaults.end())
      return Configuration{run.text(0), variant, noted->second, {}};
    const VariantSpec* const now = manifest == nullptr ? nullptr : manifest->find_variant(variant);
    return now == nullptr ? std::nullopt : std::optional(default_configuration(*manifest, *now, {}));
  }
  return std::nullopt;
}

std::map<std::string, std::vector<Expression>> conditions_of(
    Database& database, const ExportScope& scope, const std::vector<Configuration>& configurations) {
  Statement run = latest_run(database, scope, "system, spec_text");
  if (!run.step()) return {};
  const std::vector<Expression> constraints = constraints_in(run.text(1));
  const std::set<std::string> quantities = quantities_of(database, run.text(0));
  // Of any of its configurations: one that was recorded early may lack some.
  std::map<std::string, Values> parameters;
  for (const Configuration& one : configurations)
    parameters[one.variant].insert(one.parameters.begin(), one.parameters.end());
  std::map<std::string, std::vector<Expression>> conditions;
  for (const auto& [variant, of_variant] : parameters) {
    std::vector<Expression>& own = conditions[variant];
    for (const Expression& constraint : constraints)
      if (is_about(constraint, of_variant, quantities)) own.push_back(constraint);
    Statement domain =
        database.prepare("SELECT requires FROM variant_domain WHERE system = ? AND variant = ?");
    domain.bind_all(run.text(0), variant);
    if (domain.step()) own.push_back(Expression::parse(domain.text(0)));
  }
  return conditions;
}

std::vector<ChoiceTrial> load_choice_trials(Database& database, const ExportScope& scope,
                                            std::int64_t peers) {
  Statement row = database.prepare(kCurrent);
  row.bind(":experiment", scope.experiment).bind(":device", scope.device).bind(":system", scope.system);
  row.bind(":peers", peers);
  std::vector<ChoiceTrial> trials;
  std::map<std::string, std::size_t> names;
  std::vector<std::pair<std::size_t, std::string>> skipped;
  while (row.step()) {
    names.emplace(row.text(kCurrentName), trials.size());
    if (row.text(kCurrentOutcome) == to_string(Outcome::skipped_identical))
      skipped.emplace_back(trials.size(), row.text(kCurrentSameAs));
    trials.push_back(load_choice_trial(database, row));
  }
  for (const auto& [place, same_as] : skipped)
    if (const auto other = names.find(same_as); other != names.end())
      trials[place].gpus = trials[other->second].gpus;
  return trials;
}

}  // namespace tailwave
