#include "report/answer.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <regex>

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
    // Its name and its question have the last variant's name before the cases do.
    std::string cases;
    for (const auto& [variant, time_ns] : kernels)
      cases += (cases.empty() ? "" : ", ") + ("{\"variant\": \"" + variant + "\"}");
    record.spec_text = "{\"name\": \"" + kernels.back().first + "\", \"question\": \"Is \\\"" +
                       kernels.back().first + "\\\" good?\", \"cases\": [" + cases + "]}";
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
      "the baseline `naive` (the first GPU variant), 4 times the runner-up `tiled`, not tied (all 2 others are shown to be slower), 50 % of the limit `fp32_issue`; "
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
  EXPECT_NE(
      of("close").find(
          "less than 1 % ahead of the baseline `one` (the first GPU variant), tied with the other one, "),
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
      "`large` has the lowest median at 2 of 4 problems, `small` at 2; what has it is shown to be the fastest at all 4; at N 512 `large` is the fastest: 200 M interactions/s "
      "(median 2.56 us, 95 % interval 2.56 us to 2.56 us, 20 samples), itself the baseline (the first GPU variant), 2 times the runner-up "
      "`small`, not tied (the other one is shown to be slower), and has 90 % of its highest rate from N 256 on; 8 of 8 configurations correct");
}

// Rates of one configuration at N 64, 128, ...
TEST_F(Answers, OfScalingSayNoSizeFromWhichOnItIsFullWhereItFallsAgain) {
  const auto scaling = [&](const std::string& name, const std::vector<double>& rates) {
    const std::int64_t run =
        ResultStore(database_).begin_run(samples::run(name, "2025-06-01T10:00:00Z"), samples::gpu());
    std::int64_t n = 32;
    for (const double rate : rates) {
      n *= 2;
      Trial trial =
          samples::trial("basic", {}, std::vector<double>(20, 1000 * static_cast<double>(n) / rate));
      trial.configuration.problem["N"] = n;
      trial.work = {{"interactions", static_cast<double>(n)}};
      ResultStore(database_).add_trial(run, samples::gpu(), trial);
    }
    const std::string text = of(name);
    const std::size_t at = text.find(" of its highest rate ");
    return at == std::string::npos ? "never" : text.substr(at + 21, text.find(';', at) - at - 21);
  };
  EXPECT_EQ(scaling("rising", {1, 50, 95, 100, 99}), "from N 256 on");
  EXPECT_EQ(scaling("dipping", {1, 95, 3, 96, 100}), "from N 512 on");
  EXPECT_EQ(scaling("falling", {1, 100, 99, 98, 3}), "never");
  EXPECT_EQ(scaling("last", {1, 2, 3, 4, 100}), "never") << "one point is no plateau";
  EXPECT_EQ(scaling("flat", {100, 99, 98, 97, 96}), "never") << "nothing is left out by it";
}

TEST_F(Answers, CountWinnersByVariantWhateverQuantitiesVary) {
  const std::int64_t run =
      ResultStore(database_).begin_run(samples::run("two", "2025-06-01T10:00:00Z"), samples::gpu());
  for (const int n : {64, 128, 256, 512})
    for (const int m : {1, 2})
      for (const bool fast : {false, true}) {
        Trial trial =
            samples::trial(fast ? "fast" : "plain", {}, std::vector<double>(20, (fast ? 5.0 : 9.0) * n));
        trial.configuration.problem = {{"N", n}, {"M", m}};
        trial.work = {{"interactions", 1e3}};
        ResultStore(database_).add_trial(run, samples::gpu(), trial);
      }
  EXPECT_TRUE(of("two").starts_with(
      "`fast` has the lowest median at all 8 problems; what has it is shown to be the fastest at all 8; at M 2, N "
      "512 `fast` is the"))
      << of("two");
}

TEST_F(Answers, SayAtHowManyProblemsTheBestIsShownToBe) {
  const std::int64_t run =
      ResultStore(database_).begin_run(samples::run("ties", "2025-06-01T10:00:00Z"), samples::gpu());
  for (const int n : {64, 128, 256, 512})
    for (const bool first : {false, true}) {
      const double other = n == 64 ? 20 : n == 128 ? 10 : 10.01;
      Trial trial =
          samples::trial(first ? "first" : "other", {}, std::vector<double>(20, (first ? 10 : other) * n));
      trial.configuration.problem["N"] = std::int64_t{n};
      ResultStore(database_).add_trial(run, samples::gpu(), trial);
    }
  EXPECT_TRUE(of("ties").starts_with(
      "`first` has the lowest median at all 4 problems; what has it is shown to be the fastest at 1 of 4; "))
      << of("ties");
}

TEST_F(Answers, CallNothingCorrectThatIsUnverified) {
  const std::int64_t run =
      ResultStore(database_).begin_run(samples::run("unknown", "2025-06-01T10:00:00Z"), samples::gpu());
  for (const int size : {32, 64, 128}) {
    Trial trial = samples::trial("basic", {{"BLOCK_SIZE", size}}, {1e3 * size});
    if (size > 32) trial.unverified = "there is no reference";
    ResultStore(database_).add_trial(run, samples::gpu(), trial);
  }
  EXPECT_TRUE(of("unknown").ends_with("; 1 of 3 configurations correct, 2 unverified")) << of("unknown");
}

