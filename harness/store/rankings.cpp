#include "store/rankings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>
#include <utility>

#include "core/bootstrap.h"
#include "core/standing.h"
#include "store/statement.h"
#include "store/trial_costs.h"

namespace tailwave {
namespace {

// An experiment on a device.
struct RankedSeries {
  std::string system, experiment, run_device, run_kind;

  void bind(Statement& statement) const {
    statement.bind(":system", system)
        .bind(":experiment", experiment)
        .bind(":device", run_device)
        .bind(":kind", run_kind);
  }
};

constexpr const char* kOfSeries =
    "system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind";

// A condition on the columns system and experiment.
std::string is_one_of(const std::vector<std::string>& experiments) {
  if (experiments.empty()) return "true";
  std::vector<std::string> names;
  for (const std::string& name : experiments) {
    std::string& quoted = names.emplace_back("'");
    for (const char letter : name) quoted += letter == '\'' ? "''" : std::string(1, letter);
    quoted += '\'';
  }
  return fmt::format("(experiment IN ({0}) OR system || '/' || experiment IN ({0}))", fmt::join(names, ", "));
}

// Those that the table ranking of `schema` has not.
std::vector<RankedSeries> series_to_rank(Database& database, const std::string& schema,
                                         const std::vector<std::string>& experiments, std::int64_t fewest) {
  Statement row = database.prepare(fmt::format(R"(
    SELECT system, experiment, run_device, run_kind FROM run_series AS series WHERE NOT superseded AND {}
    GROUP BY system, experiment, run_device, run_kind
    HAVING sum((SELECT count(*) FROM trial WHERE trial.run_id = series.run_id)) >= :fewest
      AND NOT EXISTS (
        SELECT 1 FROM {}.ranking AS kept WHERE NOT stale AND kept.system = series.system
          AND kept.experiment = series.experiment AND kept.run_device = series.run_device
          AND kept.run_kind = series.run_kind))",
                                               is_one_of(experiments), schema));
  row.bind(":fewest", fewest);
  std::vector<RankedSeries> all;
  while (row.step()) all.push_back({row.text(0), row.text(1), row.text(2), row.text(3)});
  return all;
}

constexpr const char* kTemporary = R"(
  CREATE TEMP TABLE ranking (id INTEGER PRIMARY KEY, system, experiment, run_device, run_kind, trials, correct, stale);
  CREATE TEMP TABLE ranking_trial (
    ranking_id INTEGER, trial_id INTEGER PRIMARY KEY, peers, best_id INTEGER, value, place, place_from_worst, of_ranked, standing,
    to_best, to_best_low, to_best_high);
  CREATE TEMP TABLE left_out_trial (trial_id INTEGER PRIMARY KEY))";

constexpr const char* kRank = R"(
  INSERT INTO temp.ranking_trial (ranking_id, trial_id, peers, best_id, value, place, place_from_worst, of_ranked)
  SELECT :ranking, trial_id, peers, first_value(trial_id) OVER alike, value, place, place_from_worst, of_ranked
  FROM ranked_trial WHERE {}
  WINDOW alike AS (PARTITION BY device, kind, peers, problem ORDER BY place))";

constexpr const char* kAddUnranked = R"(
  INSERT INTO temp.ranking_trial (ranking_id, trial_id, peers)
  SELECT :ranking, trial_id, peers FROM current_trial
  WHERE {} AND trial_id NOT IN (SELECT trial_id FROM temp.ranking_trial))";

constexpr const char* kCount = R"(
  UPDATE temp.ranking SET stale = 0,
    trials = (SELECT count(*) FROM temp.ranking_trial WHERE ranking_id = :ranking),
    correct = (SELECT count(*) FROM temp.ranking_trial JOIN trial ON trial.id = trial_id
               WHERE ranking_id = :ranking AND outcome = 'correct')
  WHERE id = :ranking)";

// What `query best` compares: trials with the costs that samples may have.
struct Contenders {
  std::vector<std::int64_t> trials;
  std::vector<Series> costs;
  std::vector<bool> wanted;
};

