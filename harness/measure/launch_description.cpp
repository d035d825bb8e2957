#include "measure/launch_description.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/hash.h"
#include "core/outcome.h"
#include "measure/launch_plan.h"
#include "measure/workspace.h"
#include "occupancy/clusters.h"
#include "occupancy/occupancy.h"
#include "occupancy/sm_share.h"

namespace tailwave {
namespace {

constexpr double kMostOnAnyMachine = 1e13;
constexpr double kMostWork = 1e100;  // so that its share of any time is finite

std::vector<Launch> shapes_to_ask_for(const VariantSpec& variant, const Values& scope) {
  std::vector<Launch> launches;
  for (const LaunchRecord& shape : launch_shapes(variant.launches, scope_of_pe(variant, scope)))
    launches.push_back({.kernel = shape.kernel,
                        .grid = shape.grid,
                        .block = shape.block,
                        .dynamic_shared_bytes = shape.dynamic_shared_bytes,
                        .sms = shape.sms_asked.value_or(0),
                        .cluster = shape.cluster});
  return launches;
}

void add_required_cluster(LaunchRecord& launch) {
  if (const auto& required = launch.resources->cluster) {
    if (launch.cluster) require_same_cluster(launch.kernel, *launch.cluster, *required);
    require_whole_clusters(launch.kernel, launch.grid, *required);
    launch.cluster = required;
  }
  if (launch.cluster && launch.cluster->count() == 1) launch.cluster.reset();
}

}  // namespace

Waves waves_of(const LaunchRecord& launch, const DeviceSpec& device) {
  const DeviceSpec part = device_of(device, launch);
  return waves_of_slots(part, launch.grid.count(), slots_of(part, launch));
}

std::vector<LaunchRecord> describe_launches(const VariantSpec& variant, const Values& scope,
                                            const std::vector<KernelResources>& resources,
                                            const std::optional<DeviceSpec>& device) {
  std::vector<LaunchRecord> records = launch_shapes(variant.launches, scope_of_pe(variant, scope));
  for (LaunchRecord& record : records) {
    for (const KernelResources& kernel : resources)
      if (kernel.kernel == record.kernel) record.resources = kernel;
    if (record.resources) add_required_cluster(record);
    if (!device || !record.resources || !occupancy_available(*device)) continue;
    record.occupancy_device = device->name;
    record.occupancy =
        compute_occupancy(*device, *record.resources, record.block, record.dynamic_shared_bytes);
    if (record.cluster)
      record.active_clusters =
          active_clusters(device_of(*device, record), record.occupancy->blocks_per_sm, *record.cluster);
    if (record.occupancy->blocks_per_sm > 0 && record.active_clusters.value_or(1) > 0 &&
        sms_obstacle(*device, record.sms_asked.value_or(0)).empty())
      record.waves = waves_of(record, *device);
  }
  return records;
}

std::vector<std::optional<int>> resident_blocks(Executor& device, Program& program,
                                                const VariantSpec& variant, const Values& scope) {
  return device.blocks_per_sm(program, shapes_to_ask_for(variant, scope));
}

std::vector<std::optional<int>> active_clusters(Executor& device, Program& program,
                                                const VariantSpec& variant, const Values& scope) {
  return device.active_clusters(program, shapes_to_ask_for(variant, scope));
}

std::vector<std::optional<int>> granted_sms(Executor& device, const VariantSpec& variant,
                                            const Values& scope) {
  return device.granted_sms(shapes_to_ask_for(variant, scope));
}

int sms_of(const LaunchRecord& launch, const DeviceDescription& device) {
  return std::min(launch.sms_granted.value_or(launch.sms_asked.value_or(device.sms)), device.sms);
}

std::string launch_obstacle(const LaunchRecord& launch, const DeviceSpec& device) {
  std::string obstacle = sms_obstacle(device, launch.sms_asked.value_or(0));
  if (obstacle.empty() && launch.cluster) obstacle = cluster_obstacle(device_of(device, launch), launch);
  if (!obstacle.empty() || !launch.resources) return obstacle;
  return launch_obstacle(device, *launch.resources, launch.grid, launch.block, launch.dynamic_shared_bytes);
}

std::string plan_obstacle(const std::vector<LaunchRecord>& launches, const DeviceSpec& device) {
  for (const LaunchRecord& launch : launches)
    if (const std::string obstacle = launch_obstacle(launch, device); !obstacle.empty())
      return launch.kernel + ": " + obstacle;
  return "";
}

void refuse_impossible_plan(const System& system, const VariantSpec& variant, const Values& scope) {
  FieldHasher resolved;
  add_resolved_plans(resolved, variant, scope);
  double bytes = 0;
  for (const auto& [name, count] : buffer_counts(system, variant, scope))
    bytes += static_cast<double>(count) * static_cast<double>(size_bytes(system.buffers.at(name).type));
  if (bytes > kMostOnAnyMachine)
    throw Failure(Outcome::out_of_memory,
                  fmt::format("the buffers have {:.3g} bytes, more than any machine holds", bytes));
}

Values evaluate_work(const System& system, const Values& scope) {
  Values work;
  for (const auto& [name, expression] : system.work) {
    const auto refuse = [&, &name = name, &expression = expression](const std::string& why) {
      throw Failure(Outcome::launch_failed, fmt::format("work '{}', {}: {}", name, expression.text(), why));
    };
    try {
      const Value amount = expression.evaluate(scope);
      if (!is_number(amount)) refuse(fmt::format("'{}' is no number", to_string(amount)));
      if (!(to_double(amount) >= 0)) refuse(to_string(amount) + " is less than 0");
      if (to_double(amount) > kMostWork) refuse(to_string(amount) + " is more than any device can do");
      work[name] = amount;
    } catch (const ExpressionError& error) {
      refuse(error.what());
    }
  }
  return work;
}

}  // namespace tailwave
