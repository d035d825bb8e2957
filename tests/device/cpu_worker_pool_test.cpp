#include <gmock/gmock.h>

#include <atomic>
#include <thread>
#include <vector>

#include "device/cpu/worker_pool.h"

namespace tailwave {
namespace {

using ::testing::Each;

TEST(WorkerPool, GivesEveryParticipantTheJobOnceAndWaits) {
  WorkerPool pool(4);
  EXPECT_EQ(pool.size(), 4);
  for (int participants = 1; participants <= 4; ++participants)
    for (int repeat = 0; repeat < 200; ++repeat) {
      std::vector<int> calls(static_cast<std::size_t>(participants));
      pool.run(participants, [&](int number) { ++calls[static_cast<std::size_t>(number)]; });
      ASSERT_THAT(calls, Each(1));
    }
}

TEST(WorkerPool, RunsANumberAlwaysOnTheSameThread) {
  WorkerPool pool(3);
  std::vector<std::thread::id> first(3), second(3);
  pool.run(3, [&](int number) { first[static_cast<std::size_t>(number)] = std::this_thread::get_id(); });
  pool.run(3, [&](int number) { second[static_cast<std::size_t>(number)] = std::this_thread::get_id(); });
  EXPECT_EQ(first, second);
  EXPECT_EQ(first[0], std::this_thread::get_id());
}

TEST(WorkerPool, OfOneStartsNoThread) {
  WorkerPool pool(1);
  EXPECT_EQ(pool.size(), 1);
  std::thread::id runner;
  pool.run(1, [&](int) { runner = std::this_thread::get_id(); });
  EXPECT_EQ(runner, std::this_thread::get_id());
}

}  // namespace
}  // namespace tailwave
