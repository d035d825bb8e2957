#include "tune/foreign_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "occupancy/clusters.h"
#include "occupancy/launch_speed.h"

namespace tailwave {
namespace {

constexpr const char* kPredicted = "predicted";
constexpr const char* kKnown = "known";

std::optional<GridOnDevice> launch_on(const std::optional<LaunchRecord>& launch, const DeviceSpec& target) {
  if (!launch || !launch->occupancy || launch->occupancy->blocks_per_sm < 1) return std::nullopt;
  const int blocks_per_sm = launch->occupancy->blocks_per_sm;
  const std::optional<std::int64_t> clusters = cluster_slots_of(*launch);
  return GridOnDevice{launch->grid.count(), launch->block.count(),
                      clusters ? filled_sms(*clusters, blocks_per_sm) : target.sms, blocks_per_sm};
}

// Of the first source that has it.
const ForeignSource::Time* source_time(const std::vector<ForeignSource>& sources,
                                       const std::string& configuration) {
  for (const ForeignSource& source : sources) {
    const auto found = source.times.find(configuration);
    if (found != source.times.end()) return &found->second;
  }
  return nullptr;
}

std::string why_not_measured(const std::vector<ForeignSource>& sources, const std::string& configuration) {
  for (const ForeignSource& source : sources) {
    const auto found = source.without.find(configuration);
    if (found != source.without.end()) return fmt::format("{} on {}", found->second, source.spec.title);
  }
  return "";
}

ForeignPlan::Row row_of(const PlannedLaunch& planned, const std::vector<ForeignSource>& sources,
                        const ForeignSource* measured, const DeviceSpec& target) {
  ForeignPlan::Row row{
      .configuration = planned.configuration, .outcome = planned.outcome, .why = planned.obstacle};
  const ForeignSource::Time* const time = source_time(sources, row.configuration);
  if (time != nullptr) row.source_ns = time->time_ns;
  if (planned.launch && planned.launch->waves) {
    row.blocks_per_sm = planned.launch->occupancy->blocks_per_sm;
    row.waves = planned.launch->waves->waves;
  }
  if (measured != nullptr && time != nullptr) {
    const auto found = measured->times.find(row.configuration);
    if (found != measured->times.end() && found->second.mode == time->mode)
      row.measured_ns = found->second.time_ns;
  }
  if (!planned.is_planned()) return row;
  row.predicted = predict_from(sources, row.configuration, target, launch_on(planned.launch, target));
  row.outcome = row.predicted ? kPredicted : "not_measured";
  if (!row.predicted) row.why = why_not_measured(sources, row.configuration);
  return row;
}

// Of the configurations that the target ran, the fastest on the source.
void correct_by_known(ForeignPlan& plan, std::size_t count) {
  std::vector<ForeignPlan::Row*> measured;
  for (ForeignPlan::Row& row : plan.rows)
    if (row.predicted && row.measured_ns) measured.push_back(&row);
  std::stable_sort(
      measured.begin(), measured.end(),
      [](const ForeignPlan::Row* a, const ForeignPlan::Row* b) { return *a->source_ns < *b->source_ns; });
  measured.resize(std::min(measured.size(), count));
  std::vector<KnownTime> known;
  for (ForeignPlan::Row* row : measured) {
    known.push_back({*row->predicted, *row->measured_ns});
    row->outcome = kKnown;
  }
  plan.known = known.size();
  const SharedError error = shared_error(known);
  for (ForeignPlan::Row& row : plan.rows)
    if (row.predicted) row.predicted = corrected(*row.predicted, error);
}

Cell us(std::optional<double> ns) {
  return ns ? Cell{*ns / 1000} : Cell{};
}

std::string percent(std::size_t part, std::size_t whole) {
  return fmt::format("{} of {}", part, whole);
}

}  // namespace

ForeignPlan plan_foreign(const Experiment& experiment, const std::vector<Configuration>& configurations,
                         const std::vector<ForeignSource>& sources, const ForeignSource* measured,
                         const PlannedDevice& target, std::size_t known, unsigned processes) {
  ForeignPlan plan;
  for (const PlannedLaunch& planned : planned_launches(experiment, configurations, target, processes))
    plan.rows.push_back(row_of(planned, sources, measured, target.spec));
  if (known > 0) correct_by_known(plan, known);
  for (const ForeignPlan::Row& row : plan.rows) {
    if (!row.predicted) continue;
    ++plan.predicted;
    if (row.predicted->basis == ForeignBasis::counters) ++plan.by_counters;
    if (row.measured_ns && row.outcome != kKnown) plan.compared.push_back({*row.predicted, *row.measured_ns});
  }
  const auto time_of = [](const ForeignPlan::Row& row) {
    return row.predicted ? row.predicted->time_ns : std::numeric_limits<double>::infinity();
  };
  std::stable_sort(plan.rows.begin(), plan.rows.end(),
                   [&](const auto& a, const auto& b) { return time_of(a) < time_of(b); });
  return plan;
}

Table foreign_table(const ForeignPlan& plan) {
  Table table{{"configuration", "outcome", "source_us", "predicted_us", "low_80_us", "high_80_us",
               "low_95_us", "high_95_us", "basis", "limit", "memory_ratio", "sm_ratio", "blocks_per_sm",
               "waves", "measured_us", "percent_off", "why"},
              {}};
  for (const ForeignPlan::Row& row : plan.rows) {
    std::vector<Cell> cells(table.columns.size());
    cells[0] = row.configuration;
    cells[1] = row.outcome;
    cells[2] = us(row.source_ns);
    if (row.predicted) {
      const ForeignTime& time = *row.predicted;
      const Interval likely = time.interval(kLikely), nearly_sure = time.interval(kNearlySure);
      const std::array ns{time.time_ns, likely.low, likely.high, nearly_sure.low, nearly_sure.high};
      for (std::size_t i = 0; i < ns.size(); ++i) cells[3 + i] = us(ns[i]);
      cells[8] = std::string(to_string(time.basis));
      if (time.basis == ForeignBasis::counters) cells[9] = std::string(to_string(time.limit));
      cells[10] = time.memory_ratio;
      cells[11] = time.sm_ratio;
      if (row.measured_ns) cells[15] = 100 * (*row.measured_ns / time.time_ns - 1);
    }
    if (row.blocks_per_sm) cells[12] = *row.blocks_per_sm;
    if (row.waves) cells[13] = *row.waves;
    cells[14] = us(row.measured_ns);
    if (!row.why.empty()) cells[16] = row.why;
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string foreign_words(const ForeignPlan& plan, const std::string& target) {
  std::string words;
  const ForeignRecord record = judge_foreign(plan.compared);
  if (plan.predicted > plan.by_counters)
    words += fmt::format(
        "{} from times alone: anywhere between what memory and what SMs say (memory_ratio, sm_ratio)\n",
        percent(plan.predicted - plan.by_counters, plan.predicted));
  if (plan.by_counters > 0)
    words += fmt::format("{} from counters, too{}\n", percent(plan.by_counters, plan.predicted),
                         record.compared == 0 ? ": not validated across devices" : "");
  if (plan.known > 0)
    words += fmt::format("corrected by {} measured on {}\n",
                         plan.known == 1 ? "1 configuration" : fmt::format("{} configurations", plan.known),
                         target);
  if (record.compared > 0)
    words += fmt::format(
        "measured on {}: {} in the 80 % interval, {} in the 95 % one; off by {:.0f} % in the median; the best "
        "predicted takes {:.2f} times as long as the best measured\n",
        target, percent(record.likely, record.compared), percent(record.nearly_sure, record.compared),
        record.median_percent, record.regret);
  return words;
}

}  // namespace tailwave
