#include "report/answer.h"

#include <gtest/gtest.h>

#include "report/fixture.h"
#include "report/study_reader.h"

namespace tailwave {
namespace {

class Answers : public samples::Fixture {
 protected:
  Study study(const std::string& name) { return load_studies(database_, {name}).front(); }
  std::string of(const std::string& name) {
    const Study one = study(name);
    return answer(one, one.devices.front());
  }
  // An experiment of kernels with 20 samples each, in the order given.
  void add(const std::string& name, const std::vector<std::pair<std::string, double>>& kernels) {
    RunRecord record = samples::run(name, "2025-06-01T10:00:00Z");
    for (const auto& [variant, time_ns] : kernels) record.spec_text += '"' + variant + '"';
    const std::int64_t run = ResultStore(database_).begin_run(record, samples::gpu());
    for (const auto& [variant, time_ns] : kernels) {
      Trial trial = samples::trial(variant, {}, std::vector<double>(20, time_ns));
      trial.limits = {{"fp32_issue", 500}};
      ResultStore(database_).add_trial(run, samples::gpu(), trial);
    }
  }
};

TEST_F(Answers, SayWhatWonByHowMuchOverTheFirstStepAndTheNextBest) {
  add("ladder", {{"naive", 48000}, {"tiled", 4000}, {"final", 1000}});
  EXPECT_EQ(
      of("ladder"),
      "`final` is the fastest: 16.78 T interactions/s (median 1 us, 95 % interval 1 us to 1 us, 20 samples), 48 times "
      "the first step `naive`, 4 times the runner-up `tiled`, tied with no other, 50 % of the limit `fp32_issue`; "
      "3 of 3 configurations correct");
  const Study ladder = study("ladder");
  const AnswerFigures figures = answer_figures(ladder, ladder.devices.front());
  EXPECT_EQ(figures.best, "final");
  EXPECT_EQ(figures.value, "16.78 T interactions/s");
  EXPECT_EQ(figures.speedup, "48");
  EXPECT_EQ(figures.over, "naive");
  EXPECT_EQ(figures.limit, "50 %");
}

TEST_F(Answers, SayThatWhatIsTiedIsTied) {
  add("close", {{"one", 1001}, {"two", 1000}});
  EXPECT_NE(of("close").find("less than 1 % ahead of the first step `one`, tied with 1 other, "),
            std::string::npos)
      << of("close");
}

TEST_F(Answers, SetAGpuBesideTheHostWithoutLettingItWin) {
  EXPECT_NE(of("nbody/variants").find(" 15000 times `cpu` on Test CPU (2 cores); 4 of 4"), std::string::npos)
      << of("nbody/variants");
}

TEST_F(Answers, SayWhatTheBestOfTheStudyReachesHere) {
  add("ladder", {{"naive", 4000}, {"final", 1000}});
  const auto published = [](const char* variant, double seconds) {
    return PublishedValue{"Study", "a100", "time", "us", variant, {}, seconds, "", ""};
  };
  ResultStore(database_).set_published("ladder", {published("naive", 2e-3), published("final", 3e-3)},
                                       "nbody");
  EXPECT_NE(of("ladder").find(", the best of the study, `naive`, reaches 25 % of it here; "),
            std::string::npos)
      << of("ladder");
  ResultStore(database_).set_published("ladder", {published("naive", 2e-3), published("final", 1e-3)},
                                       "nbody");
  EXPECT_NE(of("ladder").find(", the best of the study too; "), std::string::npos) << of("ladder");
}

TEST_F(Answers, OfASpaceSetTheBestBesideTheMedian) {
  const std::int64_t run =
      ResultStore(database_).begin_run(samples::run("space", "2025-06-01T10:00:00Z"), samples::gpu());
  for (const int size : {1, 2, 3, 4, 5})
    for (const int unroll : {1, 2, 3})
      for (const int split : {1, 2, 3})
        ResultStore(database_).add_trial(
            run, samples::gpu(),
            samples::trial("basic", {{"BLOCK_SIZE", size}, {"SPLIT", split}, {"UNROLL", unroll}},
                           {1e3 * size}));
  EXPECT_NE(of("space").find(", 3 times the median of 45, "), std::string::npos) << of("space");
}

TEST_F(Answers, OfScalingSayWhoWinsWhereAndFromWhereOnItIsFull) {
  const std::int64_t run =
      ResultStore(database_).begin_run(samples::run("scaling", "2025-06-01T10:00:00Z"), samples::gpu());
  for (const int n : {64, 128, 256, 512})
    for (const char* variant : {"small", "large"}) {
      const bool small = variant == std::string("small");
      Trial trial = samples::trial(variant, {},
                                   std::vector<double>(20, small      ? 10.0 * n
                                                           : n >= 256 ? 5.0 * n
                                                                      : 12.0 * n));
      trial.configuration.problem["N"] = std::int64_t{n};
      trial.work = {{"interactions", n}};
      ResultStore(database_).add_trial(run, samples::gpu(), trial);
    }
  EXPECT_EQ(
      of("scaling"),
      "the fastest at 2 of 4 problems is `large`, at 2 `small`; at N 512 `large` is the fastest: 200 M interactions/s "
      "(median 2.56 us, 95 % interval 2.56 us to 2.56 us, 20 samples), 2 times the runner-up `small`, tied with no "
      "other, and has 90 % of its highest rate from N 256 on; 8 of 8 configurations correct");
}

}  // namespace
}  // namespace tailwave
