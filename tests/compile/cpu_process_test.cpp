#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/process.h"
#include "fakes/scratch_folder.h"
#include "fakes/strays.h"

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

TEST(Process, KeepsNamedVariablesFromIt) {
  setenv("TAILWAVE_TEST_A", "a", 1);
  setenv("TAILWAVE_TEST_AB", "b", 1);
  EXPECT_EQ(
      run_process({"sh", "-c", "echo $TAILWAVE_TEST_A$TAILWAVE_TEST_AB"}, kLong, {"TAILWAVE_TEST_A"}).output,
      "b\n");
  unsetenv("TAILWAVE_TEST_A");
  unsetenv("TAILWAVE_TEST_AB");
}

TEST(Process, KeepsTheBeginningOfWhatHasNoEnd) {
  const ProcessResult result = run_process({"head", "-c", "300000000", "/dev/zero"}, kLong);
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(result.output.size(), std::size_t{256} << 20U);
}

TEST(Process, TellsTheSignalThatEndedIt) {
  for (const int signal : {SIGKILL, SIGSEGV, SIGTERM, SIGUSR1}) {
    const ProcessResult result = run_process({"sh", "-c", "kill -" + std::to_string(signal) + " $$"}, kLong);
    EXPECT_EQ(result.signal, signal);
    EXPECT_EQ(result.exit_status, 128 + signal);
  }
  const ProcessResult by_itself = run_process({"sh", "-c", "exit 137"}, kLong);
  EXPECT_EQ(by_itself.signal, 0);
  EXPECT_EQ(by_itself.exit_status, 137);
}

// A shell command that starts two processes, one of them in a session of its own, whose numbers are then in files.
class Strewn {
 public:
  [[nodiscard]] std::string command() const {
    return "sleep 600 & echo $! >" + file("one") + "; setsid sh -c 'echo $$ >" + file("two") +
           "; exec sleep 600' & while ! [ -s " + file("two") + " ]; do sleep 0.01; done; echo begun";
  }
  [[nodiscard]] bool is_there() const { return process("one") > 0 && process("two") > 0; }
  [[nodiscard]] bool ends() const {
    return fakes::comes_true(
        [this] { return !fakes::is_running(process("one")) && !fakes::is_running(process("two")); });
  }

 private:
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  [[nodiscard]] pid_t process(const std::string& name) const {
    pid_t number = 0;
    std::ifstream(file(name)) >> number;
    return number;
  }

  ScratchFolder folder_;
};

TEST(Process, KillsAllThatItStartedWhenTheTimeIsUp) {
  const Strewn strewn;
  const ProcessResult result =
      run_process({"sh", "-c", strewn.command() + "; sleep 600"}, std::chrono::seconds(2));
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.output, "begun\n");
  EXPECT_TRUE(strewn.is_there());
  EXPECT_TRUE(strewn.ends());
}

TEST(Process, LeavesNothingBehindWhenItEnds) {
  const Strewn strewn;
  const ProcessResult result =
      run_process({"sh", "-c", strewn.command() + "; exit 4"}, std::chrono::hours(1));
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_status, 4);
  EXPECT_EQ(result.output, "begun\n");
  EXPECT_TRUE(strewn.is_there());
  EXPECT_TRUE(strewn.ends());
}

TEST(Process, EndsWithItsOwner) {
  for (const int signal : {SIGKILL, SIGINT, SIGHUP}) {
    const Strewn strewn;
    const pid_t owner = fork();
    if (owner == 0) {
      run_process({"sh", "-c", strewn.command() + "; sleep 600"}, kLong);
      _exit(0);
    }
    EXPECT_TRUE(fakes::comes_true([&] { return strewn.is_there(); }));
    kill(owner, signal);
    waitpid(owner, nullptr, 0);
    EXPECT_TRUE(strewn.ends());
  }
}

// Neither waits for the other to close its output.
TEST(Process, EndsThoughOneThatWasStartedMeanwhileDoesNot) {
  const ScratchFolder folder;
  const std::string gate = folder.path() / "gate";
  ASSERT_EQ(mkfifo(gate.c_str(), S_IRUSR | S_IWUSR), 0);
  ProcessResult other;
  std::jthread waits([&] { other = run_process({"sh", "-c", "cat \"$0\"", gate}, kLong); });
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(run_process({"true"}, kLong).timed_out);
  std::ofstream(gate) << "opened";
  waits.join();
  EXPECT_EQ(other.output, "opened");
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
        outputs[i] = run_process({"sh", "-c", "echo " + std::to_string(i)}, kLong).output;
      });
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) EXPECT_EQ(outputs[i], std::to_string(i) + "\n");
}

}  // namespace
}  // namespace tailwave
