#include "store/search_store.h"

#include "json/values.h"
#include "store/record_row.h"
#include "store/rows.h"

namespace tailwave {

void begin_search(Database& database, std::int64_t run, const SearchRecord& search) {
  RowInsert<SearchRecord>(database, "search", {"run_id"}).add(search, run);
}

std::vector<Configuration> steps_of_earlier_search(Database& database, std::int64_t run,
                                                   const SearchRecord& search, const Values& problem) {
  Statement earlier = database.prepare(R"(
    SELECT search.run_id FROM search
      JOIN run ON run.id = search.run_id
      JOIN device ON device.id = run.device_id
      JOIN run AS own ON own.id = :run
      JOIN device AS own_device ON own_device.id = own.device_id
    WHERE run.id <> own.id AND run.system = own.system AND run.experiment = own.experiment AND run.shard IS own.shard
      AND device.kind = own_device.kind AND device.name = own_device.name
      AND search.strategy = :strategy AND search.options = :options AND search.seed = :seed
      AND search.space_size = :space_size
      AND EXISTS (SELECT 1 FROM search_step JOIN configuration ON configuration.id = configuration_id
                  WHERE search_step.run_id = search.run_id AND configuration.problem = :problem)
    ORDER BY run.started_at DESC, run.identity DESC LIMIT 1)");
  earlier.bind(":run", run).bind(":strategy", search.strategy).bind(":options", to_json(search.options));
  earlier.bind(":seed", static_cast<std::int64_t>(search.seed));
  earlier.bind(":space_size", static_cast<std::int64_t>(search.space_size));
  earlier.bind(":problem", to_json(problem));
  std::vector<Configuration> steps;
  if (!earlier.step()) return steps;
  Statement statement = database.prepare("SELECT " + columns_of<Configuration>("configuration") + R"(
    FROM search_step JOIN configuration ON configuration.id = configuration_id
    WHERE search_step.run_id = ? ORDER BY step)");
  statement.bind_all(earlier.integer(0));
  while (statement.step()) steps.push_back(read_row<Configuration>(statement));
  return steps;
}

void add_search_step(Database& database, std::int64_t run, std::size_t step,
                     const Configuration& configuration, std::optional<double> cost, double seconds) {
  Transaction transaction(database);
  const std::int64_t id = find_or_insert_configuration(database, configuration);
  // The plan of the latest run says what counts: that of a search which began while this one was running too.
  database
      .prepare(R"(
    INSERT OR IGNORE INTO run_plan
    SELECT later.id, :configuration
    FROM run AS own
      JOIN device AS own_device ON own_device.id = own.device_id
      JOIN run AS later ON later.system = own.system AND later.experiment = own.experiment
        AND (later.started_at, later.identity) >= (own.started_at, own.identity)
      JOIN device AS later_device ON later_device.id = later.device_id AND later_device.kind = own_device.kind
        AND later_device.name = own_device.name
    WHERE own.id = :run
      AND (later.id = own.id OR EXISTS (SELECT 1 FROM search WHERE later.id IN (run_id, final_run_id))))")
      .bind(":configuration", id)
      .bind(":run", run)
      .run();
  insert_search_step(database, run, id, {static_cast<std::int64_t>(step), cost, seconds});
  transaction.commit();
}

void insert_search_step(Database& database, std::int64_t run, std::int64_t configuration,
                        const SearchStep& step) {
  RowInsert<SearchStep>(database, "search_step", {"run_id", "configuration_id"})
      .add(step, run, configuration);
}

void finish_search(Database& database, std::int64_t run, SearchEnd stopped_by) {
  database.prepare("UPDATE search SET stopped_by = ? WHERE run_id = ?").bind_all(stopped_by, run).run();
}

void set_final_run(Database& database, std::int64_t run, std::int64_t final_run) {
  database.prepare("UPDATE search SET final_run_id = ? WHERE run_id = ?").bind_all(final_run, run).run();
}

}  // namespace tailwave
