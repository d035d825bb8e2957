#include "store/shard_progress.h"

#include "store/statement.h"

namespace tailwave {
namespace {

// The latest run that planned; none: it has no row.
constexpr const char* kPlan =
    "WITH latest AS (SELECT max(identity) AS identity FROM run WHERE system = ?1 AND experiment = ?2 AND EXISTS ("
    "  SELECT 1 FROM run_plan WHERE run_id = run.id)), "
    "planned AS (SELECT configuration_id FROM run_plan JOIN run ON run.id = run_id JOIN latest USING (identity)) ";

}  // namespace

ShardProgress shard_progress(Database& database, const std::string& system, const std::string& experiment) {
  ShardProgress progress;
  Statement planned = database.prepare(std::string(kPlan) + "SELECT count(*) FROM planned");
  planned.bind_all(system, experiment);
  if (planned.step()) progress.planned = planned.integer(0);
  Statement measured = database.prepare(
      std::string(kPlan) +
      "SELECT outcome, count(DISTINCT configuration_id) FROM current_trial JOIN planned USING (configuration_id) "
      "WHERE system = ?1 AND experiment = ?2 GROUP BY outcome");
  measured.bind_all(system, experiment);
  while (measured.step()) {
    const auto count = measured.integer(1);
    progress.outcomes[measured.text(0)] = count;
    progress.measured += count;
  }
  return progress;
}

std::int64_t stored_trials(Database& database) {
  Statement statement = database.prepare("SELECT count(*) FROM trial");
  return statement.step() ? statement.integer(0) : 0;
}

}  // namespace tailwave
