#include <gmock/gmock.h>

#include <filesystem>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class NewTest : public ProjectFixture {
 protected:
  [[nodiscard]] bool exists(const std::string& path) const { return fs::exists(project_ / path); }
};

// What `check` says of the manifest that is written.
const std::string kVerified =
    "  verified with 2 draws of the inputs, and for other problems: N = 33; N = BLOCK_SIZE * ITEMS; "
    "N = BLOCK_SIZE * ITEMS + 1\n";

TEST_F(NewTest, WritesASystemThatPassesAndRunsAtOnce) {
  const CommandResult made = tailwave({"new", "mine"});
  EXPECT_EQ(made.exit_status, 0) << made.err;
  EXPECT_EQ(made.out,
            "wrote experiments/mine/first.json\n"
            "wrote kernel_templates/mine/README.md\n"
            "wrote kernel_templates/mine/basic.cu\n"
            "wrote kernel_templates/mine/cpu_fp64.cpp\n"
            "wrote kernel_templates/mine/system.json\n"
            "It works as it is:\n"
            "  tailwave check experiments/mine/first.json\n"
            "  tailwave plan experiments/mine/first.json --target h100\n"
            "  tailwave run experiments/mine/first.json --device auto\n");
  const CommandResult checked = tailwave({"check", "experiments/mine", "kernel_templates/mine"});
  EXPECT_EQ(checked.err, "");
  EXPECT_EQ(checked.out,
            "experiments/mine/first.json: ok: experiment, 23 configurations\n"
            "kernel_templates/mine/system.json: ok: system, 2 variants\n" +
                kVerified);
  const CommandResult run = tailwave({"run", "experiments/mine/first.json", "--device", "cpu", "--filter",
                                      "BLOCK_SIZE:(64|256)/ITEMS:[14]/"});
  EXPECT_EQ(run.exit_status, 0) << run.err;
  EXPECT_EQ(scalar("SELECT count(*) || ' ' || min(outcome) || ' ' || max(outcome) FROM trial"),
            "4 correct correct");
}

TEST_F(NewTest, MakesTheFolderThatItIsGiven) {
  const CommandResult made = tailwave({"new", "mine", "--dir", "some/where"});
  EXPECT_EQ(made.exit_status, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("  tailwave check some/where/experiments/mine/first.json\n"));
  EXPECT_EQ(tailwave({"check", "some/where"}).out,
            "some/where/experiments/mine/first.json: ok: experiment, 23 configurations\n"
            "some/where/kernel_templates/mine/system.json: ok: system, 2 variants\n" +
                kVerified);
}

TEST_F(NewTest, LeavesWhatExistsAlone) {
  const CommandResult system = tailwave({"new", "transpose"});
  EXPECT_EQ(system.exit_status, 2);
  EXPECT_EQ(system.err,
            "kernel_templates/transpose: exists already\n  choose another name, or remove it first\n");
  write("experiments/mine/notes.txt", "mine");
  EXPECT_EQ(tailwave({"new", "mine"}).err,
            "experiments/mine: exists already\n  choose another name, or remove it first\n");
  EXPECT_FALSE(exists("kernel_templates/mine"));
  EXPECT_TRUE(exists("experiments/mine/notes.txt"));
}

TEST_F(NewTest, RefusesWhatIsNoNameOfASystem) {
  for (const std::string name : {"1st", "../out", "a b", "a/b", ""}) {
    const CommandResult result = tailwave({"new", name});
    EXPECT_EQ(result.exit_status, 2) << name;
    EXPECT_EQ(result.err,
              "the system name '" + name + "' is no name (letters, digits, '_' and '-', a letter first)\n");
  }
  EXPECT_FALSE(exists("out"));
}

TEST_F(NewTest, LeavesNothingBehindWhereItCannotWriteAll) {
  write("experiments_parent/experiments", "a file where a folder has to be");
  const CommandResult result = tailwave({"new", "mine", "--dir", "experiments_parent"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.err,
            "experiments_parent/experiments: cannot be made: File exists\n  nothing was written\n");
  EXPECT_FALSE(exists("experiments_parent/kernel_templates"));
}

TEST_F(NewTest, SaysWhereItMayNotWrite) {
  // The disk is full after the first file: the folders made before it go again.
  const pid_t full = begin({"new", "mine", "--dir", "full"}, "full", {.file_limit_bytes = 100});
  const CommandResult result = end(full, "full");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr(": cannot be made: File too large\n  nothing was written\n"));
  EXPECT_FALSE(exists("full"));
  fs::create_directory(project_ / "locked");
  fs::permissions(project_ / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  const CommandResult refused =
      end(begin({"new", "mine", "--dir", "locked"}, "locked", {.unprivileged = true}), "locked");
  if (refused.exit_status == 127) GTEST_SKIP() << "an unprivileged process may not start here";
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_EQ(refused.err,
            "locked/kernel_templates: cannot be made: Permission denied\n  nothing was written\n");
}

}  // namespace
}  // namespace tailwave
