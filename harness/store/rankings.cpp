#include "store/rankings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "store/migrations.h"
#include "store/statement.h"

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

std::string completed(std::string sql, const std::string& condition) {
  return sql.replace(sql.find('%'), 1, condition);
}

std::vector<RankedSeries> series_to_rank(Database& database, std::int64_t fewest,
                                         const std::vector<std::string>& experiments = {}) {
  Statement row = database.prepare(completed(R"(
    SELECT system, experiment, run_device, run_kind FROM run_series AS series WHERE NOT superseded AND %
    GROUP BY system, experiment, run_device, run_kind
    HAVING sum((SELECT count(*) FROM trial WHERE trial.run_id = series.run_id)) >= :fewest
      AND NOT EXISTS (
        SELECT 1 FROM ranking AS kept WHERE NOT stale AND kept.system = series.system
          AND kept.experiment = series.experiment AND kept.run_device = series.run_device
          AND kept.run_kind = series.run_kind))",
                                             is_one_of(experiments)));
  row.bind(":fewest", fewest);
  std::vector<RankedSeries> all;
  while (row.step()) all.push_back({row.text(0), row.text(1), row.text(2), row.text(3)});
  return all;
}

constexpr const char* kRankTrials = R"(
  INSERT INTO ranking_trial
    (trial_id, ranking_id, peers, best_id, value, place, place_from_worst, of_ranked, behind, standing, to_best)
  WITH
    ranked AS MATERIALIZED (
      SELECT trial_id, peers, value, maximise, place, place_from_worst, of_ranked,
        first_value(trial_id) OVER alike AS best_id, first_value(value) OVER alike AS top,
        EXISTS (SELECT 1 FROM measurement WHERE measurement.trial_id = ranked_trial.trial_id AND objective = 1) AS recorded
      FROM ranked_trial WHERE %
      WINDOW alike AS (PARTITION BY device, kind, peers, problem ORDER BY place)),
    best AS MATERIALIZED (
      SELECT trial_id AS best_id, (SELECT max(cost) FROM sample_cost WHERE sample_cost.trial_id = ranked.trial_id) AS most
      FROM ranked WHERE place = 1)
  SELECT trial_id, :ranking, peers, best_id, value, place, place_from_worst, of_ranked, behind,
    CASE WHEN NOT recorded THEN NULL WHEN place = 1 THEN 'best' WHEN behind <= 1.01 THEN 'tied' ELSE 'slower' END,
    iif(recorded, behind, NULL)
  FROM (
    SELECT *, CASE WHEN recorded THEN iif(maximise, top / value, value / top)
        ELSE (SELECT min(cost) FROM sample_cost WHERE sample_cost.trial_id = ranked.trial_id) / nullif(most, 0) END AS behind
    FROM ranked JOIN best USING (best_id)))";

// Of more problems than one, each has its own best.
constexpr const char* kCompare = R"(
  UPDATE ranking_trial SET (standing, to_best, to_best_low, to_best_high) = (item.standing, item.ratio, item.low, item.high)
  FROM (
    SELECT one.value ->> 'trial_id' AS id, one.value ->> 'verdict' AS standing, one.value ->> 'ratio' AS ratio,
      one.value ->> 'low' AS low, one.value ->> 'high' AS high
    FROM (
      SELECT compare_with_best(trial_id, repetition, cost, 0.01, place <= 100) AS verdicts
      FROM ranking_trial JOIN sample_cost USING (trial_id)
      WHERE ranking_id = :ranking AND standing IS NULL AND place <= 2000 AND (behind <= 1.01 OR behind IS NULL OR place <= 100)
      GROUP BY best_id), json_each(verdicts) AS one) AS item
  WHERE ranking_trial.trial_id = item.id)";

constexpr const char* kDecideOthers = R"(
  UPDATE ranking_trial SET to_best = iif((SELECT maximise FROM trial JOIN run ON run.id = run_id WHERE trial.id = ranking_trial.trial_id),
      best.value / ranking_trial.value, ranking_trial.value / best.value),
    standing = iif(ranking_trial.behind > 1.01, 'slower', 'unclear')
  FROM ranking_trial AS best
  WHERE ranking_trial.ranking_id = :ranking AND ranking_trial.standing IS NULL AND ranking_trial.place IS NOT NULL
    AND best.trial_id = ranking_trial.best_id)";

