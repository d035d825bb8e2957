// What the charts of answers are drawn from, and that each kind of question has one.
#include "report/answer_rows.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/charts.h"
#include "report/fixture.h"
#include "report/study_reader.h"

namespace tailwave {
namespace {

using nlohmann::json;

class AnswerCharts : public samples::Fixture {
 protected:
  Study study(const std::string& name) { return load_studies(database_, {name}).front(); }
  // The data of the first picture; its title and subtitle are in title_.
  json drawn(const std::string& name) {
    const Study one = study(name);
    const ChartSet set = load_answer_charts(database_, one, one.devices.front());
    if (set.charts.empty()) return json::array();
    names_ = set.charts.front().name;
    title_ = set.charts.front().title;
    return json::parse(set.charts.front().spec)["data"]["values"];
  }
  void add(const std::string& name, const std::vector<Trial>& trials) {
    const std::int64_t run =
        ResultStore(database_).begin_run(samples::run(name, "2025-06-01T10:00:00Z"), samples::gpu());
    for (const Trial& one : trials) ResultStore(database_).add_trial(run, samples::gpu(), one);
  }

  std::string names_, title_;
};

TEST_F(AnswerCharts, HaveValuesInTheUnitOfTheAxisWithTheirIntervals) {
  const Study block_size = study("jacobi/block_size");
  const json facts =
      json::parse(answer_rows(block_size, block_size.devices.front(), {Asks::size, "BLOCK_SIZE"}));
  EXPECT_EQ(facts["y_title"], "Time (us)");
  ASSERT_EQ(facts["rows"].size(), 2U);
  const json& row = facts["rows"][1];
  EXPECT_EQ(row["x"], 256);
  EXPECT_NEAR(row["value"].get<double>(), 2.539, 1e-3);
  EXPECT_NEAR(row["low"].get<double>(), 2.5, 1e-9);
  EXPECT_NEAR(row["published"].get<double>(), 2520, 1e-6);
  EXPECT_EQ(row["label"], "BLOCK_SIZE 256");
  EXPECT_FALSE(facts["rows"][0].contains("published"));
}

TEST_F(AnswerCharts, OfStepsAreALadderInTheOrderOfTheSpec) {
  add("ladder",
      {samples::trial("a", {}, {4000}), samples::trial("b", {}, {2000}), samples::trial("c", {}, {2500})});
  const json rows = drawn("ladder");
  EXPECT_EQ(names_, "answer_steps");
  EXPECT_EQ(title_,
            "How many times as fast as a, on NVIDIA H200. interactions/s; in brackets, over the step before");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["text"], "1 times");
  EXPECT_EQ(rows[1]["text"], "2 times (2)");
  EXPECT_EQ(rows[1]["ground"], "best");
  EXPECT_EQ(rows[2]["text"], "1.6 times (0.8)");
  EXPECT_EQ(rows[2]["ground"], "other");
}

TEST_F(AnswerCharts, OfStepsOnAGpuBeginWithTheBestOfTheHost) {
  const json rows = drawn("nbody/variants");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0]["label"], "cpu (on the CPU)");
  EXPECT_EQ(rows[0]["text"], "0.00167 times");
  EXPECT_EQ(rows[1]["text"], "1 times (600)");
  EXPECT_EQ(rows[3]["text"], "25 times (1.5)");
}

TEST_F(AnswerCharts, OfASizeMarkWhatIsPublished) {
  const json rows = drawn("nbody/basic_block_size");
  EXPECT_EQ(names_, "answer_steps") << "three sizes are no curve";
  std::vector<Trial> trials;
  for (const int size : {32, 64, 128, 256})
    trials.push_back(samples::trial("basic", {{"BLOCK_SIZE", size}}, {1e5 + size}));
  add("sizes", trials);
  ResultStore(database_).set_published(
      "sizes", {{"Study", "a100", "time", "us", "basic", {{"BLOCK_SIZE", 64}}, 1e-4, "", ""}}, "nbody");
  const json of_sizes = drawn("sizes");
  EXPECT_EQ(names_, "answer_size");
  ASSERT_EQ(of_sizes.size(), 5U);
  EXPECT_EQ(of_sizes[0]["source"], "measured");
  EXPECT_EQ(of_sizes[4]["source"], "published");
  EXPECT_EQ(of_sizes[4]["x"], 64);
  EXPECT_NEAR(of_sizes[4]["value"].get<double>(), 16'777'216 / 1e-4, 1e6);
}

TEST_F(AnswerCharts, OfScalingHaveTheLimitAsALine) {
  std::vector<Trial> trials;
  for (const int n : {64, 128, 256, 512}) {
    trials.push_back(samples::trial("basic", {}, {10.0 * n}));
    trials.back().configuration.problem["N"] = std::int64_t{n};
    trials.back().limits = {{"copy", 5.0 * n}};
  }
  add("scaling", trials);
  const json rows = drawn("scaling");
  EXPECT_EQ(names_, "answer_scaling");
  ASSERT_EQ(rows.size(), 8U);
  EXPECT_EQ(rows[4]["series"], "the limit copy");
  EXPECT_NEAR(rows[4]["value"].get<double>(), 2 * rows[0]["value"].get<double>(), 1);
}

TEST_F(AnswerCharts, OfTuningAreRankedWithTheTiedOnesMarked) {
  std::vector<Trial> trials;
  for (const int size : {1, 2, 3, 4, 5, 6, 7})
    for (const int unroll : {1, 2, 3})
      for (const int split : {1, 2, 3})
        trials.push_back(
            samples::trial("basic", {{"BLOCK_SIZE", size}, {"SPLIT", split}, {"UNROLL", unroll}},
                           std::vector<double>(20, size * 1e3 + (unroll == 1 ? 0 : 500 * unroll))));
  add("space", trials);
  const json rows = drawn("space");
  EXPECT_EQ(names_, "answer_tuning");
  EXPECT_EQ(title_,
            "The best configurations on NVIDIA H200. 30 of 63, with 95 % intervals; 2 tied with the best");
  ASSERT_EQ(rows.size(), 30U);
  EXPECT_EQ(rows[2]["ground"], "best or tied with it");
  EXPECT_EQ(rows[3]["ground"], "not as good");
}

}  // namespace
}  // namespace tailwave
