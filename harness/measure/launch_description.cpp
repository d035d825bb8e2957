#include "measure/launch_description.h"

#include "core/error.h"
#include "measure/launch_plan.h"
#include "occupancy/occupancy.h"

namespace tailwave {

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
