#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

using testing::StartsWith;

// What the program says of a command line that it does not take.
class UsageTest : public ProjectFixture {
 protected:
  std::string refusal(const std::vector<std::string>& words) {
    const CommandResult result = tailwave(words);
    EXPECT_EQ(result.exit_status, 2);
    return result.err;
  }
};

TEST_F(UsageTest, UsageErrorsExitWith2) {
  EXPECT_EQ(tailwave({"run"}).exit_status, 2);
  EXPECT_EQ(tailwave({"measure"}).exit_status, 2);
  EXPECT_EQ(tailwave({}).exit_status, 2);
  EXPECT_EQ(tailwave({"--help"}).exit_status, 0);
}

TEST_F(UsageTest, AnUnknownCommandHasASuggestion) {
  const CommandResult misspelt = tailwave({"rn", "experiments"});
  EXPECT_EQ(misspelt.exit_status, 2);
  EXPECT_EQ(misspelt.err, "unknown command 'rn'\n  did you mean 'run'?\n");
  EXPECT_EQ(tailwave({"best"}).err, "unknown command 'best'\n  did you mean 'query best'?\n");
  EXPECT_EQ(
      tailwave({"measure"}).err,
      "unknown command 'measure'\n"
      "  there are: new, check, plan, run, tune, judge, query, compare, explain, show, report, import, export, merge, submit, status, list, "
      "selftest, trace, curve, counters, timeline, simulate, capture, help, completion, man\n");
}

TEST_F(UsageTest, AnUnknownOptionHasASuggestion) {
  EXPECT_EQ(refusal({"run", "x.json", "--devic", "cpu"}),
            "run: unknown option '--devic'\n  did you mean '--device'?\n");
  EXPECT_EQ(refusal({"query", "best", "--experimnt=x"}),
            "query: unknown option '--experimnt'\n  did you mean '--experiment'?\n");
  EXPECT_EQ(refusal({"tune", "x.json", "--strateg", "random", "--budget", "5"}),
            "tune: unknown option '--strateg'\n  did you mean '--strategy'?\n")
      << "and not that --strategy is missing";
  EXPECT_EQ(refusal({"run", "x.json", "--colours"}),
            "run: unknown option '--colours'\n  did you mean '--color'?\n");
  EXPECT_EQ(refusal({"report", "--unheard-of"}),
            "report: unknown option '--unheard-of'\n  'tailwave report --help' lists them\n");
  EXPECT_EQ(refusal({"--unheard-of"}), "unknown option '--unheard-of'\n  'tailwave --help' lists them\n");
  EXPECT_EQ(refusal({"list", "queries", "more"}),
            "list: 'more' is a word too many\n  'tailwave list --help' says what it takes\n");
}

TEST_F(UsageTest, AValueThatAnOptionCannotHaveIsOneErrorWithThoseThatItCan) {
  EXPECT_EQ(refusal({"list", "querys"}), "list: WHAT cannot be 'querys'\n  did you mean 'queries'?\n");
  EXPECT_EQ(refusal({"query", "best", "--color", "maybe"}),
            "query: --color cannot be 'maybe'\n  use auto, always, never\n");
  EXPECT_EQ(refusal({"query", "best", "--limit", "0"}),
            "query: --limit cannot be '0'\n  use a whole number, 1 or more\n");
  EXPECT_EQ(refusal({"query", "best", "--limit", "99999999999999999999"}),
            "query: --limit cannot be '99999999999999999999'\n  use a number up to 9223372036854775807\n");
  EXPECT_EQ(refusal({"curve", "x.json", "--samples", "few"}),
            "curve: --samples cannot be 'few'\n  use a whole number from 1 to 1000\n");
  EXPECT_EQ(refusal({"trace", "x.json", "--most-slower", "nan"}),
            "trace: --most-slower cannot be 'nan'\n  use a number from 0 to 1000\n");
  EXPECT_EQ(refusal({"compare", "--fail-on", "slower", "--fail-on", "failled"}),
            "compare: --fail-on cannot be 'failled'\n  did you mean 'failed'?\n");
  EXPECT_EQ(refusal({"run", "x.json", "--fail-on", "compile_eror"}),
            "run: --fail-on cannot be 'compile_eror'\n  did you mean 'compile_error'?\n");
  EXPECT_EQ(refusal({"run", "x.json", "--fresh=maybe"}),
            "run: --fresh cannot be 'maybe'\n  --fresh takes no value\n");
  EXPECT_EQ(refusal({"run", "x.json", "--device"}), "run: --device has no value\n  use auto, cpu, cuda:0\n");
  EXPECT_EQ(refusal({"run", "x.json", "--db", "a", "--db", "b"}),
            "run: --db is given 2 times\n  give it once\n");
}

TEST_F(UsageTest, WhatIsMissingIsNamedAtOnceWithAnExample) {
  const std::string err = tailwave({"export", "--format", "csv"}).err;
  EXPECT_THAT(
      err,
      StartsWith(
          "export: --experiment is missing\n  --experiment: the experiment: NAME or SYSTEM/NAME\n  for example: "));
}

TEST_F(UsageTest, HelpSaysWhatACommandsOwnHelpDoes) {
  const CommandResult run = tailwave({"help", "run"});
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_EQ(run.out, tailwave({"run", "--help"}).out);
  EXPECT_EQ(tailwave({"help"}).out, tailwave({"--help"}).out);
  const CommandResult unknown = tailwave({"help", "nosuch"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_THAT(unknown.err, StartsWith("unknown command 'nosuch'\n  there are: new, "));
  EXPECT_EQ(tailwave({"help", "simulat"}).err, "unknown command 'simulat'\n  did you mean 'simulate'?\n");
}

}  // namespace
}  // namespace tailwave
