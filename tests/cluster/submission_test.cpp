#include "cluster/submission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cluster/task_record.h"
#include "core/hash.h"
#include "core/temporary_folder.h"
#include "core/version.h"
#include "fakes/error_of.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using samples::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

class SubmissionFiles : public testing::Test {
 protected:
  SubmissionFiles() {
    write("spec.json", "{}");
    submission_.identity = "ab12cd34ef56ab12";
    submission_.folder = fs::canonical(scratch_.path());
    submission_.system = "transpose";
    submission_.experiment = "tile_size";
    submission_.spec = (submission_.folder / "spec.json").string();
    submission_.spec_hash = content_hash("{}");
    submission_.version = program_version();
    submission_.tasks = 6;
    submission_.options = {"--account=my group"};
    submission_.rounds = {
        {.submitted_at = "2026-01-01T00:00:00Z", .shards = {1, 2}, .array_job = "12", .merge_job = ""}};
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(scratch_.path() / name) << text;
  }

  TemporaryFolder scratch_;
  Submission submission_;
};

TEST_F(SubmissionFiles, ComeBackAsTheyWere) {
  write_submission(submission_);
  const Submission read = read_submission(scratch_.path());
  EXPECT_EQ(read.folder, submission_.folder);
  EXPECT_EQ(read.tasks, 6U);
  EXPECT_EQ(read.engine, Engine::slurm);
  EXPECT_THAT(read.options, ElementsAre("--account=my group"));
  ASSERT_EQ(read.rounds.size(), 1U);
  EXPECT_THAT(read.rounds[0].shards, ElementsAre(1, 2));
  EXPECT_EQ(read.rounds[0].array_job, "12");
  EXPECT_EQ(read.rounds_with(2), 1U);
  EXPECT_EQ(read.rounds_with(3), 0U);
  EXPECT_EQ(read.merge_name(), "tailwave-tile_size-ab12cd34-merge");
  require_unchanged(read);
}

TEST_F(SubmissionFiles, AreRefusedWhereTheyAreNone) {
  EXPECT_EQ(
      error_of([&] { read_submission(scratch_.path()); }),
      scratch_.path().string() +
          ": is no folder of a submission: it has no submission.json\n  'tailwave submit SPEC --tasks N' makes one");
  write("submission.json", "{\"schema_version\": 2}");
  EXPECT_THAT(error_of([&] { read_submission(scratch_.path()); }),
              HasSubstr("submission.json: /schema_version: is not 1"));
  write("submission.json", "{\"schema_version\": 1}");
  EXPECT_THAT(error_of([&] { read_submission(scratch_.path()); }), HasSubstr("identity"));
  write_submission(submission_);
  std::string text;
  std::getline(std::ifstream(scratch_.path() / "submission.json"), text, '\0');
  write("submission.json", text.replace(text.find("\"tasks\": 6"), 10, "\"tasks\": -6"));
  EXPECT_THAT(error_of([&] { read_submission(scratch_.path()); }), HasSubstr("/tasks: is negative"));
}

TEST_F(SubmissionFiles, HoldAgainstAnotherVersionAndSpec) {
  submission_.version = "0.0.1";
  EXPECT_THAT(error_of([&] { require_unchanged(submission_); }),
              HasSubstr("was submitted with tailwave 0.0.1, and this is "));
  submission_.version = program_version();
  write("spec.json", "{ }");
  EXPECT_THAT(error_of([&] { require_unchanged(submission_); }),
              HasSubstr("spec.json: has changed since it was submitted"));
  fs::remove(submission_.spec);
  EXPECT_THAT(error_of([&] { require_unchanged(submission_); }),
              HasSubstr("spec.json: is not there any more"));
}

TEST_F(SubmissionFiles, TheLatestIsTheOneSubmittedLast) {
  EXPECT_FALSE(latest_submission(scratch_.path() / "nowhere"));
  EXPECT_FALSE(latest_submission(scratch_.path()));
  for (const auto& [name, at] :
       {std::pair("a", "2026-01-02T00:00:00Z"), std::pair("b", "2026-01-01T00:00:00Z")}) {
    submission_.folder = scratch_.path() / name;
    submission_.submitted_at = at;
    fs::create_directories(submission_.folder);
    write_submission(submission_);
  }
  fs::create_directories(scratch_.path() / "broken");
  write("broken/submission.json", "");
  EXPECT_EQ(latest_submission(scratch_.path()), scratch_.path() / "a");
}

TEST_F(SubmissionFiles, AreInTheirPlaceUnlessMovedOrCopied) {
  require_in_place(submission_);
  write_submission(submission_);
  fs::create_directory(scratch_.path() / "copy");
  fs::copy_file(submission_.file(), scratch_.path() / "copy/submission.json");
  EXPECT_THAT(error_of([&] { require_in_place(read_submission(scratch_.path() / "copy")); }),
              HasSubstr("/copy: was copied or moved from " + submission_.folder.string() +
                        ", which its scripts name\n"));
  fs::create_directory_symlink(scratch_.path(), scratch_.path() / "link");
  require_in_place(read_submission(scratch_.path() / "link"));
}

TEST_F(SubmissionFiles, CannotBeWrittenWhereTheFolderIsGone) {
  submission_.folder = scratch_.path() / "gone";
  EXPECT_THAT(error_of([&] { write_submission(submission_); }),
              HasSubstr("gone/submission.json: cannot be written: No such file or directory"));
}

TEST_F(SubmissionFiles, OfATaskComeBack) {
  const fs::path file = scratch_.path() / "1.json";
  EXPECT_FALSE(read_task_record(file));
  TaskRecord record;
  record.state = TaskState::stopped;
  record.attempt = 3;
  record.cause = "was asked to stop";
  write_task_record(file, record);
  const TaskRecord read = read_task_record(file).value();
  EXPECT_EQ(read.state, TaskState::stopped);
  EXPECT_EQ(read.attempt, 3);
  EXPECT_EQ(read.cause, "was asked to stop");
  write("1.json", "{\"state\": \"lost\"}");
  EXPECT_THAT(error_of([&] { read_task_record(file); }), HasSubstr("unknown state of a task 'lost'"));
}

}  // namespace
}  // namespace tailwave
