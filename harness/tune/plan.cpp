#include "tune/plan.h"

#include <fmt/format.h>

#include "measure/measurer.h"
#include "occupancy/occupancy.h"
#include "tune/builder.h"

namespace tailwave {
namespace {

const std::vector<std::string> kColumns{"configuration", "kernel",        "outcome",    "registers",
                                        "spill_bytes",   "shared_bytes",  "grid",       "block",
                                        "blocks_per_sm", "limiter",       "occupancy",  "waves",
                                        "full_waves",    "tail_fraction", "efficiency", "obstacle"};

struct NoProgress : Progress {
  void started(std::size_t /*to_do*/, std::size_t /*reused*/, std::size_t /*left_out*/) override {}
  void built(std::size_t /*done*/, std::size_t /*to_do*/) override {}
  void finished(const Trial& /*trial*/, std::size_t /*done*/, std::size_t /*to_do*/) override {}
};

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
  const std::string obstacle =
      launch_obstacle(device, kernel, launch.grid, launch.block, launch.dynamic_shared_bytes);
  std::vector<Cell> row{name,
                        launch.kernel,
                        obstacle.empty() ? text("planned") : text(to_string(Outcome::exceeds_device_limit)),
                        std::int64_t{kernel.registers},
                        std::int64_t{kernel.spill_bytes},
                        kernel.static_shared_bytes + launch.dynamic_shared_bytes,
                        size_text(launch.grid),
                        size_text(launch.block)};
  row.resize(kColumns.size());
  if (launch.waves) {
    row[8] = std::int64_t{launch.occupancy->blocks_per_sm};
    row[9] = launch.occupancy->limiter;
    row[10] = launch.occupancy->occupancy;
    row[11] = launch.waves->waves;
    row[12] = launch.waves->full_waves;
    row[13] = launch.waves->tail_fraction;
    row[14] = launch.waves->quantisation_efficiency;
  }
  if (!obstacle.empty()) row.back() = obstacle;
  return row;
}

}  // namespace

Table plan_table(const Experiment& experiment, Compiler& compiler, const DeviceSpec& device,
                 unsigned threads) {
  std::vector<Configuration> configurations;
  for (Configuration& configuration : enumerate(experiment, false).configurations) {
    const VariantSpec* variant = experiment.system.find_variant(configuration.variant);
    if (variant->target == VariantSpec::Target::cuda) configurations.push_back(std::move(configuration));
  }
  Toolchain tools;
  tools.kernels = &compiler;
  PipelineOptions options;
  options.build_threads = threads;
  NoProgress progress;
  const std::vector<Built> built = build_all(experiment, configurations, tools, options, progress);
  Table table;
  table.columns = kColumns;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const std::string name = configurations[i].name();
    if (!built[i].artifact) {
      table.rows.push_back(failed_row(name, built[i].outcome, built[i].detail));
      continue;
    }
    try {
      const VariantSpec& variant = *experiment.system.find_variant(configurations[i].variant);
      for (const LaunchRecord& launch :
           describe_launches(variant, configurations[i].scope(), built[i].resources, device)) {
        table.rows.push_back(launch_row(name, launch, device));
      }
    } catch (const Failure& failure) {
      table.rows.push_back(failed_row(name, failure.outcome(), failure.what()));
    }
  }
  return table;
}

}  // namespace tailwave
