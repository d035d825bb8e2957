#include "tune/compile_pool.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>
#include <thread>

#include "core/error.h"
#include "device/executor.h"
#include "fakes/shared_flags.h"
#include "fakes/strays.h"

namespace tailwave {
namespace {

const auto kNeverStop = [] { return false; };

// An artifact whose name tells the build and the process that made it.
Built numbered(std::size_t index) {
  Built built;
  built.artifact.emplace();
  built.artifact->file = std::to_string(index);
  built.artifact->symbols = {{"kernel", "symbol"}};
  built.artifact->record = {"key", "compiler", "sm_90", "-O3", "hash", "log", 1.5, true};
  built.artifact->record.log = std::to_string(getpid());
  built.artifact->resources = {{"kernel", 32, 8, 16, 1, 256, 4096}};
  return built;
}

using Flags = fakes::SharedFlags;

std::ptrdiff_t set(const Flags& flags) {
  return std::count(flags.begin(), flags.end(), true);
}

TEST(CompilePool, GivesEveryBuildItsResultInWhateverOrderItIsTaken) {
  CompilePool pool(20, 3, numbered);
  std::set<std::string> processes;
  for (const std::size_t index :
       {7U, 0U, 19U, 1U, 2U, 3U, 4U, 5U, 6U, 8U, 9U, 10U, 11U, 12U, 13U, 14U, 15U}) {
    const Built built = pool.take(index, kNeverStop);
    ASSERT_TRUE(built.artifact);
    EXPECT_EQ(built.artifact->file, std::to_string(index));
    EXPECT_EQ(built.artifact->record.seconds, 1.5);
    EXPECT_TRUE(built.artifact->record.from_cache);
    EXPECT_EQ(built.artifact->resources, numbered(0).artifact->resources);
    processes.insert(built.artifact->record.log);
  }
  EXPECT_LE(processes.size(), 3U);
  EXPECT_FALSE(processes.contains(std::to_string(getpid())));
}

// No build ends before `least` have begun, each in a process of its own then.
std::function<Built(std::size_t)> at_once(Flags& begun, std::ptrdiff_t least) {
  return [&begun, least](std::size_t index) {
    begun[index] = true;
    while (set(begun) < least) usleep(1000);
    return numbered(index);
  };
}

TEST(CompilePool, BuildsWhatIsAskedForLater) {
  Flags begun(100);
  CompilePool pool(1, 3, at_once(begun, 3));
  std::set<std::string> processes;
  for (const std::size_t index : {90U, 7U, 40U, 3U, 8U}) pool.ask(index);
  for (const std::size_t index : {0U, 40U, 90U, 7U, 3U, 8U}) {
    const Built built = pool.take(index, kNeverStop);
    EXPECT_EQ(built.artifact->file, std::to_string(index));
    processes.insert(built.artifact->record.log);
  }
  EXPECT_EQ(processes.size(), 3U);
  pool.ask(41);
  EXPECT_EQ(pool.take(41, kNeverStop).artifact->file, "41");
}

TEST(CompilePool, GivesAResultThatIsThereWithoutWaiting) {
  Flags end(1);
  CompilePool pool(2, 1, [&](std::size_t index) {
    while (!end[0]) usleep(1000);
    return numbered(index);
  });
  EXPECT_FALSE(pool.take_if_there(1));
  end[0] = true;
  EXPECT_EQ(pool.take(1, kNeverStop).artifact->file, "1");
  EXPECT_FALSE(pool.take_if_there(1));
  const std::optional<Built> built = pool.take_if_there(0);
  ASSERT_TRUE(built);
  EXPECT_EQ(built->artifact->file, "0");
}

// In the order of their ends, which is that of the processes that made them.
std::vector<std::size_t> taken_as_they_come(CompilePool& pool) {
  std::vector<std::size_t> order;
  while (auto ended = pool.take_any(60, kNeverStop)) {
    EXPECT_EQ(ended->second.artifact->file, std::to_string(ended->first));
    order.push_back(ended->first);
  }
  EXPECT_EQ(pool.unfinished(), 0U);
  return order;
}

TEST(CompilePool, GivesResultsAsBuildsEnd) {
  Flags ends(4);
  CompilePool pool(4, 4, [&](std::size_t index) {
    while (!ends[index]) usleep(1000);
    return numbered(index);
  });
  EXPECT_EQ(pool.unfinished(), 4U);
  EXPECT_FALSE(pool.take_any(0.05, kNeverStop));
  std::vector<std::size_t> order;
  for (const std::size_t index : {2U, 0U, 3U}) {
    ends[index] = true;
    order.push_back(pool.take_any(60, kNeverStop)->first);
  }
  EXPECT_THAT(order, testing::ElementsAre(2, 0, 3));
  EXPECT_EQ(pool.unfinished(), 1U);
  EXPECT_THROW(static_cast<void>(pool.take_any(60, [] { return true; })), Cancelled);
  ends[1] = true;
  EXPECT_EQ(pool.take(1, kNeverStop).artifact->file, "1");
  EXPECT_FALSE(pool.take_any(60, kNeverStop));  // nothing to wait for
}

TEST(CompilePool, GivesEveryResultOnceInBothWays) {
  CompilePool pool(20, 3, numbered);
  EXPECT_EQ(pool.take(7, kNeverStop).artifact->file, "7");
  EXPECT_EQ(pool.take(2, kNeverStop).artifact->file, "2");
  std::vector<std::size_t> order = taken_as_they_come(pool);
  std::sort(order.begin(), order.end());
  EXPECT_THAT(order, testing::ElementsAre(0, 1, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19));
}

TEST(CompilePool, NamesTheResultsThatAreThere) {
  CompilePool pool(3, 1, numbered);
  EXPECT_THAT(pool.there(), testing::IsEmpty());
  pool.take(2, kNeverStop);  // of one process the last
  EXPECT_THAT(pool.there(), testing::ElementsAre(0, 1));
  EXPECT_TRUE(pool.take_if_there(1));
  EXPECT_THAT(pool.there(), testing::ElementsAre(0));
}

TEST(CompilePool, BuildsInAllProcessesAtOnce) {
  constexpr std::ptrdiff_t kProcesses = 8;
  Flags begun(kProcesses + 1), end(1);
  CompilePool pool(kProcesses + 1, kProcesses, [&](std::size_t index) {
    begun[index] = true;
    while (!end[0]) usleep(1000);
    return numbered(index);
  });
  while (set(begun) < kProcesses) EXPECT_FALSE(pool.take_any(0.01, kNeverStop));
  end[0] = true;
  EXPECT_EQ(taken_as_they_come(pool).size(), kProcesses + 1);
}

// Nobody waits in a call of the pool: each call sees at once how old the build in hand is.
TEST(CompilePool, StartsAllProcessesThoughItIsSeldomAsked) {
  constexpr std::ptrdiff_t kProcesses = 8;
  Flags begun(kProcesses), end(1);
  CompilePool pool(kProcesses, kProcesses, [&](std::size_t index) {
    begun[index] = true;
    while (!end[0]) usleep(1000);
    return numbered(index);
  });
  std::this_thread::sleep_for(
      std::chrono::milliseconds(100));  // at least: as long as seven starts would take
  EXPECT_FALSE(pool.take_if_there(0));
  EXPECT_TRUE(fakes::comes_true([&] { return set(begun) == kProcesses; }));
  end[0] = true;
  EXPECT_EQ(taken_as_they_come(pool).size(), kProcesses);
}

// On a machine that is busy a build of no length may last as long as a real one: one pool of several shows it.
TEST(CompilePool, StartsFewProcessesForWhatComesFromTheCache) {
  constexpr std::size_t kBuilds = 180, kPools = 20;
  constexpr unsigned kProcesses = 16;
  std::size_t fewest = kProcesses;
  for (std::size_t tried = 0; tried < kPools && fewest == kProcesses; ++tried) {
    CompilePool pool(kBuilds, kProcesses, numbered);
    std::set<std::string> processes;
    while (auto ended = pool.take_any(60, kNeverStop)) processes.insert(ended->second.artifact->record.log);
    fewest = std::min(fewest, processes.size());
  }
  EXPECT_LT(fewest, kProcesses);  // 1 or 2 at rest
}

// A build of unknown length is handed out when the one before has ended.
TEST(CompilePool, KeepsABuildForTheProcessThatIsFreeFirst) {
  Flags end(1);
  CompilePool pool(2, 2, [&](std::size_t index) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    while (index == 2 && !end[0]) usleep(1000);
    return numbered(index);
  });
  EXPECT_EQ(taken_as_they_come(pool).size(), 2U);
  for (const std::size_t index : {2U, 3U, 4U, 5U}) pool.ask(index);
  std::vector<std::size_t> order;
  for (int i = 0; i < 3; ++i) order.push_back(pool.take_any(60, kNeverStop)->first);
  EXPECT_THAT(order, testing::ElementsAre(3, 4, 5));
  end[0] = true;
  EXPECT_THAT(taken_as_they_come(pool), testing::ElementsAre(2));
}

TEST(CompilePool, CanBeWaitedForWithOtherThings) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Flags begun(3);
  CompilePool pool(3, 2, at_once(begun, 2));
  EXPECT_EQ(pool.descriptors().size(), 1U);
  EXPECT_LE(pool.due_s(), 0.003);
  std::size_t results = 0;
  while (pool.unfinished() > 0) {
    std::vector<pollfd> sources = pool.descriptors();
    sources.push_back({ends[0], POLLIN, 0});
    poll(sources.data(), sources.size(), static_cast<int>(std::ceil(std::min(60.0, pool.due_s()) * 1e3)));
    EXPECT_EQ(sources.back().revents, 0);
    pool.receive();
    while (pool.take_any(0, kNeverStop)) ++results;
  }
  while (pool.take_any(0, kNeverStop)) ++results;
  EXPECT_EQ(results, 3U);
  EXPECT_TRUE(pool.descriptors().empty());
  EXPECT_EQ(pool.due_s(), std::numeric_limits<double>::infinity());
  close(ends[0]);
  close(ends[1]);
}

