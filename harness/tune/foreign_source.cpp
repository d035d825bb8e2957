#include "tune/foreign_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/statistics.h"
#include "occupancy/launch_speed.h"
#include "store/device_times.h"
#include "store/no_trials.h"
#include "store/observation_store.h"
#include "tune/curve_models.h"

namespace tailwave {
namespace {

// The model that goes on beyond the grids that were measured, unlike what is interpolated between them.
constexpr std::string_view kCurveModel = "variance_aware";

DeviceSpec spec_of(const DeviceDescription& device) {
  for (const DeviceSpec& known : known_devices())
    if (known.title == device.name) return known;
  if (device.kind == DeviceKind::cuda) return device_spec_from(device.properties, device.name, device.name);
  return find_device(device.name);
}

std::optional<GridOnDevice> launch_of(const std::optional<WaveFacts>& facts, const DeviceSpec& device) {
  if (!facts || facts->grid < 1 || facts->block < 1 || facts->blocks_per_sm.value_or(0) < 1)
    return std::nullopt;
  const std::int64_t clusters = facts->cluster.value_or(0) * facts->active_clusters.value_or(0);
  return GridOnDevice{facts->grid, facts->block,
                      clusters > 0 ? filled_sms(clusters, *facts->blocks_per_sm) : device.sms,
                      *facts->blocks_per_sm};
}

std::optional<TimeModel> model_of(const GridCurve& curve) {
  try {
    for (FittedModel& model : fit_wave_models(wave_shape_of(curve), fitted_grids(curve)))
      if (model.name == kCurveModel) return std::move(model.time_ns);
  } catch (const Error&) {
    // too few grids
  }
  return std::nullopt;
}

void add_curves(Database& database, const std::string& device, ForeignSource& source) {
  for (const StoredGridCurve& stored : grid_curves_on(database, device)) {
    const auto found = source.times.find(stored.configuration);
    if (found != source.times.end() && stored.curve.sms == source.spec.sms)
      found->second.curve = model_of(stored.curve);
  }
}

std::optional<DeviceLimit> limit_of(std::string_view unit) {
  struct Named {
    std::string_view unit;
    DeviceLimit limit;
  };
  constexpr std::array<Named, 7> kUnits{{{"dram", DeviceLimit::memory},
                                         {"l2", DeviceLimit::l2},
                                         {"l1", DeviceLimit::shared_memory},
                                         {"issue", DeviceLimit::issue},
                                         {"fma", DeviceLimit::fp32},
                                         {"fp64", DeviceLimit::fp64},
                                         {"xu", DeviceLimit::special}}};
  const auto* const found =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const Named& named) { return named.unit == unit; });
  return found == kUnits.end() ? std::nullopt : std::optional(found->limit);
}

// Of each configuration those of the launch that took longest, the last one.
void add_counters_on(Database& database, const std::string& device, ForeignSource& source) {
  std::string configuration;
  int position = 0;
  for (const CountedUnit& counted : counted_units_on(database, device)) {
    const auto time = source.times.find(counted.configuration);
    const std::optional<DeviceLimit> limit = limit_of(counted.unit);
    if (time == source.times.end() || !limit) continue;
    std::optional<CounterSummary>& counters = time->second.counters;
    if (!counters || configuration != counted.configuration || position != counted.position)
      counters.emplace();
    configuration = counted.configuration;
    position = counted.position;
    counters->of(*limit) = counted.share;
  }
}

// Where both have the same kind of SM.
std::optional<double> curve_ratio(const ForeignSource::Time& time, const DeviceSpec& source,
                                  const DeviceSpec& target, const std::optional<GridOnDevice>& launch) {
  if (!time.curve || !time.launch || !launch || source.compute_capability != target.compute_capability)
    return std::nullopt;
  return grid_curve_ratio(*time.curve, *time.launch, *launch);
}

}  // namespace

ForeignSource load_foreign_source(Database& database, const std::string& system,
                                  const std::string& experiment, const std::string& device) {
  const std::optional<DeviceDescription> described = run_device(database, system, experiment, device);
  if (!described)
    throw Error(no_trials(database, system + "/" + experiment, device,
                          "run it there, or import what was recorded there"));
  if (described->kind == DeviceKind::cpu)
    throw Error(Diagnostic{.file = database.file().string(),
                           .cause = fmt::format("{} is no GPU", device),
                           .hint = "a CPU's times say nothing of a GPU's"});
  ForeignSource source{spec_of(*described), {}, {}};
  for (const DeviceTime& time : device_times(database, system, experiment, device)) {
    if (time.time_ns && *time.time_ns > 0)
      source.times[time.configuration] = {
          *time.time_ns, time.mode, launch_of(time.launch, source.spec), {}, {}};
    else
      source.without[time.configuration] = to_string(time.outcome);
  }
  add_curves(database, device, source);
  add_counters_on(database, device, source);
  return source;
}

std::optional<ForeignTime> predict_from(const std::vector<ForeignSource>& sources,
                                        const std::string& configuration, const DeviceSpec& target,
                                        const std::optional<GridOnDevice>& launch) {
  std::vector<ForeignTime> predictions;
  std::string mode;
  for (const ForeignSource& source : sources) {
    const auto found = source.times.find(configuration);
    if (found == source.times.end()) continue;
    const ForeignSource::Time& time = found->second;
    if (!predictions.empty() && time.mode != mode) continue;
    mode = time.mode;
    predictions.push_back(predict_foreign({.time_ns = time.time_ns,
                                           .source_launch = time.launch,
                                           .target_launch = launch,
                                           .counters = time.counters,
                                           .curve_ratio = curve_ratio(time, source.spec, target, launch)},
                                          source.spec, target));
  }
  if (predictions.empty()) return std::nullopt;
  return combine_foreign(predictions);
}

}  // namespace tailwave
