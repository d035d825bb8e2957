#include "tune/compile_pool.h"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "core/error.h"
#include "device/executor.h"

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
  built.resources = built.artifact->resources;
  return built;
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
    EXPECT_EQ(built.artifact->resources, numbered(0).resources);
    EXPECT_EQ(built.resources, numbered(0).resources);
    processes.insert(built.artifact->record.log);
  }
  EXPECT_LE(processes.size(), 3U);
  EXPECT_FALSE(processes.contains(std::to_string(getpid())));
}

Built slowly(std::size_t index) {
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  return numbered(index);
}

TEST(CompilePool, BuildsWhatIsAskedForLater) {
  CompilePool pool(1, 3, slowly);
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
  CompilePool pool(2, 1, slowly);
  EXPECT_FALSE(pool.take_if_there(1));
  EXPECT_EQ(pool.take(1, kNeverStop).artifact->file, "1");
  EXPECT_FALSE(pool.take_if_there(1));
  const std::optional<Built> built = pool.take_if_there(0);
  ASSERT_TRUE(built);
  EXPECT_EQ(built->artifact->file, "0");
}

TEST(CompilePool, StartsAsManyProcessesAsItTakesForNobodyToWait) {
  const auto processes = [](CompilePool& pool, std::chrono::milliseconds between) {
    std::set<std::string> names;
    for (std::size_t index = 0; index < 6; ++index) {
      names.insert(pool.take(index, kNeverStop).artifact->record.log);
      std::this_thread::sleep_for(between);
    }
    return names.size();
  };
  CompilePool starved(6, 3, slowly);
  EXPECT_EQ(processes(starved, std::chrono::milliseconds(0)), 3U);
  CompilePool ahead(6, 3, numbered);
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_LE(processes(ahead, std::chrono::milliseconds(60)), 2U);  // the second, should the machine be busy
}

TEST(CompilePool, MakesACompilerThatDiesOneFailedBuild) {
  CompilePool pool(6, 1, [](std::size_t index) {
    if (index == 1) std::raise(SIGKILL);
    if (index == 3) _exit(7);
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
                  "compile_error: the compile process exited with status 7", "built", "built"));
}

// The answer to the first build is read, and the third one handed out, when the process is gone already.
TEST(CompilePool, HandsABuildToAProcessThatHasDied) {
  auto* process = static_cast<pid_t*>(
      mmap(nullptr, sizeof(pid_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  CompilePool pool(3, 1, [process](std::size_t index) {
    if (index == 0) *process = getpid();
    if (index == 1) _exit(7);
    return numbered(index);
  });
  const auto has_ended = [process] {
    std::ifstream file("/proc/" + std::to_string(*process) + "/stat");
    return std::string(std::istreambuf_iterator<char>(file), {}).find(") Z") != std::string::npos;
  };
  while (!has_ended()) usleep(1000);
  EXPECT_TRUE(pool.take(0, kNeverStop).artifact);
  EXPECT_EQ(pool.take(1, kNeverStop).detail, "the compile process exited with status 7");
  EXPECT_TRUE(pool.take(2, kNeverStop).artifact);
  munmap(process, sizeof(pid_t));
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
  EXPECT_EQ(pool.take(1, kNeverStop).detail, "the compile process did not end within 0.2 s and was killed");
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
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // both are there
  EXPECT_FALSE(second.take_if_there(2));
  EXPECT_FALSE(second.take_if_there(2));
  EXPECT_EQ(second.take(0, kNeverStop).artifact->file, "0");
  EXPECT_THROW(static_cast<void>(second.take_if_there(1)), Error);
  CompilePool slow(1, 1, [](std::size_t) -> Built {
    for (;;) pause();
  });
  EXPECT_THROW(static_cast<void>(slow.take(0, [] { return true; })), Cancelled);
}

}  // namespace
}  // namespace tailwave