TEST(CompilePool, StartsAsManyProcessesAsItTakesForNobodyToWait) {
  Flags begun(6);
  CompilePool pool(6, 3, at_once(begun, 3));
  std::set<std::string> processes;
  for (std::size_t index = 0; index < 6; ++index)
    processes.insert(pool.take(index, kNeverStop).artifact->record.log);
  EXPECT_EQ(processes.size(), 3U);
}

TEST(CompilePool, MakesACompilerThatDiesOneFailedBuild) {
  CompilePool pool(6, 1, [](std::size_t index) {
    if (index == 1) std::raise(SIGKILL);
    if (index == 3) _exit(7);
    if (index == 4) {
      std::fputs("free(): invalid size\n", stderr);
      std::abort();
    }
    return numbered(index);
  });
  std::vector<std::string> details;
  for (std::size_t index = 0; index < 6; ++index) {
    const Built built = pool.take(index, kNeverStop);
    details.push_back(built.artifact ? "built" : std::string(to_string(built.outcome)) + ": " + built.detail);
  }
  EXPECT_THAT(details,
              testing::ElementsAre(
                  "built", "compile_error: the compile process was killed by signal 9 (Killed)", "built",
                  "compile_error: the compile process exited with status 7",
                  "compile_error: the compile process was killed by signal 6 (Aborted), and printed:\n"
                  "free(): invalid size",
                  "built"));
}

