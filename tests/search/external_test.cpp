#include "search/external.h"

#include <gmock/gmock.h>
#include <sys/types.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "core/temporary_folder.h"
#include "search/search.h"

namespace tailwave {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class ExternalTest : public ::testing::Test {
 protected:
  ExternalTest()
      : space_(SearchSpace::of(ParameterSpace(
            {{"N", {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}}}, {"FAST", {false, true}}},
            {Expression::parse("N < 4 or FAST")}))) {
    problem_.space = &space_;
    problem_.budget = 4;
  }

  // A program that notes each line and answers the first asks with these, each later one with [].
  [[nodiscard]] std::string answering(const std::vector<std::string>& answers) const {
    std::string command = "n=0; while read -r line; do echo \"$line\" >> " + log() +
                          "; case $line in *'\"ask\"'*) n=$((n+1)); case $n in ";
    for (std::size_t i = 0; i < answers.size(); ++i)
      command += std::to_string(i + 1) + ") echo '" + answers[i] + "';; ";
    return command + "*) echo '[]';; esac;; esac; done";
  }
  [[nodiscard]] std::unique_ptr<Strategy> start(const std::string& command, double deadline_s = 20) const {
    const StrategyKind& kind = find_strategy("external:" + command);
    return kind.make(problem_, complete_options(kind, {{"deadline_s", deadline_s}}));
  }
  [[nodiscard]] static std::vector<Point> asked(Strategy& strategy, std::size_t most = 2) {
    std::vector<Point> points;
    strategy.ask(most, points);
    return points;
  }

