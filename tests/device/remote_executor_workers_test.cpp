// What becomes of the worker process of a RemoteExecutor: it dies, hangs, is renewed.
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "device/remote_executor.h"
#include "device/trouble_executor.h"

namespace tailwave {
namespace {

using fakes::artifact;
using fakes::launch_of;
using fakes::RemoteExecutorTest;
using fakes::TroubleExecutor;

TEST_F(RemoteExecutorTest, TakesAFreshWorkerAfterAPoisoningError) {
  load();
  const pid_t before = worker();
  const auto buffer = executor_.allocate(10);
  EXPECT_EQ(failure_of("poison"), std::pair(Outcome::illegal_access, std::string("illegal address")));
  EXPECT_EQ(failure_of("fine"),
            std::pair(Outcome::crashed,
                      std::string("this buffer or program was lost when an earlier error reset the device")));
  EXPECT_NE(worker(), before);
  EXPECT_THROW(executor_.guard_damage(*buffer), Failure);
  expect_that_a_fill_works();
}

TEST_F(RemoteExecutorTest, TellsHowAWorkerDiedAndGoesOn) {
  load();
  EXPECT_EQ(failure_of("crash"),
            std::pair(Outcome::crashed,
                      std::string("crash: the device's worker process was killed by signal 9 (Killed)")));
  expect_that_a_fill_works();
  EXPECT_EQ(
      failure_of("exit"),
      std::pair(Outcome::crashed, std::string("exit: the device's worker process exited with status 3")));
  expect_that_a_fill_works();
}

TEST_F(RemoteExecutorTest, KillsAWorkerThatDoesNotAnswer) {
  load();
  executor_.set_deadline_s(0.1);
  EXPECT_EQ(failure_of("hang"),
            std::pair(Outcome::timeout, std::string("hang: not ended after 0.1 s; its process was killed")));
  expect_that_a_fill_works();
}

TEST_F(RemoteExecutorTest, GivesEachPartOfAPlanItsOwnDeadline) {
  load();
  executor_.set_deadline_s(0.3);
  const std::vector<Launch> quick{launch_of("fine")},
      slow(6, launch_of("sleep"));  // 2.4 s, 0.1 more than the limit
  try {
    executor_.run_and_read(*program_, {quick, slow, quick, {}, {}});
    ADD_FAILURE() << "no time-out";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.outcome(), Outcome::timeout);
    EXPECT_STREQ(failure.what(), "sleep: not ended after 0.3 s; its process was killed");
  }
}

TEST_F(RemoteExecutorTest, ReadsAgainAfterARunThatFails) {
  for (const char* kernel : {"refuse", "poison", "crash"}) {
    load();
    const auto large = executor_.allocate(4'000'000);  // nearly all that is shared
    executor_.upload(*large, std::vector<std::byte>(4'000'000, std::byte{3}));
    std::vector<std::byte> bytes(4'000'000);
    const std::vector<Launch> bad{launch_of(kernel)};
    EXPECT_THROW(executor_.run_and_read(*program_, {{}, bad, {}, {large.get()}, {{large.get(), bytes}}}),
                 Failure);
    load();
    const auto again = executor_.allocate(4'000'000);
    executor_.upload(*again, std::vector<std::byte>(4'000'000, std::byte{4}));
    executor_.run_and_read(*program_, {{}, {}, {}, {}, {{again.get(), bytes}}});
    EXPECT_THAT(bytes, testing::Each(std::byte{4})) << kernel;
  }
}

TEST_F(RemoteExecutorTest, WorksMeanwhileAndPassesOnWhatThatThrows) {
  load();
  int pieces = 0;
  executor_.set_meanwhile([&] { return ++pieces < 3; });
  executor_.set_deadline_s(0.3);
  EXPECT_EQ(failure_of("hang").first, Outcome::timeout);
  EXPECT_GE(pieces, 3);
  for (const char* kernel : {"hang", "sleep", "sleep and exit"}) {
    load();
    executor_.set_meanwhile([]() -> bool { throw std::runtime_error("no room to store"); });
    EXPECT_THROW(failure_of(kernel), std::runtime_error) << kernel;
  }
  executor_.set_meanwhile({});
  expect_that_a_fill_works();
}

TEST_F(RemoteExecutorTest, KillsAWorkerAfterACancellation) {
  load();
  const auto start = std::chrono::steady_clock::now();
  const auto since = [start] { return std::chrono::steady_clock::now() - start; };
  executor_.set_cancelled([since] { return since() > std::chrono::milliseconds(50); });
  const Launch hang = launch_of("hang");
  EXPECT_THROW(executor_.run(*program_, std::span(&hang, 1), {}), Cancelled);
  EXPECT_LT(since(), std::chrono::seconds(30));  // not at the deadline
  executor_.set_cancelled([] { return false; });
  expect_that_a_fill_works();
}

TEST(RemoteExecutor, ThrowsWhatTheFactorySays) {
  try {
    const RemoteExecutor executor([]() -> std::unique_ptr<WorkerExecutor> { throw Error("no device here"); });
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no device here");
  }
}

TEST(RemoteExecutor, ForgivesOneWorkerThatIsKilledWhileItOpensTheDevice) {
  const auto killed_before = std::filesystem::path(testing::TempDir()) /
                             ("tailwave_killed_while_opening_" + std::to_string(getpid()));
  const auto factory = [&] {
    if (!std::filesystem::exists(killed_before)) {
      std::ofstream(killed_before) << "once";
      std::raise(SIGKILL);
    }
    return std::make_unique<TroubleExecutor>();
  };
  EXPECT_EQ(RemoteExecutor(factory).description().kind, "trouble");
  std::filesystem::remove(killed_before);
}

TEST(RemoteExecutor, ThrowsWhenEveryWorkerDiesThatOpensTheDevice) {
  try {
    const RemoteExecutor executor([]() -> std::unique_ptr<WorkerExecutor> {
      std::raise(SIGKILL);
      return nullptr;
    });
    FAIL() << "opened";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the device's worker process was killed by signal 9 (Killed)");
  }
}

TEST_F(RemoteExecutorTest, TakesAFreshWorkerWhenOneDiedWhileIdle) {
  load();
  ASSERT_EQ(kill(worker(), SIGKILL), 0);
  usleep(200'000);
  expect_that_a_fill_works();
}

TEST(RemoteExecutor, RenewsItsWorkerWhenIsolatedAndTellsHowOneDied) {
  const auto factory = [] { return std::make_unique<TroubleExecutor>(); };
  RemoteExecutor kept(factory);
  RemoteExecutor isolated(factory, true);
  const pid_t kept_worker = kept.worker();
  const pid_t first = isolated.worker();
  EXPECT_EQ(kept.renew(), "");
  EXPECT_EQ(kill(kept_worker, 0), 0);
  EXPECT_EQ(isolated.renew(), "");
  EXPECT_EQ(kill(first, 0), -1);
  EXPECT_EQ(isolated.renew(), "");  // there is none to end

  const auto program = isolated.load(artifact());
  const Launch crash = launch_of("crash");
  EXPECT_THROW(isolated.run(*program, std::span(&crash, 1), {}), Failure);
  EXPECT_EQ(isolated.renew(), "was killed by signal 9 (Killed)");
  EXPECT_EQ(isolated.renew(), "");
}

TEST(RemoteExecutor, EndsBeforeAnotherOneThatWasMadeLater) {
  const auto factory = [] { return std::make_unique<TroubleExecutor>(); };
  auto first = std::make_unique<RemoteExecutor>(factory);
  const RemoteExecutor second(factory);  // whose process has copies of the first one's sockets
  first.reset();
  EXPECT_EQ(second.timer(), "steady_clock");
}

TEST(RemoteExecutor, LeavesNoProcessBehind) {
  pid_t worker = 0;
  std::unique_ptr<Buffer> buffer;
  {
    RemoteExecutor executor([] { return std::make_unique<TroubleExecutor>(); });
    worker = executor.worker();
    EXPECT_EQ(kill(worker, 0), 0);
    buffer = executor.allocate(8);
  }
  buffer.reset();
  EXPECT_EQ(kill(worker, 0), -1);
}

}  // namespace
}  // namespace tailwave
