#include "store/simulation_store.h"

#include "json/values.h"
#include "store/rows.h"

namespace tailwave {
namespace {

std::string options_json(const std::map<std::string, double, std::less<>>& options) {
  return to_json(Values(options.begin(), options.end()));
}

}  // namespace

std::int64_t add_simulation(Database& database, const SimulationRecord& record) {
  Transaction transaction(database);
  database
      .prepare(R"(
    INSERT INTO simulation (simulated_at, space, device, role, points, failed, optimum, median, budget, strategy,
      options, given, seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?))")
      .bind_all(record.simulated_at, record.space, record.device, record.role, record.points, record.failed,
                record.optimum, record.median, record.budget, record.strategy, options_json(record.options),
                options_json(record.given), record.seconds)
      .run();
  const std::int64_t id = database.last_row_id();
  Statement seed = database.prepare("INSERT INTO simulation_seed VALUES (?, ?, ?, ?, ?)");
  for (const SimulationRecord::Seed& one : record.seeds)
    seed.bind_all(id, one.seed, one.score, one.bounded_score, one.best).run();
  Statement step = database.prepare("INSERT INTO simulation_step VALUES (?, ?, ?, ?, ?, ?)");
  for (const SimulationRecord::Step& one : record.steps)
    step.bind_all(id, one.evaluation, one.baseline, one.median, one.low, one.high).run();
  transaction.commit();
  return id;
}

}  // namespace tailwave
