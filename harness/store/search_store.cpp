// What a ResultStore keeps of searches.
#include "core/error.h"
#include "core/statistics.h"
#include "store/record_row.h"
#include "json/values.h"
#include "store/result_store.h"
#include "store/rows.h"

namespace tailwave {

std::optional<std::int64_t> ResultStore::trial_of(std::int64_t run, const Configuration& configuration) {
  Statement statement = database_.prepare(R"(
    SELECT trial.id FROM trial JOIN configuration ON configuration.id = configuration_id
    WHERE run_id = ? AND configuration.name = ?)");
  if (!statement.bind_all(run, configuration.name()).step()) return std::nullopt;
  return statement.integer(0);
}

StoredResult ResultStore::result_of(std::int64_t trial) {
  Statement own = database_.prepare(R"(
    SELECT coalesce(same.id, trial.id), coalesce(same.outcome, trial.outcome), coalesce(same.work, trial.work),
      iif(same.id IS NULL, '', trial.same_as)
    FROM trial
      LEFT JOIN identical_trial ON identical_trial.trial_id = trial.id
      LEFT JOIN trial AS same ON same.id = measured_trial_id
    WHERE trial.id = ?)");
  if (!own.bind_all(trial).step()) throw Error("no trial " + std::to_string(trial));
  StoredResult result;
  result.outcome = from_string<Outcome>(own.text(1));
  result.work = from_json(own.text(2));
  result.same_as = own.text(3);
  Statement samples = database_.prepare("SELECT time_ns FROM sample WHERE trial_id = ? AND dropped IS NULL");
  samples.bind_all(own.integer(0));
  std::vector<double> times_ns;
  while (samples.step()) times_ns.push_back(samples.real(0));
  if (!times_ns.empty()) result.median_ns = median(times_ns);
  return result;
}

std::string ResultStore::machine_code_of(std::int64_t trial) {
  Statement statement = database_.prepare(R"(
    SELECT code_hash FROM trial JOIN build ON build.id = build_id
    WHERE trial.id = ? AND target NOT IN ('cpu', 'host'))");
  statement.bind_all(trial);
  return statement.step() ? statement.text(0) : "";
}

void ResultStore::begin_search(std::int64_t run, const SearchRecord& search) {
  RowInsert<SearchRecord>(database_, "search", {"run_id"}).add(search, run);
}

std::vector<Configuration> ResultStore::steps_of_earlier_search(std::int64_t run, const SearchRecord& search,
                                                                const Values& problem) {
  Statement earlier = database_.prepare(R"(
    SELECT search.run_id FROM search
      JOIN run ON run.id = search.run_id
      JOIN device ON device.id = run.device_id
      JOIN run AS own ON own.id = :run
      JOIN device AS own_device ON own_device.id = own.device_id
    WHERE run.id <> own.id AND run.system = own.system AND run.experiment = own.experiment
      AND device.kind = own_device.kind AND device.name = own_device.name
      AND search.strategy = :strategy AND search.options = :options AND search.seed = :seed
      AND search.space_size = :space_size
      AND EXISTS (SELECT 1 FROM search_step JOIN configuration ON configuration.id = configuration_id
                  WHERE search_step.run_id = search.run_id AND configuration.problem = :problem)
    ORDER BY search.run_id DESC LIMIT 1)");
  earlier.bind(":run", run).bind(":strategy", search.strategy).bind(":options", to_json(search.options));
  earlier.bind(":seed", static_cast<std::int64_t>(search.seed));
  earlier.bind(":space_size", static_cast<std::int64_t>(search.space_size));
  earlier.bind(":problem", to_json(problem));
  std::vector<Configuration> steps;
  if (!earlier.step()) return steps;
  Statement statement = database_.prepare(R"(
    SELECT run.system, configuration.variant, configuration.parameters, configuration.problem
    FROM search_step
      JOIN run ON run.id = search_step.run_id
      JOIN configuration ON configuration.id = configuration_id
    WHERE search_step.run_id = ? ORDER BY step)");
  statement.bind_all(earlier.integer(0));
  while (statement.step())
    steps.push_back(
        {statement.text(0), statement.text(1), from_json(statement.text(2)), from_json(statement.text(3))});
  return steps;
}

void ResultStore::add_search_step(std::int64_t run, std::size_t step, const Configuration& configuration,
                                  std::optional<double> cost, double seconds) {
  Transaction transaction(database_);
  const std::int64_t id = find_or_insert_configuration(database_, configuration);
  // The plan of the latest run says what counts: that of a search which began while this one was running too.
  database_
      .prepare(R"(
    INSERT OR IGNORE INTO run_plan
    SELECT later.id, :configuration
    FROM run AS own
      JOIN device AS own_device ON own_device.id = own.device_id
      JOIN run AS later ON later.system = own.system AND later.experiment = own.experiment
        AND (later.started_at, later.id) >= (own.started_at, own.id)
      JOIN device AS later_device ON later_device.id = later.device_id AND later_device.kind = own_device.kind
        AND later_device.name = own_device.name
    WHERE own.id = :run
      AND (later.id = own.id OR EXISTS (SELECT 1 FROM search WHERE later.id IN (run_id, final_run_id))))")
      .bind(":configuration", id)
      .bind(":run", run)
      .run();
  database_.prepare("INSERT INTO search_step VALUES (?, ?, ?, ?, ?)")
      .bind_all(run, step, id, cost, seconds)
      .run();
  transaction.commit();
}

void ResultStore::finish_search(std::int64_t run, SearchEnd stopped_by) {
  database_.prepare("UPDATE search SET stopped_by = ? WHERE run_id = ?").bind_all(stopped_by, run).run();
}

void ResultStore::set_final_run(std::int64_t run, std::int64_t final_run) {
  database_.prepare("UPDATE search SET final_run_id = ? WHERE run_id = ?").bind_all(final_run, run).run();
}

std::vector<Configuration> ResultStore::known_configurations(const std::string& experiment,
                                                             const DeviceDescription& run_device,
                                                             const std::string& system) {
  Statement statement = database_.prepare(R"(
    SELECT DISTINCT configuration.variant, configuration.parameters, configuration.problem
    FROM run JOIN device ON device.id = run.device_id
      JOIN trial ON trial.run_id = run.id
      JOIN configuration ON configuration.id = trial.configuration_id
    WHERE run.experiment = ? AND run.system = ? AND device.kind = ? AND device.name = ?)");
  statement.bind_all(experiment, system, run_device.kind, run_device.name);
  std::vector<Configuration> configurations;
  while (statement.step())
    configurations.push_back(
        {system, statement.text(0), from_json(statement.text(1)), from_json(statement.text(2))});
  return configurations;
}

}  // namespace tailwave
