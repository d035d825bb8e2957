// What commands say to people on a terminal, to programs, and nothing.
#include <gmock/gmock.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/progress.h"
#include "cli/project_fixture.h"

namespace tailwave {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class TerminalTest : public ProjectFixture {
 protected:
  // What tailwave, called by a shell with these words, writes to a terminal of so many columns.
  [[nodiscard]] std::string on_terminal(const std::string& words, unsigned short columns) const {
    winsize size{.ws_row = 40, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
      unsetenv("NO_COLOR");
      setenv("TERM", "xterm", 1);
      const std::string line = "cd '" + project_.string() + "' && " + words;
      execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      _exit(127);
    }
    std::string text;
    std::array<char, 4096> piece{};
    for (ssize_t size_read; (size_read = read(terminal, piece.data(), piece.size())) > 0;)
      text.append(piece.data(), static_cast<std::size_t>(size_read));
    close(terminal);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 0) << text;
    return text;
  }
  static std::string command(const std::string& words) { return std::string(TAILWAVE_BINARY) + " " + words; }

  const std::string run_ = "run experiments/transpose/tile_size.json --device cpu";
};

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size() - 1);  // "\r"
  return longest;
}

TEST_F(TerminalTest, ARunShowsItsProgressAndColoursItsOutcomes) {
  const std::string text = on_terminal(command(run_), 200);
  EXPECT_THAT(text, HasSubstr("\r\x1b[K  [....................] waiting for the first build"));
  EXPECT_THAT(text, HasSubstr(" left  best "));
  EXPECT_THAT(text, HasSubstr("\x1b[32mcorrect\x1b[0m"));
}

TEST_F(TerminalTest, ASearchDrawsTheBestSoFar) {
  const std::string text = on_terminal(
      command(
          "tune experiments/transpose/tile_size.json --device cpu --strategy random --budget 3 --final 0"),
      200);
  EXPECT_THAT(text, testing::ContainsRegex(" 0 s left  (█|▁)(█|▁|▂|▃|▄|▅|▆|▇)+  best [0-9]"));
}

