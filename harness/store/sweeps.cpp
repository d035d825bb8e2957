#include "store/sweeps.h"

#include "json/values.h"
#include "store/record_row.h"
#include "store/rows.h"

namespace tailwave {

std::vector<Sweep> list_sweeps(Database& database) {
  Statement row = database.prepare(R"(
    WITH latest AS (
      SELECT run.id, run.system, run.experiment, device.name, device.kind, device.sms, status, row_number() OVER (
          PARTITION BY run.system, run.experiment, device.kind, device.name ORDER BY run.started_at DESC, run.identity DESC) AS age
      FROM run JOIN device ON device.id = run.device_id
      WHERE NOT EXISTS (SELECT 1 FROM regime WHERE regime.run_id = run.id))
    SELECT latest.system, latest.experiment, latest.name, latest.kind,
      max(0, (SELECT count(*) FROM run_plan WHERE run_id = latest.id) - count(*)), status = 'done',
      latest.sms
    FROM latest
      JOIN current_trial ON current_trial.system = latest.system AND current_trial.experiment = latest.experiment
        AND run_device = latest.name AND run_kind = latest.kind
    WHERE age = 1
    GROUP BY latest.id
    ORDER BY latest.system, latest.experiment, latest.kind DESC, latest.name)");
  std::vector<Sweep> sweeps;
  while (row.step()) {
    sweeps.push_back({.system = row.text(0),
                      .experiment = row.text(1),
                      .device = row.text(2),
                      .kind = from_string<DeviceKind>(row.text(3)),
                      .sms = row.integer(6),
                      .unmeasured = static_cast<std::size_t>(row.integer(4)),
                      .finished = row.integer(5) == 1});
  }
  return sweeps;
}

std::vector<SweptConfiguration> load_configurations(Database& database, const Sweep& sweep) {
  Statement row = database.prepare(R"(
    SELECT problem, space_cost.variant, space_cost.parameters, space_cost.outcome, cost,
      CASE run_kind WHEN 'recorded' THEN (
          SELECT value / 1e3 FROM measurement WHERE measurement.trial_id = space_cost.trial_id AND name = 'compile_time')
        ELSE iif(build_from_cache = 0, build_seconds, NULL) END,
      CASE run_kind WHEN 'recorded' THEN (
          SELECT sum(value) / 1e3 FROM measurement
          WHERE measurement.trial_id = space_cost.trial_id AND name IN ('benchmark_time', 'verification_time'))
        ELSE verify_seconds + measure_seconds END, )" +
                                   columns_of<WaveFacts>("trial_waves") +
                                   R"(
    FROM space_cost
      JOIN trial ON trial.id = space_cost.trial_id
      LEFT JOIN trial_waves ON run_kind = 'cuda' AND trial_waves.trial_id = coalesce(timed_trial_id, space_cost.trial_id)
    WHERE space_cost.system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind
    ORDER BY space_cost.configuration_id)");
  row.bind(":system", sweep.system).bind(":experiment", sweep.experiment);
  row.bind(":device", sweep.device).bind(":kind", sweep.kind);
  std::vector<SweptConfiguration> configurations;
  while (row.step()) {
    configurations.push_back({.problem = row.text(0),
                              .variant = row.text(1),
                              .parameters = from_json(row.text(2)),
                              .outcome = from_string<Outcome>(row.text(3)),
                              .cost = row.optional_real(4),
                              .build_seconds = row.optional_real(5),
                              .measure_seconds = row.optional_real(6),
                              .waves = read_optional_row<WaveFacts>(row, 7)});
  }
  return configurations;
}

}  // namespace tailwave
