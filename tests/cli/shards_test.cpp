// Shards and their merge, as a person uses them.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ShardCommands : public ProjectFixture {
 protected:
  [[nodiscard]] CommandResult run_shard(const std::string& shard, const std::string& database,
                                        const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = kRun;
    arguments.insert(arguments.end(), {"--shard", shard, "--db", database});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return tailwave(arguments);
  }
  [[nodiscard]] CommandResult merge(const std::vector<std::string>& files,
                                    const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"merge"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    arguments.insert(arguments.end(), {"--into", "results/tailwave.db"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return tailwave(arguments);
  }
};

TEST_F(ShardCommands, MeasureEachConfigurationOnceAndAreMerged) {
  for (const char* shard : {"1/2", "2/2"}) {
    const CommandResult result = run_shard(shard, std::string("shard") + shard[0] + ".db");
    ASSERT_EQ(result.exit_status, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr(std::string("tile_size: shard ") + shard[0] + " of 2: "));
    EXPECT_THAT(result.err, HasSubstr(" of 4 configurations\n"));
  }
  const CommandResult merged = merge({"shard1.db", "shard2.db"});
  ASSERT_EQ(merged.exit_status, 0) << merged.err;
  EXPECT_THAT(merged.out, StartsWith("shard1.db: 1 run, "));
  EXPECT_THAT(merged.err, HasSubstr("made the database results/tailwave.db\n"));
  EXPECT_EQ(scalar("SELECT count(*) || ' ' || count(DISTINCT configuration_id) FROM trial"), "4 4");
  EXPECT_EQ(
      scalar("SELECT group_concat(shard || ' ' || merged_from) FROM (SELECT * FROM run ORDER BY shard)"),
      "1/2 shard1.db,2/2 shard2.db");
  EXPECT_EQ(scalar("SELECT count(*) FROM current_trial"), "4");
  // What is measured is known: a run on the merged database has nothing to do.
  const CommandResult again = tailwave(kRun);
  EXPECT_THAT(again.err, HasSubstr("0 configurations to measure, 4 already in the database"));
  EXPECT_EQ(merge({"shard1.db", "shard2.db"}).out, "shard1.db: nothing new\nshard2.db: nothing new\n");
}

TEST_F(ShardCommands, WithoutConfigurationsEndWell) {
  std::size_t empty = 0;
  for (const char* shard : {"1/9", "2/9", "3/9", "4/9", "5/9", "6/9", "7/9", "8/9", "9/9"}) {
    if (empty > 0) break;
    const CommandResult result = run_shard(shard, "one.db", {"--json"});
    ASSERT_EQ(result.exit_status, 0) << result.err;
    const auto experiment = nlohmann::json::parse(result.out).at("experiments").at(0);
    if (experiment.at("to_measure") != 0) continue;
    ++empty;
    EXPECT_THAT(result.err, HasSubstr(" of 9: none of 4 configurations\n"));
    EXPECT_EQ(experiment.at("of_other_shards"), 4);
    std::vector<std::string> arguments = kRun;
    arguments.front() = "tune";
    arguments.insert(arguments.end(), {"--shard", shard, "--db", "tuned.db"});
    const CommandResult tuned = tailwave(arguments);
    EXPECT_EQ(tuned.exit_status, 0) << tuned.err;
    EXPECT_THAT(tuned.out, HasSubstr(std::string("shard ") + shard +
                                     " has no configuration that can run, so nothing was searched\n"));
  }
  EXPECT_EQ(empty, 1U);
}

TEST_F(ShardCommands, RefuseWhatIsNoShard) {
  for (const char* text : {"0/2", "3/2", "2", "1/10001", "a/b"}) {
    const CommandResult result = run_shard(text, "one.db");
    EXPECT_EQ(result.exit_status, 2) << text;
    EXPECT_THAT(result.err, HasSubstr("--shard")) << text;
    EXPECT_THAT(result.err, HasSubstr("part K, a whole number from 1 to N, of N parts, 10000 at most"))
        << text;
  }
}

TEST_F(ShardCommands, SearchTheirPartAlone) {
  std::vector<std::string> arguments = kRun;
  arguments.front() = "tune";
  arguments.insert(arguments.end(), {"--budget", "10", "--strategy", "random", "--final", "0"});
  std::vector<std::string> files;
  for (const char* shard : {"1/2", "2/2"}) {
    std::vector<std::string> own = arguments;
    files.push_back(std::string("shard") + shard[0] + ".db");
    own.insert(own.end(), {"--shard", shard, "--db", files.back()});
    const CommandResult result = tailwave(own);
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }
  ASSERT_EQ(merge(files).exit_status, 0);
  // The kernels; nothing compares the host's variant with them.
  EXPECT_EQ(scalar("SELECT count(*) || ' ' || count(DISTINCT configuration_id) FROM search_step"), "3 3");
  EXPECT_EQ(scalar("SELECT count(*) FROM current_trial"), "3");
  EXPECT_EQ(scalar("SELECT measured || ' of ' || configurations FROM partial_study"), "3 of 4");
}

TEST_F(ShardCommands, MergeRefusesBeforeAnythingIsWritten) {
  ASSERT_EQ(run_shard("1/1", "a.db").exit_status, 0);
  write("text.db", "not a database, but long enough to be taken for one: " + std::string(200, 'x'));
  write("empty.db", "");
  for (const auto& [file, status, cause] :
       {std::tuple{"missing.db", 2, "missing.db: there is no such database"},
        std::tuple{"text.db", 1, "text.db: "}, std::tuple{"empty.db", 1, "empty.db: is empty"},
        std::tuple{"kernel_templates", 2, "kernel_templates: is a folder, not a database"}}) {
    const CommandResult result = merge({"a.db", file});
    EXPECT_EQ(result.exit_status, status) << result.err;
    EXPECT_THAT(result.err, StartsWith(cause));
    EXPECT_FALSE(std::filesystem::exists(project_ / "results/tailwave.db")) << file;
  }
  const CommandResult same = tailwave({"merge", "a.db", "--into", "a.db"});
  EXPECT_EQ(same.exit_status, 2);
  EXPECT_EQ(same.err,
            "a.db: would be merged into itself\n  leave it out, or name another file with --into\n");
}

TEST_F(ShardCommands, MergeSaysWhatItMergedBeforeItStopped) {
  ASSERT_EQ(run_shard("1/2", "a.db").exit_status, 0);
  write_experiment("[4, 8, 32]");
  ASSERT_EQ(run_shard("2/2", "b.db").exit_status, 0);
  const CommandResult result = merge({"a.db", "b.db"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("b.db: run 1 of transpose/tile_size on "));
  EXPECT_THAT(result.err, HasSubstr("they differ in the spec, line "));
  EXPECT_THAT(result.err, HasSubstr("\n  merged before it: a.db\n"));
  EXPECT_EQ(scalar("SELECT count(*) FROM run"), "1");
  const CommandResult both = merge({"a.db", "b.db"}, {"--allow-different", "--json"});
  ASSERT_EQ(both.exit_status, 0) << both.err;
  const auto merged = nlohmann::json::parse(both.out);
  EXPECT_EQ(merged.at("into"), "results/tailwave.db");
  EXPECT_EQ(merged.at("sources").at(0).at("runs_known"), 1);
  EXPECT_EQ(merged.at("sources").at(1).at("runs_added"), 1);
  EXPECT_EQ(scalar("SELECT count(*) FROM run"), "2");
}

// A source is taken as it is at one moment.
TEST_F(ShardCommands, MergeTakesADatabaseThatIsInUse) {
  write_long_experiment(20);
  std::vector<std::string> arguments = kRun;
  arguments.insert(arguments.end(), {"--db", "results/tailwave.db"});
  const pid_t process = begin(arguments, "long");
  ASSERT_TRUE(has_stored(process, 2));
  const CommandResult during = tailwave({"merge", "results/tailwave.db", "--into", "all.db"});
  EXPECT_EQ(during.exit_status, 0) << during.err;
  EXPECT_THAT(during.out, StartsWith("results/tailwave.db: 1 run, "));
  EXPECT_EQ(end(process, "long").exit_status, 0);
  EXPECT_THAT(tailwave({"merge", "results/tailwave.db", "--into", "all.db"}).out,
              StartsWith("results/tailwave.db: 1 run that went on, "));
  Database all(project_ / "all.db", Database::Mode::read_only);
  EXPECT_EQ(std::to_string(std::get<std::int64_t>(all.query("SELECT count(*) FROM trial").rows.at(0).at(0))),
            scalar("SELECT count(*) FROM trial"));
}

}  // namespace
}  // namespace tailwave