TEST_F(TerminalTest, ColoursAreOffWhereTheyAreNotWanted) {
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  for (const std::string off : {"NO_COLOR=1 ", "TERM=dumb "})
    EXPECT_THAT(on_terminal(off + command("query runs"), 200), Not(HasSubstr("\x1b["))) << off;
  EXPECT_THAT(on_terminal(command("query runs --color never"), 200), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(on_terminal("NO_COLOR= " + command("query runs"), 200), HasSubstr("\x1b["));
  EXPECT_THAT(tailwave({"query", "runs"}).out, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(tailwave({"query", "runs", "--color", "always"}).out, HasSubstr("\x1b[1mexperiment\x1b[0m"));
}

TEST_F(TerminalTest, AWideTableIsFoldedToTheTerminalAndLosesNothing) {
  const std::string narrow = on_terminal(command("list strategies --color never"), 60);
  EXPECT_LE(longest_line(narrow), 60U);
  const auto words_alone = [](std::string text) {
    std::erase_if(text, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0 || c == '-'; });
    std::sort(text.begin(), text.end());
    return text;
  };
  const std::string wide = on_terminal(command("list experiments --color never"), 1000);
  EXPECT_EQ(words_alone(on_terminal(command("list experiments --color never"), 90)), words_alone(wide));
}

TEST_F(TerminalTest, BytesThatSteerATerminalAreShown) {
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  const std::string query = "query --sql \"SELECT 'a' || char(27) || '[2J' AS name\" --color never";
  EXPECT_THAT(on_terminal(command(query), 200), HasSubstr("a\\x1b[2J"));
  EXPECT_THAT(on_terminal(command(query + " --format csv"), 200), HasSubstr("a\\x1b[2J"));
  EXPECT_THAT(on_terminal(command(query + " --format csv") + " | od -An -c", 200),
              HasSubstr("a 033   [   2   J"));
  EXPECT_THAT(on_terminal(command(query + " --json"), 200), HasSubstr("\"a\\u001b[2J\""));
  EXPECT_EQ(tailwave({"query", "best", "--device", "\x1b[2J"}).err.find('\x1b'), std::string::npos);
}

TEST_F(TerminalTest, QuietLeavesResultsAlone) {
  const CommandResult first =
      tailwave({"run", "experiments/transpose/tile_size.json", "--device", "cpu", "--quiet"});
  EXPECT_EQ(first.exit_status, 0);
  EXPECT_EQ(first.err, "");
  EXPECT_THAT(first.out, HasSubstr("tile_size on "));
  EXPECT_THAT(first.out, Not(HasSubstr("waiting for builds")));
  EXPECT_EQ(tailwave({"query", "traces", "-q"}).err, "");
  EXPECT_THAT(tailwave({"query", "traces"}).err,
              testing::MatchesRegex("no rows: there are no traces; 'tailwave trace' makes them on a GPU\n"
                                    "  results/tailwave.db has transpose/tile_size on .*\n"));
  const CommandResult unknown = tailwave({"query", "best", "--experiment", "tile_sice", "--quiet"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_EQ(unknown.err,
            "results/tailwave.db: nothing of experiment 'tile_sice'\n  did you mean 'tile_size'?\n");
  const CommandResult wrong = tailwave({"query", "bets", "--quiet"});
  EXPECT_EQ(wrong.exit_status, 2);
  EXPECT_EQ(wrong.err, "query: there is no query 'bets'\n  did you mean 'best'?\n");
}

TEST_F(TerminalTest, AQuietRunHasALineForEachFailure) {
  write("experiments/transpose/broken.json",
        R"({ "schema_version": 1, "name": "broken", "system": "transpose", "question": "What fails?",
             "cases": [ {"variant": "tile", "parameters": {"BREAK": [0, 1, 2], "TILE": [8]}} ],
             "metric": {"name": "time", "goal": "min"}, "measure": {"samples": 3} })");
  const std::vector<std::string> run{
      "run", "experiments/transpose/broken.json", "--device", "cpu", "--quiet", "--seed", "1"};
  const std::string said = tailwave(run).err;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2) << said;
  EXPECT_THAT(said, HasSubstr("transpose/tile/BREAK:1/TILE:8/N:70  compile_error: "));
  EXPECT_THAT(said,
              HasSubstr("transpose/tile/BREAK:2/TILE:8/N:70  wrong_result: before timing, buffer 'output'"));
  std::vector<std::string> for_programs = run;
  for_programs.insert(for_programs.end(), {"--fresh", "--json"});
  const CommandResult result = tailwave(for_programs);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("before timing, buffer 'output'"));
}

TEST_F(TerminalTest, AQuietExportAndImportSayNothing) {
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  EXPECT_EQ(tailwave({"export", "--experiment", "tile_size", "--out", "s.json"}).err, "s.json\n");
  const CommandResult exported =
      tailwave({"export", "--experiment", "tile_size", "--out", "r.json", "--quiet"});
  EXPECT_EQ(exported.exit_status, 0);
  EXPECT_EQ(exported.out + exported.err, "");
  const CommandResult imported = tailwave({"import", "r.json", "--db", "other.db", "--quiet"});
  EXPECT_EQ(imported.exit_status, 0) << imported.err;
  EXPECT_EQ(imported.out + imported.err, "");
}