constexpr const char* kAddUnranked = R"(
  INSERT INTO ranking_trial (trial_id, ranking_id, peers)
  SELECT trial_id, :ranking, peers FROM current_trial
  WHERE % AND trial_id NOT IN (SELECT trial_id FROM ranking_trial WHERE ranking_id = :ranking))";

// Into the tables that have these names, which may be temporary ones. The rows become valid last: until then the views,
// which are asked here, do without them.
void rank(Database& database, const RankedSeries& series) {
  Statement out = database.prepare(completed("DELETE FROM ranking WHERE %", kOfSeries));
  series.bind(out);
  out.run();
  Statement begin = database.prepare(
      "INSERT INTO ranking (system, experiment, run_device, run_kind, trials, stale) "
      "VALUES (:system, :experiment, :device, :kind, 0, 1)");
  series.bind(begin);
  begin.run();
  const std::int64_t id = sqlite3_last_insert_rowid(database.handle());
  for (const char* sql : {kRankTrials, kAddUnranked}) {
    Statement add = database.prepare(completed(sql, kOfSeries));
    series.bind(add);
    add.bind(":ranking", id).run();
  }
  for (const char* sql : {kCompare, kDecideOthers}) database.prepare(sql).bind(":ranking", id).run();
  database
      .prepare(
          "UPDATE ranking SET stale = 0, trials = (SELECT count(*) FROM ranking_trial WHERE ranking_id = id) WHERE id = ?")
      .bind_all(id)
      .run();
}

constexpr const char* kTemporary = R"(
  CREATE TEMP TABLE ranking (id INTEGER PRIMARY KEY, system, experiment, run_device, run_kind, trials, stale);
  INSERT INTO temp.ranking SELECT id, system, experiment, run_device, run_kind, trials, stale FROM main.ranking
  WHERE NOT stale AND %;
  CREATE TEMP TABLE ranking_trial AS SELECT * FROM main.ranking_trial
  WHERE ranking_id IN (SELECT id FROM temp.ranking);
  CREATE UNIQUE INDEX temp.ranking_trial_once ON ranking_trial (trial_id);
  CREATE INDEX temp.ranking_trial_of ON ranking_trial (ranking_id))";

// Half of the choice are the best, as many of each problem; half is every so many-th.
constexpr const char* kLeaveOut = R"(
  CREATE TEMP TABLE left_out_trial (trial_id INTEGER PRIMARY KEY);
  INSERT INTO left_out_trial
    SELECT trial_id FROM (
      SELECT trial_id, place_from_worst,
        row_number() OVER (PARTITION BY ranking_id, best_id ORDER BY place, trial_id) AS number,
        best_id IS NOT NULL AS ranked, sum(place = 1) OVER series AS problems, count(*) OVER series AS trials
      FROM temp.ranking_trial WINDOW series AS (PARTITION BY ranking_id))
    WHERE trials > {0} AND place_from_worst IS NOT 1 AND NOT (ranked AND number * problems * 2 <= {0})
      AND number % (trials * 2 / {0}) <> 0;
  DELETE FROM temp.ranking_trial WHERE trial_id IN left_out_trial)";

}  // namespace

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

void keep_rankings(Database& database, std::int64_t fewest) {
  const std::vector<RankedSeries> all = series_to_rank(database, fewest);
  if (all.empty()) return;
  Transaction transaction(database);
  for (const RankedSeries& one : all) rank(database, one);
  transaction.commit();
}

void choose_ranked_trials(Database& database, std::int64_t most,
                          const std::vector<std::string>& experiments) {
  database.execute(completed(kTemporary, is_one_of(experiments)));
  for (const RankedSeries& one : series_to_rank(database, most + 1, experiments)) rank(database, one);
  database.execute(fmt::format(kLeaveOut, most));
}

}  // namespace tailwave
