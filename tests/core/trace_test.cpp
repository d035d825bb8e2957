#include "core/trace.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

TEST(BusyShare, IsOfAllSlotsForTheWholeTime) {
  TracedLaunch launch{.sms = 2, .blocks_per_sm = 2, .duration_ns = 100};
  EXPECT_EQ(busy_share(launch), 0);
  launch.blocks = {{.start_ns = 10, .end_ns = 70, .left_ns = 50},
                   {.start_ns = 0, .end_ns = 100, .left_ns = 100, .weight = 2}};
  EXPECT_DOUBLE_EQ(busy_share(launch), (40.0 + 200.0) / 400);
}

TEST(BusyShare, IsOfTheRoomThatClustersCanUse) {
  TracedLaunch launch{.sms = 5, .blocks_per_sm = 1, .duration_ns = 100, .cluster_slots = 4};
  EXPECT_EQ(slots_of(launch), 4);
  launch.blocks = {{.start_ns = 0, .end_ns = 100, .left_ns = 100, .weight = 2}};
  EXPECT_DOUBLE_EQ(busy_share(launch), 0.5);
}

TEST(BusyShare, IsNothingOfALaunchThatTookNoTime) {
  EXPECT_EQ(busy_share({.sms = 2, .blocks_per_sm = 2}), 0);
}

}  // namespace
}  // namespace tailwave
