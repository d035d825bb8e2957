#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "device/cpu/grid_barrier.h"

namespace tailwave {
namespace {

using Result = GridBarrier::Result;

TEST(GridBarrier, LetsNobodyPassBeforeAllAreThere) {
  constexpr int kBlocks = 5;
  GridBarrier barrier(kBlocks);
  std::atomic<int> arrived{0}, early{0};
  {
    std::vector<std::jthread> blocks;
    for (int i = 0; i < kBlocks; ++i)
      blocks.emplace_back([&] {
        for (int round = 1; round <= 100; ++round) {
          ++arrived;
          if (barrier.arrive_and_wait() != Result::passed || arrived < kBlocks * round) ++early;
        }
      });
  }
  EXPECT_EQ(early, 0);
}

TEST(GridBarrier, TellsThoseWhoWaitForABlockThatHasFinished) {
  GridBarrier barrier(2);
  Result before{}, after{};
  {
    const std::jthread waiting([&] { before = barrier.arrive_and_wait(); });
    barrier.leave();
  }
  after = barrier.arrive_and_wait();
  EXPECT_EQ(before, Result::deserted);
  EXPECT_EQ(after, Result::deserted);
}

TEST(GridBarrier, LetsAllGoWhenOneAborts) {
  GridBarrier barrier(2);
  Result result{};
  {
    const std::jthread waiting([&] { result = barrier.arrive_and_wait(); });
    barrier.abort();
  }
  EXPECT_EQ(result, Result::aborted);
}

}  // namespace
}  // namespace tailwave
