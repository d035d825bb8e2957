#include "report/advice.h"

#include <gtest/gtest.h>

#include "report/advice_data.h"
#include "report/advice_section.h"
#include "report/queries.h"
#include "report/report.h"

namespace tailwave {
namespace {

using samples::AdviceSpace;

const Values kSpace{{"experiment", std::string("space")}};

class AdviceTest : public samples::Fixture {
 protected:
  std::string answer(const std::string& query, Values parameters = kSpace) {
    return samples::csv(run_query(database_, find_query(query), parameters));
  }
  // "C 3 4 neighbours 1.06": each advice from a configuration, or from the best.
  std::string advice(const std::string& configuration = "") {
    Values parameters = kSpace;
    if (!configuration.empty()) parameters["configuration"] = configuration;
    std::string text;
    for (const Advice& one : load_advice(database_, parameters).advice)
      text += fmt::format("{} {} {} {} {:.2f}\n", one.parameter, std::get<std::int64_t>(one.value),
                          std::get<std::int64_t>(one.new_value), to_string(one.source), one.gain);
    return text;
  }
  std::string page_of(const std::string& experiment) {
    render_report(database_, {{experiment}, folder_ / "report"});
    return samples::read_file(folder_ / ("report/nbody/" + experiment + ".md"));
  }
  static std::string section(const std::string& page, const std::string& heading) {
    const std::size_t start = page.find("\n" + heading + "\n");
    if (start == std::string::npos) return "none in\n" + page;
    return page.substr(start, page.find("\n## ", start + 2) - start);
  }
};

TEST_F(AdviceTest, NamesTheChangeThatGainedElsewhere) {
  AdviceSpace{}.add(database_);
  EXPECT_EQ(
      answer("advice"),
      "experiment,device,configuration,place,parameter,value,new_value,source,gain,gain_low,gain_high,evidence\n"
      "nbody/space,NVIDIA H200," +
          AdviceSpace::name(5, 5, 3) +
          ",1,C,3,4,neighbours,1.061720441,,,the same change was faster in 12 of 12 configurations like this one\n");
}

TEST_F(AdviceTest, KnowsWhatWasMeasuredBest) {
  AdviceSpace{}.add(database_);
  const Values asked{{"experiment", std::string("space")}, {"configuration", AdviceSpace::name(5, 5, 1)}};
  EXPECT_EQ(
      answer("advice", asked),
      "experiment,device,configuration,place,parameter,value,new_value,source,gain,gain_low,gain_high,evidence\n"
      "nbody/space,NVIDIA H200," +
          AdviceSpace::name(5, 5, 1) + ",1,C,1,3,measured,1.128417588,1.127740741,1.129094842,measured\n");
  EXPECT_EQ(advice(AdviceSpace::name(1, 5, 4)), "A 1 4 measured 1.35\n");
}

TEST_F(AdviceTest, IsSilentAboutWhatWasMeasuredAndNotFaster) {
  AdviceSpace space;
  ResultStore store(database_);
  const std::int64_t run = space.add(database_);
  space.factor = [](int, int, int) { return 1.3; };
  store.add_trial(run, samples::gpu(), space.trial_of(5, 5, 4));
  EXPECT_EQ(advice(), "");
}

TEST_F(AdviceTest, IsSilentAboutWhatFailed) {
  ResultStore store(database_);
  const std::int64_t run = AdviceSpace{}.add(database_);
  store.add_trial(
      run, samples::gpu(),
      samples::failed("shared", AdviceSpace::values(5, 5, 4), Outcome::wrong_result, "bodies[3]"));
  EXPECT_EQ(advice(), "");
}

TEST_F(AdviceTest, StaysInTheSpace) {
  AdviceSpace{.spec = R"({"constraints": ["A + B + C < 14", "OTHER < 0"]})"}.add(database_);
  EXPECT_EQ(advice(), "");
}

TEST_F(AdviceTest, PromisesNoMoreThanTheLimitLeaves) {
  AdviceSpace{.best_share = 0.97}.add(database_);
  EXPECT_EQ(advice(), "");
}

TEST_F(AdviceTest, IsGivenWhereTheLimitLeavesRoom) {
  AdviceSpace{.best_share = 0.5}.add(database_);
  EXPECT_EQ(advice(), "C 3 4 neighbours 1.06\n");
}

TEST_F(AdviceTest, IsSilentWhereNothingIsKnown) {
  AdviceSpace{.factor = [](int a, int b, int c) {
    return std::exp(std::sin(1e4 * std::sin(a + 12.9 * b + 78.2 * c)));
  }}.add(database_);
  EXPECT_EQ(advice(), "");
  EXPECT_EQ(why_no_rows(database_, find_query("advice")).substr(0, 64),
            "no rows: nothing that was measured says that a change would gain");
}

TEST_F(AdviceTest, DoesNotCallNoiseFaster) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("space", "2025-01-07T10:00:00Z"), samples::gpu());
  for (const int size : {1, 2}) {
    std::vector<double> times;
    for (int i = 0; i < 20; ++i) times.push_back((i % 2 == 0 ? 1e6 : 2e6) / (1 + 0.05 * size));
    store.add_trial(run, samples::gpu(), samples::trial("shared", AdviceSpace::values(1, 1, size), times));
  }
  EXPECT_EQ(advice(AdviceSpace::name(1, 1, 1)), "");
}

