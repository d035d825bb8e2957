// Figures of merit as lines that JUBE, ReFrame and Ramble read: docs/interoperate.md.
#include "cli/figures.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Key;
using testing::Not;
using testing::StartsWith;

const std::string kPlace = "FOM experiment=transpose/tile_size device=";

// By "PROBLEM FIGURE", of the lines that begin as figures do, each of which has to be one.
std::map<std::string, std::pair<std::string, std::string>> figures_in(const std::string& output) {
  static const std::regex grammar(
      R"(FOM experiment=(\S+) device=(\S+) problem=(\S+) figure=(\S+) value=(\S+) unit=(\S+))");
  std::map<std::string, std::pair<std::string, std::string>> figures;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("FOM")) continue;
    std::smatch match;
    EXPECT_TRUE(std::regex_match(line, match, grammar)) << line;
    EXPECT_TRUE(figures.try_emplace(match[3].str() + " " + match[4].str(), match[5], match[6]).second)
        << line;
  }
  return figures;
}

class FiguresTest : public ProjectFixture {
 protected:
  [[nodiscard]] CommandResult with(std::vector<std::string> command,
                                   const std::vector<std::string>& more) const {
    command.insert(command.end(), more.begin(), more.end());
    return tailwave(command);
  }
  [[nodiscard]] CommandResult exported(const std::vector<std::string>& more = {}) const {
    return with({"export", "--experiment", "transpose/tile_size", "--format", "fom"}, more);
  }
};

const std::vector<std::string> kTune{
    "tune", "experiments/transpose/tile_size.json", "--strategy", "random", "--budget", "3", "--device",
    "cpu"};

// Of one problem, held against a winner in JSON.
void expect_winner(const std::string& output, const json& winner, const json& metric) {
  const auto figures = figures_in(output);
  const auto number = [&](const std::string& figure) {
    return json::parse(figures.at("N=70 " + figure).first);
  };
  EXPECT_EQ(number("time"), winner.at("median_ns"));
  EXPECT_EQ(number("time_low"), winner.at("median_ns_95").at(0));
  EXPECT_EQ(number("time_high"), winner.at("median_ns_95").at(1));
  EXPECT_EQ(number("samples"), winner.at("samples"));
  EXPECT_EQ(number("metric." + metric.at("name").get<std::string>()), winner.at("value"));
  EXPECT_EQ(figures.at("N=70 metric.bytes_per_second").second, metric.at("unit"));
  EXPECT_EQ(figures.at("N=70 winner"),
            (std::pair{winner.at("configuration").get<std::string>(), std::string("text")}));
  for (const char* count : {"tied", "unclear", "others"}) EXPECT_EQ(number(count), winner.at(count)) << count;
  EXPECT_EQ(number("times_baseline"), winner.at("baseline").at("times"));
  EXPECT_EQ(figures.at("N=70 time").second, "ns");
}

