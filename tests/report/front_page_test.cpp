#include "report/front_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/fixture.h"
#include "report/study_reader.h"

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::Not;

class FrontPage : public samples::Fixture {
 protected:
  std::string text(const std::vector<Claim>& claims) {
    std::vector<ClaimVerdict> verdicts;
    for (std::size_t i = 0; i < claims.size(); ++i)
      verdicts.push_back({&claims[i], "NVIDIA H200", static_cast<Judgement>(i % 3), "1 < 2", "", ""});
    return front_page(load_studies(database_), verdicts, {"nbody"}, "Below.\n").text;
  }
  static std::vector<Claim> of_nbody() {
    std::vector<Claim> claims(4);
    for (Claim& claim : claims) claim.system = "nbody";
    return claims;
  }
};

TEST_F(FrontPage, HasACardOfAStudyWithItsLadderAndItsVerdicts) {
  const std::string page = text(of_nbody());
  EXPECT_THAT(
      page,
      HasSubstr(
          "<article class=\"card\">\n<h2>nbody</h2>\n<p class=\"asked\"><a href=\"nbody/basic_block_size.html\">"
          "Does the block size matter?</a></p>\n<p class=\"came\"><code>BLOCK_SIZE 32</code> 47.93 G "
          "interactions/s (DT 0.01, N 4096), 3.14 times <code>BLOCK_SIZE 1</code> <span class=\"quiet\">on NVIDIA "
          "H200</span></p>\n"));
  EXPECT_THAT(page,
              HasSubstr("<li><span>BLOCK_SIZE 1</span><i style=\"--share: 0.3182\"></i><b>1 ×</b></li>\n"));
  EXPECT_THAT(
      page,
      HasSubstr(
          "<li class=\"best\"><span>BLOCK_SIZE 32</span><i style=\"--share: 1.0000\"></i><b>3.14 ×</b>"));
  EXPECT_THAT(page, HasSubstr("<li><b>3.14 ×</b> best speed-up, over BLOCK_SIZE 1</li>\n"));
  EXPECT_THAT(
      page,
      HasSubstr(
          "<li class=\"confirmed\"><b>2</b> confirmed</li>\n<li class=\"differs\"><b>1</b> differ here</li>\n<li "
          "class=\"refuted\"><b>1</b> refuted</li>\n<li class=\"untested\"><b>0</b> not testable</li>\n"));
  EXPECT_THAT(page, HasSubstr("<a href=\"nbody/study.html\">"));
  EXPECT_THAT(page, HasSubstr("<summary>2 experiments</summary>"));
}

TEST_F(FrontPage, HasTimesAndVerdictsOfOneDevice) {
  const std::vector<Claim> claims = of_nbody();
  const std::vector<ClaimVerdict> verdicts{
      {&claims[0], "NVIDIA A100", Judgement::confirmed, "1 < 2", "", ""},
      {&claims[0], "NVIDIA H200", Judgement::not_testable, "", "", ""},
      {&claims[0], "Test CPU (2 cores)", Judgement::not_testable, "", "", ""},
      {&claims[1], "Test CPU (2 cores)", Judgement::not_testable, "", "", ""}};
  const std::string page = front_page(load_studies(database_), verdicts, {}, "Below.\n").text;
  EXPECT_THAT(page, HasSubstr("<span class=\"quiet\">on NVIDIA H200</span>"));
  EXPECT_THAT(page, HasSubstr("judged on NVIDIA H200\"")) << "of the A100 are no times";
}

TEST_F(FrontPage, HasWhatIsNoStudysAndWhatWasMeasuredHereBelowTheNewestFirst) {
  database_.execute("UPDATE run SET recorded_from = 'results/variants.json' WHERE experiment = 'variants'");
  const std::string page = text(of_nbody());
  const std::string own = page.substr(page.find("<h2 id=\"own\">Your own experiments</h2>"));
  EXPECT_THAT(own, Not(HasSubstr("nbody/variants")));
  EXPECT_LT(own.find("nbody/basic_block_size.html"), own.find("jacobi/block_size.html")) << own;
  EXPECT_THAT(
      own,
      HasSubstr(
          "<span class=\"quiet\">2025-02-01T09:00:00Z</span>\n<p>On NVIDIA H200: <code>BLOCK_SIZE 32</code>"));
  EXPECT_THAT(own, HasSubstr("<p>Below.</p>"));
}

