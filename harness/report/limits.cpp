#include "report/limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>
#include <vector>

#include "json/values.h"
#include "report/explained_factors.h"
#include "report/explained_side.h"
#include "report/explanation_draft.h"
#include "report/section_text.h"
#include "report/study_reader.h"
#include "report/study_rows.h"
#include "report/units.h"

namespace tailwave {
namespace {

// From here down what the last wave leaves idle is spoken of.
constexpr double kBalanced = 0.9;

// Units of counter_speed_of_light as people call them.
constexpr std::array<std::pair<const char*, const char*>, 9> kUnits{{
    {"issue", "issue slots"},
    {"fma", "FMA pipe"},
    {"alu", "ALU pipe"},
    {"fp64", "FP64 pipe"},
    {"xu", "special functions"},
    {"tensor", "tensor cores"},
    {"l1", "L1 and shared memory"},
    {"l2", "L2"},
    {"dram", "DRAM"},
}};

std::string unit_text(const std::string& unit) {
  for (const auto& [name, text] : kUnits)
    if (unit == name) return text;
  return unit;
}

// Of all launches of a plan, as its units: of several that are known all to be counted, weighted by their cycles of warps.
// `sums`: whether how often each was launched is known.
void read_stall(Database& database, std::int64_t counter_run, bool sums, KnownLimits& limits) {
  Statement row = database.prepare(R"(
    WITH
      launched AS (
        SELECT position, count, (
            SELECT value FROM counter_value AS warps
            WHERE warps.counter_run_id = ?1 AND warps.position = counted_launch.position AND doubt IS NULL
              AND metric = 'sm__warps_active.sum') AS warps
        FROM counted_launch WHERE counter_run_id = ?1),
      known AS (
        SELECT reason, count(*) AS launches, count(doubt) AS doubts, max(share) AS alone, count(warps) AS weighed,
          sum(count * warps * share) / nullif(sum(count * warps), 0) AS together
        FROM counter_stall JOIN launched USING (position)
        WHERE counter_run_id = ?1 AND reason <> 'selected' GROUP BY reason)
    SELECT reason, iif(launches = 1, alone, together) AS share FROM known
    WHERE doubts = 0 AND launches = (SELECT count(*) FROM launched) AND (launches = 1 OR ?2 AND weighed = launches)
    ORDER BY share DESC, reason LIMIT 1)");
  row.bind_all(counter_run, sums);
  if (!row.step() || row.is_null(1)) return;
  limits.stall = row.text(0);
  limits.stall_share = row.real(1);
}

std::string unit_or_why_not(const KnownLimits& limits) {
  if (!limits.unit_share) return limits.not_counted.empty() ? "not counted" : limits.not_counted;
  if (*limits.unit_share >= kNearPeak)
    return fmt::format("{} at {} of the peak", unit_text(limits.unit), percent(*limits.unit_share));
  return fmt::format("no unit near its peak ({} {})", unit_text(limits.unit), percent(*limits.unit_share));
}

Cell share_in_percent(const std::optional<double>& share) {
  constexpr double kPercent = 100;
  return share ? Cell{kPercent * *share} : Cell{};
}

Cell text_cell(const std::string& text) {
  return text.empty() ? Cell{} : Cell{text};
}

template <typename Number>
Cell number_cell(const std::optional<Number>& number) {
  return number ? Cell{*number} : Cell{};
}

std::vector<Cell> cells_of(const Study& study, const DeviceStudy& device, const StudyRow& best,
                           const KnownLimits& limits) {
  const WaveFacts waves = limits.waves.value_or(WaveFacts{});
  return {study.name(),
          device.device,
          to_json(best.problem),
          best.configuration,
          median_in_us(&best),
          text_cell(limits.limit),
          share_in_percent(limits.limit_share),
          text_cell(limits.unit),
          share_in_percent(limits.unit_share),
          text_cell(limits.stall),
          share_in_percent(limits.stall_share),
          text_cell(waves.kernel),
          number_cell(waves.waves),
          number_cell(waves.tail_fraction),
          number_cell(limits.wave_balance),
          number_cell(waves.occupancy),
          text_cell(waves.limiter),
          text_cell(limits_text(limits))};
}

}  // namespace

KnownLimits limits_of(Database& database, std::int64_t trial_id) {
  const ExplainedSide side = read_side(database, trial_id);
  KnownLimits limits{.limit = side.limit, .limit_share = side.limit_share, .waves = side.waves};
  limits.wave_balance = launch_facts(side).balance;
  limits.not_counted = side.not_counted;
  if (!side.counted) return limits;
  if (!side.counted->units.empty()) {
    limits.unit = side.counted->units.front().unit;
    limits.unit_share = side.counted->units.front().share;
  }
  read_stall(database, side.counted->counter_run, side.not_counted.empty(), limits);
  return limits;
}

std::string limits_text(const KnownLimits& limits) {
  const bool is_near = limits.unit_share && *limits.unit_share >= kNearPeak;
  std::vector<std::string> parts{unit_or_why_not(limits)};
  if (!is_near && limits.stall_share)
    parts.push_back(limits.stall == "other" ? "main stall not counted" : "main stall " + limits.stall);
  if (limits.waves && limits.waves->waves && limits.wave_balance && *limits.wave_balance <= kBalanced)
    parts.push_back(fmt::format("{} waves, balance {}", format_number(*limits.waves->waves),
                                percent(*limits.wave_balance)));
  return parts.size() == 1 && !limits.unit_share && !limits.limit_share && !limits.waves
             ? ""
             : fmt::format("{}", fmt::join(parts, "; "));
}

Table limits_table(Database& database, const Values& parameters) {
  Table table{{"experiment", "run_device", "problem", "best", "median_us", "limit", "limit_percent",
               "hardest", "hardest_percent", "stall", "stall_percent", "kernel", "waves", "tail_fraction",
               "wave_balance", "occupancy", "limiter", "says"},
              {}};
  for (const Study& study : load_results(database, parameters))
    for (const DeviceStudy& device : study.devices)
      for (const StudyRow* best : device.best_of_problems())
        table.rows.push_back(cells_of(study, device, *best, limits_of(database, best->trial_id)));
  return table;
}

}  // namespace tailwave