// Nobody hears of the death of a process that had nothing to do.
TEST(CompilePool, HandsABuildToAProcessThatHasDied) {
  CompilePool pool(1, 1, numbered);
  const pid_t process = std::stoi(pool.take(0, kNeverStop).artifact->record.log);
  ASSERT_EQ(kill(process, SIGKILL), 0);
  ASSERT_TRUE(fakes::comes_true([&] { return !fakes::is_running(process); }));
  pool.ask(1);
  pool.ask(2);
  EXPECT_EQ(pool.take(2, kNeverStop).artifact->file, "2");
  EXPECT_EQ(pool.take(1, kNeverStop).artifact->file, "1");
}

TEST(CompilePool, TriesABuildAgainWhoseProcessWasKilled) {
  Flags tried(3);
  CompilePool pool(3, 1, [&](std::size_t index) {
    if (!tried[index].exchange(true) && index != 2) std::raise(index == 0 ? SIGKILL : SIGABRT);
    return numbered(index);
  });
  for (std::size_t index = 0; index < 3; ++index) EXPECT_TRUE(pool.take(index, kNeverStop).artifact);
}

TEST(CompilePool, TriesABuildAgainWhoseCompilerWasKilled) {
  Flags tried(2);
  CompilePool pool(2, 1, [&](std::size_t index) {
    if (index == 0 && tried[0].exchange(true)) return numbered(index);
    Built built;
    built.outcome = Outcome::compile_error;
    built.detail = "the host compiler was killed by signal 9 (Killed)";
    return built;
  });
  EXPECT_TRUE(pool.take(0, kNeverStop).artifact);
  EXPECT_EQ(pool.take(1, kNeverStop).detail, "the host compiler was killed by signal 9 (Killed)");
}

