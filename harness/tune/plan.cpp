#include "tune/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "measure/launch_description.h"
#include "occupancy/clusters.h"
#include "occupancy/launch_speed.h"
#include "occupancy/occupancy.h"
#include "occupancy/sm_share.h"
#include "occupancy/wave_forecast.h"
#include "spec/enumerate.h"
#include "spec/problem_space.h"
#include "spec/select.h"
#include "tune/compile_pool.h"

namespace tailwave {
namespace {

const std::vector<std::string> kColumns{
    "configuration", "kernel",        "outcome",       "registers",
    "spill_bytes",   "shared_bytes",  "grid",          "block",
    "lanes",         "blocks_per_sm", "limiter",       "occupancy",
    "waves",         "full_waves",    "tail_fraction", "quantisation_efficiency",
    "active_sms",    "staircase",     "partial_wave",  "uneven_blocks",
    "sms_asked",     "sms",           "cluster",       "active_clusters",
    "obstacle"};
constexpr int kDeviceColumn = 2;  // where a plan for several devices has `device` and `code`

constexpr const char* kPlanned = "planned";

Cell text(std::string_view value) {
  return std::string(value);
}

Cell size_text(const Dim3& size) {
  if (size.y == 1 && size.z == 1) return size.x;
  return fmt::format("{}x{}x{}", size.x, size.y, size.z);
}

std::vector<Cell> failed_row(const std::string& name, Outcome outcome, const std::string& why) {
  std::vector<Cell> row(kColumns.size());
  row.front() = name;
  row[2] = text(to_string(outcome));
  row.back() = why.substr(0, why.find('\n'));
  return row;
}

std::vector<Cell> launch_row(const std::string& name, const LaunchRecord& launch, const DeviceSpec& device) {
  const KernelResources& kernel = launch.resources.value();
  const std::string obstacle = launch_obstacle(launch, device);
  std::vector<Cell> row{name,
                        launch.kernel,
                        obstacle.empty() ? text(kPlanned) : text(to_string(Outcome::exceeds_device_limit)),
                        std::int64_t{kernel.registers},
                        std::int64_t{kernel.spill_bytes},
                        kernel.static_shared_bytes + launch.dynamic_shared_bytes,
                        size_text(launch.grid),
                        size_text(launch.block),
                        lane_share({.block = launch.block.count()})};
  row.resize(kColumns.size());
  if (launch.waves) {
    row[9] = std::int64_t{launch.occupancy->blocks_per_sm};
    row[10] = launch.occupancy->limiter;
    row[11] = launch.occupancy->occupancy;
    row[12] = launch.waves->waves;
    row[13] = launch.waves->full_waves;
    row[14] = launch.waves->tail_fraction;
    row[15] = launch.waves->quantisation_efficiency;
    row[16] = launch.waves->active_sms;
    const WaveUnits units = wave_units_of(device_of(device, launch), launch);
    const WaveForecast forecast = forecast_waves(units.count, units.sms, units.per_sm);
    row[17] = forecast.staircase;
    row[18] = forecast.partial_wave;
    row[19] = forecast.uneven_blocks;
  }
  if (launch.cluster) {
    row[22] = size_text(*launch.cluster);
    if (launch.waves) row[23] = std::int64_t{*launch.active_clusters};
  }
  if (launch.sms_asked) {
    row[20] = std::int64_t{*launch.sms_asked};
    if (obstacle.empty()) row[21] = std::int64_t{sms_of(device, launch)};
  }
  if (!obstacle.empty()) {
    row.back() = obstacle;
  } else if (!launch.occupancy) {
    row.back() = why_no_occupancy(device);
  }
  return row;
}

// The rows of one configuration on one device.
std::vector<std::vector<Cell>> rows_of(const System& system, const Configuration& configuration,
                                       const Built& built, const DeviceSpec& device, bool main_only) {
  const std::string name = configuration.name();
  if (!built.artifact) return {failed_row(name, built.outcome, built.detail)};
  std::vector<std::vector<Cell>> rows;
  try {
    const VariantSpec& variant = *system.find_variant(configuration.variant);
    const std::vector<LaunchRecord> launches =
        describe_launches(variant, configuration.scope(), built.artifact->resources, device);
    const LaunchRecord* const main = main_launch(launches, variant.main);
    for (const LaunchRecord& launch : launches)
      if (!main_only || &launch == main) rows.push_back(launch_row(name, launch, device));
  } catch (const Failure& failure) {
    rows = {failed_row(name, failure.outcome(), failure.what())};
  }
  return rows;
}

// The first line of a log that is an error, or else the first.
std::string line_that_tells(const std::string& log) {
  const auto error = std::min(log.find(": error"), log.find(": catastrophic error"));
  const auto begin = error == std::string::npos ? 0 : log.rfind('\n', error) + 1;
  return log.substr(begin, log.find('\n', begin) - begin);
}

PlannedLaunch planned_launch(const System& system, const Configuration& configuration, const Built& built,
                             const DeviceSpec& device) {
  PlannedLaunch planned{.configuration = configuration.name()};
  const auto failed = [&](Outcome outcome, const std::string& why) {
    planned.outcome = to_string(outcome);
    planned.obstacle = line_that_tells(why);
    return planned;
  };
  if (!built.artifact) return failed(built.outcome, built.detail);
  try {
    const VariantSpec& variant = *system.find_variant(configuration.variant);
    const std::vector<LaunchRecord> launches =
        describe_launches(variant, configuration.scope(), built.artifact->resources, device);
    for (const LaunchRecord& launch : launches) {
      const std::string obstacle = launch.resources ? launch_obstacle(launch, device) : "";
      if (!obstacle.empty()) return failed(Outcome::exceeds_device_limit, obstacle);
    }
    planned.outcome = kPlanned;
    if (const LaunchRecord* const main = main_launch(launches, variant.main)) {
      planned.launch = *main;
      if (!main->occupancy) planned.obstacle = why_no_occupancy(device);
    }
  } catch (const Failure& failure) {
    return failed(failure.outcome(), failure.what());
  }
  return planned;
}

// Each once, in order of first appearance.
std::vector<Compiler*> compilers_of(const std::vector<PlannedDevice>& devices) {
  std::vector<Compiler*> compilers;
  for (const PlannedDevice& device : devices)
    if (std::find(compilers.begin(), compilers.end(), device.compiler) == compilers.end())
      compilers.push_back(device.compiler);
  return compilers;
}

using Visit =
    std::function<void(const Configuration& configuration, const PlannedDevice& device, const Built& built)>;

// Calls visit for each configuration on each device.
void for_each_build(const Experiment& experiment, const std::vector<Configuration>& configurations,
                    const std::vector<PlannedDevice>& devices, unsigned processes, const Visit& visit) {
  const std::vector<Compiler*> compilers = compilers_of(devices);
  const double deadline_s = experiment.measure.build_deadline_s;
  CompilePool pool(
      configurations.size() * compilers.size(), processes,
      [&](std::size_t i) {
        const Configuration& configuration = configurations[i / compilers.size()];
        const VariantSpec* const variant = experiment.system.find_variant(configuration.variant);
        return build_with(*compilers[i % compilers.size()],
                          {&experiment.system, variant, configuration, deadline_s});
      },
      deadline_s);
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    std::vector<Built> builds;
    for (std::size_t k = 0; k < compilers.size(); ++k)
      builds.push_back(pool.take(i * compilers.size() + k, [] { return false; }));
    for (const PlannedDevice& device : devices) {
      const auto compiler = std::find(compilers.begin(), compilers.end(), device.compiler);
      visit(configurations[i], device, builds[static_cast<std::size_t>(compiler - compilers.begin())]);
    }
  }
}

Cell code_text(const PlannedDevice& device) {
  if (device.has_own_code()) return fmt::format("sm_{}", device.target);
  return fmt::format("sm_{} for sm_{}", device.target, device.spec.compute_capability);
}

}  // namespace

