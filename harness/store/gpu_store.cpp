#include "store/gpu_store.h"

#include "store/record_row.h"

namespace tailwave {

void set_gpu_factors(Database& database, std::int64_t run, const std::vector<StoredGpuFactor>& factors) {
  database.prepare("DELETE FROM gpu_factor WHERE run_id = ?").bind_all(run).run();
  Statement row = database.prepare("INSERT INTO gpu_factor VALUES (?, ?, ?, ?, ?, ?)");
  for (const StoredGpuFactor& one : factors) {
    std::optional<double> low, high;
    if (one.interval) {
      low = one.interval->low;
      high = one.interval->high;
    }
    row.bind_all(run, one.device, one.factor, low, high, one.ratios).run();
  }
}

std::vector<Configuration> leaders_of_several_gpus(Database& database, const std::string& system,
                                                   const std::string& experiment,
                                                   const DeviceDescription& device, double margin,
                                                   std::size_t most) {
  Statement row = database.prepare(R"(
    WITH ranked AS MATERIALIZED (
      SELECT ranked_trial.trial_id, ranked_trial.configuration_id, ranked_trial.problem, place, device.uuid, iif(maximise,
          first_value(value) OVER of_problem / nullif(value, 0), value / nullif(first_value(value) OVER of_problem, 0)) AS ratio
      FROM ranked_trial JOIN trial ON trial.id = ranked_trial.trial_id JOIN device ON device.id = trial.device_id
      WHERE ranked_trial.system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind
        AND ranked_trial.kind = run_kind AND peers = 0
      WINDOW of_problem AS (PARTITION BY ranked_trial.problem ORDER BY place)),
    leader AS (SELECT * FROM ranked WHERE ratio <= 1 + :margin AND place <= :most)
    SELECT )" + columns_of<Configuration>("configuration") +
                                   R"(
    FROM leader JOIN configuration ON configuration.id = configuration_id
    WHERE leader.problem IN (SELECT problem FROM leader GROUP BY problem HAVING count(DISTINCT uuid) > 1)
    ORDER BY leader.problem, place)");
  row.bind(":system", system).bind(":experiment", experiment).bind(":device", device.name);
  row.bind(":kind", to_string(device.kind)).bind(":margin", margin);
  row.bind(":most", static_cast<std::int64_t>(most));
  std::vector<Configuration> leaders;
  while (row.step()) leaders.push_back(read_row<Configuration>(row));
  return leaders;
}

}  // namespace tailwave