Contenders contenders_of(Database& database, std::int64_t best) {
  constexpr std::int64_t kWithInterval = 100;  // places
  Statement sample = database.prepare(R"(
    SELECT ranked.trial_id, place, repetition, cost
    FROM temp.ranking_trial AS ranked CROSS JOIN sample_cost ON sample_cost.trial_id = ranked.trial_id
    WHERE best_id = ? ORDER BY ranked.trial_id)");
  sample.bind_all(best);
  Contenders all;
  CostsByRepetition repetitions;
  const auto end_trial = [&] {
    if (repetitions.empty()) return;
    all.costs.push_back(series_of(std::exchange(repetitions, {})));
  };
  while (sample.step()) {
    const std::optional<double> cost = cost_in(sample, 3);
    if (!cost) continue;
    if (all.trials.empty() || all.trials.back() != sample.integer(0)) {
      end_trial();
      all.trials.push_back(sample.integer(0));
      all.wanted.push_back(sample.integer(1) <= kWithInterval);
    }
    repetitions[sample.integer(2)].push_back(*cost);
  }
  end_trial();
  return all;
}

void compare_alike(Database& database, std::int64_t best) {
  const Contenders all = contenders_of(database, best);
  if (all.trials.empty()) return;
  const std::vector<BesideBest> compared = compare_with_best(all.costs, all.wanted, {.margin = 0.01});
  Statement row = database.prepare(
      "UPDATE temp.ranking_trial SET standing = ?2, to_best = ?3, to_best_low = ?4, to_best_high = ?5 WHERE trial_id = ?1");
  const auto finite = [](double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; };
  for (std::size_t i = 0; i < compared.size(); ++i) {
    const BesideBest& one = compared[i];
    const auto low = one.interval ? finite(one.interval->low) : std::nullopt;
    const auto high = one.interval ? finite(one.interval->high) : std::nullopt;
    row.bind_all(all.trials[i], std::string(to_string(one.standing)), finite(one.ratio), low, high).run();
  }
}

// What another tuner recorded as its objective is compared by that, wherever it is asked for.
bool has_objectives(Database& database, std::int64_t ranking) {
  Statement row = database.prepare(R"(
    SELECT EXISTS (SELECT 1 FROM temp.ranking_trial JOIN measurement USING (trial_id) WHERE ranking_id = ? AND objective = 1))");
  return row.bind_all(ranking).step() && row.integer(0) == 1;
}

// Into the temporary tables.
void rank(Database& database, const RankedSeries& series) {
  Statement begin = database.prepare(
      "INSERT INTO temp.ranking (system, experiment, run_device, run_kind, stale) "
      "VALUES (:system, :experiment, :device, :kind, 1)");
  series.bind(begin);
  begin.run();
  const std::int64_t id = sqlite3_last_insert_rowid(database.handle());
  for (const char* sql : {kRank, kAddUnranked}) {
    Statement add = database.prepare(fmt::format(fmt::runtime(sql), kOfSeries));
    series.bind(add);
    add.bind(":ranking", id).run();
  }
  database.prepare(kCount).bind(":ranking", id).run();
  if (has_objectives(database, id)) return;
  database.execute(
      "CREATE INDEX IF NOT EXISTS temp.ranking_trial_alike ON ranking_trial (best_id, trial_id)");
  std::vector<std::int64_t> all;
  Statement best =
      database.prepare("SELECT trial_id FROM temp.ranking_trial WHERE ranking_id = ? AND trial_id = best_id");
  best.bind_all(id);
  while (best.step()) all.push_back(best.integer(0));
  for (const std::int64_t one : all) compare_alike(database, one);
}

// Changes when another connection has written.
std::int64_t data_version(Database& database) {
  Statement row = database.prepare("PRAGMA data_version");
  row.step();
  return row.integer(0);
}