std::vector<Configuration> planned_configurations(const Experiment& experiment, const std::string& filter) {
  Selection selection = select_from(with_target(experiment, VariantSpec::Target::cuda), false, filter);
  return filter.empty() ? std::move(selection.all) : std::move(selection.selected);
}

Configuration planned_configuration(const Experiment& experiment, const std::string& wanted) {
  // All of a small experiment, so that a message names what there is.
  const bool is_large = count_planned(experiment).number > kMostEnumerated;
  return select_configuration(planned_configurations(experiment, is_large ? wanted : std::string()), wanted,
                              experiment.file.string());
}

Count count_planned(const Experiment& experiment) {
  return count_configurations(with_target(experiment, VariantSpec::Target::cuda), false);
}

PlanSample first_configurations(const Experiment& experiment, std::size_t count) {
  const ProblemSpaces spaces = problem_spaces(experiment, VariantSpec::Target::cuda, false);
  PlanSample sample{{}, spaces.count()};
  for (const ProblemSpace& space : spaces.spaces) {
    const auto next = space.points().in_order();
    while (sample.configurations.size() < count) {
      const std::optional<Point> point = next();
      if (!point) break;
      sample.configurations.push_back(space.configuration(*point));
    }
  }
  return sample;
}

PlanSample random_configurations(const Experiment& experiment, std::size_t count, std::uint64_t seed) {
  const ProblemSpaces spaces = problem_spaces(experiment, VariantSpec::Target::cuda, false);
  PlanSample sample{{}, spaces.count()};
  Generator random(seed);
  std::size_t problems = spaces.spaces.size();
  for (const ProblemSpace& space : spaces.spaces) {
    const std::size_t share = (count - sample.configurations.size() + problems - 1) / problems;
    --problems;
    for (const Point point : space.points().sample(share, random))
      sample.configurations.push_back(space.configuration(point));
  }
  return sample;
}

std::vector<PlannedLaunch> planned_launches(const Experiment& experiment,
                                            const std::vector<Configuration>& configurations,
                                            const PlannedDevice& device, unsigned processes) {
  std::vector<PlannedLaunch> launches;
  for_each_build(experiment, configurations, {device}, processes,
                 [&](const auto& configuration, const auto&, const Built& built) {
                   launches.push_back(planned_launch(experiment.system, configuration, built, device.spec));
                 });
  return launches;
}

Table plan_table(const Experiment& experiment, const std::vector<Configuration>& configurations,
                 const PlannedDevice& device, unsigned processes) {
  Table table{kColumns, {}};
  for_each_build(
      experiment, configurations, {device}, processes,
      [&](const auto& configuration, const auto&, const Built& built) {
        for (std::vector<Cell>& row : rows_of(experiment.system, configuration, built, device.spec, false))
          table.rows.push_back(std::move(row));
      });
  return table;
}

Table plan_table(const Experiment& experiment, const std::vector<Configuration>& configurations,
                 const std::vector<PlannedDevice>& devices, unsigned processes) {
  Table table{kColumns, {}};
  table.columns.insert(table.columns.begin() + kDeviceColumn, {"device", "code"});
  for_each_build(
      experiment, configurations, devices, processes,
      [&](const auto& configuration, const PlannedDevice& device, const Built& built) {
        for (std::vector<Cell>& row : rows_of(experiment.system, configuration, built, device.spec, true)) {
          row.insert(row.begin() + kDeviceColumn, {device.spec.name, code_text(device)});
          table.rows.push_back(std::move(row));
        }
      });
  return table;
}

}  // namespace tailwave
