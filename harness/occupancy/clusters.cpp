#include "occupancy/clusters.h"

#include <fmt/format.h>

#include "core/outcome.h"

namespace tailwave {
namespace {

constexpr int kFirstWithClusters = 90;

std::string cluster_text(const Dim3& size) {
  return fmt::format("{} x {} x {}", size.x, size.y, size.z);
}

}  // namespace

void require_whole_clusters(const std::string& kernel, const Dim3& grid, const Dim3& cluster) {
  if (grid.x % cluster.x == 0 && grid.y % cluster.y == 0 && grid.z % cluster.z == 0) return;
  throw Failure(Outcome::launch_failed, fmt::format("grid of '{}' is {}, no multiple of its cluster {}",
                                                    kernel, cluster_text(grid), cluster_text(cluster)));
}

void require_same_cluster(const std::string& kernel, const Dim3& launched, const Dim3& compiled) {
  if (launched == compiled) return;
  throw Failure(Outcome::launch_failed,
                fmt::format("'{}' is launched in clusters of {}, and compiled for {} (__cluster_dims__)",
                            kernel, cluster_text(launched), cluster_text(compiled)));
}

std::vector<int> sms_of_gpcs(const DeviceSpec& device) {
  const int most = device.most_sms_per_gpc;
  if (most <= 0 || device.sms <= 0) return {};
  const int gpcs = (device.sms + most - 1) / most;
  const int pairs = device.sms / 2;
  std::vector<int> sms;
  for (int i = 0; i < gpcs; ++i) sms.push_back(2 * (pairs / gpcs + (i < pairs % gpcs ? 1 : 0)));
  sms.back() += device.sms % 2;
  return sms;
}

int active_clusters(const DeviceSpec& device, int blocks_per_sm, const Dim3& cluster) {
  std::int64_t active = 0;
  for (const int sms : sms_of_gpcs(device)) active += std::int64_t{sms} * blocks_per_sm / cluster.count();
  return static_cast<int>(active);
}

std::optional<std::int64_t> cluster_slots_of(const LaunchRecord& launch) {
  if (!launch.cluster) return std::nullopt;
  const int by_driver = launch.driver_active_clusters.value_or(0);
  const std::int64_t active = by_driver > 0 ? by_driver : launch.active_clusters.value_or(0);
  return active > 0 ? std::optional(active * launch.cluster->count()) : std::nullopt;
}

std::int64_t slots_of(const DeviceSpec& device, const LaunchRecord& launch) {
  const int blocks_per_sm = launch.occupancy.value().blocks_per_sm;
  if (!launch.cluster) return std::int64_t{device.sms} * blocks_per_sm;
  const int active = launch.driver_active_clusters.value_or(0) > 0
                         ? *launch.driver_active_clusters
                         : active_clusters(device, blocks_per_sm, *launch.cluster);
  return active * launch.cluster->count();
}

WaveUnits wave_units_of(const DeviceSpec& device, const LaunchRecord& launch) {
  const int blocks_per_sm = launch.occupancy.value().blocks_per_sm;
  if (!launch.cluster) return {launch.grid.count(), device.sms, blocks_per_sm};
  const std::int64_t blocks = launch.cluster->count();
  return {launch.grid.count() / blocks, static_cast<int>(slots_of(device, launch) / blocks), 1};
}

std::string cluster_obstacle(const DeviceSpec& device, const LaunchRecord& launch) {
  const std::int64_t blocks = launch.cluster ? launch.cluster->count() : 1;
  if (blocks == 1) return "";
  if (device.compute_capability < kFirstWithClusters)
    return fmt::format("clusters of {} blocks need compute capability 9.0", blocks);
  if (blocks > kMostClusterBlocks)
    return fmt::format("a cluster of {} blocks exceeds the {} that the device allows", blocks,
                       kMostClusterBlocks);
  if (launch.occupancy && launch.occupancy->blocks_per_sm > 0 && launch.active_clusters == 0)
    return fmt::format("a cluster of {} blocks, of which an SM holds {}, fits no GPC of the device", blocks,
                       launch.occupancy->blocks_per_sm);
  return "";
}

}  // namespace tailwave
