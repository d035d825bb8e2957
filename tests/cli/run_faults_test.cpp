// What can happen to a run from outside: nothing is lost, and the next run completes it.
#include <gmock/gmock.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::vector<pid_t> children_of(pid_t process) {
  std::ifstream list("/proc/" + std::to_string(process) + "/task/" + std::to_string(process) + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

// Takes away permissions to write, for everyone, while it lives.
class ReadOnly {
 public:
  explicit ReadOnly(fs::path path) : path_(std::move(path)) { set(fs::perm_options::remove); }
  ~ReadOnly() { set(fs::perm_options::add); }
  ReadOnly(const ReadOnly&) = delete;
  ReadOnly& operator=(const ReadOnly&) = delete;

 private:
  void set(fs::perm_options how) const {
    std::error_code ignored;
    fs::permissions(path_, fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write, how,
                    ignored);
  }

  fs::path path_;
};

class RunFaults : public ProjectFixture {
 protected:
  [[nodiscard]] fs::path database() const { return project_ / "results/tailwave.db"; }

  // A run that permissions bind ends with this on standard error.
  void expect_refused(const std::string& message) const {
    const CommandResult result = end(begin(kRun, "refused", {.unprivileged = true}), "refused");
    if (result.exit_status == 127) GTEST_SKIP() << "the folders of this program are not open to others";
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_EQ(result.err, message);
  }

  void expect_everything_once_and_whole(const CommandResult& run) const {
    EXPECT_EQ(run.exit_status, 0) << run.err;
    EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome = 'correct'"), "13");
    EXPECT_EQ(scalar("SELECT count(DISTINCT configuration_id) FROM trial WHERE outcome = 'correct'"), "13");
    EXPECT_EQ(scalar("SELECT * FROM pragma_integrity_check"), "ok");
    EXPECT_EQ(scalar("SELECT count(*) FROM pragma_foreign_key_check"), "0");
  }

  // After a run that stored some trials, but not all.
  void expect_another_run_does_the_rest() const {
    const std::string stored = scalar("SELECT count(*) FROM trial");
    EXPECT_NE(stored, "0");
    const CommandResult rest = tailwave(kRun);
    EXPECT_THAT(rest.err, HasSubstr(stored + " already in the database"));
    expect_everything_once_and_whole(rest);
  }
};

TEST_F(RunFaults, OfWorkersKilledFromOutsideCostAConfigurationEach) {
  write_long_experiment(200);
  const pid_t run = begin(kRun, "killed");
  EXPECT_TRUE(has_stored(run, 2));
  // Helpers are the run's children, workers theirs.
  int killed = 0;
  for (const pid_t helper : children_of(run)) {
    for (const pid_t worker : children_of(helper)) killed += kill(worker, SIGKILL) == 0 ? 1 : 0;
  }
  const CommandResult result = end(run, "killed");
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_GT(killed, 0);
  EXPECT_EQ(scalar("SELECT count(*) FROM trial"), "13");
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome <> 'correct' AND detail NOT LIKE '%signal 9%'"),
            "0");
  EXPECT_LE(std::stoi(scalar("SELECT count(*) FROM trial WHERE outcome <> 'correct'")), killed);
}

TEST_F(RunFaults, OfTwoRunsIntoOneDatabaseAtOnceAreNone) {
  write_long_experiment(200);
  const pid_t first = begin(kRun, "first");
  const pid_t second = begin(kRun, "second");
  const CommandResult one = end(first, "first");
  const CommandResult other = end(second, "second");
  EXPECT_EQ(one.exit_status, 0) << one.err;
  EXPECT_EQ(other.exit_status, 0) << other.err;
  EXPECT_EQ(scalar("SELECT count(*) FROM current_trial WHERE outcome = 'correct'"), "13");
  EXPECT_EQ(scalar("SELECT * FROM pragma_integrity_check"), "ok");
}

TEST_F(RunFaults, OfAFullDiskNameTheDatabaseAndLoseNothing) {
  write_long_experiment(400);
  const CommandResult full = end(begin(kRun, "full", {.file_limit_bytes = 400'000}), "full");
  EXPECT_EQ(full.exit_status, 1) << full.err;
  EXPECT_THAT(full.err, HasSubstr("results/tailwave.db: "));
  expect_another_run_does_the_rest();
}

TEST_F(RunFaults, OfAReadOnlyDatabaseNameItAndLoseNothing) {
  write_long_experiment(3);
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  fs::permissions(database().parent_path(), fs::perms::all);
  {
    const ReadOnly file(database());
    expect_refused(
        "results/tailwave.db: is read-only\n"
        "  make the file writable, or name another one\n");
  }
  const CommandResult result = tailwave(kRun);
  EXPECT_THAT(result.err, HasSubstr("13 already in the database"));
  expect_everything_once_and_whole(result);
}

TEST_F(RunFaults, OfAReadOnlyFolderNameTheDatabaseAndLoseNothing) {
  constexpr const char* kRefused =
      "results/tailwave.db: its folder cannot be written: Permission denied\n"
      "  make it writable, or name another file\n";
  write_long_experiment(3);
  fs::create_directories(database().parent_path());
  {
    const ReadOnly folder(database().parent_path());
    expect_refused(kRefused);
  }
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  {
    fs::permissions(database(), fs::perms::others_write, fs::perm_options::add);
    const ReadOnly folder(database().parent_path());
    expect_refused(kRefused);
  }
  expect_everything_once_and_whole(tailwave(kRun));
}

TEST_F(RunFaults, OfADamagedDatabaseNameItAndLeaveItAlone) {
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  {
    std::fstream damage(database(), std::ios::in | std::ios::out | std::ios::binary);
    damage.write("no database", 11);
  }
  const auto read = [&] {
    std::ostringstream text;
    text << std::ifstream(database(), std::ios::binary).rdbuf();
    return text.str();
  };
  const std::string before = read();
  const CommandResult result = tailwave(kRun);
  EXPECT_NE(result.exit_status, 0);
  EXPECT_THAT(result.err, HasSubstr("results/tailwave.db: "));
  EXPECT_EQ(read(), before);
}

}  // namespace
}  // namespace tailwave
