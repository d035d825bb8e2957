// The completions by a real bash, and the manual page by real formatters.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

bool is_there(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

class WrittenTest : public ProjectFixture {
 protected:
  [[nodiscard]] std::string output_of(const std::string& shell_line) const {
    const auto file = project_ / "output";
    EXPECT_EQ(
        std::system(("cd '" + project_.string() + "' && { " + shell_line + "; } >" + file.string() + " 2>&1")
                        .c_str()),
        0)
        << shell_line;
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  void write_output(const std::vector<std::string>& command, const std::string& file) const {
    const CommandResult result = tailwave(command);
    ASSERT_EQ(result.exit_status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    write(file, result.out);
  }
};

class CompletionTest : public WrittenTest {
 protected:
  CompletionTest() { write_output({"completion", "bash"}, "completion.bash"); }

  // What bash would offer for the last of these words.
  [[nodiscard]] std::vector<std::string> offered(const std::string& words) const {
    write("ask.bash",
          "source completion.bash\nCOMP_WORDS=(tailwave " + words +
              ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_tailwave\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
    std::istringstream lines(output_of("bash --norc ask.bash"));
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);)
      if (!line.empty()) all.push_back(line);
    return all;
  }
};

TEST_F(CompletionTest, CompletesCommandsAndOptions) {
  EXPECT_THAT(offered("pl"), ElementsAre("plan"));
  EXPECT_THAT(offered("''"), IsSupersetOf({"check", "run", "query", "completion", "man"}));
  EXPECT_THAT(offered("run --fre"), ElementsAre("--fresh"));
  EXPECT_THAT(offered("run --"),
              IsSupersetOf({"--help", "--device", "--db", "--quiet", "--json", "--color"}));
  EXPECT_THAT(offered("--v"), ElementsAre("--version"));
}

TEST_F(CompletionTest, CompletesTheValuesThatThereAre) {
  EXPECT_THAT(offered("query --format m"), ElementsAre("markdown"));
  EXPECT_THAT(offered("query --format=j"), testing::IsEmpty()) << "one word: bash itself splits it at '='";
  EXPECT_THAT(offered("query --format = j"), ElementsAre("json"));
  EXPECT_THAT(offered("export --format google"), ElementsAre("google-benchmark"));
  EXPECT_THAT(offered("import --format google"), testing::IsEmpty());
  EXPECT_THAT(offered("tune x.json --strategy rand"), Contains("random"));
  EXPECT_THAT(offered("run x.json --device c"), ElementsAre("cpu", "cuda:0"));
  EXPECT_THAT(offered("plan x.json --target h2"), ElementsAre("h200"));
  EXPECT_THAT(offered("list q"), ElementsAre("queries"));
  EXPECT_THAT(offered("query lost"), ElementsAre("lost_time"));
  EXPECT_THAT(offered("completion ''"), ElementsAre("bash", "zsh"));
}

TEST_F(CompletionTest, CompletesFilesAndKnowsFlags) {
  write("a spec.json", "{}");
  EXPECT_THAT(offered("run experiments/transpose/ti"), ElementsAre("experiments/transpose/tile_size.json"));
  EXPECT_THAT(offered("run a"), ElementsAre("a spec.json", "ask.bash"));
  EXPECT_THAT(offered("query best --db exp"), ElementsAre("experiments"));
  EXPECT_THAT(offered("run --fresh exp"), ElementsAre("experiments"));
}

TEST_F(CompletionTest, OfAProjectKnowsItsOwnQueries) {
  write("analysis/tables/my_table.sql", "-- title: Mine\nSELECT 1 AS one;\n");
  write_output({"completion", "bash"}, "completion.bash");
  EXPECT_THAT(offered("query my"), ElementsAre("my_table"));
}

TEST_F(WrittenTest, ZshReadsItsCompletion) {
  write_output({"completion", "zsh"}, "completion.zsh");
  const std::string script = output_of("cat completion.zsh");
  EXPECT_THAT(script, HasSubstr("'--device[auto, cuda\\:0, cpu]:value:(auto cpu cuda\\:0)'"));
  EXPECT_THAT(script, HasSubstr("'list:List systems"));
  if (!is_there("zsh")) GTEST_SKIP() << "zsh is missing: apt-get install zsh";
  EXPECT_EQ(output_of("zsh -n completion.zsh"), "");
}

TEST_F(WrittenTest, TheManualPageSaysWhatHelpSays) {
  write_output({"man"}, "tailwave.1");
  if (!is_there("groff")) GTEST_SKIP() << "groff is missing: apt-get install groff";
  EXPECT_EQ(output_of("groff -man -ww -Tutf8 -z tailwave.1"), "") << "warnings";
  const std::string page = output_of("MANWIDTH=1000 groff -man -rLL=1000n -Tascii -P-cbou tailwave.1");
  EXPECT_THAT(page, HasSubstr("--device VALUE"));
  EXPECT_THAT(page, HasSubstr("tailwave list devices"));
  EXPECT_THAT(page, HasSubstr("TAILWAVE_CACHE"));
  EXPECT_THAT(page, HasSubstr("Exit status: 0 done"));
  EXPECT_THAT(page, Not(HasSubstr("--spin-only"))) << "hidden";
  EXPECT_THAT(page, HasSubstr("--refit"));
}

TEST_F(WrittenTest, TheVersionNamesWhatWasLoadedAndWhatWasNot) {
  const CommandResult result = tailwave({"--version"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.out,
              testing::MatchesRegex("tailwave [0-9.]+[^\n]*\nNVRTC:         (NVRTC [0-9.]+, /|none: )[^\n]*\n"
                                    "NVSHMEM:       (NVSHMEM|none: )[^\n]*\n"
                                    "CUDA driver:   [^\n]*\nNVML:          [^\n]*\nSQLite:        3[.0-9]+\n"
                                    "sandbox:       [^\n]+\nhost compiler: [^\n]+\n"));
}

}  // namespace
}  // namespace tailwave