  [[nodiscard]] std::string log() const { return (folder_.path() / "log").string(); }
  [[nodiscard]] std::vector<std::string> lines() const {
    std::ifstream file(log());
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  [[nodiscard]] Point point(std::uint16_t n, std::uint16_t fast) const {
    return space_.find(std::vector<std::uint16_t>{n, fast}).value();
  }

  TemporaryFolder folder_;
  SearchSpace space_;
  SearchProblem problem_;
};

TEST_F(ExternalTest, IsToldOfTheSpaceAndOfEachCost) {
  const Knowledge knowledge =
      Knowledge::of({"threads"}, std::vector<PointFacts>(space_.size(), {.features = {32}}));
  problem_.knowledge = &knowledge;
  problem_.constraints = {"N < 4 or FAST"};
  problem_.fixed = {{"SIZE", std::int64_t{64}}};
  {
    const auto strategy = start(answering({R"([{"FAST": true, "N": 4.0}, {"N": 1, "FAST": false}])"}));
    EXPECT_THAT(asked(*strategy), ElementsAre(point(2, 1), point(0, 0)));
    strategy->tell(point(2, 1), 0.25);
    strategy->tell(point(0, 0), kFailed);
    EXPECT_THAT(asked(*strategy), IsEmpty());
  }
  EXPECT_THAT(lines(),
              ElementsAre(R"({"space":{"parameters":[{"name":"N","type":"integer","values":[1,2,4]},)"
                          R"({"name":"FAST","type":"boolean","values":[false,true]}],"configurations":5,)"
                          R"("constraints":["N < 4 or FAST"],"fixed":{"SIZE":64},"features":["threads"],)"
                          R"("budget":4,"seed":1}})",
                          R"({"ask":2})", R"({"tell":{"N":4,"FAST":true},"cost":0.25,"features":[32.0]})",
                          R"({"tell":{"N":1,"FAST":false},"cost":null,"features":[32.0]})", R"({"ask":2})",
                          R"({"done":2})"));
}

TEST_F(ExternalTest, IsToldAtOnceWhatItAskedForBefore) {
  Search search(problem_, start(answering({R"([{"N": 2, "FAST": true}])", R"([{"N": 2, "FAST": true}])"})));
  EXPECT_THAT(search.next(1), ElementsAre(point(1, 1)));
  search.report(point(1, 1), 3);
  EXPECT_EQ(search.next(1).size(), 1U);  // at random
  const std::string told = R"({"tell":{"N":2,"FAST":true},"cost":3.0})";
  const std::vector<std::string> noted = lines();
  ASSERT_EQ(noted.size(), 6U);
  EXPECT_THAT(std::vector(noted.begin() + 1, noted.end()),
              ElementsAre(R"({"ask":1})", told, R"({"ask":1})", told, R"({"ask":1})"));
}

TEST_F(ExternalTest, IsToldWhyAConfigurationIsRefusedAndMayGoOn) {
  const auto strategy = start(answering(
      {R"([{"N": 4, "FAST": false}, {"N": 3, "FAST": true}, {"N": "2", "FAST": true}, {"N": 1, "FAST": 1}])",
       R"([{"N": 1}, {"N": 1, "FAST": true, "M": 2}, 7])",
       R"([{"N": 1, "FAST": true}, {"N": 2, "FAST": true}, {"N": 4, "FAST": true}])"}));
  EXPECT_THAT(asked(*strategy), ElementsAre(point(0, 1), point(1, 1)));
  EXPECT_THAT(asked(*strategy), IsEmpty());
  std::vector<std::string> refused;
  for (const std::string& line : lines())
    if (line.starts_with(R"({"refused")")) refused.push_back(line);
  EXPECT_THAT(
      refused,
      ElementsAre(R"({"refused":{"N":4,"FAST":false},"why":"is not among the valid configurations"})",
                  R"({"refused":{"N":3,"FAST":true},"why":"N is none of 1, 2, 4"})",
                  R"({"refused":{"N":"2","FAST":true},"why":"N is none of 1, 2, 4"})",
                  R"({"refused":{"N":1,"FAST":1},"why":"FAST is none of false, true"})",
                  R"({"refused":{"N":1},"why":"lacks parameter 'FAST'"})",
                  R"({"refused":{"N":1,"FAST":true,"M":2},"why":"unknown parameter 'M': did you mean 'N'?"})",
                  R"({"refused":7,"why":"is an integer, not an object of parameter values"})",
                  R"({"refused":{"N":4,"FAST":true},"why":"is one more than was asked for"})"));
}

struct Faulty {
  const char* command;
  double deadline_s;
  StrategyFault fault;
  const char* says;
};

TEST_F(ExternalTest, SaysWhatIsWrongWithTheProgram) {
  const std::vector<Faulty> all{
      {"read space; echo >&2 first; echo >&2 'no module'; exit 3", 20, StrategyFault::ended,
       ": ended with status 3 when it was asked\n  its last words: no module\n  docs/searching.md, \"Your own "},
      {"kill -9 $$", 20, StrategyFault::ended,
       ": ended with signal 9 (Killed) when it was asked\n  it wrote"},
      {"/nowhere/search", 20, StrategyFault::ended,
       ": ended with status 127 when it was asked\n  its last words: "},
      {"sleep 1000", 0.05, StrategyFault::deadline,
       ": gave no answer within 0.05 s\n  it wrote nothing to stderr\n  --option deadline_s=600 gives it more"},
      {"echo '[{'; sleep 1000", 20, StrategyFault::no_json, ": answered what is no JSON: [{\n"},
      {"echo '{\"N\": 1}'; sleep 1000", 20, StrategyFault::no_list,
       ": answered what is no list of configurations: {\"N\": 1}\n"},
      {"while read -r line; do case $line in *ask*) echo '[{}]';; esac; done", 20, StrategyFault::refused,
       ": answered with 1000 invalid configurations in a row, the last one {}: lacks parameter 'N'\n"},
      {"head -c 20000000 /dev/zero; sleep 1000", 20, StrategyFault::no_json,
       ": answered with more than 16 MiB and no end of a line\n"}};
  for (const Faulty& one : all) {
    SCOPED_TRACE(one.command);
    const auto strategy = start(one.command, one.deadline_s);
    try {
      static_cast<void>(asked(*strategy));
      FAIL() << "it answered";
    } catch (const StrategyFailure& failure) {
      EXPECT_EQ(failure.fault(), one.fault);
      EXPECT_THAT(failure.what(), StartsWith("external:" + std::string(one.command) + ": "));
      EXPECT_THAT(failure.what(), HasSubstr(one.says));
    }
    strategy->tell(point(0, 0), 1);  // what was measured meanwhile
  }
}

TEST_F(ExternalTest, AsksForNothingMoreWhenItIsToStop) {
  problem_.stop_requested = [] { return true; };
  const auto strategy = start("exec sleep 1000");
  EXPECT_THAT(asked(*strategy), IsEmpty());
}

TEST_F(ExternalTest, EndsAllThatTheProgramHasStarted) {
  {
    const auto strategy =
        start("sleep 1000 & echo $! > " + log() +
              "; echo '[]'; while read -r line; do case $line in *done*) exit;; esac; done");
    static_cast<void>(asked(*strategy));
  }
  const pid_t started = std::stoi(lines().at(0));
  EXPECT_NE(kill(started, 0), 0);
}

TEST_F(ExternalTest, NeedsACommand) {
  try {
    find_strategy("external: ");
    FAIL() << "it was found";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "strategy 'external:' lacks its command\n  as in --strategy 'external:python3 my_search.py'");
  }
}

}  // namespace
}  // namespace tailwave
