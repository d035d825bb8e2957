#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/project_fixture.h"
#include "device/lease.h"
#include "fakes/strays.h"

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Runs at once on one device.
class Turns : public ProjectFixture {
 protected:
  [[nodiscard]] static Lease lease_of_another() {
    return Lease({default_lease_folder(), "cpu", "12 tailwave run x.json"});
  }
  [[nodiscard]] bool waits(const std::string& name) const {
    std::ostringstream said;
    said << std::ifstream(project_ / (name + ".err")).rdbuf();
    return said.str().ends_with(", which process 12 (tailwave run x.json) measures on\n");
  }
  // How the run says which process works.
  [[nodiscard]] static std::string holder_of(pid_t run) { return "process " + std::to_string(run) + " ("; }
};

TEST_F(Turns, ARunWaitsForWhoMeasuresAndSaysForWhom) {
  Lease lease = lease_of_another();
  lease.take();
  const pid_t first = begin(kRun, "first");
  std::vector<std::string> other = kRun;
  other.insert(other.end(), {"--db", "other.db"});
  const pid_t second = begin(other, "second");
  EXPECT_TRUE(fakes::comes_true([&] { return waits("first") && waits("second"); }));
  EXPECT_TRUE(fakes::is_running(first));
  EXPECT_TRUE(fakes::is_running(second));
  lease.release();
  for (const auto& [process, name] : {std::pair(first, "first"), std::pair(second, "second")}) {
    const CommandResult result = end(process, name);
    EXPECT_EQ(result.exit_status, 0) << result.err;
  }
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome = 'correct'"), "4");
}

TEST_F(Turns, CtrlCEndsARunThatWaits) {
  Lease lease = lease_of_another();
  lease.take();
  const pid_t run = begin(kRun, "run");
  EXPECT_TRUE(fakes::comes_true([&] { return waits("run"); }));
  kill(run, SIGINT);
  const CommandResult result = end(run, "run");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("interrupted"));
}

// Its worker holds the device, in a kernel that does not end.
TEST_F(Turns, TheDeviceIsFreeWhenTheRunIsKilled) {
  write("kernel_templates/transpose/tile.cu",
        "__global__ void transpose(float*, const float*, int) { for (volatile int i = 0;; i = i + 1); }\n");
  const pid_t run = begin(
      {"run", "experiments/transpose/tile_size.json", "--device", "cpu", "--filter", "TILE:8/"}, "killed");
  ASSERT_TRUE(fakes::comes_true(
      [&] { return lease_holder(default_lease_folder(), "cpu").starts_with(holder_of(run)); }));
  EXPECT_THAT(lease_holder(default_lease_folder(), "cpu"),
              HasSubstr("(tailwave run experiments/transpose/tile_size.json --device cpu"));
  kill(run, SIGKILL);
  Lease lease = lease_of_another();
  lease.take();
  EXPECT_EQ(end(run, "killed").exit_status, 128 + SIGKILL);
}

TEST_F(Turns, ARunGoesOnWhereNoDeviceCanBeHeld) {
  const std::filesystem::path folder = default_lease_folder();
  std::filesystem::remove(folder);
  std::ofstream(folder) << "no folder";
  const CommandResult result = tailwave(kRun);
  std::filesystem::remove(folder);
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.err,
              StartsWith("runs at the same time may disturb times here, since the device cannot be held: " +
                         folder.string() + ": Not a directory; name another folder with $TAILWAVE_LEASES\n"));
}

TEST_F(Turns, UsersShareTheFolder) {
  const Lease of_another_user = lease_of_another();
  std::vector<std::string> with_own_database = kRun;
  with_own_database.insert(with_own_database.end(), {"--db", "cache/own.db"});
  const pid_t run = begin(with_own_database, "nobody", {.unprivileged = true});
  const CommandResult result = end(run, "nobody");
  if (result.exit_status == 127) GTEST_SKIP() << "nobody may not start it here";
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.err, Not(HasSubstr("cannot be held")));
  EXPECT_THAT(lease_holder(default_lease_folder(), "cpu"), StartsWith(holder_of(run)));
}

}  // namespace
}  // namespace tailwave
