#include "store/snapshot.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "core/temporary_folder.h"
#include "store/result_store.h"
#include "store/sample_data.h"
#include "store/shard_progress.h"
#include "store/whole_database.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class Snapshot : public testing::Test {
 protected:
  // Of a share of three configurations, of which two are measured.
  std::int64_t begin(Database& database) {
    ResultStore store(database);
    RunRecord record = samples::run("block_size", "2026-05-01T10:00:00Z");
    record.shard = "1/2";
    std::vector<Configuration> plan;
    for (const int size : {1, 2, 3}) plan.push_back(trial(size).configuration);
    const std::int64_t run = store.begin_run(record, samples::gpu(), plan);
    for (const int size : {1, 2}) store.add_trial(run, samples::gpu(), trial(size));
    return run;
  }
  static Trial trial(int size) {
    Trial trial = samples::trial("basic", {{"BLOCK_SIZE", std::int64_t{size}}}, {1000.0, 1010.0});
    if (size == 2) {
      trial.outcome = Outcome::crashed;
      trial.samples.clear();
    }
    return trial;
  }
  static std::string text_of(const fs::path& file) {
    Database database(file, Database::Mode::read_only);
    return samples::WholeDatabase(database).text();
  }

  TemporaryFolder scratch_;
  fs::path file_ = scratch_.path() / "own.db";
  fs::path target_ = scratch_.path() / "shared" / "1.db";
};

TEST_F(Snapshot, HasWhatTheDatabaseHadWhileItIsWritten) {
  fs::create_directories(target_.parent_path());
  Database database(file_, Database::Mode::read_write);
  const std::int64_t run = begin(database);
  publish_snapshot(file_, scratch_.path(), target_);
  EXPECT_EQ(text_of(target_), text_of(file_));
  EXPECT_FALSE(fs::exists(target_.string() + "-wal"));
  ResultStore(database).add_trial(run, samples::gpu(), trial(3));
  EXPECT_NE(text_of(target_), text_of(file_));
  publish_snapshot(file_, scratch_.path(), target_);
  EXPECT_EQ(text_of(target_), text_of(file_));
  EXPECT_EQ(std::distance(fs::directory_iterator(target_.parent_path()), fs::directory_iterator()), 1);
}

TEST_F(Snapshot, LeavesTheLastOneWhereItCannotBeMade) {
  { Database(file_, Database::Mode::read_write); }
  EXPECT_THAT(samples::error_of([&] { publish_snapshot(file_, scratch_.path(), target_); }),
              HasSubstr("shared/1.db: cannot be written: No such file or directory"));
  EXPECT_THAT(
      samples::error_of([&] { publish_snapshot(scratch_.path() / "none.db", scratch_.path(), target_); }),
      HasSubstr("none.db: cannot be copied: unable to open database file"));
  std::ofstream(scratch_.path() / "text.db")
      << "no database, but long enough to be taken for one: " << std::string(200, 'x');
  EXPECT_THAT(
      samples::error_of([&] { publish_snapshot(scratch_.path() / "text.db", scratch_.path(), target_); }),
      HasSubstr("text.db: cannot be copied: file is not a database"));
}

TEST_F(Snapshot, SaysHowFarTheShardIs) {
  Database database(file_, Database::Mode::read_write);
  EXPECT_EQ(shard_progress(database, "nbody", "block_size").planned, 0);
  EXPECT_EQ(stored_trials(database), 0);
  begin(database);
  const ShardProgress progress = shard_progress(database, "nbody", "block_size");
  EXPECT_EQ(progress.planned, 3);
  EXPECT_EQ(progress.measured, 2);
  EXPECT_THAT(progress.outcomes, ElementsAre(Pair("correct", 1), Pair("crashed", 1)));
  EXPECT_EQ(stored_trials(database), 2);
  EXPECT_EQ(shard_progress(database, "nbody", "another").planned, 0);
}

}  // namespace
}  // namespace tailwave