TEST_F(FrontPage, SaysWhatItHasAndLinksTheNewestExperimentOfOnesOwn) {
  EXPECT_THAT(
      text(of_nbody()),
      HasSubstr("<p>What each experiment asked and came to: a card for the study, then <a "
                "href=\"#own\">your own experiments</a>, of which <a href=\"nbody/basic_block_size.html\">"
                "nbody/basic_block_size</a> is the newest (2025-02-01T09:00:00Z).</p>\n"));
  database_.execute("UPDATE run SET recorded_from = 'results/x.json' WHERE system = 'nbody'");
  database_.execute("DELETE FROM run WHERE system = 'jacobi'");
  EXPECT_THAT(text(of_nbody()),
              HasSubstr("<p>What each experiment asked and came to: a card for the study.</p>\n"));
}

TEST_F(FrontPage, KeepsTheBaselineAndTheWinnerOfManySteps) {
  ResultStore store(database_);
  RunRecord record = samples::run("many", "2025-06-01T10:00:00Z");
  record.system = "other";
  const std::int64_t run = store.begin_run(record, samples::gpu());
  for (int i = 10; i < 22; ++i) {
    Trial trial = samples::trial("v" + std::to_string(i), {}, {i == 11 ? 100.0 : 1000.0 - i});
    trial.configuration.system = "other";
    store.add_trial(run, samples::gpu(), trial);
  }
  std::vector<Claim> claims(1);
  claims.front().system = "other";
  const std::string page = text(claims);
  EXPECT_THAT(page,
              HasSubstr("<li><span>v10</span><i style=\"--share: 0.1010\"></i><b>1 ×</b></li>\n"
                        "<li class=\"best\"><span>v11</span><i style=\"--share: 1.0000\"></i><b>9.9 ×</b>"
                        "</li>\n<li><span>v16</span>"));
  EXPECT_THAT(page, HasSubstr("<li><b>9.9 ×</b> best speed-up, over v10</li>\n"));
}

TEST_F(FrontPage, SaysOfWhatIsNoSpeedHowMuchBetterItIs) {
  database_.execute(
      "UPDATE run SET metric = 'share', metric_expression = 'x' WHERE experiment = 'basic_block_size'");
  database_.execute(
      "INSERT INTO trial_metric (trial_id, position, name, unit, maximise, objective, value, low, high) SELECT trial.id, 0, 'share', '', "
      "1, 0, trial.id, trial.id, trial.id FROM trial JOIN run ON run.id = run_id WHERE run.experiment = 'basic_block_size'");
  EXPECT_THAT(text(of_nbody()), HasSubstr("</b> better than BLOCK_SIZE 1</li>\n"));
}

TEST_F(FrontPage, SaysOfAGpusRunOfHostVariantsThatTheCpuWasMeasured) {
  database_.execute("DELETE FROM run WHERE experiment = 'variants'");
  ResultStore store(database_);
  const std::int64_t run =
      store.begin_run(samples::run("scaling_cpu", "2025-06-01T10:00:00Z"), samples::gpu());
  store.add_trial(run, samples::cpu(), samples::trial("cpu", {}, {2.1e8}));
  EXPECT_THAT(
      text(of_nbody()),
      HasSubstr(
          "<code>cpu</code> 79.89 M interactions/s (DT 0.01, N 4096) <span class=\"quiet\">on Test CPU (2 cores)</span>"));
}

TEST_F(FrontPage, HasNoCardsWhereNothingIsClaimed) {
  EXPECT_THAT(text({}), Not(HasSubstr("card")));
}

TEST(EmptyFrontPage, SaysHowResultsAreMade) {
  EXPECT_EQ(front_page({}, {}, {}, "").text,
            "<h1>Results</h1>\n<p>There are no results yet: <code>tailwave run</code> makes some.</p>\n");
}

}  // namespace
}  // namespace tailwave
