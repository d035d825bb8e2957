#include "store/current_trials.h"

#include "store/record_row.h"

namespace tailwave {

Table current_trials(Database& database, const std::string& system, const std::string& experiment,
                     const std::string& device) {
  return database.query(R"(
    SELECT configuration, variant, parameters, problem, outcome, detail, unverified, trial_time.samples, median_ns, q1_ns, q3_ns,
      current_trial.metric, value,
      (SELECT json_group_object(name, value) FROM trial_metric WHERE trial_metric.trial_id = current_trial.trial_id) AS metrics,
      occupancy_device, registers, spill_bytes, blocks_per_sm, limiter, occupancy, waves
    FROM current_trial
      LEFT JOIN trial_time ON trial_time.trial_id = current_trial.trial_id
      LEFT JOIN trial_rate ON trial_rate.trial_id = current_trial.trial_id
      LEFT JOIN trial_waves ON trial_waves.trial_id = current_trial.trial_id
    WHERE system = :system AND experiment = :experiment AND run_device = :device
    ORDER BY current_trial.trial_id)",
                        {{"system", system}, {"experiment", experiment}, {"device", device}});
}

std::optional<BetterTrial> better_trial(Database& database, const std::string& system,
                                        const std::string& experiment, const std::string& device,
                                        const std::string& configuration, double margin) {
  Statement row = database.prepare(R"(
    WITH
      own AS (
        SELECT * FROM ranked_trial WHERE system = :system AND experiment = :experiment AND run_device = :device
          AND configuration = :configuration),
      alike AS (
        SELECT other.*
        FROM ranked_trial AS other
          JOIN own USING (system, experiment, run_device, run_kind, device, kind, peers, problem)),
      compared AS (
        SELECT compare_with_best(trial_id, repetition, cost, :margin, 0) AS verdicts
        FROM alike JOIN sample_cost USING (trial_id)),
      verdict AS (
        SELECT item.value ->> 'trial_id' AS trial_id, item.value ->> 'verdict' AS verdict,
          item.value ->> 'ratio' AS ratio
        FROM compared, json_each(verdicts) AS item),
      mine AS (SELECT verdict AS own_verdict, ratio AS own_ratio FROM verdict JOIN own USING (trial_id))
    SELECT configuration, value, run_id, started_at, own_verdict = 'slower'
    FROM verdict JOIN alike USING (trial_id) JOIN run ON run.id = run_id JOIN mine
    WHERE verdict = 'best' AND own_ratio > 1 + :margin)");
  row.bind(":system", system).bind(":experiment", experiment).bind(":device", device);
  row.bind(":configuration", configuration).bind(":margin", margin);
  if (!row.step()) return std::nullopt;
  return BetterTrial{row.text(0), row.real(1), row.integer(2), row.text(3), row.integer(4) != 0};
}

std::vector<RankedConfiguration> leaders_and_slowest(Database& database, const std::string& system,
                                                     const std::string& experiment, const std::string& device,
                                                     std::int64_t most) {
  Statement row = database.prepare("SELECT median_ns, " + columns_of<Configuration>("configuration") + R"(
    FROM ranked_trial
      JOIN configuration ON configuration.id = ranked_trial.configuration_id
      JOIN trial_time ON trial_time.trial_id = ranked_trial.trial_id
    WHERE ranked_trial.system = :system AND experiment = :experiment AND run_device = :device AND peers = 0
      AND (place <= :most OR place_from_worst = 1)
    ORDER BY ranked_trial.problem, place)");
  row.bind(":system", system).bind(":experiment", experiment).bind(":device", device).bind(":most", most);
  std::vector<RankedConfiguration> all;
  while (row.step()) all.push_back({read_row<Configuration>(row, 1), row.real(0)});
  return all;
}

}  // namespace tailwave
