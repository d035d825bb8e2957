#include "device/cpu/launch_limits.h"

#include <fmt/format.h>

#include <initializer_list>
#include <limits>

#include "core/outcome.h"
#include "device/cpu/grid_runner.h"
#include "occupancy/clusters.h"

namespace tailwave {
namespace {

constexpr Dim3 kMaxGrid{std::numeric_limits<std::int32_t>::max(), 65535, 65535};
constexpr Dim3 kMaxBlock{kMaxThreadsPerBlock, kMaxThreadsPerBlock, 64};

[[noreturn]] void refuse(Outcome outcome, const std::string& detail) {
  throw Failure(outcome, "invalid configuration argument: " + detail);
}

tailwave_cpu::Index3 checked(const Dim3& size, const Dim3& largest, const char* noun) {
  struct Axis {
    char name;
    std::int64_t size, largest;
  };
  for (const Axis& axis :
       {Axis{'x', size.x, largest.x}, {'y', size.y, largest.y}, {'z', size.z, largest.z}}) {
    if (axis.size < 1)
      refuse(Outcome::launch_failed, fmt::format("the {} is {} x {} x {}", noun, size.x, size.y, size.z));
    if (axis.size > largest.count() || axis.size > axis.largest)
      refuse(Outcome::exceeds_device_limit, fmt::format("{} in {} exceeds the device's {} for a {}",
                                                        axis.size, axis.name, axis.largest, noun));
  }
  return {static_cast<unsigned>(size.x), static_cast<unsigned>(size.y), static_cast<unsigned>(size.z)};
}

tailwave_cpu::Index3 checked_cluster(const Launch& launch) {
  const tailwave_cpu::Index3 cluster =
      checked(*launch.cluster, {kMostClusterBlocks, kMostClusterBlocks, kMostClusterBlocks}, "cluster");
  if (launch.cluster->count() > kMostClusterBlocks)
    refuse(Outcome::exceeds_device_limit, fmt::format("a cluster of {} blocks exceeds the device's {}",
                                                      launch.cluster->count(), kMostClusterBlocks));
  require_whole_clusters(launch.kernel, launch.grid, *launch.cluster);
  if (launch.cooperative && launch.cluster->count() > 1)
    throw Failure(Outcome::unavailable, "the CPU device has no cooperative launches in clusters");
  return cluster;
}

}  // namespace

GridShape checked_shape(const Launch& launch) {
  // A block too large as a whole is told as such, whatever its axes.
  if (launch.block.x >= 1 && launch.block.y >= 1 && launch.block.z >= 1 && launch.block.x <= kMaxGrid.x &&
      launch.block.y <= kMaxGrid.y && launch.block.z <= kMaxGrid.z &&
      launch.block.count() > kMaxThreadsPerBlock)
    refuse(Outcome::exceeds_device_limit, fmt::format("{} threads a block exceed the device's {}",
                                                      launch.block.count(), kMaxThreadsPerBlock));
  GridShape shape;
  shape.grid = checked(launch.grid, kMaxGrid, "grid");
  shape.block = checked(launch.block, kMaxBlock, "block");
  shape.threads = static_cast<unsigned>(launch.block.count());
  if (launch.dynamic_shared_bytes < 0 ||
      launch.dynamic_shared_bytes > static_cast<std::int64_t>(kMaxDynamicSharedBytes))
    refuse(Outcome::exceeds_device_limit,
           fmt::format("{} bytes of dynamic shared memory exceed the device's {}",
                       launch.dynamic_shared_bytes, kMaxDynamicSharedBytes));
  shape.dynamic_shared_bytes = static_cast<std::size_t>(launch.dynamic_shared_bytes);
  if (launch.cluster) shape.cluster = checked_cluster(launch);
  if (launch.cooperative &&
      static_cast<std::uint64_t>(launch.grid.count()) > kMaxCooperativeThreads / shape.threads)
    throw Failure(Outcome::exceeds_device_limit,
                  fmt::format("too many blocks in cooperative launch: "
                              "{} blocks of {} threads exceed the device's {} threads at once",
                              launch.grid.count(), shape.threads, kMaxCooperativeThreads));
  return shape;
}

}  // namespace tailwave
