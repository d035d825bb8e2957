#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "build/cpu/process.h"
#include "core/error.h"

namespace tailwave {
namespace {

constexpr std::chrono::seconds kLong{60};

TEST(Process, ReturnsStatusAndBothOutputs) {
  const ProcessResult result = run_process({"sh", "-c", "echo out; echo err >&2; exit 3"}, kLong);
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.output, "out\nerr\n");
}

TEST(Process, PassesArgumentsWithoutAShell) {
  EXPECT_EQ(run_process({"printf", "%s|", "a b", "$HOME;", "'"}, kLong).output, "a b|$HOME;|'|");
}

TEST(Process, SpeaksEnglishAndReadsNothing) {
  EXPECT_EQ(run_process({"sh", "-c", "echo $LC_ALL; cat"}, kLong).output, "C\n");
}

TEST(Process, TellsTheSignalThatEndedIt) {
  EXPECT_EQ(run_process({"sh", "-c", "kill -9 $$"}, kLong).exit_status, 128 + 9);
}

TEST(Process, KillsAllThatItStartedWhenTheTimeIsUp) {
  const auto start = std::chrono::steady_clock::now();
  const ProcessResult result =
      run_process({"sh", "-c", "echo begun; sleep 60 & sleep 60"}, std::chrono::seconds(1));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.output, "begun\n");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(Process, RefusesAProgramThatIsNotThere) {
  try {
    run_process({"no-such-compiler"}, kLong);
    FAIL() << "it started";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no-such-compiler: cannot be started: No such file or directory");
  }
}

TEST(Process, RunsManyAtOnce) {
  std::vector<std::string> outputs(8);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      threads.emplace_back([&outputs, i] {
        outputs[i] = run_process({"sh", "-c", "sleep 0.05; echo " + std::to_string(i)}, kLong).output;
      });
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) EXPECT_EQ(outputs[i], std::to_string(i) + "\n");
}

}  // namespace
}  // namespace tailwave
