#include "report/side_trials.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "core/statistics.h"
#include "json/values.h"
#include "store/rows.h"

namespace tailwave {
namespace {

constexpr const char* kTrialsOfRuns = R"(
  WITH
    aged AS (
      SELECT trial.id AS trial_id, row_number() OVER (
          PARTITION BY trial.configuration_id ORDER BY run.started_at DESC, run.identity DESC) AS age
      FROM json_each(:runs) AS chosen
        CROSS JOIN run ON run.id = chosen.value
        CROSS JOIN trial ON trial.run_id = run.id)
  SELECT trial_id FROM aged WHERE age = 1)";

constexpr const char* kCurrentTrials = R"(
  SELECT trial_id FROM current_trial
  WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind)";

constexpr const char* kTrial = R"(
  SELECT configuration.name, trial.outcome, device.kind, coalesce(trial.mode, ''), coalesce(sampled.timer, ''), sampled.id,
    iif(metric_expression IS NULL, metric, metric || ' = ' || metric_expression), run.maximise, sampled.work,
    coalesce(trial.unverified, sampled.unverified)
  FROM trial
    JOIN trial AS sampled ON sampled.id = coalesce(
      CASE trial.outcome WHEN 'skipped_identical' THEN (
        SELECT twin.id FROM identical_trial JOIN trial AS twin ON twin.id = measured_trial_id
        WHERE identical_trial.trial_id = trial.id AND twin.outcome = 'correct') END, trial.id)
    JOIN run ON run.id = trial.run_id
    JOIN configuration ON configuration.id = trial.configuration_id
    JOIN device ON device.id = trial.device_id
  WHERE trial.id = ?)";

constexpr const char* kSamples = R"(
  SELECT sample.repetition, cost, time_ns
  FROM sample_cost JOIN sample USING (trial_id, repetition, position)
  WHERE trial_id = ? ORDER BY repetition, position)";

std::vector<std::int64_t> trials_of(Database& database, const Side& side) {
  Statement statement = database.prepare(side.current ? kCurrentTrials : kTrialsOfRuns);
  if (side.current) {
    statement.bind(":system", side.system)
        .bind(":experiment", side.experiment)
        .bind(":device", side.device)
        .bind(":kind", side.kind);
  } else {
    statement.bind(":runs", fmt::format("[{}]", fmt::join(side.runs, ",")));
  }
  std::vector<std::int64_t> trials;
  while (statement.step()) trials.push_back(statement.integer(0));
  return trials;
}

void load_samples(Statement& statement, std::int64_t trial_id, SideTrial& trial) {
  statement.bind_all(trial_id);
  std::vector<double> times;
  for (std::int64_t last = -1; statement.step();) {
    if (statement.integer(0) != last) trial.costs.repetitions.emplace_back();
    last = statement.integer(0);
    trial.costs.repetitions.back().push_back(statement.real(1));
    times.push_back(statement.real(2));
  }
  statement.reset();
  if (!times.empty()) trial.median_s = median(times) / 1e9;
}

}  // namespace

std::map<std::string, SideTrial> load_trials(Database& database, const Side& side) {
  std::map<std::string, SideTrial> trials;
  Statement facts = database.prepare(kTrial);
  Statement samples = database.prepare(kSamples);
  for (const std::int64_t id : trials_of(database, side)) {
    facts.bind_all(id);
    facts.step();
    SideTrial trial{from_string<Outcome>(facts.text(1)),
                    from_string<DeviceKind>(facts.text(2)),
                    facts.text(3),
                    facts.text(4),
                    facts.text(6),
                    facts.integer(7) != 0,
                    from_json(facts.text(8)),
                    {},
                    {},
                    facts.text(9)};
    load_samples(samples, facts.integer(5), trial);
    // Of code that was measured under another name.
    if (trial.outcome == Outcome::skipped_identical && trial.median_s) trial.outcome = Outcome::correct;
    trials.emplace(facts.text(0), std::move(trial));
    facts.reset();
  }
  return trials;
}

Environment load_environment(Database& database, const std::vector<Side>& sides) {
  Statement statement = database.prepare(R"sql(
    SELECT DISTINCT device.name AS device, device.uuid AS "device uuid", driver, compiler, host_compiler AS "host compiler", host,
      project_commit AS "commit", tailwave_version AS tailwave, metric, spec_hash AS spec,
      json_extract(clocks, '$.max_sm_clock_mhz') AS "maximum SM clock (MHz)",
      json_extract(clocks, '$.memory_clock_mhz') AS "memory clock (MHz)",
      json_extract(clocks, '$.power_limit_w') AS "power limit (W)",
      json_extract(clocks, '$.throttle_reasons') AS "throttle reasons",
      coalesce(recorded_from, 'measured into this database') AS "recorded from"
    FROM json_each(:runs) AS chosen
      CROSS JOIN run ON run.id = chosen.value
      JOIN device ON device.id = run.device_id)sql");
  Environment environment;
  for (const Side& side : sides) {
    statement.bind(":runs", fmt::format("[{}]", fmt::join(side.runs, ",")));
    while (statement.step())
      for (int i = 0; i < statement.column_count(); ++i)
        environment[statement.column_name(i)].insert(statement.text(i));
    statement.reset();
  }
  return environment;
}

std::string describe_sides(Database& database, const std::vector<Side>& sides) {
  if (sides.size() > 1) return fmt::format("{} experiments of {}", sides.size(), database.file().string());
  const Side& side = sides.front();
  if (side.runs.size() > 1 && !side.one_run)
    return fmt::format("{} ({} runs)", side.device, side.runs.size());
  Statement statement = database.prepare("SELECT started_at FROM run WHERE id = ?");
  statement.bind_all(side.runs.back());
  statement.step();
  const std::string runs = run_words(side.runs.back(), side.runs.front());
  return fmt::format("{} ({}, {})", runs, side.device, statement.text(0));
}

}  // namespace tailwave