void publish(Database& database, const RankedSeries& series, std::int64_t version) {
  Transaction transaction(database);
  if (data_version(database) != version) return;
  Statement out = database.prepare(fmt::format("DELETE FROM main.ranking WHERE stale OR ({})", kOfSeries));
  series.bind(out);
  out.run();
  database.execute(R"(
    INSERT INTO main.ranking (system, experiment, run_device, run_kind, trials, correct, stale)
      SELECT system, experiment, run_device, run_kind, trials, correct, 0 FROM temp.ranking;
    INSERT INTO main.ranking_trial
      SELECT last_insert_rowid(), trial_id, peers, best_id, value, place, place_from_worst, of_ranked, standing, to_best,
        to_best_low, to_best_high
      FROM temp.ranking_trial)");
  transaction.commit();
}

// Half of the choice are the best, as many of each problem; half is every so many-th.
constexpr const char* kLeaveOut = R"(
  INSERT INTO left_out_trial
    SELECT trial_id FROM (
      SELECT trial_id, place, place_from_worst,
        row_number() OVER (PARTITION BY ranking_id, best_id ORDER BY place, trial_id) AS number,
        row_number() OVER (PARTITION BY ranking_id, best_id, variant ORDER BY place, trial_id) = 1
          OR row_number() OVER (PARTITION BY ranking_id, best_id, variant ORDER BY configuration.id) = 1
          OR json_extract(run.defaults, '$."' || variant || '"') = parameters AS needed,
        best_id IS NOT NULL AS ranked, sum(place = 1) OVER series AS problems, count(*) OVER series AS trials
      FROM temp.ranking_trial
        CROSS JOIN trial ON trial.id = trial_id
        CROSS JOIN run ON run.id = run_id
        CROSS JOIN configuration ON configuration.id = configuration_id
      WINDOW series AS (PARTITION BY ranking_id))
    WHERE trials > {0} AND place IS NOT 1 AND place_from_worst IS NOT 1 AND needed IS NOT 1
      AND NOT (ranked AND number * problems * 2 <= {0}) AND number % (trials * 2 / {0}) <> 0;
  DELETE FROM temp.ranking_trial WHERE trial_id IN left_out_trial)";

}  // namespace

void keep_rankings(Database& database, const std::vector<std::string>& experiments, std::int64_t fewest) {
  for (const RankedSeries& one : series_to_rank(database, "main", experiments, fewest)) {
    const std::int64_t version = data_version(database);
    database.execute(kTemporary);
    try {
      rank(database, one);
      publish(database, one, version);
    } catch (...) {
      drop_ranked_trials(database);
      throw;
    }
    drop_ranked_trials(database);
  }
}

void choose_ranked_trials(Database& database, std::int64_t most,
                          const std::vector<std::string>& experiments) {
  // Where the views are not those that the database has (overlay_views), its rankings were worked out by others.
  Statement overlaid =
      database.prepare("SELECT EXISTS (SELECT 1 FROM temp.sqlite_schema WHERE name = 'ranking')");
  overlaid.step();
  const bool are_of_others = overlaid.integer(0) == 1;
  overlaid.reset();
  if (are_of_others) drop_ranked_trials(database);
  database.execute(kTemporary);
  if (!are_of_others)
    database.execute(fmt::format(R"(
    INSERT INTO temp.ranking SELECT id, system, experiment, run_device, run_kind, trials, correct, stale FROM main.ranking
      WHERE NOT stale AND {};
    INSERT INTO temp.ranking_trial SELECT * FROM main.ranking_trial WHERE ranking_id IN (SELECT id FROM temp.ranking))",
                                 is_one_of(experiments)));
  for (const RankedSeries& one : series_to_rank(database, "temp", experiments, most + 1)) rank(database, one);
  database.execute(fmt::format(kLeaveOut, most));
}

void drop_ranked_trials(Database& database) {
  for (const char* table : {"left_out_trial", "ranking_trial", "ranking"})
    database.execute(fmt::format("DROP TABLE IF EXISTS temp.{}", table));
}

}  // namespace tailwave
