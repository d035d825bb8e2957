#include "store/energy_store.h"

#include "store/record_row.h"

namespace tailwave {

std::vector<TrialToRun> trials_without_energy(Database& database, const std::string& system,
                                              const std::string& experiment, const DeviceDescription& device,
                                              std::int64_t most) {
  Statement row = database.prepare("SELECT trial_id, " + columns_of<Configuration>("configuration") + R"(
    FROM ranked_trial JOIN configuration ON configuration.id = ranked_trial.configuration_id
    WHERE ranked_trial.system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind
      AND device = run_device AND peers = 0 AND place <= :most
      AND NOT EXISTS (SELECT 1 FROM trial_energy WHERE trial_energy.trial_id = ranked_trial.trial_id)
    ORDER BY ranked_trial.problem, place)");
  row.bind(":system", system).bind(":experiment", experiment).bind(":device", device.name);
  row.bind(":kind", device.kind).bind(":most", most);
  std::vector<TrialToRun> all;
  while (row.step()) all.push_back({row.integer(0), read_row<Configuration>(row, 1)});
  return all;
}

void set_energy(Database& database, std::int64_t trial, const EnergyRecord& energy) {
  Transaction transaction(database);
  database.prepare("DELETE FROM trial_energy WHERE trial_id = ?").bind_all(trial).run();
  insert_energy(database, trial, energy);
  transaction.commit();
}

void insert_energy(Database& database, std::int64_t trial, const EnergyRecord& energy) {
  RowInsert<EnergyRecord>(database, "trial_energy", {"trial_id"}).add(energy, trial);
}

std::optional<EnergyRecord> energy_of_trial(Database& database, std::int64_t trial) {
  Statement row = database.prepare("SELECT " + columns_of<EnergyRecord>("trial_energy") +
                                   " FROM trial_energy WHERE trial_id = ?");
  if (!row.bind_all(trial).step()) return std::nullopt;
  return read_row<EnergyRecord>(row);
}

}  // namespace tailwave