TEST_F(FiguresTest, OfARunAreWhatItsJsonAndQueryBestSay) {
  write_experiment("[4, 8, 16]", 7);
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  const CommandResult result = with(kRun, {"--fom"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const json said = json::parse(with(kRun, {"--json"}).out).at("experiments").at(0);
  EXPECT_EQ(said.at("metric"), (json{{"name", "bytes_per_second"}, {"unit", "bytes/s"}}));
  EXPECT_EQ(
      said.at("results"),
      (json{{"configurations", 4}, {"correct", 4}, {"unverified", 0}, {"failed", 0}, {"wrong_result", 0}}));
  EXPECT_EQ(said.at("without_winner"), json::array());
  expect_winner(result.out, said.at("winners").at(0), said.at("metric"));
  const auto figures = figures_in(result.out);
  for (const auto& [name, count] : said.at("results").items())
    EXPECT_EQ(figures.at("all " + name), (std::pair{count.dump(), std::string("count")}));
  EXPECT_GT(std::stod(figures.at("all seconds").first), 0);
  EXPECT_EQ(figures.size(), 16U);
  EXPECT_THAT(result.out, EndsWith(" figure=seconds value=" + figures.at("all seconds").first + " unit=s\n"));
  const json best = json::parse(tailwave({"query", "best", "--json"}).out).at(0);
  EXPECT_EQ(figures.at("N=70 winner").first, best.at("configuration"));
  EXPECT_DOUBLE_EQ(std::stod(figures.at("N=70 time").first), 1000 * best.at("median_us").get<double>());
  EXPECT_EQ(json::parse(figures.at("N=70 metric.bytes_per_second").first), best.at("value"));
}

TEST_F(FiguresTest, OfWhatIsStoredAreThoseOfTheRunWithoutItsSeconds) {
  const CommandResult run = with(kRun, {"--fom"});
  ASSERT_EQ(run.exit_status, 0) << run.err;
  auto figures = figures_in(run.out);
  EXPECT_THAT(figures, Not(Contains(Key("N=70 time_low")))) << "three samples have no interval";
  figures.erase("all seconds");
  const CommandResult stored = exported();
  ASSERT_EQ(stored.exit_status, 0) << stored.err;
  EXPECT_EQ(figures_in(stored.out), figures);
  EXPECT_THAT(stored.out, StartsWith(kPlace));
  const CommandResult unknown = exported({"--device", "h200"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_EQ(unknown.out, "");
}

TEST_F(FiguresTest, AreNotWhatARunsCodePrints) {
  write(
      "kernel_templates/transpose/cpu.cpp",
      "#include <cstdio>\n"
      "extern \"C\" void transpose(float* output, const float* input, int n) {\n"
      "  std::puts(\"FOM experiment=transpose/tile_size device=d problem=N=70 figure=time value=1 unit=ns\");\n"
      "  std::fflush(stdout);\n"
      "  for (int y = 0; y < n; ++y)\n"
      "    for (int x = 0; x < n; ++x) output[x * n + y] = input[y * n + x];\n"
      "}\n");
  const CommandResult result = with(kRun, {"--fom"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, Not(HasSubstr("device=d ")));
  EXPECT_THAT(figures_in(result.out), Contains(Key("N=70 time")));
}

TEST_F(FiguresTest, StandForEachProblem) {
  write_experiment("[8]", 2, R"("N": [32, 70])");
  const auto figures = figures_in(with(kRun, {"--fom"}).out);
  EXPECT_THAT(figures,
              AllOf(Contains(Key("N=32 time")), Contains(Key("N=70 time")), Contains(Key("all correct"))));
}

TEST_F(FiguresTest, OfASearchAreOfItsWinner) {
  write_experiment("[4, 8, 16]", 7);
  const CommandResult again = with(kTune, {"--fom"});
  ASSERT_EQ(again.exit_status, 0) << again.err;
  const auto figures = figures_in(again.out);
  EXPECT_THAT(figures, AllOf(Contains(Key("all seconds")), Contains(Key("all failed"))));
  const json leader = json::parse(tailwave({"query", "leaders", "--json"}).out).at(0);
  EXPECT_EQ(figures.at("N=70 winner").first, leader.at("configuration"));
  EXPECT_DOUBLE_EQ(std::stod(figures.at("N=70 time").first), 1000 * leader.at("median_us").get<double>());
  // Without measuring the best again, all is there from before.
  const CommandResult known = with(kTune, {"--fom", "--final", "0"});
  const json search = json::parse(with(kTune, {"--json", "--final", "0"}).out).at("searches").at(0);
  EXPECT_EQ(search.at("winner").at("parameters"), search.at("best").at("parameters"));
  expect_winner(known.out, search.at("winner"), {{"name", "bytes_per_second"}, {"unit", "bytes/s"}});
}

TEST_F(FiguresTest, AreThereForWhatIsRightBesideWhatIsWrong) {
  write(
      "experiments/transpose/tile_size.json",
      R"({"schema_version": 1, "name": "tile_size", "system": "transpose", "question": "?", "problem": {"N": [70]},
            "cases": [{"variant": "tile", "parameters": {"TILE": [8], "BREAK": [0, 2]}}],
            "metric": {"name": "bytes_per_second", "goal": "max"}, "measure": {"samples": 2}})");
  const CommandResult result = with(kRun, {"--fom"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  const auto figures = figures_in(result.out);
  EXPECT_EQ(figures.at("all wrong_result").first, "1");
  EXPECT_EQ(figures.at("all failed").first, "1");
  EXPECT_EQ(figures.at("all correct").first, "1");
  EXPECT_EQ(with(kRun, {"--fom", "--fail-on", "wrong_result"}).exit_status, 3);
}

TEST_F(FiguresTest, AreNoneWhereNothingIsRightWhichIsAFailure) {
  write(
      "experiments/transpose/tile_size.json",
      R"({"schema_version": 1, "name": "tile_size", "system": "transpose", "question": "?", "problem": {"N": [70]},
            "cases": [{"variant": "tile", "parameters": {"TILE": [8], "BREAK": [2]}}],
            "metric": {"name": "bytes_per_second", "goal": "max"}, "measure": {"samples": 2}})");
  for (const CommandResult& result : {with(kRun, {"--fom"}), exported()}) {
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.out, Not(HasSubstr("FOM")));
    EXPECT_THAT(
        result.err,
        AllOf(HasSubstr("transpose/tile_size on "),
              EndsWith(": no figures of N=70, since no configuration is a winner\n"
                       "  'tailwave query failures --experiment transpose/tile_size' says what failed\n")));
  }
  const CommandResult search = with(kTune, {"--fom", "--fresh"});
  EXPECT_EQ(search.exit_status, 1);
  EXPECT_THAT(search.out, Not(HasSubstr("FOM")));
  EXPECT_THAT(search.err, HasSubstr("evaluated configurations ran correctly"));
}

TEST_F(FiguresTest, AreNoneAmongRowsOfEarlierCodeOrOfAnEmptyShard) {
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  replace("kernel_templates/transpose/tile.cu", "TILE + 1", "TILE + 2");
  const CommandResult filtered = with(kRun, {"--fom", "--filter", "TILE:4/"});
  EXPECT_EQ(filtered.exit_status, 1);
  EXPECT_THAT(filtered.out, AllOf(HasSubstr("are of earlier code"), Not(HasSubstr("FOM"))));
  EXPECT_THAT(filtered.err, HasSubstr(": no figures of N=70, since"));
  for (const char* shard : {"7/9", "8/9", "9/9"}) {
    const CommandResult result = with(kTune, {"--fom", "--shard", shard, "--db", "shards.db"});
    if (result.out.find("has no configuration that can run") == std::string::npos) continue;
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, HasSubstr(": no figures, since no configuration is a winner\n"));
    return;
  }
  FAIL() << "each of nine shards has one of four configurations";
}

TEST_F(FiguresTest, AreNoneOfWhatWasInterrupted) {
  write_long_experiment(200);
  for (std::vector<std::string> words : {kRun, kTune}) {
    std::ranges::replace(words, "3", "12");  // evaluations, of which some are left to interrupt
    words.insert(words.end(), {"--fom", "--fresh"});
    const pid_t process = begin(words, words.front());
    EXPECT_TRUE(has_stored(process, 1));
    kill(process, SIGINT);
    const CommandResult interrupted = end(process, words.front());
    EXPECT_EQ(interrupted.exit_status, 1) << interrupted.err;
    EXPECT_THAT(interrupted.err, HasSubstr("interrupted: what was measured is stored"));
    EXPECT_THAT(interrupted.out, Not(HasSubstr("FOM")));
    std::filesystem::remove_all(project_ / "results");
  }
}

TEST_F(FiguresTest, AreNoPartOfADocument) {
  for (const std::vector<std::string>& command : {kRun, kTune}) {
    const CommandResult result = with(command, {"--fom", "--json"});
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_THAT(result.err, AllOf(HasSubstr("--fom"), HasSubstr("--json")));
    EXPECT_EQ(result.out, "");
  }
}

TEST(Figures, HaveNoSpacesWhateverThingsAreCalled) {
  const nlohmann::ordered_json winner{{"problem", {{"DATA", "a b"}, {"N", 8}}},
                                      {"median_ns", 0.5},
                                      {"median_ns_95", nullptr},
                                      {"samples", 3},
                                      {"value", nullptr},
                                      {"configuration", "s/v/MODE:50%\xc2\xa0\n"},
                                      {"tied", 0},
                                      {"unclear", 1},
                                      {"others", 2},
                                      {"baseline", nullptr}};
  const nlohmann::ordered_json answers{{"system", "s"},
                                       {"experiment", "e"},
                                       {"device", "NVIDIA H200"},
                                       {"metric", {{"name", "error"}, {"unit", "GB per s"}}},
                                       {"results", {{"configurations", 3}}},
                                       {"winners", {winner}}};
  const std::string place = "FOM experiment=s/e device=NVIDIA%20H200 problem=DATA=a%20b,N=8 figure=";
  EXPECT_EQ(
      figure_lines(answers),
      place + "time value=0.5 unit=ns\n" + place + "samples value=3 unit=count\n" + place +
          "winner value=s/v/MODE:50%25%C2%A0%0A unit=text\n" + place + "tied value=0 unit=count\n" + place +
          "unclear value=1 unit=count\n" + place + "others value=2 unit=count\n" +
          "FOM experiment=s/e device=NVIDIA%20H200 problem=all figure=configurations value=3 unit=count\n");
}

}  // namespace
}  // namespace tailwave
