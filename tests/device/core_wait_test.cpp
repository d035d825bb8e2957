#include "device/cpu/core_wait.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

namespace tailwave {
namespace {

TEST(CoreWaits, AreOfEveryThreadThatIsThere) {
  const CoreWaits before = waits_for_cores();
  if (before.empty()) GTEST_SKIP() << "this kernel counts no waits in /proc/self/task";
  EXPECT_TRUE(before.contains(getpid()));
  std::jthread([&] { EXPECT_EQ(waits_for_cores().size(), before.size() + 1); });
}

TEST(CoreWaits, CountWhatBeganBetweenTwoLooks) {
  EXPECT_EQ(waited_between_ns({{1, 100}, {2, 50}}, {{1, 160}, {2, 50}, {3, 30}}, 1000), 90);
  EXPECT_EQ(waited_between_ns({{1, 100}, {2, 50}}, {{1, 160}, {2, 4050}}, 1000), 60);
  EXPECT_FALSE(waited_between_ns({}, {{1, 160}}, 1000));
}

}  // namespace
}  // namespace tailwave
