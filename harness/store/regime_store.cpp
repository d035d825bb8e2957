#include "store/regime_store.h"

#include "json/values.h"
#include "store/record_row.h"
#include "store/rows.h"

namespace tailwave {
namespace {

void bind_series(Statement& statement, const std::string& system, const std::string& experiment,
                 const DeviceDescription& device) {
  statement.bind(":system", system).bind(":experiment", experiment);
  statement.bind(":device", device.name).bind(":kind", device.kind);
}

}  // namespace

void insert_regime(Database& database, std::int64_t run, const RegimeRecord& regime) {
  RowInsert<RegimeRecord>(database, "regime", {"run_id"}).add(regime, run);
}

void insert_finalist(Database& database, std::int64_t run, const Finalist& finalist) {
  const std::int64_t configuration = find_or_insert_configuration(database, finalist.configuration);
  RowInsert<FinalistRecord>(database, "regime_finalist", {"run_id", "configuration_id"})
      .add(finalist.record, run, configuration);
}

void add_finalists(Database& database, std::int64_t run, const DeviceDescription& device,
                   const std::vector<Finalist>& finalists, const std::vector<Trial>& trials) {
  Transaction transaction(database);
  const std::int64_t device_id = find_or_insert_device(database, device);
  for (const Finalist& one : finalists) insert_finalist(database, run, one);
  for (const Trial& trial : trials) {
    insert_trial(database, run, device_id, trial);
    database.prepare("DELETE FROM unfinished_trial WHERE key = ?").bind_all(trial.key).run();
  }
  transaction.commit();
}

std::optional<StoredRegimes> latest_regimes(Database& database, const std::string& system,
                                            const std::string& experiment, const DeviceDescription& device,
                                            const Values& problem) {
  Statement statement = database.prepare(R"(
    SELECT regime_trial.run_id, regime_trial.regime, configuration, key, regime_trial.outcome,
      coalesce(regime_trial.detail, '')
    FROM regime_trial JOIN trial ON trial.id = trial_id JOIN run ON run.id = regime_trial.run_id
    WHERE regime_trial.system = :system AND regime_trial.experiment = :experiment AND run_device = :device
      AND run_kind = :kind AND problem = :problem AND recorded_from IS NULL)");
  bind_series(statement, system, experiment, device);
  statement.bind(":problem", to_json(problem));
  StoredRegimes stored;
  while (statement.step()) {
    stored.run = statement.integer(0);
    stored.trials.push_back({statement.text(1), statement.text(2), statement.text(3),
                             from_string<Outcome>(statement.text(4)), statement.text(5)});
  }
  return stored.trials.empty() ? std::nullopt : std::optional(std::move(stored));
}

std::vector<RankedTrial> ranked_trials(Database& database, const std::string& system,
                                       const std::string& experiment, const DeviceDescription& device) {
  Statement statement = database.prepare(R"(
    WITH
      ranked AS MATERIALIZED (
        SELECT * FROM ranked_trial
        WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind),
      compared AS (
        SELECT compare_with_best(trial_id, repetition, cost, 0.01, 0) AS verdicts
        FROM ranked JOIN sample_cost USING (trial_id) GROUP BY ranked.device, ranked.kind, peers, problem),
      verdict AS (
        SELECT item.value ->> 'trial_id' AS trial_id, item.value ->> 'verdict' AS verdict,
          item.value ->> 'ratio' AS ratio
        FROM compared, json_each(verdicts) AS item)
    SELECT )" + columns_of<Configuration>("configuration") +
                                         R"(, place, ratio, verdict
    FROM ranked JOIN verdict USING (trial_id) JOIN configuration ON configuration.id = configuration_id
    ORDER BY ranked.problem, peers, place)");
  bind_series(statement, system, experiment, device);
  const auto count = static_cast<int>(column_names<Configuration>().size());
  std::vector<RankedTrial> ranked;
  while (statement.step())
    ranked.push_back({.configuration = read_row<Configuration>(statement),
                      .place = statement.integer(count),
                      .ratio = statement.real(count + 1),
                      .standing = from_string<Standing>(statement.text(count + 2))});
  return ranked;
}

std::map<std::string, std::string> names_of_identical(Database& database, const std::string& system,
                                                      const std::string& experiment,
                                                      const DeviceDescription& device) {
  Statement statement = database.prepare(R"(
    SELECT configuration, same_as FROM current_trial JOIN trial ON trial.id = trial_id
    WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind
      AND current_trial.outcome = 'skipped_identical')");
  bind_series(statement, system, experiment, device);
  std::map<std::string, std::string> names;
  while (statement.step()) names.emplace(statement.text(0), statement.text(1));
  return names;
}

}  // namespace tailwave
