#include "measure/launch_description.h"

#include <utility>

#include "core/error.h"
#include "measure/launch_plan.h"
#include "occupancy/occupancy.h"

namespace tailwave {

std::vector<LaunchRecord> describe_launches(const VariantSpec& variant, const Values& scope,
                                            const std::vector<KernelResources>& resources,
                                            const std::optional<DeviceSpec>& device) {
  std::vector<LaunchRecord> records;
  for (const auto& [position, shape, count] : launch_shapes(variant.launches, scope)) {
    LaunchRecord record;
    record.position = static_cast<int>(position);
    record.count = count;
    record.kernel = shape.kernel;
    record.grid = shape.grid;
    record.block = shape.block;
    record.dynamic_shared_bytes = shape.dynamic_shared_bytes;
    for (const KernelResources& kernel : resources) {
      if (kernel.kernel == shape.kernel) record.resources = kernel;
    }
    if (device && record.resources && occupancy_available(*device)) {
      record.occupancy_device = device->name;
      record.occupancy =
          compute_occupancy(*device, *record.resources, shape.block, shape.dynamic_shared_bytes);
      if (record.occupancy->blocks_per_sm > 0) {
        record.waves = compute_waves(*device, shape.grid, record.occupancy->blocks_per_sm);
      }
    }
    records.push_back(std::move(record));
  }
  return records;
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

Values evaluate_work(const System& system, const Values& scope) {
  Values work;
  for (const auto& [name, expression] : system.work) {
    try {
      work[name] = expression.evaluate(scope);
    } catch (const ExpressionError& error) {
      throw Error({.file = system.file.string(),
                   .place = "/work/" + name,
                   .cause = error.what(),
                   .excerpt = expression.text(),
                   .column = error.column,
                   .hint = error.hint});
    }
  }
  return work;
}

}  // namespace tailwave