TEST(CompilePool, EndsWhatACompilerThatNeverEndsHasStarted) {
  fakes::Strays strays;
  CompilePool pool(
      2, 1,
      [&](std::size_t index) {
        if (index == 0) strays.leave();
        while (index == 0) pause();
        return numbered(index);
      },
      1.0);
  const Built built = pool.take(0, kNeverStop);
  EXPECT_EQ(built.outcome, Outcome::compile_timeout);
  EXPECT_TRUE(strays.are_there());
  EXPECT_TRUE(strays.end());
  EXPECT_TRUE(pool.take(1, kNeverStop).artifact);
}

// As after Ctrl-C, when a run gives up waiting.
TEST(CompilePool, LeavesNoCompilerBehind) {
  fakes::Strays strays;
  {
    CompilePool pool(1, 1, [&](std::size_t) -> Built {
      strays.leave();
      for (;;) pause();
    });
    EXPECT_THROW(static_cast<void>(pool.take(0, [&] { return strays.are_there(); })), Cancelled);
  }
  EXPECT_TRUE(strays.end());
}

TEST(CompilePool, EndsItsCompilersWhenItsOwnerIsKilled) {
  fakes::Strays strays;
  const pid_t owner = fork();
  if (owner == 0) {
    CompilePool pool(1, 1, [&](std::size_t) -> Built {
      strays.leave();
      for (;;) pause();
    });
    fakes::comes_true([&] { return strays.are_there(); });
    std::raise(SIGKILL);
  }
  waitpid(owner, nullptr, 0);
  EXPECT_TRUE(strays.are_there());
  EXPECT_TRUE(strays.end());
}

TEST(CompilePool, MakesACompilerThatNeverEndsOneFailedBuild) {
  CompilePool pool(
      3, 1,
      [](std::size_t index) {
        while (index == 1) pause();
        return numbered(index);
      },
      0.2);
  EXPECT_TRUE(pool.take(0, kNeverStop).artifact);
  const Built late = pool.take(1, kNeverStop);
  EXPECT_EQ(late.outcome, Outcome::compile_timeout);
  EXPECT_EQ(late.detail, "the compile process did not end within 0.2 s and was killed");
  EXPECT_TRUE(pool.take(2, kNeverStop).artifact);
}

TEST(CompilePool, PassesOnAnErrorAndStopsWhenAsked) {
  CompilePool broken(1, 1, [](std::size_t) -> Built { throw Error("no space for artifacts"); });
  try {
    static_cast<void>(broken.take(0, kNeverStop));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no space for artifacts");
  }
  CompilePool second(2, 1, [](std::size_t index) -> Built {
    if (index == 1) throw Error("no space for artifacts");
    return numbered(index);
  });
  ASSERT_TRUE(fakes::comes_true([&] {
    second.receive();
    return second.unfinished() == 0;
  }));
  EXPECT_FALSE(second.take_if_there(2));
  EXPECT_FALSE(second.take_if_there(2));
  EXPECT_EQ(second.take(0, kNeverStop).artifact->file, "0");
  EXPECT_THROW(static_cast<void>(second.take(1, kNeverStop)), Error);
  CompilePool slow(1, 1, [](std::size_t) -> Built {
    for (;;) pause();
  });
  EXPECT_THROW(static_cast<void>(slow.take(0, [] { return true; })), Cancelled);
}

}  // namespace
}  // namespace tailwave
