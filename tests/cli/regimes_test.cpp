#include <gmock/gmock.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/project_fixture.h"
#include "device/cuda/cuda_device.h"

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::Not;

class RegimesTest : public ProjectFixture {
 protected:
  // Of one variant with two tiles, with these regimes.
  void write_with(const std::string& regimes, int samples = 3) const {
    write("experiments/transpose/tile_size.json",
          R"({ "schema_version": 1, "name": "tile_size", "system": "transpose",
      "question": "Which tile is best?", "cases": [{"variant": "tile", "parameters": {"TILE": [4, 8]}}],
      "metric": {"name": "time"}, "measure": {"samples": )" +
              std::to_string(samples) + R"(, "time_cap_s": 60}, "regimes": )" + regimes + "}");
  }

  [[nodiscard]] CommandResult run(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = kRun;
    words.insert(words.end(), more.begin(), more.end());
    return tailwave(words);
  }

  // Whether that many finalists have had a turn in a regime before the process ends.
  [[nodiscard]] bool has_begun(pid_t process, int pairs) const {
    for (siginfo_t state{}; state.si_pid == 0;) {
      try {
        if (std::stoi(scalar("SELECT count(*) FROM unfinished_trial")) >= pairs) return true;
      } catch (const Error&) {
        // not made yet
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      if (waitid(P_PID, static_cast<id_t>(process), &state, WEXITED | WNOHANG | WNOWAIT) != 0) return false;
    }
    return false;
  }
};

TEST_F(RegimesTest, AreMeasuredAfterTheRunAndAnswerWhetherTheWinnerHolds) {
  write_with(R"(["hot", "batched", "graph", {"name": "zeros", "fills": {"input": {"kind": "zero"}}}])");
  const CommandResult first = run();
  ASSERT_EQ(first.exit_status, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("tile_size: measuring the best 2 again in 4 regimes, interleaved\n"));
  EXPECT_THAT(first.err, HasSubstr("graph: transpose/tile/BREAK:0/TILE:4/"));
  EXPECT_THAT(first.out, HasSubstr("tile_size: does the winner hold?\n"));
  EXPECT_THAT(first.out,
              HasSubstr("graph could not be measured (launch_failed: the CPU has no graphs: 'batched' is the "
                        "same there)."));
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE regime IS NOT NULL AND outcome = 'correct'"), "6");
  EXPECT_EQ(scalar("SELECT count(*) FROM current_trial"), "2");

  const CommandResult again = run();
  EXPECT_EQ(again.exit_status, 0) << again.err;
  EXPECT_THAT(again.err, Not(HasSubstr("interleaved")));
  EXPECT_THAT(again.out, HasSubstr("tile_size: does the winner hold?\n"));
  EXPECT_EQ(scalar("SELECT count(DISTINCT run_id) FROM regime"), "1");
  EXPECT_THAT(tailwave({"query", "regimes"}).out, HasSubstr("zeros"));
  EXPECT_THAT(tailwave({"query", "regime_times"}).out, HasSubstr("winner"));

  const CommandResult without = run({"--no-regimes"});
  EXPECT_THAT(without.out, Not(HasSubstr("does the winner hold?")));
}

TEST_F(RegimesTest, AreNamedOnTheCommandLine) {
  const CommandResult result = run({"--regimes", "hot,batched", "--json", "--quiet"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const nlohmann::json regimes = nlohmann::json::parse(result.out)["experiments"][0]["regimes"];
  ASSERT_EQ(regimes["answers"].size(), 1U) << result.out;
  const nlohmann::json& answer = regimes["answers"][0];
  EXPECT_THAT(answer["winner"].get<std::string>(), HasSubstr("transpose/tile/BREAK:0/TILE:"));
  EXPECT_EQ(answer["regimes"].size(), 2U);
  EXPECT_EQ(answer["regimes"][0]["own"], true);
  EXPECT_EQ(answer["regimes"][1]["regime"], "batched");
  EXPECT_EQ(regimes["run"], 2);
}

TEST_F(RegimesTest, ThatDoNotExistAreBadUsage) {
  const CommandResult unknown = run({"--regimes", "warm"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_EQ(unknown.err,
            "tile_size has no regime 'warm'\n  there are 'hot', 'cold', 'rotate', 'batched', 'graph'\n");
  EXPECT_EQ(run({"--regimes", "hot", "--no-regimes"}).exit_status, 2);
  EXPECT_EQ(run({"--regimes", "hot", "--filter", "TILE:4"}).exit_status, 2);
  EXPECT_EQ(run({"--regimes", "hot", "--finalists", "1"}).exit_status, 2);
}

TEST_F(RegimesTest, AreLeftOutWithAFilter) {
  write_with(R"(["hot", "batched"])");
  const CommandResult result = run({"--filter", "TILE:4"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.err,
              HasSubstr("tile_size: not measured in regimes, since --filter leaves configurations out\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("does the winner hold?")));
}

TEST_F(RegimesTest, SayThatThereIsNothingToCompare) {
  write_experiment("[8]");
  const CommandResult result = run({"--regimes", "batched"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("regimes: nothing to compare transpose/tile/BREAK:0/TILE:8/N:70 with: no other is "
                        "correct and takes up to 10 times as long\n"));
}

TEST_F(RegimesTest, FollowASearch) {
  write_with(R"(["hot", "batched"])");
  const CommandResult result = tailwave({"tune", "experiments/transpose/tile_size.json", "--strategy",
                                         "random", "--budget", "2", "--device", "cpu"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("tile_size: does the winner hold?\n"));
  EXPECT_EQ(scalar("SELECT count(*) FROM regime_trial"), "4");
}

TEST_F(RegimesTest, GoOnAfterAKill) {
  write_with(R"(["hot", "batched"])", kSanitized ? 20 : 200);
  const pid_t killed = begin(kRun, "killed");
  const bool begun = has_begun(killed, 2);
  kill(killed, SIGKILL);
  static_cast<void>(end(killed, "killed"));
  ASSERT_TRUE(begun);
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE regime IS NOT NULL"), "0");
  EXPECT_EQ(scalar("SELECT count(*) FROM regime_trial"), "0");
  const CommandResult rest = run();
  ASSERT_EQ(rest.exit_status, 0) << rest.err;
  EXPECT_EQ(scalar("SELECT count(*) FROM regime_trial WHERE outcome = 'correct'"), "4");
  EXPECT_EQ(scalar("SELECT count(*) FROM unfinished_trial"), "0");
  EXPECT_EQ(
      scalar(
          "SELECT group_concat(DISTINCT n) FROM (SELECT count(DISTINCT repetition) AS n FROM sample JOIN trial "
          "ON trial.id = trial_id WHERE regime IS NOT NULL GROUP BY trial_id)"),
      "5");
}

TEST_F(RegimesTest, ChangeNoExportButTheRecordedOneWhichBringsThemBack) {
  write_with(R"(["hot", "batched"])");
  ASSERT_EQ(run({"--no-regimes"}).exit_status, 0);
  const auto exported = [&](const std::string& format) {
    const CommandResult result = tailwave({"export", "--experiment", "tile_size", "--device", "cpu",
                                           "--format", format, "--out", "out." + format});
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return text_of(project_ / ("out." + format));
  };
  std::map<std::string, std::string> before;
  for (const char* format : {"csv", "google-benchmark", "t4", "header"}) before[format] = exported(format);
  const std::string best = tailwave({"query", "best"}).out;
  ASSERT_EQ(run().exit_status, 0);
  for (const auto& [format, text] : before) EXPECT_EQ(exported(format), text) << format;
  EXPECT_EQ(tailwave({"query", "best"}).out, best);

  const std::string recorded = exported("recorded");
  EXPECT_THAT(recorded, HasSubstr(R"("regime": "batched")"));
  const std::string sql =
      "SELECT regime, mode, cache, fills, own, configuration, place, reason, outcome, median_ns FROM regime_trial "
      "JOIN trial_time USING (trial_id) ORDER BY regime, place";
  const auto regimes_of = [&](const std::string& database) {
    return tailwave({"query", "--sql", sql, "--format", "csv", "--db", database}).out;
  };
  for (int time = 0; time < 2; ++time) {
    const CommandResult import = tailwave({"import", "out.recorded", "--db", "other.db"});
    ASSERT_EQ(import.exit_status, 0) << import.err;
    EXPECT_EQ(regimes_of("other.db"), regimes_of("results/tailwave.db"));
    EXPECT_EQ(tailwave({"query", "best", "--db", "other.db"}).out, best);
  }

  std::string broken = recorded;
  const std::string regime = R"("regime": "batched")";
  broken.replace(broken.rfind(regime), regime.size(), R"("regime": "another")");
  write("broken.json", broken);
  const CommandResult refused = tailwave({"import", "broken.json", "--db", "other.db"});
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(refused.err, HasSubstr("FOREIGN KEY constraint failed"));
  EXPECT_EQ(regimes_of("other.db"), regimes_of("results/tailwave.db"));
}

TEST_F(RegimesTest, GpuHasATimeInEachOfThem) {
  if (const std::string obstacle = cuda_obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
  write("experiments/transpose/tile_size.json",
        R"({ "schema_version": 1, "name": "tile_size", "system": "transpose",
    "question": "Which tile is best?", "problem": {"N": [512]},
    "cases": [{"variant": "tile", "parameters": {"TILE": [8, 16]}}], "metric": {"name": "time"}, "measure": {"samples": 5},
    "regimes": ["hot", "cold", "rotate", "batched", "graph", {"name": "zeros", "fills": {"input": {"kind": "zero"}}}]})");
  const CommandResult result =
      tailwave({"run", "experiments/transpose/tile_size.json", "--device", "cuda:0"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(scalar("SELECT group_concat(DISTINCT outcome) || ' ' || count(*) FROM regime_trial"),
            "correct 12")
      << result.err;
  EXPECT_EQ(
      scalar(
          "SELECT group_concat(mode, '; ') FROM (SELECT DISTINCT trial.mode FROM trial WHERE regime IS NOT NULL "
          "ORDER BY 1)"),
      "batched; batched, rotate; graph; isolated; isolated, cold");
}

TEST_F(RegimesTest, AreNoSideOfAComparison) {
  write_with(R"(["hot", "batched"])");
  ASSERT_EQ(run().exit_status, 0);
  const CommandResult result = tailwave({"compare", "1", "2", "--experiment", "tile_size"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("measured in regimes, and no trial of it is compared\n"
                                    "  'tailwave query regimes' has what it found"));
}

}  // namespace
}  // namespace tailwave
