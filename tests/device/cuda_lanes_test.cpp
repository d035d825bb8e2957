#include <gmock/gmock.h>

#include "device/cuda/lanes.h"
#include "fakes/fake_device.h"

namespace tailwave {
namespace {

using testing::ElementsAre;

Launch on(int sms, int stream = 0, std::vector<int> wait = {}) {
  Launch launch;
  launch.sms = sms;
  launch.stream = stream;
  launch.wait = std::move(wait);
  return launch;
}

Launch copy_in(int stream) {
  static fakes::FakeBuffer buffer(8);
  Launch copy = on(0, stream);
  copy.copied = &buffer;
  return copy;
}

using Lane = LaneOfLaunch;

Launch dependent_on(int sms, int stream = 0, std::vector<int> wait = {}) {
  Launch launch = on(sms, stream, std::move(wait));
  launch.dependent = true;
  return launch;
}

std::vector<bool> dependent_of(const std::vector<Launch>& launches, int sets = 1) {
  return dependent_launches(launches, lanes_of(launches, sets), sets);
}

TEST(Lanes, HaveDependentLaunchesRightBehindAKernelOfTheSamePlan) {
  EXPECT_THAT(dependent_of({dependent_on(0), dependent_on(0), on(0), dependent_on(0)}),
              ElementsAre(false, true, false, true));
  EXPECT_THAT(dependent_of({on(0), dependent_on(0), on(0), dependent_on(0)}, 2),
              ElementsAre(false, true, false, true));
  EXPECT_THAT(dependent_of({dependent_on(0), dependent_on(0)}, 2), ElementsAre(false, false));
  EXPECT_TRUE(dependent_of({}).empty());
}

TEST(Lanes, HaveNoDependentLaunchBehindACopyOrOtherSmsOrAWait) {
  EXPECT_THAT(dependent_of({on(0), copy_in(0), dependent_on(0)}), ElementsAre(false, false, false));
  EXPECT_THAT(dependent_of({on(0), dependent_on(8), dependent_on(8)}), ElementsAre(false, false, true));
  EXPECT_THAT(dependent_of({on(0), on(0, 1), dependent_on(0, 0, {1}), dependent_on(0, 1)}),
              ElementsAre(false, false, false, true));
}

TEST(Lanes, AreTheStreamsOfAPlanInAscendingOrder) {
  EXPECT_THAT(lanes_of(std::vector{on(0, 7), on(0, 2), on(0, 7)}, 1),
              ElementsAre(Lane{1, 0, {}}, Lane{0, 0, {}}, Lane{1, 0, {}}));
  EXPECT_TRUE(lanes_of({}, 1).empty());
}

TEST(Lanes, KeepTheFirstOneForWhatHasAllSms) {
  EXPECT_THAT(lanes_of(std::vector{on(64), on(64)}, 1), ElementsAre(Lane{1, 64, {}}, Lane{1, 64, {}}));
}

TEST(Lanes, OfOneStreamWaitForEachOtherWhereTheSmsChange) {
  EXPECT_THAT(
      lanes_of(std::vector{on(64), on(0), on(0), on(8), on(64)}, 1),
      ElementsAre(Lane{2, 64, {}}, Lane{0, 0, {2}}, Lane{0, 0, {}}, Lane{1, 8, {0}}, Lane{2, 64, {1}}));
}

TEST(Lanes, OfSeveralStreamsAreWaitedForWhereTheStreamIsByThen) {
  EXPECT_THAT(
      lanes_of(std::vector{on(0, 0), on(16, 3), on(8, 3), on(0, 0, {3, 3, 0, 9}), on(16, 3, {0})}, 1),
      ElementsAre(Lane{0, 0, {}}, Lane{2, 16, {}}, Lane{1, 8, {2}}, Lane{0, 0, {1}}, Lane{2, 16, {1, 0}}));
}

TEST(Lanes, AreTheSameInEverySetOfAPlan) {
  EXPECT_THAT(lanes_of(std::vector{on(64), on(0), on(64), on(0)}, 2),
              ElementsAre(Lane{1, 64, {}}, Lane{0, 0, {1}}, Lane{1, 64, {}}, Lane{0, 0, {1}}));
}

TEST(Lanes, OfCopiesAreThoseOfTheLaunchesBesideThem) {
  EXPECT_THAT(lanes_of(std::vector{copy_in(0), copy_in(1), on(8, 0), copy_in(0), on(0, 0), copy_in(0)}, 1),
              ElementsAre(Lane{1, 8, {}}, Lane{2, 0, {}}, Lane{1, 8, {}}, Lane{1, 8, {}}, Lane{0, 0, {1}},
                          Lane{0, 0, {}}));
}

}  // namespace
}  // namespace tailwave
