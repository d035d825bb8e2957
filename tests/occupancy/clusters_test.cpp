#include "occupancy/clusters.h"

#include <gmock/gmock.h>

#include <numeric>

#include "core/outcome.h"
#include "occupancy/occupancy.h"

namespace tailwave {
namespace {

using testing::ElementsAre;

LaunchRecord launch_with(const Dim3& grid, const Dim3& cluster, int blocks_per_sm) {
  LaunchRecord launch;
  launch.grid = grid;
  launch.cluster = cluster;
  launch.occupancy = Occupancy{.blocks_per_sm = blocks_per_sm};
  return launch;
}

std::string refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Failure& failure) {
    return std::string(to_string(failure.outcome())) + ": " + failure.what();
  }
  return "";
}

TEST(Clusters, LieOnGpcsThatShareTheSmsEvenly) {
  EXPECT_THAT(sms_of_gpcs(find_device("h200")), ElementsAre(18, 18, 16, 16, 16, 16, 16, 16));
  for (const char* name : {"h100", "h100_pcie", "b200", "rtx5090"}) {
    const DeviceSpec device = find_device(name);
    const std::vector<int> gpcs = sms_of_gpcs(device);
    EXPECT_EQ(std::accumulate(gpcs.begin(), gpcs.end(), 0), device.sms) << name;
    for (const int sms : gpcs) EXPECT_LE(sms, device.most_sms_per_gpc) << name;
  }
  EXPECT_TRUE(sms_of_gpcs(find_device("a100")).empty());
}

TEST(Clusters, AreAsManyAsEachGpcHasRoomFor) {
  const DeviceSpec h100 = find_device("h100");
  EXPECT_EQ(active_clusters(h100, 1, {1}), 132);
  EXPECT_EQ(active_clusters(h100, 1, {2}), 66);
  EXPECT_EQ(active_clusters(h100, 1, {4}), 32);  // 4 in each GPC: 2 SMs are left in those of 18
  EXPECT_EQ(active_clusters(h100, 1, {2, 2, 2}), 16);
  EXPECT_EQ(active_clusters(h100, 1, {16}), 8);
  EXPECT_EQ(active_clusters(h100, 2, {4}), 66);
  EXPECT_EQ(active_clusters(h100, 1, {32}), 0);
  EXPECT_EQ(active_clusters(find_device("a100"), 4, {2}), 0);
}

TEST(Clusters, OfADeviceThatIsAtHandHaveTheGpcsOfItsCapability) {
  Values limits;
  for (const char* name :
       {"max_threads_per_block", "max_threads_per_sm", "registers_per_block", "registers_per_sm", "warp_size",
        "shared_bytes_per_block", "shared_bytes_per_block_opt_in", "shared_bytes_per_sm",
        "reserved_shared_bytes_per_block"})
    limits[name] = std::int64_t{1};
  limits["compute_capability"] = std::int64_t{90};
  limits["sms"] = std::int64_t{114};
  const std::vector<int> gpcs = sms_of_gpcs(device_spec_from(limits, "at hand", "At hand"));
  EXPECT_THAT(gpcs, ElementsAre(18, 16, 16, 16, 16, 16, 16));
}

TEST(Clusters, MakeTheSlotsOfALaunch) {
  const DeviceSpec h100 = find_device("h100");
  LaunchRecord launch = launch_with({256}, {4}, 1);
  EXPECT_EQ(slots_of(h100, launch), 128);
  const Waves waves = waves_of_slots(h100, 256, slots_of(h100, launch));
  EXPECT_DOUBLE_EQ(waves.waves, 2);
  EXPECT_EQ(waves.full_waves, 2);
  EXPECT_EQ(waves.tail_fraction, 0);
  EXPECT_EQ(waves.active_sms, 128);
  launch.driver_active_clusters = 33;
  EXPECT_EQ(slots_of(h100, launch), 132);
  launch.cluster.reset();
  launch.occupancy->blocks_per_sm = 3;
  EXPECT_EQ(slots_of(h100, launch), 396);
}

TEST(Clusters, MakeTheSlotsOfALaunchByTheDriversAnswerIfThereIsOne) {
  LaunchRecord launch = launch_with({256}, {4}, 1);
  launch.active_clusters = 32;
  EXPECT_EQ(cluster_slots_of(launch), 128);
  launch.driver_active_clusters = 30;
  EXPECT_EQ(cluster_slots_of(launch), 120);
  launch.cluster.reset();
  EXPECT_EQ(cluster_slots_of(launch), std::nullopt);
}

TEST(Clusters, AreWhatForecastsCount) {
  const DeviceSpec h100 = find_device("h100");
  LaunchRecord launch = launch_with({64, 4}, {4, 2}, 2);
  const WaveUnits clusters = wave_units_of(h100, launch);
  EXPECT_EQ(clusters.count, 32);
  EXPECT_EQ(clusters.sms, 32);  // of 16 or 18 SMs with 2 blocks each 4
  EXPECT_EQ(clusters.per_sm, 1);
  launch.cluster.reset();
  const WaveUnits blocks = wave_units_of(h100, launch);
  EXPECT_EQ(blocks.count, 256);
  EXPECT_EQ(blocks.sms, 132);
  EXPECT_EQ(blocks.per_sm, 2);
}

TEST(Clusters, SayWhereTheyCannotBe) {
  LaunchRecord launch = launch_with({64}, {4}, 1);
  EXPECT_EQ(cluster_obstacle(find_device("h100"), launch), "");
  EXPECT_EQ(cluster_obstacle(find_device("a100"), launch),
            "clusters of 4 blocks need compute capability 9.0");
  launch.cluster = Dim3{32};
  EXPECT_EQ(cluster_obstacle(find_device("h100"), launch),
            "a cluster of 32 blocks exceeds the 16 that the device allows");
  launch.cluster = Dim3{16};
  launch.active_clusters = 0;
  EXPECT_EQ(cluster_obstacle(find_device("h100"), launch),
            "a cluster of 16 blocks, of which an SM holds 1, fits no GPC of the device");
  launch.cluster = Dim3{1};
  EXPECT_EQ(cluster_obstacle(find_device("a100"), launch), "");
}

TEST(Clusters, AreWholeInAGridAndThoseOfTheCode) {
  require_whole_clusters("k", {8, 6, 1}, {4, 2, 1});
  EXPECT_EQ(refusal_of([] {
              require_whole_clusters("k", {8, 5, 1}, {4, 2, 1});
            }),
            "launch_failed: grid of 'k' is 8 x 5 x 1, no multiple of its cluster 4 x 2 x 1");
  require_same_cluster("k", {4}, {4});
  EXPECT_EQ(
      refusal_of([] { require_same_cluster("k", {4}, {2}); }),
      "launch_failed: 'k' is launched in clusters of 4 x 1 x 1, and compiled for 2 x 1 x 1 (__cluster_dims__)");
}

}  // namespace
}  // namespace tailwave
