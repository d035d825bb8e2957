#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/trial.h"
#include "occupancy/device_spec.h"

namespace tailwave {

// Thread block clusters: blocks that run at the same time on the SMs of one graphics processing cluster, a GPC (CUDA C++
// Programming Guide, Thread Block Clusters).

// Throws Failure(launch_failed) unless the grid has whole clusters in each direction; "grid of 'k' is 6 x 1 x 1, no
// multiple of its cluster 4 x 1 x 1".
void require_whole_clusters(const std::string& kernel, const Dim3& grid, const Dim3& cluster);
// Throws Failure(launch_failed) where a launch has other clusters than its kernel was compiled for.
void require_same_cluster(const std::string& kernel, const Dim3& launched, const Dim3& compiled);

// The SMs of each GPC, as far as they can be told from a device's number of SMs: no driver says it, and chips of one
// product differ in which of their SMs are in use. SMs come in pairs, a GPC has at most DeviceSpec::most_sms_per_gpc of
// them, and all pairs are shared out evenly among as few GPCs as hold them: 6 of 16 and 2 of 18 for the 132 SMs of an
// H100 SXM or H200. Empty for a device without clusters.
std::vector<int> sms_of_gpcs(const DeviceSpec& device);

// Clusters of so many blocks that run at once: of each GPC as many as its SMs have room for, SMs * blocks_per_sm /
// blocks of a cluster, rounded down. The driver's own answer, on a device, is Executor::active_clusters(). 0 where none
// fits.
int active_clusters(const DeviceSpec& device, int blocks_per_sm, const Dim3& cluster);

// Blocks of a launch's clusters that run at once: active clusters x blocks of one, by the driver's answer if there is one,
// else as computed. None where there are no clusters, or nothing is known of them.
std::optional<std::int64_t> cluster_slots_of(const LaunchRecord& launch);

// Blocks of a launch whose occupancy is known that run at once on a device: of its clusters by the driver's answer, if
// there is one, else by active_clusters(); without clusters SMs * blocks_per_sm.
std::int64_t slots_of(const DeviceSpec& device, const LaunchRecord& launch);

// What the forecasts of waves (occupancy/wave_forecast.h) take a launch for: single blocks, or clusters, of which so many
// run at once as if each had an SM.
struct WaveUnits {
  std::int64_t count = 0;
  int sms = 0, per_sm = 0;
};
WaveUnits wave_units_of(const DeviceSpec& device, const LaunchRecord& launch);

// Why the device cannot run the launch's clusters, or "".
std::string cluster_obstacle(const DeviceSpec& device, const LaunchRecord& launch);

}  // namespace tailwave
