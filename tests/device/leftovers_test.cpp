#include "device/cpu/leftovers.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <thread>

namespace tailwave {
namespace {

TEST(Leftovers, AreNothingAtFirst) {
  EXPECT_EQ(Leftovers().find(), "");
}

TEST(Leftovers, AreThreadsUntilTheyAreJoined) {
  const Leftovers leftovers;
  std::promise<void> end;
  std::thread thread([&] { end.get_future().wait(); });
  EXPECT_EQ(leftovers.find(), "a thread");
  EXPECT_EQ(Leftovers().find(), "") << "it was there before";
  end.set_value();
  thread.join();
  EXPECT_EQ(leftovers.find(), "");
}

// A thread that has been joined is listed for a moment.
TEST(Leftovers, AreNoThreadsThatAreEnding) {
  const Leftovers leftovers;
  for (int round = 0; round < 200; ++round) {
    std::thread([] {}).join();
    ASSERT_EQ(leftovers.find(), "");
  }
}

TEST(Leftovers, AreProcessesUntilTheyAreWaitedFor) {
  const Leftovers leftovers;
  const pid_t child = fork();
  if (child == 0)
    for (;;) pause();
  EXPECT_EQ(leftovers.find(), "a process");
  EXPECT_EQ(Leftovers().find(), "") << "it was there before";
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(leftovers.find(), "");
}

TEST(Leftovers, AreHandlersOfSignals) {
  const Leftovers leftovers;
  const auto before = std::signal(SIGALRM, [](int) {});
  EXPECT_EQ(leftovers.find(), "a handler of signal 14 (Alarm clock)");
  std::signal(SIGALRM, before);
  EXPECT_EQ(leftovers.find(), "");
}

}  // namespace
}  // namespace tailwave
