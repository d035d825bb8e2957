#include "report/explained_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/counters.h"
#include "store/record_row.h"

namespace tailwave {
namespace {

constexpr std::array kIdleCauses{"ramp",  "early_warps",  "hand_over",     "quantisation",
                                 "drain", "sm_imbalance", "block_variance"};

Series times_of(Database& database, std::int64_t trial) {
  Series series;
  Statement row = database.prepare(
      "SELECT repetition, time_ns FROM sample WHERE trial_id = ? AND dropped IS NULL ORDER BY repetition, position");
  row.bind_all(trial);
  std::optional<std::int64_t> repetition;
  while (row.step()) {
    if (repetition != row.integer(0)) series.repetitions.emplace_back();
    repetition = row.integer(0);
    series.repetitions.back().push_back(row.real(1));
  }
  return series;
}

// The median of them, what device they ran on, and what the view trial_waves and the manifest's limits say.
void read_trial(Database& database, ExplainedSide& side) {
  Statement row = database.prepare(R"(
    SELECT configuration.name, mode, run_id, CASE WHEN device.kind = 'cuda' THEN device.sms END,
      (SELECT median(time_ns) FROM sample WHERE trial_id = trial.id AND dropped IS NULL) AS median_ns,
      (SELECT name FROM time_limit WHERE trial_id = trial.id ORDER BY time_ns DESC, name LIMIT 1),
      (SELECT max(time_ns) FROM time_limit WHERE trial_id = trial.id),
      (SELECT code_hash FROM build WHERE build.id = build_id), )" +
                                   columns_of<WaveFacts>("trial_waves") + R"(
    FROM trial
      JOIN configuration ON configuration.id = configuration_id
      JOIN device ON device.id = device_id
      LEFT JOIN trial_waves ON trial_waves.trial_id = trial.id
    WHERE trial.id = ?)");
  row.bind_all(side.trial_id).step();
  side.configuration = row.text(0);
  side.mode = row.text(1);
  side.run_id = row.integer(2);
  side.on_gpu = row.optional_integer(3).has_value();
  side.sms = static_cast<int>(row.optional_integer(3).value_or(0));
  side.median_ns = row.real(4);
  side.limit = row.text(5);
  if (const auto limit_ns = row.optional_real(6); limit_ns && side.median_ns > 0)
    side.limit_share = *limit_ns / side.median_ns;
  side.code_hash = row.text(7);
  if (side.on_gpu) side.waves = read_optional_row<WaveFacts>(row, 8);
}

// `ends_on_value`: how often each of the shapes was launched is not known.
void read_sums(Database& database, std::int64_t run, bool ends_on_value, CountedPlan& plan) {
  Statement launches =
      database.prepare("SELECT count(*), total(count) FROM counted_launch WHERE counter_run_id = ?");
  launches.bind_all(run).step();
  const std::int64_t shapes = launches.integer(0);
  plan.launches = launches.integer(1);
  plan.some_are_alike = shapes < plan.launches;
  Statement row = database.prepare(R"(
    SELECT metric, sum(count * value) FROM counter_value JOIN counted_launch USING (counter_run_id, position)
    WHERE counter_run_id = ? AND doubt IS NULL GROUP BY metric HAVING count(value) = ?)");
  row.bind_all(run, shapes);
  while (!ends_on_value && row.step())
    if (adds_up(row.text(0))) plan.sums.emplace(row.text(0), row.real(1));
  // A launch alone may have its share from Nsight Compute.
  Statement units = database.prepare(R"(
    SELECT unit, share FROM (
      SELECT unit, CASE WHEN count(used) = count(*) THEN sum(count * used) / nullif(sum(count * most), 0)
          WHEN count(*) = 1 THEN max(share) END AS share
      FROM counter_speed_of_light JOIN counted_launch USING (counter_run_id, position)
      WHERE counter_run_id = ?1 AND unit <> 'sm'
      GROUP BY unit HAVING count(*) = ?2 AND count(doubt) = 0)
    WHERE share IS NOT NULL ORDER BY share DESC, unit)");
  units.bind_all(run, shapes);
  while ((!ends_on_value || shapes == 1) && units.step())
    plan.units.push_back({units.text(0), units.real(1)});
}

// Whether counters of an experiment at a time are of another run than the trial: of another experiment, taken before the
// run, or after the next one began.
bool of_other_run(Database& database, const ExplainedSide& side, const CountedPlan& counted) {
  Statement row = database.prepare(R"(
    SELECT 1 FROM run
    WHERE id = ?1 AND (system || '/' || experiment <> ?2 OR ?3 < started_at OR EXISTS (
      SELECT 1 FROM run AS later
      WHERE (later.system, later.experiment, later.device_id) = (run.system, run.experiment, run.device_id)
        AND later.id <> run.id AND later.started_at > run.started_at AND later.started_at <= ?3)))");
  row.bind_all(side.run_id, counted.experiment, counted.counted_at);
  return row.step();
}

void read_counters(Database& database, ExplainedSide& side) {
  Statement trial = database.prepare(R"(
    SELECT configuration_id, device.name, device.kind, build.code_hash
    FROM trial JOIN device ON device.id = device_id LEFT JOIN build ON build.id = build_id WHERE trial.id = ?)");
  trial.bind_all(side.trial_id).step();
  Statement row = database.prepare(R"(
    SELECT id, method, counted_at, coalesce(remark, ''), code_hash <> ?4 AS other_code, partial, ends_on_value,
      system || '/' || experiment
    FROM counter_age WHERE configuration_id = ?1 AND device = ?2 AND kind = ?3 AND age = 1)");
  row.bind_all(trial.integer(0), trial.text(1), trial.text(2), trial.cell(3));
  if (!row.step()) return;
  if (row.integer(4) == 1) {
    side.not_counted = fmt::format("its counters ({}) are of other machine code", row.text(2));
    return;
  }
  if (row.integer(5) == 1) {
    side.not_counted = fmt::format("its counters ({}) are of some of its launches alone", row.text(2));
    return;
  }
  side.counted.emplace();
  side.counted->counter_run = row.integer(0);
  side.counted->method = row.text(1);
  side.counted->counted_at = row.text(2);
  side.counted->remark = row.text(3);
  side.counted->experiment = row.text(7);
  side.counted->other_run = of_other_run(database, side, *side.counted);
  const bool ends_on_value = row.integer(6) == 1;
  if (ends_on_value)
    side.not_counted = fmt::format(
        "its launches end on a value, so that sums of its counters ({}) over all of them are not known",
        row.text(2));
  read_sums(database, row.integer(0), ends_on_value, *side.counted);
}

void read_trace(Database& database, ExplainedSide& side) {
  Statement row = database.prepare(R"(
    SELECT trace.id, coalesce(disturbed, '')
    FROM trial
      JOIN device ON device.id = trial.device_id
      JOIN trace ON trace.configuration_id = trial.configuration_id
      JOIN device AS traced ON traced.id = trace.device_id AND traced.name = device.name AND traced.kind = device.kind
    WHERE trial.id = ? ORDER BY traced_at DESC, trace.id DESC LIMIT 1)");
  row.bind_all(side.trial_id);
  if (!row.step()) return;
  if (!row.text(1).empty()) {
    side.not_traced = "its trace is disturbed: " + row.text(1);
    return;
  }
  Statement idle = database.prepare(R"(
    SELECT kernel, utilisation, coalesce(cause, ''), doubtful IS NOT NULL,
      EXISTS (
        SELECT 1 FROM launch
        WHERE trial_id = ?2 AND launch.kernel = trace_launch.kernel
          AND launch.grid_x * launch.grid_y * launch.grid_z
            = trace_launch.grid_x * trace_launch.grid_y * trace_launch.grid_z
          AND launch.block_x * launch.block_y * launch.block_z
            = trace_launch.block_x * trace_launch.block_y * trace_launch.block_z
          AND coalesce(launch.registers = trace_launch.registers, 1)),
      ramp, early_warps, hand_over, quantisation, drain, sm_imbalance, block_variance
    FROM trace_idle JOIN trace_launch USING (trace_id, position)
    WHERE trace_id = ?1 AND utilisation IS NOT NULL ORDER BY trace_idle.duration_ns DESC, position LIMIT 1)");
  idle.bind_all(row.integer(0), side.trial_id);
  if (!idle.step()) return;
  constexpr int kIsOfTrial = 4, kFirstCause = 5;
  if (idle.integer(kIsOfTrial) == 0) {
    side.not_traced = "its trace is of other launches or other code";
    return;
  }
  side.traced.emplace();
  side.traced->kernel = idle.text(0);
  side.traced->busy = idle.real(1);
  side.traced->cause = idle.text(2);
  side.traced->doubtful = idle.integer(3) == 1;
  for (std::size_t i = 0; i < kIdleCauses.size(); ++i)
    side.traced->idle.emplace(kIdleCauses.at(i), idle.real(kFirstCause + static_cast<int>(i)));
}

}  // namespace

std::optional<double> CountedPlan::sum(const std::string& metric) const {
  const auto found = sums.find(metric);
  return found == sums.end() ? std::nullopt : std::optional(found->second);
}

const DrivenUnit* CountedPlan::unit(const std::string& name) const {
  const auto found = std::ranges::find(units, name, &DrivenUnit::unit);
  return found == units.end() ? nullptr : &*found;
}

ExplainedSide read_side(Database& database, std::int64_t trial_id) {
  ExplainedSide side;
  side.trial_id = trial_id;
  read_trial(database, side);
  side.times_ns = times_of(database, trial_id);
  read_counters(database, side);
  read_trace(database, side);
  return side;
}

}  // namespace tailwave
