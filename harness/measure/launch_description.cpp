#include "measure/launch_description.h"

#include <fmt/format.h>

#include "core/hash.h"
#include "core/outcome.h"
#include "measure/launch_plan.h"
#include "measure/workspace.h"
#include "occupancy/occupancy.h"

namespace tailwave {
namespace {

constexpr double kMostOnAnyMachine = 1e13;
constexpr double kMostWork = 1e100;  // so that its share of any time is finite

bool is_number(const Value& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
}

}  // namespace

std::vector<LaunchRecord> describe_launches(const VariantSpec& variant, const Values& scope,
                                            const std::vector<KernelResources>& resources,
                                            const std::optional<DeviceSpec>& device) {
  std::vector<LaunchRecord> records = launch_shapes(variant.launches, scope);
  for (LaunchRecord& record : records) {
    for (const KernelResources& kernel : resources)
      if (kernel.kernel == record.kernel) record.resources = kernel;
    if (!device || !record.resources || !occupancy_available(*device)) continue;
    record.occupancy_device = device->name;
    record.occupancy =
        compute_occupancy(*device, *record.resources, record.block, record.dynamic_shared_bytes);
    if (record.occupancy->blocks_per_sm > 0)
      record.waves = compute_waves(*device, record.grid, record.occupancy->blocks_per_sm);
  }
  return records;
}

std::vector<std::optional<int>> resident_blocks(Executor& device, Program& program,
                                                const VariantSpec& variant, const Values& scope) {
  std::vector<Launch> launches;
  for (const LaunchRecord& shape : launch_shapes(variant.launches, scope))
    launches.push_back({.kernel = shape.kernel,
                        .grid = shape.grid,
                        .block = shape.block,
                        .dynamic_shared_bytes = shape.dynamic_shared_bytes});
  return device.blocks_per_sm(program, launches);
}

std::string plan_obstacle(const std::vector<LaunchRecord>& launches, const DeviceSpec& device) {
  for (const LaunchRecord& launch : launches) {
    if (!launch.resources) continue;
    const std::string obstacle =
        launch_obstacle(device, *launch.resources, launch.grid, launch.block, launch.dynamic_shared_bytes);
    if (!obstacle.empty()) return launch.kernel + ": " + obstacle;
  }
  return "";
}

void refuse_impossible_plan(const System& system, const VariantSpec& variant, const Values& scope) {
  FieldHasher resolved;
  for (const auto* part : {&variant.prepare, &variant.launches, &variant.finish})
    add_resolved_plan(resolved, *part, scope);
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
