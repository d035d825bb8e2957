#include "store/simulation_store.h"

#include "store/record_row.h"

namespace tailwave {
std::int64_t add_simulation(Database& database, const SimulationRecord& record) {
  Transaction transaction(database);
  const std::int64_t id = RowInsert<SimulationRecord>(database, "simulation").add(record);
  RowInsert<SimulationRecord::Seed> seeds(database, "simulation_seed", {"simulation_id"});
  for (const SimulationRecord::Seed& one : record.seeds) seeds.add(one, id);
  RowInsert<SimulationRecord::Step> steps(database, "simulation_step", {"simulation_id"});
  for (const SimulationRecord::Step& one : record.steps) steps.add(one, id);
  transaction.commit();
  return id;
}

}  // namespace tailwave