TEST_F(TerminalTest, ARunIsOneJsonDocument) {
  write_experiment("[4, 8]");
  const CommandResult result = tailwave({"run", "experiments", "--device", "cpu", "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const json run = json::parse(result.out).at("experiments").at(0);
  EXPECT_EQ(run.at("experiment"), "tile_size");
  EXPECT_EQ(run.at("outcomes"), (json{{"correct", 3}}));
  EXPECT_EQ(run.at("interrupted"), false);
  ASSERT_EQ(run.at("trials").size(), 3U);
  const json& tile = *std::find_if(run.at("trials").begin(), run.at("trials").end(),
                                   [](const json& trial) { return trial.at("variant") == "tile"; });
  EXPECT_EQ(tile.at("problem"), (json{{"N", 70}}));
  EXPECT_EQ(tile.at("samples"), 3);
  EXPECT_NEAR(tile.at("value").get<double>(), 8.0 * 70 * 70 / tile.at("median_ns").get<double>() * 1e9, 1);
}

TEST_F(TerminalTest, ANewSystemAndAReportAreJsonDocuments) {
  const json made = json::parse(tailwave({"new", "mine", "--json"}).out);
  EXPECT_EQ(made.at("experiment"), "experiments/mine/first.json");
  EXPECT_EQ(made.at("files").size(), 7U);
  EXPECT_EQ(tailwave({"new", "other", "--quiet"}).out.find("A skeleton"), std::string::npos);
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  const CommandResult report =
      tailwave({"report", kRun[1], "experiments/mine/first.json", "--json", "--quiet"});
  EXPECT_EQ(report.err, "");
  const json written = json::parse(report.out);
  EXPECT_EQ(written.at("html"), "results/report/index.html");
  EXPECT_EQ(written.at("markdown"), "results/report/README.md");
  EXPECT_EQ(written.at("no_trials"), json::array({"mine/first"}));
}

TEST_F(TerminalTest, ASearchIsOneJsonDocument) {
  const CommandResult result = tailwave({"tune", "experiments/transpose/tile_size.json", "--strategy",
                                         "random", "--budget", "3", "--device", "cpu", "--json", "--quiet"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const json tuned = json::parse(result.out);
  EXPECT_EQ(tuned.at("strategy"), "random");
  const json& search = tuned.at("searches").at(0);
  EXPECT_EQ(search.at("evaluations"), 3);
  EXPECT_EQ(search.at("best").at("variant"), "tile");
  EXPECT_FALSE(search.at("leaders").empty());
}

TEST_F(TerminalTest, ListsQueriesAndChecksAreJsonDocuments) {
  EXPECT_EQ(json::parse(tailwave({"list", "--json"}).out).at(0).at("list"), "systems");
  EXPECT_EQ(json::parse(tailwave({"list", "systems", "--json"}).out).at(0).at("system"), "transpose");
  const json good = json::parse(tailwave({"check", "experiments", "--json"}).out);
  EXPECT_EQ(good.at("files").at(0).at("configurations"), 4);
  EXPECT_TRUE(good.at("problems").empty());
  write_experiment("[]");
  const CommandResult bad = tailwave({"check", "experiments", "--json"});
  EXPECT_EQ(bad.exit_status, 2);
  EXPECT_EQ(json::parse(bad.out).at("problems").at(0).at("place"), "/cases/0/parameters/TILE");
  EXPECT_THAT(bad.err, HasSubstr("/cases/0/parameters/TILE"));
}

TEST(Progress, SaysOnceWhatShortensWhatDoesNotEnd) {
  Experiment experiment;
  experiment.name = "loops";
  experiment.file = "experiments/mine/loops.json";
  const Trial endless{.configuration = {.system = "mine", .variant = "loop"},
                      .outcome = Outcome::timeout,
                      .detail = "step: not ended after 120 s; its process was killed"};
  const Console console({});
  const auto said = [&] {
    testing::internal::CaptureStderr();
    {
      TerminalProgress progress(experiment, console);
      progress.finished(endless, 1, 4);
      progress.finished(endless, 2, 4);
    }
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(said(),
            "  1/4 mine/loop  timeout: step: not ended after 120 s; its process was killed\n"
            "    each that does not end takes 120 s (3 left to measure); \"measure\": {\"deadline_s\": 5} in "
            "experiments/mine/loops.json shortens that, and measures all anew; Ctrl-C stops\n"
            "  2/4 mine/loop  timeout: step: not ended after 120 s; its process was killed\n");
  experiment.measure.deadline_s = 5;
  EXPECT_THAT(said(), Not(HasSubstr("deadline_s")));
}

TEST(Progress, SaysTimeAsPeopleDo) {
  EXPECT_EQ(format_time_left(0.4), "0 s");
  EXPECT_EQ(format_time_left(59.4), "59 s");
  EXPECT_EQ(format_time_left(200), "3 min 20 s");
  EXPECT_EQ(format_time_left(7500), "2 h 5 min");
}

}  // namespace
}  // namespace tailwave
