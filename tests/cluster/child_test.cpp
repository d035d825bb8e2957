#include "cluster/child.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include "core/temporary_folder.h"
#include "fakes/error_of.h"

namespace tailwave {
namespace {

using samples::error_of;

int status_of(Child& child) {
  std::optional<int> status;
  while (!(status = child.poll())) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return *status;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Child, RunsWithItsOwnFolderVariablesAndOutput) {
  const TemporaryFolder scratch;
  for (int i = 0; i < 2; ++i) {
    Child child({.command = {"sh", "-c", "echo $WORD in $PWD; echo also >&2; exit 3"},
                 .environment = {{"WORD", "here"}},
                 .folder = scratch.path(),
                 .output = scratch.path() / "log"});
    EXPECT_EQ(status_of(child), 3);
  }
  const std::string once = "here in " + scratch.path().string() + "\nalso\n";
  EXPECT_EQ(text_of(scratch.path() / "log"), once + once);
}

TEST(Child, IsAskedToStop) {
  Child child({.command = {"sleep", "60"}, .environment = {}, .folder = {}, .output = {}});
  EXPECT_FALSE(child.poll());
  child.stop();
  EXPECT_EQ(status_of(child), 128 + SIGTERM);
}

TEST(Child, SaysWhyItCannotBeStarted) {
  EXPECT_EQ(error_of([] {
              const Child child({.command = {"/nowhere"}, .environment = {}, .folder = {}, .output = {}});
            }),
            "/nowhere: cannot be started: No such file or directory");
  EXPECT_EQ(error_of([] {
              const Child child({.command = {"true"}, .environment = {}, .folder = "/nowhere", .output = {}});
            }),
            "true: cannot be started: No such file or directory");
  EXPECT_EQ(
      error_of([] {
        const Child child({.command = {"true"}, .environment = {}, .folder = {}, .output = "/nowhere/log"});
      }),
      "/nowhere/log: cannot be written: No such file or directory");
}

TEST(StopSignals, OnlyAskAsLongAsTheyLive) {
  const StopSignals signals;
  EXPECT_FALSE(StopSignals::requested());
  raise(SIGTERM);
  raise(SIGTERM);
  EXPECT_TRUE(StopSignals::requested());
}

}  // namespace
}  // namespace tailwave
