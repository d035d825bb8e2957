#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

using testing::HasSubstr;

// Searches of the user's own: programs that `--strategy external:COMMAND` starts.
class OwnSearchTest : public ProjectFixture {
 protected:
  // 36 configurations, the best of them A = 4, B = 2.
  void write_recorded() const {
    std::string text =
        R"({"device_name": "Some GPU", "kernel_name": "copy", "problem_size": 1024, "tune_params_keys": ["A", "B"],
 "tune_params": {"A": [1, 2, 3, 4, 5, 6], "B": [1, 2, 3, 4, 5, 6]}, "objective": "time", "cache": {)";
    for (int a = 1; a <= 6; ++a)
      for (int b = 1; b <= 6; ++b)
        text += (a + b > 2 ? ",\n" : "\n") +
                (R"(")" + std::to_string(a) + "," + std::to_string(b) + R"(": {"A": )" + std::to_string(a)) +
                R"(, "B": )" + std::to_string(b) + R"(, "time": )" +
                std::to_string(1 + 2 * std::abs(a - 4) + std::abs(b - 2)) + "}";
    write("copy-some_gpu.json", text + "}}");
  }
  [[nodiscard]] CommandResult simulate(const std::string& command,
                                       const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{
        "simulate", "copy-some_gpu.json", "--strategy", "external:" + command, "--seeds", "3", "--jobs", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return tailwave(words);
  }
  [[nodiscard]] CommandResult tune(const std::string& command,
                                   const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"tune",       "experiments/transpose/tile_size.json",
                                   "--strategy", "external:" + command,
                                   "--budget",   "5",
                                   "--device",   "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    return tailwave(words);
  }
  [[nodiscard]] static std::string example(const std::string& name) {
    return std::string("python3 ") + TAILWAVE_SOURCE_DIR + "/experiments/search/" + name;
  }
  [[nodiscard]] static bool python_can(const std::string& statement) {
    return std::system(("python3 -c '" + statement + "' 2> /dev/null").c_str()) == 0;
  }
};

constexpr const char* kTwoAndNoMore =
    "n=0; while read -r line; do case $line in *'\"ask\"'*) n=$((n+1)); case $n in "
    "1) echo '[{\"TILE\": 4}]';; 2) echo '[{\"TILE\": 8}]';; *) echo >&2 'out of ideas'; exit 3;; esac;; esac; done";

TEST_F(OwnSearchTest, KeepsAndMeasuresAgainWhatWasFoundBeforeTheProgramFailed) {
  const CommandResult result = tune(kTwoAndNoMore);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("out of ideas\n"));
  EXPECT_THAT(result.err,
              HasSubstr("external:" + std::string(kTwoAndNoMore) +
                        ": ended with status 3 when it was asked\n  its last words: out of ideas\n"));
  EXPECT_THAT(result.err,
              HasSubstr("\n  what was measured is stored; the same command goes on from there\n"));
  EXPECT_THAT(result.out,
              HasSubstr("2 evaluations, 66.7 % of 3 configurations: 2 correct; then the strategy failed\n"));
  EXPECT_EQ(scalar("SELECT strategy FROM search"), "external:" + std::string(kTwoAndNoMore));
  EXPECT_EQ(scalar("SELECT stopped_by || ' ' || count(*) FROM search JOIN search_step USING (run_id)"),
            "strategy 2");
  EXPECT_EQ(scalar("SELECT count(*) > 0 FROM search JOIN trial ON trial.run_id = final_run_id"), "1");

  const CommandResult again = tune(kTwoAndNoMore, {"--json"});
  EXPECT_EQ(again.exit_status, 1);
  const auto search = nlohmann::json::parse(again.out).at("searches").at(0);
  EXPECT_EQ(search.at("reused"), 2);
  EXPECT_EQ(search.at("stopped_by"), "strategy");
  EXPECT_EQ(search.at("failure").at("fault"), "ended");
}

TEST_F(OwnSearchTest, MeasuresNothingWhereTheProgramCannotBeStarted) {
  const CommandResult result = tune("/nowhere/search");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("external:/nowhere/search: ended with status 127 when it was asked\n"));
  EXPECT_EQ(scalar("SELECT count(*) FROM search_step"), "0");
}

TEST_F(OwnSearchTest, EndsASimulationWithTheProgramsFault) {
  write_recorded();
  const CommandResult result = simulate("sleep 1000", {"--option", "deadline_s=0.05"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("external:sleep 1000: gave no answer within 0.05 s\n"));
  EXPECT_EQ(scalar("SELECT count(*) FROM simulation"), "0");
}

TEST_F(OwnSearchTest, SearchesAtRandomByTheExampleThatThePageShows) {
  std::ostringstream source, page;
  source << std::ifstream(TAILWAVE_SOURCE_DIR "/experiments/search/random_search.py").rdbuf();
  page << std::ifstream(TAILWAVE_SOURCE_DIR "/docs/searching.md").rdbuf();
  EXPECT_THAT(page.str(), HasSubstr("```python\n" + source.str() + "```\n"));
  if (!python_can("")) GTEST_SKIP() << "python3 is missing";
  write_recorded();
  for (int i = 0; i < 2; ++i) {
    const CommandResult result = simulate(example("random_search.py"));
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }
  const auto scores = [&](const std::string& id) {
    return scalar("SELECT group_concat(score) FROM simulation_seed WHERE simulation_id = " + id);
  };
  EXPECT_EQ(scores("1"), scores("2"));
  EXPECT_EQ(scalar("SELECT count(DISTINCT score) > 1 FROM simulation_seed"), "1");
  EXPECT_EQ(scalar("SELECT DISTINCT strategy FROM simulation"), "external:" + example("random_search.py"));
}

TEST_F(OwnSearchTest, SearchesByTheExampleWithOptuna) {
  if (!python_can("import optuna")) GTEST_SKIP() << "python3 cannot import optuna: pip install optuna";
  write_recorded();
  const CommandResult result = simulate(example("optuna_search.py"), {"--format", "csv"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(scalar("SELECT count(*) FROM simulation_seed WHERE best IS NOT NULL"), "3");
}

TEST_F(OwnSearchTest, IsListedWithItsOption) {
  const CommandResult result = tailwave({"list", "strategies", "--format", "csv"});
  EXPECT_THAT(result.out,
              HasSubstr("\nexternal:COMMAND,deadline_s,60,0.01,86400,seconds in which it has to answer,\n"));
}

}  // namespace
}  // namespace tailwave
