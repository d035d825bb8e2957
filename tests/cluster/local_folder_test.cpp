#include "cluster/local_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "cluster/engine.h"
#include "cluster/shards.h"
#include "cluster/task_record.h"
#include "core/temporary_folder.h"
#include "fakes/error_of.h"
#include "tune/environment.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using samples::error_of;
using testing::HasSubstr;

class LocalFolder : public testing::Test {
 protected:
  LocalFolder() {
    submission_.identity = "ab12cd34ef56ab12";
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    setenv("TMPDIR", scratch_.path().c_str(), 1);
    unsetenv("SLURM_TMPDIR");
  }
  ~LocalFolder() override {
    unsetenv("SLURM_TMPDIR");
    before_ ? setenv("TMPDIR", before_->c_str(), 1) : unsetenv("TMPDIR");
  }

  TemporaryFolder scratch_;
  Submission submission_;
  std::optional<std::string> before_;
};

TEST_F(LocalFolder, IsOnTheDiskThatTheJobWasGiven) {
  const fs::path own = scratch_.path() / "tailwave-ab12cd34ef56ab12-2";
  EXPECT_EQ(local_folder(submission_, 2), own);
  EXPECT_EQ(fs::status(own).permissions(), fs::perms::owner_all);
  EXPECT_EQ(local_folder(submission_, 2), own);  // again
  fs::create_directory(scratch_.path() / "job");
  setenv("SLURM_TMPDIR", (scratch_.path() / "job").c_str(), 1);
  EXPECT_EQ(local_folder(submission_, 2).parent_path(), scratch_.path() / "job");
  setenv("SLURM_TMPDIR", "/nowhere", 1);
  EXPECT_EQ(local_folder(submission_, 2), own);
}

TEST_F(LocalFolder, TellsWhetherAnAttemptHoldsIt) {
  const fs::path own = local_folder(submission_, 2);
  EXPECT_FALSE(is_held(own));
  {
    const Descriptor lock = lock_local_folder(own, 0);
    EXPECT_TRUE(is_held(own));
  }
  EXPECT_FALSE(is_held(own));
}

TEST_F(LocalFolder, WithoutAProcessIsOfATaskThatWasKilled) {
  submission_.engine = Engine::local;
  submission_.tasks = 1;
  submission_.folder = scratch_.path() / "submission";
  fs::create_directories(submission_.folder / "shards");
  const Descriptor engine = hold_engine(submission_);
  TaskRecord record;
  record.state = TaskState::running;
  record.machine = machine_name();
  record.local = (local_folder(submission_, 1) / "1.db").string();
  write_task_record(submission_.record(1), record);
  const auto state = [this] { return shard_states(submission_, {}, SnapshotCheck::opens).at(0); };
  {
    const Descriptor lock = lock_local_folder(local_folder(submission_, 1), 0);
    EXPECT_EQ(state().phase, ShardPhase::running);
  }
  EXPECT_EQ(state().phase, ShardPhase::waiting);
  EXPECT_EQ(state().reason, "killed");
  record.machine = "another";
  write_task_record(submission_.record(1), record);
  EXPECT_EQ(state().phase, ShardPhase::running);
}

TEST_F(LocalFolder, HasScratchBesideIt) {
  fs::path made;
  {
    const TemporaryFolder scratch("tailwave-merge-", local_disk());
    made = scratch.path();
    EXPECT_EQ(made.parent_path(), scratch_.path());
    EXPECT_EQ(fs::status(made).permissions(), fs::perms::owner_all);
    std::ofstream(made / "x") << "x";
  }
  EXPECT_FALSE(fs::exists(made));
  setenv("TMPDIR", "/nowhere", 1);
  EXPECT_EQ(TemporaryFolder("tailwave-merge-", local_disk()).path().parent_path(), "/tmp");
}

TEST_F(LocalFolder, IsNobodyElses) {
  const fs::path own = scratch_.path() / "tailwave-ab12cd34ef56ab12-2";
  std::ofstream(own) << "a file";
  EXPECT_THAT(error_of([&] { local_folder(submission_, 2); }),
              HasSubstr("-2: is not a folder of this user alone\n"));
  fs::remove(own);
  fs::create_symlink(scratch_.path(), own);
  EXPECT_THAT(error_of([&] { local_folder(submission_, 2); }),
              HasSubstr("-2: is not a folder of this user alone\n"));
  submission_.identity = "no/where";
  EXPECT_THAT(error_of([&] { local_folder(submission_, 2); }),
              HasSubstr("cannot be made: No such file or directory\n"));
}

TEST_F(LocalFolder, OfASubmissionIsClaimedOnce) {
  submission_.folder = scratch_.path() / "a/b";
  EXPECT_TRUE(claim_folder(submission_));
  EXPECT_FALSE(claim_folder(submission_));
}

TEST_F(LocalFolder, IsHeldByOneAttempt) {
  const fs::path own = local_folder(submission_, 1);
  {
    const Descriptor lock = lock_local_folder(own, 0);
    EXPECT_THAT(
        error_of([&] { lock_local_folder(own, 0.2); }),
        HasSubstr(
            "/lock: is held: another process of this machine has measured this shard for 0.2 s more\n"));
  }
  lock_local_folder(own, 0);
  EXPECT_THAT(error_of([&] { lock_local_folder(own / "gone", 0); }),
              HasSubstr("/lock: cannot be made: No such file or directory\n"));
}

}  // namespace
}  // namespace tailwave
