#include "report/study_rows.h"

#include <algorithm>
#include <map>
#include <optional>

#include "store/record_row.h"

namespace tailwave {
namespace {

struct MedianInterval {
  std::optional<double> low_s, high_s;

  static constexpr auto members() {
    return std::tuple{member("low_s", &MedianInterval::low_s), member("high_s", &MedianInterval::high_s)};
  }
};

// Each number of the samples a query of its own, which finds them by an index: a subquery of all trials' numbers would be
// gone through for each trial.
const std::string kRows = "WITH mine AS (SELECT * FROM current_trial WHERE " + std::string(kOfDevice) + R"(),
  shown AS (
    SELECT mine.trial_id, configuration, variant, parameters, problem, mine.device, mine.kind, peers, outcome, unverified,
      detail, trial_rate.value,
      (SELECT median(time_ns) FROM sample WHERE trial_id = mine.trial_id AND dropped IS NULL) / 1e9 AS median_s,
      (SELECT median_low(time_ns) FROM sample WHERE trial_id = mine.trial_id AND dropped IS NULL) / 1e9 AS low_s,
      (SELECT median_high(time_ns) FROM sample WHERE trial_id = mine.trial_id AND dropped IS NULL) / 1e9 AS high_s,
      (SELECT nullif(count(*), 0) FROM sample WHERE trial_id = mine.trial_id AND dropped IS NULL) AS samples,
      (SELECT max(other_processes) FROM sample WHERE trial_id = mine.trial_id AND dropped IS NULL) AS other_processes,
      (SELECT name FROM time_limit WHERE trial_id = mine.trial_id ORDER BY time_ns DESC LIMIT 1) AS limit_name,
      (SELECT max(time_ns) FROM time_limit WHERE trial_id = mine.trial_id) / 1e9 AS limit_s,
      )" + columns_of<WaveFacts>("trial_waves") +
                          R"(
    FROM mine
      LEFT JOIN trial_rate ON trial_rate.trial_id = mine.trial_id
      LEFT JOIN trial_waves ON trial_waves.trial_id = mine.trial_id),
  limited AS (SELECT *, limit_s / median_s AS limit_share FROM shown)
  SELECT )" + columns_of<StudyRow>("limited") +
                          ", " + columns_of<MedianInterval>("limited") + " FROM limited";

std::map<std::int64_t, StudyRow*> rows_by_trial(DeviceStudy& device) {
  std::map<std::int64_t, StudyRow*> rows;
  for (StudyRow& row : device.rows) rows.emplace(row.trial_id, &row);
  return rows;
}

struct TrialStanding {
  std::int64_t trial_id = 0;
  Standing standing = Standing::best;
  std::int64_t tied = 0, unclear = 0, repetitions = 0;  // repetitions: its own or its best's, the fewer

  static constexpr auto members() {
    return std::tuple{member("trial_id", &TrialStanding::trial_id),
                      member("standing", &TrialStanding::standing), member("tied", &TrialStanding::tied),
                      member("unclear", &TrialStanding::unclear),
                      member("repetitions", &TrialStanding::repetitions)};
  }
};

void read_metrics(Database& database, const Study& study, DeviceStudy& device) {
  Statement statement = database.prepare("SELECT trial_id, " + columns_of<MetricRecord>("trial_metric") +
                                         " FROM current_trial JOIN trial_metric USING (trial_id) WHERE " +
                                         kOfDevice + " ORDER BY trial_id, trial_metric.position");
  bind_device(statement, study, device);
  const std::map<std::int64_t, StudyRow*> rows = rows_by_trial(device);
  while (statement.step())
    rows.at(statement.integer(0))->metrics.push_back(read_row<MetricRecord>(statement, 1));
}

}  // namespace

void bind_device(Statement& statement, const Study& study, const DeviceStudy& device) {
  statement.bind(":system", study.system)
      .bind(":experiment", study.experiment)
      .bind(":device", device.device)
      .bind(":kind", device.kind);
}

Cell median_in_us(const StudyRow* row) {
  constexpr double kMicro = 1e6;
  return row != nullptr && row->median_s ? Cell{kMicro * *row->median_s} : Cell{};
}

// Of rows with a value; of all where none has one.
std::int64_t least_peers(const std::vector<StudyRow>& rows) {
  std::optional<std::int64_t> of_valued, of_all;
  for (const StudyRow& row : rows) {
    of_all = std::min(of_all.value_or(row.peers), row.peers);
    if (row.value) of_valued = std::min(of_valued.value_or(row.peers), row.peers);
  }
  return of_valued.value_or(of_all.value_or(0));
}

void load_rows(Database& database, const Study& study, DeviceStudy& device) {
  Statement statement = database.prepare(kRows);
  bind_device(statement, study, device);
  const int columns = static_cast<int>(column_names<StudyRow>().size());
  while (statement.step()) {
    StudyRow& row = device.rows.emplace_back(read_row<StudyRow>(statement));
    const auto interval = read_row<MedianInterval>(statement, columns);
    row.interval_s = {interval.low_s.value_or(0), interval.high_s.value_or(0)};
  }
  device.peers = least_peers(device.rows);
  read_metrics(database, study, device);
}

void load_standings(Database& database, const Study& study, DeviceStudy& device) {
  Statement statement = database.prepare(R"(
    WITH kept AS (
      SELECT device, kind, peers, problem, trial_id, standing FROM kept_trial WHERE )" +
                                         std::string(kOfDevice) + R"( AND standing IS NOT NULL),
    compared AS (
      SELECT min(trial_id) AS compared_with, compare_with_best(trial_id, repetition, cost, 0.01, 0) AS verdicts
      FROM current_trial JOIN sample_cost USING (trial_id)
      WHERE )" + std::string(kOfDevice) + R"( AND NOT EXISTS (SELECT 1 FROM kept)
      GROUP BY device, kind, peers, problem),
    verdict AS (
      SELECT compared_with, item.value ->> 'trial_id' AS trial_id, item.value ->> 'verdict' AS standing
      FROM compared, json_each(verdicts) AS item
      UNION ALL
      SELECT min(trial_id) OVER (PARTITION BY device, kind, peers, problem), trial_id, standing FROM kept),
    repeated AS (
      SELECT trial_id, count(DISTINCT repetition) AS own
      FROM current_trial JOIN sample_cost USING (trial_id) WHERE )" +
                                         std::string(kOfDevice) + R"( GROUP BY trial_id),
    counted AS (
      SELECT trial_id, standing, sum(standing IN ('best', 'tied')) OVER alike AS tied,
        sum(standing = 'unclear') OVER alike AS unclear,
        min(own, max(iif(standing = 'best', own, 0)) OVER alike) AS repetitions
      FROM verdict JOIN repeated USING (trial_id)
      WINDOW alike AS (PARTITION BY compared_with))
    SELECT )" + columns_of<TrialStanding>("counted") +
                                         " FROM counted");
  bind_device(statement, study, device);
  const std::map<std::int64_t, StudyRow*> rows = rows_by_trial(device);
  while (statement.step()) {
    const auto found = read_row<TrialStanding>(statement);
    StudyRow& row = *rows.at(found.trial_id);
    row.standing = found.standing;
    row.tied = found.tied;
    row.unclear = found.unclear;
    row.one_repetition = found.repetitions <= 1;
  }
}

}  // namespace tailwave