TEST_F(AdviceTest, OfAllIsThatOfTheFastestFifth) {
  AdviceSpace{}.add(database_);
  Values parameters = kSpace;
  parameters["configuration"] = std::string("all");
  std::set<std::string> from;
  for (const Advice& one : load_advice(database_, parameters).advice) from.insert(one.configuration);
  EXPECT_EQ(from.size(), 19U);  // of 96
  parameters["limit"] = 0;
  EXPECT_TRUE(load_advice(database_, parameters).advice.empty());
  parameters["limit"] = 1;
  EXPECT_EQ(load_advice(database_, parameters).advice.size(), 19U);
  parameters["least"] = 3;
  EXPECT_TRUE(load_advice(database_, parameters).advice.empty());
}

TEST_F(AdviceTest, RefusesAParameterThatItDoesNotHave) {
  EXPECT_EQ(
      samples::error_of([&] {
        answer("advice", {{"baseline", std::string("basic")}});
      }),
      "query: it has no parameter 'baseline'\n  it takes: experiment, system, device, configuration, least, limit, "
      "margin");
}

TEST_F(AdviceTest, HasARecordBySource) {
  AdviceSpace{}.add(database_);
  EXPECT_EQ(answer("advice_record"),
            "experiment,device,source,changes,advised,right,share,correlation\n"
            "nbody/space,NVIDIA H200,neighbours,201,35,35,0.972972973,0.9944284661\n"
            "nbody/space,NVIDIA H200,surface,1862,145,145,0.9931972789,0.9999296535\n"
            "all,NVIDIA H200,neighbours,201,35,35,0.972972973,0.9944284661\n"
            "all,NVIDIA H200,surface,1862,145,145,0.9931972789,0.9999296535\n");
}

TEST_F(AdviceTest, IsASectionOfTheExperimentsPage) {
  AdviceSpace{}.add(database_);
  samples::expect_file(section(page_of("space"), "### Advice"), "advice_section.md");
  samples::expect_file(section(samples::read_file(folder_ / "report/README.md"), "## Advice"),
                       "advice_totals.md");
}

TEST_F(AdviceTest, IsALineWhereNothingIsKnown) {
  EXPECT_EQ(section(page_of("variants"), "### Advice"),
            "\n### Advice\n\nNone: nothing that was measured says that a change of one value would gain.\n");
}

}  // namespace
}  // namespace tailwave
