#include "report/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "core/compare_pairs.h"
#include "core/statistics.h"
#include "interchange/tuner_results.h"
#include "json/values.h"

namespace tailwave {
namespace {

using TrialsByName = std::map<std::string, std::pair<std::string, ComparedTrial>>;  // parameters, trial

// Trials with the id of the one whose samples they have.
constexpr const char* kTrialsOfRuns = R"(
  WITH
    aged AS (
      SELECT trial.id AS trial_id, row_number() OVER (
          PARTITION BY trial.configuration_id ORDER BY run.started_at DESC, run.id DESC) AS age
      FROM json_each(:runs) AS chosen
        CROSS JOIN run ON run.id = chosen.value
        CROSS JOIN trial ON trial.run_id = run.id)
  SELECT trial_id FROM aged WHERE age = 1)";

constexpr const char* kCurrentTrials = R"(
  SELECT trial_id FROM current_trial
  WHERE system = :system AND experiment = :experiment AND run_device = :device AND run_kind = :kind)";

constexpr const char* kTrial = R"(
  SELECT configuration.name, configuration.parameters, trial.outcome, device.kind, coalesce(trial.mode, ''), sampled.id,
    run.metric, run.maximise, sampled.work
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

void load_samples(Statement& statement, std::int64_t trial_id, ComparedTrial& trial) {
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

TrialsByName load_side(Database& database, const Side& side) {
  TrialsByName trials;
  Statement facts = database.prepare(kTrial);
  Statement samples = database.prepare(kSamples);
  for (const std::int64_t id : trials_of(database, side)) {
    facts.bind_all(id);
    facts.step();
    ComparedTrial trial{from_string<Outcome>(facts.text(2)),
                        from_string<DeviceKind>(facts.text(3)),
                        facts.text(4),
                        facts.text(6),
                        facts.integer(7) != 0,
                        from_json(facts.text(8)),
                        {},
                        {}};
    load_samples(samples, facts.integer(5), trial);
    // Of code that was measured under another name.
    if (trial.outcome == Outcome::skipped_identical && trial.median_s) trial.outcome = Outcome::correct;
    trials.emplace(facts.text(0), std::pair(facts.text(1), std::move(trial)));
    facts.reset();
  }
  return trials;
}

Obstacle between_kinds(DeviceKind a, DeviceKind b) {
  if (a == b) return Obstacle::none;
  return a == DeviceKind::recorded || b == DeviceKind::recorded ? Obstacle::recorded_and_measured
                                                                : Obstacle::cpu_and_gpu;
}

// "interactions is 100 in A, 50 in B": a quantity that both sides have, or that the metric needs. Empty: there is none.
std::string work_difference(const ComparedTrial& a, const ComparedTrial& b) {
  const auto of = [](const Values& work, const std::string& quantity) {
    const auto found = work.find(quantity);
    return found == work.end() ? std::optional<double>() : to_double(found->second);
  };
  const auto text = [](std::optional<double> amount) {
    return amount ? fmt::format("{}", *amount) : "unknown";
  };
  std::set<std::string> quantities;
  for (const auto& [quantity, amount] : a.work)
    if (b.work.contains(quantity) || a.metric == quantity + "_per_second") quantities.insert(quantity);
  for (const auto& [quantity, amount] : b.work)
    if (b.metric == quantity + "_per_second") quantities.insert(quantity);
  for (const std::string& quantity : quantities) {
    const std::optional<double> in_a = of(a.work, quantity), in_b = of(b.work, quantity);
    if (in_a != in_b) return fmt::format("{} is {} in A, {} in B", quantity, text(in_a), text(in_b));
  }
  return "";
}

void find_obstacle(ComparedRow& row) {
  const ComparedTrial &a = *row.a, &b = *row.b;
  row.obstacle = between_kinds(a.kind, b.kind);
  if (row.obstacle != Obstacle::none) return;
  if (a.metric != b.metric) {
    row.obstacle = Obstacle::metric;
    row.obstacle_detail = fmt::format("{} in A, {} in B", a.metric, b.metric);
  } else if (a.maximise != b.maximise) {
    row.obstacle = Obstacle::goal;
    row.obstacle_detail =
        fmt::format("{} is better in A, {} in B", a.maximise ? "more" : "less", b.maximise ? "more" : "less");
  } else if (row.obstacle_detail = work_difference(a, b); !row.obstacle_detail.empty()) {
    row.obstacle = Obstacle::work;
  }
}

ComparedAs by_outcome(ComparedRow& row) {
  if (!row.b) return ComparedAs::only_a;
  if (!row.a) return ComparedAs::only_b;
  const bool correct_a = row.a->outcome == Outcome::correct, correct_b = row.b->outcome == Outcome::correct;
  if (correct_a && correct_b) {
    find_obstacle(row);
    return row.obstacle == Obstacle::none ? ComparedAs::unclear : ComparedAs::not_comparable;
  }
  if (correct_a) return ComparedAs::failed;
  if (correct_b) return ComparedAs::fixed;
  return row.a->outcome == row.b->outcome ? ComparedAs::same : ComparedAs::other_outcome;
}

void add_rows(Database& database_a, const Side& a, Database& database_b, const Side& b,
              SideComparison& comparison) {
  std::map<std::string, ComparedRow> rows;
  for (auto& [name, trial] : load_side(database_a, a)) {
    ComparedRow& row = rows[name];
    row.parameters = trial.first;
    row.a = trial.second;
  }
  for (auto& [name, trial] : load_side(database_b, b)) {
    ComparedRow& row = rows[name];
    row.parameters = trial.first;
    row.b = trial.second;
  }
  for (auto& [name, row] : rows) {
    row.experiment = a.name();
    row.configuration = name;
    row.obstacle = between_kinds(a.kind, b.kind);
    row.compared = row.obstacle == Obstacle::none ? by_outcome(row) : ComparedAs::not_comparable;
    comparison.rows.push_back(std::move(row));
  }
}

ComparedAs compared_as(Change change) {
  switch (change) {
    case Change::faster:
      return ComparedAs::faster;
    case Change::same:
      return ComparedAs::same;
    case Change::slower:
      return ComparedAs::slower;
    case Change::unclear:
      break;
  }
  return ComparedAs::unclear;
}

void judge_rows(SideComparison& comparison) {
  std::vector<SeriesPair> pairs;
  std::vector<ComparedRow*> judged;
  for (ComparedRow& row : comparison.rows) {
    if (row.compared != ComparedAs::unclear || !row.a->median_s || !row.b->median_s) continue;
    pairs.push_back({row.a->costs, row.b->costs});
    judged.push_back(&row);
  }
  const std::vector<RatioVerdict> verdicts = compare_pairs(pairs, {.margin = comparison.margin});
  for (std::size_t i = 0; i < judged.size(); ++i) {
    judged[i]->ratio = verdicts[i].ratio;
    judged[i]->interval = verdicts[i].interval;
    judged[i]->tested = verdicts[i].tested;
    judged[i]->compared = compared_as(verdicts[i].change);
  }
  std::stable_sort(
      comparison.rows.begin(), comparison.rows.end(), [](const ComparedRow& x, const ComparedRow& y) {
        return std::pair(x.compared, -x.ratio.value_or(0)) < std::pair(y.compared, -y.ratio.value_or(0));
      });
}

// The environment of runs: name -> values. Of clocks only what does not change from one moment to the next.
using Environment = std::map<std::string, std::set<std::string>>;

void add_environment(Database& database, const std::vector<Side>& sides, Environment& environment) {
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
  for (const Side& side : sides) {
    statement.bind(":runs", fmt::format("[{}]", fmt::join(side.runs, ",")));
    while (statement.step())
      for (int i = 0; i < statement.column_count(); ++i)
        environment[statement.column_name(i)].insert(statement.text(i));
    statement.reset();
  }
}

void add_differences(const Environment& a, const Environment& b, SideComparison& comparison) {
  for (const auto& [what, values] : a) {
    const std::set<std::string>& others = b.at(what);
    if (values != others)
      comparison.differences.push_back(
          {what, fmt::format("{}", fmt::join(values, ", ")), fmt::format("{}", fmt::join(others, ", "))});
  }
}

void add_modes(SideComparison& comparison) {
  std::set<std::string> a, b;
  for (const ComparedRow& row : comparison.rows) {
    if (!row.a || !row.b || !row.a->median_s || !row.b->median_s) continue;
    a.insert(row.a->mode);
    b.insert(row.b->mode);
  }
  if (a != b)
    comparison.differences.push_back(
        {"mode", fmt::format("{}", fmt::join(a, ", ")), fmt::format("{}", fmt::join(b, ", "))});
}

std::string name_of(Database& database, const std::vector<Side>& sides) {
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

}  // namespace

SideComparison compare_sides(Database& database_a, const std::vector<Side>& a, Database& database_b,
                             const std::vector<Side>& b, double margin) {
  SideComparison comparison{name_of(database_a, a), name_of(database_b, b), margin};
  std::vector<Side> both_a, both_b;
  for (const Side& side : a) {
    const auto other =
        std::find_if(b.begin(), b.end(), [&](const Side& one) { return one.name() == side.name(); });
    if (other == b.end()) {
      comparison.only_a.push_back(side.name());
      continue;
    }
    both_a.push_back(side);
    both_b.push_back(*other);
    add_rows(database_a, side, database_b, *other, comparison);
  }
  for (const Side& side : b)
    if (std::none_of(both_b.begin(), both_b.end(),
                     [&](const Side& one) { return one.name() == side.name(); }))
      comparison.only_b.push_back(side.name());
  judge_rows(comparison);
  Environment environment_a, environment_b;
  add_environment(database_a, both_a, environment_a);
  add_environment(database_b, both_b, environment_b);
  add_differences(environment_a, environment_b, comparison);
  add_modes(comparison);
  return comparison;
}

}  // namespace tailwave