TEST_F(Answers, NameConfigurationsByWhatTellsThemFromFailedOnes) {
  const std::int64_t run =
      ResultStore(database_).begin_run(samples::run("works", "2025-06-01T10:00:00Z"), samples::gpu());
  ResultStore store(database_);
  store.add_trial(run, samples::gpu(), samples::trial("basic", {{"WORK", 1}}, {4e3}));
  for (const int work : {3, 200})
    store.add_trial(run, samples::gpu(),
                    samples::failed("basic", {{"WORK", work}}, Outcome::wrong_result, "it is wrong"));
  store.add_trial(run, samples::gpu(), samples::trial("tuned", {}, {1e3}));
  EXPECT_NE(of("works").find(" the baseline `basic, WORK 1` ("), std::string::npos) << of("works");
}

TEST_F(Answers, HaveTheManifestsDefaultsForABaselineWhereARunSaidThem) {
  RunRecord record = samples::run("sizes", "2025-06-01T10:00:00Z");
  const auto measure = [&] {
    const std::int64_t run = ResultStore(database_).begin_run(record, samples::gpu());
    for (const int size : {32, 64, 128, 256})
      ResultStore(database_).add_trial(
          run, samples::gpu(),
          samples::trial("basic", {{"BLOCK_SIZE", size}}, std::vector<double>(20, 256e3 / size)));
    const Study sizes = study("sizes");
    const AnswerFigures figures = answer_figures(sizes, sizes.devices.front());
    return figures.speedup + " over " + figures.over;
  };
  EXPECT_EQ(measure(), "2 over BLOCK_SIZE 128") << "the runner-up: the first of sizes is there to be slow";
  EXPECT_NE(of("sizes").find(
                ", 8 times the baseline `BLOCK_SIZE 32` (the first configuration), 2 times the runner-up "),
            std::string::npos)
      << of("sizes");
  record.started_at = "2025-06-02T10:00:00Z";
  record.defaults = R"({"basic": {"BLOCK_SIZE": 64}, "odd": [1], "cpu": {}})";
  EXPECT_EQ(measure(), "4 over BLOCK_SIZE 64");
  EXPECT_NE(of("sizes").find(
                ", 4 times the baseline `BLOCK_SIZE 64` (the manifest's defaults), 2 times the runner-up "),
            std::string::npos)
      << of("sizes");
}

// Rates of variants that are called as a quantity, a parameter and the system, at problems of two quantities.
struct RandomStudy {
  Study study;
  std::map<std::pair<std::string, std::int64_t>, double> last;  // by variant and N, at the last M

  explicit RandomStudy(std::mt19937& random) {
    study.system = "nbody";
    study.metric = {"interactions_per_second"};
    DeviceStudy& device = study.devices.emplace_back();
    device.device = "G";
    std::uniform_int_distribution<int> rate(1, 12);
    for (const std::int64_t n : {10, 20, 40, 80, 160})
      for (const std::int64_t m : {1, 2})
        for (const char* variant : {"N", "SIZE", "nbody"}) {
          StudyRow& row = device.rows.emplace_back();
          row.variant = row.configuration = variant;
          row.parameters = {{"SIZE", 8}};
          row.problem = {{"M", m}, {"N", n}};
          row.device = "G";
          row.value = last[{variant, n}] = 1e9 * rate(random);
          row.median_s = 1e-3;
          row.interval_s = {1e-3, 1e-3};
          row.samples = 20;
        }
    study.put_in_order({{"nbody", "N", "SIZE"}, {"SIZE"}, {"N", "M"}});
  }
};

TEST(AnswersOfAnything, SayOnlyWhatHolds) {
  std::mt19937 random(7);
  const std::regex full("`([A-Za-z]+)` is the fastest: .* of its highest rate from N ([0-9]+) on;");
  const std::regex most("^`(N|SIZE|nbody)` has the lowest median at (all|[0-9]+)( of)? ?10 problems[,;]");
  int said = 0;
  for (int i = 0; i < 60; ++i) {
    const RandomStudy one(random);
    const std::string text = answer(one.study, one.study.devices.front());
    EXPECT_TRUE(std::regex_search(text, most)) << text;
    std::smatch found;
    if (!std::regex_search(text, found, full)) continue;
    ++said;
    const std::int64_t from = std::stoll(found[2]);
    double highest = 0;
    for (const auto& [where, rate] : one.last)
      if (where.first == found[1]) highest = std::max(highest, rate);
    for (const auto& [where, rate] : one.last)
      if (where.first == found[1] && where.second >= from) {
        EXPECT_GE(rate, 0.9 * highest) << text;
      }
  }
  EXPECT_GT(said, 3);
}

}  // namespace
}  // namespace tailwave
