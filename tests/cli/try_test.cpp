// Tries of an experiment with other values, and a configuration over the runs that measured it.
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::Not;

class TryTest : public ProjectFixture {
 protected:
  [[nodiscard]] CommandResult run(const std::vector<std::string>& more) const {
    std::vector<std::string> words = kRun;
    words.insert(words.end(), more.begin(), more.end());
    return tailwave(words);
  }
  [[nodiscard]] std::string refusal(const std::vector<std::string>& more) const {
    const CommandResult result = run(more);
    EXPECT_EQ(result.exit_status, 2) << result.out;
    return result.err;
  }
};

TEST_F(TryTest, IsKeptApartFromTheExperimentsOwnResults) {
  write_experiment("[4, 8]");
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  const CommandResult result = run({"--set", "N=40", "--set", "TILE=2,16", "--samples", "2"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.err,
              HasSubstr("a try of transpose/tile_size with N=40, TILE=2,16, samples=2: stored as "
                        "transpose/tile_size@N=40,TILE=2,16,samples=2, apart from what the experiment "
                        "itself measures, and in no report\n"));
  EXPECT_THAT(result.out, HasSubstr("\ntile_size@N=40,TILE=2,16,samples=2 on "));
  EXPECT_THAT(result.out, HasSubstr("\nwinner: tile, TILE "));
  const std::string tried =
      "FROM trial JOIN run ON run.id = run_id JOIN configuration ON configuration.id = "
      "configuration_id WHERE experiment LIKE '%@%'";
  EXPECT_EQ(scalar("SELECT group_concat(name, ' ') FROM (SELECT name " + tried + " ORDER BY name)"),
            "transpose/cpu/N:40 transpose/tile/BREAK:0/TILE:16/N:40 transpose/tile/BREAK:0/TILE:2/N:40");
  EXPECT_EQ(scalar("SELECT group_concat(DISTINCT n) FROM (SELECT count(*) AS n FROM sample WHERE trial_id IN "
                   "(SELECT trial.id " +
                   tried + ") GROUP BY trial_id)"),
            "2");
  const std::string best = tailwave({"query", "best", "--experiment", "tile_size", "--limit", "9"}).out;
  EXPECT_THAT(best, HasSubstr("TILE:4"));
  EXPECT_THAT(best, Not(HasSubstr("N:40")));
  const std::string all = tailwave({"query", "best", "--limit", "9", "--format", "csv"}).out;
  EXPECT_THAT(all, HasSubstr("TILE:4"));
  EXPECT_THAT(all, Not(HasSubstr("@")));
  EXPECT_THAT(tailwave({"query", "runs", "--format", "csv"}).out, HasSubstr("@"));
  EXPECT_THAT(tailwave({"compare"}).err, HasSubstr("but transpose/tile_size has only run 1"));
  const CommandResult unknown = tailwave({"report", "--experiment", "zebra"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("\n  there are: transpose/tile_size\n"));
  ASSERT_EQ(tailwave({"report"}).exit_status, 0);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(project_ / "results/report"))
    EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("@")));
  EXPECT_EQ(scalar("SELECT count(*) FROM current_trial WHERE experiment = 'tile_size'"), "3");
}

TEST_F(TryTest, TakesNothingThatTheExperimentDoesNotHave) {
  EXPECT_EQ(refusal({"--set", "TILES=1"}),
            "--set TILES=1: unknown problem quantity or parameter 'TILES'\n  did you mean 'TILE'?\n");
  EXPECT_EQ(refusal({"--set", "WARPS=1"}),
            "--set WARPS=1: unknown problem quantity or parameter 'WARPS'\n  one of 'BREAK', 'N', 'TILE'\n");
  EXPECT_THAT(refusal({"--set", "N=many"}), testing::StartsWith("--set N=many: expected "));
  EXPECT_THAT(
      refusal({"--set", "TILE=true"}),
      testing::StartsWith("--set TILE=true: expected an integer like the default 8, found a boolean\n"));
  EXPECT_EQ(refusal({"--set", "N"}),
            "--set 'N' is not NAME=VALUE or NAME=VALUE,VALUE\n  for example --set N=8192\n");
  EXPECT_EQ(refusal({"--set", "TILE=2,4,2"}), "--set 'TILE=2,4,2' has 2 twice\n  name each value once\n");
  EXPECT_EQ(refusal({"--set", "N=1", "--set", "N=2"}),
            "--set gives N twice\n  several values: --set N=1,2\n");
  EXPECT_EQ(refusal({"--samples", "0"}).find("run: --samples cannot be '0'"), 0U);
  replace("experiments/transpose/tile_size.json", "\"metric\"",
          "\"constraints\": [\"TILE < N\"], \"metric\"");
  replace("experiments/transpose/tile_size.json", ", {\"variant\": \"cpu\"}", "");
  EXPECT_EQ(refusal({"--set", "N=3"}),
            "experiments/transpose/tile_size.json: --set N=3 leaves no configuration\n"
            "  its constraints rule all of them out\n");
  EXPECT_FALSE(std::filesystem::exists(project_ / "results/tailwave.db"));
}

TEST_F(TryTest, HistoryTellsAChangeOfAConfigurationFromNoise) {
  write_experiment("[4, 8]", 8);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(run({"--fresh"}).exit_status, 0);
  Database(project_ / "results/tailwave.db", Database::Mode::read_write)
      .execute(
          "UPDATE sample SET time_ns = 1e6 + 100 * position; UPDATE run SET project_commit = 'c' || id; "
          "UPDATE sample SET time_ns = 1.2 * time_ns WHERE trial_id IN (SELECT trial.id FROM trial JOIN "
          "configuration ON configuration.id = configuration_id WHERE run_id = 3 AND name LIKE '%TILE:8%')");
  const auto history = [&](const std::string& name) {
    const CommandResult result =
        tailwave({"query", "history", "--set", "configuration=" + name, "--format", "csv"});
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return result.out;
  };
  EXPECT_THAT(
      history("TILE:8/"),
      testing::ContainsRegex("Z,c1,first,,.*\n.*Z,c2,noise,[01][.0-9]*,.*\n.*Z,c3,slower,1[.](2|19)[0-9]*,"));
  EXPECT_THAT(
      history("TILE:4/"),
      testing::ContainsRegex("Z,c1,first,,.*\n.*Z,c2,noise,[01][.0-9]*,.*\n.*Z,c3,noise,[01][.0-9]*,"));
  // Without a name, the best of the problem of each kind.
  const std::string best = tailwave({"query", "history", "--limit", "1", "--format", "csv"}).out;
  EXPECT_THAT(best, HasSubstr("TILE:4/"));
  EXPECT_THAT(best, Not(HasSubstr("TILE:8/")));
}

}  // namespace
}  // namespace tailwave
