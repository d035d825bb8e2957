#ifdef TAILWAVE_WITH_CUDA
#include "device/cuda/prepared_launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

namespace tailwave {

DriverLaunchConfig::DriverLaunchConfig(const DriverLaunch& launch, CUstream stream) {
  std::tie(config_.gridDimX, config_.gridDimY, config_.gridDimZ) = std::tuple_cat(launch.grid);
  std::tie(config_.blockDimX, config_.blockDimY, config_.blockDimZ) = std::tuple_cat(launch.block);
  config_.sharedMemBytes = launch.dynamic_shared_bytes;
  config_.hStream = stream;
  config_.attrs = attributes_.data();
  if (launch.cooperative) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  if (launch.cluster[0] > 0) {
    auto& cluster = add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim;
    std::tie(cluster.x, cluster.y, cluster.z) = std::tuple_cat(launch.cluster);
  }
  if (launch.dependent)
    add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION).programmaticStreamSerializationAllowed = 1;
  if (launch.priority != 0) add(CU_LAUNCH_ATTRIBUTE_PRIORITY).priority = launch.priority;
}

CUlaunchAttributeValue& DriverLaunchConfig::add(CUlaunchAttributeID id) {
  CUlaunchAttribute& attribute = attributes_.at(config_.numAttrs++);
  attribute.id = id;
  return attribute.value;
}

std::string names_of(std::span<const PreparedLaunch> plan) {
  std::vector<std::string> names;
  for (const PreparedLaunch& launch : plan) {
    std::string name = launch.text.substr(0, launch.text.find(" ("));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names.empty() ? "an empty plan" : fmt::format("{}", fmt::join(names, ", "));
}

void check_launch(Context& context, CUresult result, const PreparedLaunch& launch) {
  const bool refused = result != CUDA_SUCCESS && !poisons_context(result);
  if (!refused || launch.exceeded_limit.empty()) return context.check(result, launch.text);
  throw Failure(
      Outcome::exceeds_device_limit,
      fmt::format("{}: {} ({})", launch.text, context.api().describe(result), launch.exceeded_limit));
}

void check_graph(Context& context, CUresult result, std::span<const PreparedLaunch> plans) {
  if (result == CUDA_SUCCESS) return;
  const auto exceeding = std::find_if(plans.begin(), plans.end(), [](const PreparedLaunch& launch) {
    return !launch.exceeded_limit.empty();
  });
  if (exceeding != plans.end()) check_launch(context, result, *exceeding);
  context.check(result, names_of(plans) + " as a graph");
}

bool PlanGraph::holds(std::span<const PreparedLaunch> wanted, const RunOptions& options) const {
  return executable != nullptr && executions == options.executions && sets == options.sets &&
         std::equal(plans.begin(), plans.end(), wanted.begin(), wanted.end(),
                    [](const DriverLaunch& held, const DriverLaunch& launch) { return held == launch; });
}

}  // namespace tailwave
#endif
