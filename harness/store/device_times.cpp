#include "store/device_times.h"

#include "store/record_row.h"

namespace tailwave {

std::vector<DeviceTime> device_times(Database& database, const std::string& system,
                                     const std::string& experiment, const std::string& device) {
  Statement row = database.prepare(R"(
    WITH
      counted AS MATERIALIZED (
        SELECT current_trial.trial_id, configuration, outcome, current_trial.mode,
          CASE outcome WHEN 'skipped_identical' THEN (
            SELECT measured_trial_id FROM identical_trial WHERE identical_trial.trial_id = current_trial.trial_id)
          ELSE current_trial.trial_id END AS timed_trial_id
        FROM current_trial
        WHERE system = ?1 AND experiment = ?2 AND run_device = ?3 AND device = run_device AND kind = run_kind
          AND kind <> 'cpu' AND peers = 0)
    SELECT configuration, outcome, coalesce(counted.mode, ''),
      coalesce(median_ns, (
        SELECT value * CASE WHEN unit IN ('s', 'seconds') THEN 1e9 WHEN unit IN ('us', 'microseconds') THEN 1e3
          WHEN unit IN ('ns', 'nanoseconds') THEN 1 ELSE 1e6 END
        FROM measurement WHERE measurement.trial_id = timed_trial_id AND name = 'time')),
      )" + columns_of<WaveFacts>("trial_waves") +
                                   R"(
    FROM counted
      LEFT JOIN trial_time ON trial_time.trial_id = timed_trial_id
      LEFT JOIN trial_waves ON trial_waves.trial_id = coalesce(timed_trial_id, counted.trial_id)
    ORDER BY counted.trial_id)");
  row.bind_all(system, experiment, device);
  std::vector<DeviceTime> times;
  while (row.step())
    times.push_back({row.text(0), from_string<Outcome>(row.text(1)), row.text(2), row.optional_real(3),
                     read_optional_row<WaveFacts>(row, 4)});
  return times;
}

std::optional<DeviceDescription> run_device(Database& database, const std::string& system,
                                            const std::string& experiment, const std::string& device) {
  Statement row = database.prepare(R"(
    SELECT kind, device.name, uuid, compute_capability, sms, memory_bytes, clock_mhz, memory_clock_mhz, properties
    FROM run JOIN device ON device.id = device_id
    WHERE system = ? AND experiment = ? AND device.name = ?
    ORDER BY started_at DESC, run.identity DESC LIMIT 1)");
  if (!row.bind_all(system, experiment, device).step()) return std::nullopt;
  return read_row<DeviceDescription>(row, 0);
}

std::vector<ExperimentOnGpus> experiments_on_gpus(Database& database) {
  Statement row = database.prepare(R"(
    SELECT DISTINCT run.system, run.experiment, device.name
    FROM run JOIN device ON device.id = run.device_id
    WHERE device.kind <> 'cpu' AND EXISTS (SELECT 1 FROM trial WHERE trial.run_id = run.id)
    ORDER BY 1, 2, 3)");
  std::vector<ExperimentOnGpus> found;
  while (row.step()) {
    if (found.empty() || found.back().system != row.text(0) || found.back().experiment != row.text(1))
      found.push_back({row.text(0), row.text(1), {}});
    found.back().devices.push_back(row.text(2));
  }
  return found;
}

}  // namespace tailwave
