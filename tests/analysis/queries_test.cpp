#include "analysis/queries.h"

#include <gtest/gtest.h>

#include "analysis/fixture.h"
#include "core/error.h"

namespace tailwave {
namespace {

class Queries : public samples::Fixture {
 protected:
  // Runs a named query and compares with the CSV file of that name.
  void check(const std::string& query, const Values& parameters, const std::string& file) {
    const Table table = run_query(database_, find_query(query), parameters);
    samples::expect_file(samples::csv(table), file);
  }
};

const Values kBlockSize{{"experiment", std::string("nbody/basic_block_size")}};
const Values kVariants{{"experiment", std::string("variants")}};

TEST_F(Queries, BestAnswersAsExpected) {
  check("best", {}, "best.csv");
}
TEST_F(Queries, BestWithALimitAndADeviceAnswersAsExpected) {
  check("best", {{"limit", 2}, {"device", std::string("cuda")}, {"system", std::string("nbody")}},
        "best_two.csv");
}
// An experiment of 20 samples each, whose four configurations take 100, 100.5, 101.5 and 120 us with a noise of
// 0.1 %, and one more problem size.
void add_close_run(Database& database) {
  ResultStore store(database);
  RunRecord record = samples::run("close", "2025-01-05T10:00:00Z");
  const std::int64_t run = store.begin_run(record, samples::gpu());
  int size = 1;
  for (const double time : {100500.0, 100000.0, 101500.0, 120000.0, 400000.0}) {
    std::vector<double> times;
    for (int i = 0; i < 20; ++i) times.push_back(time * (1 + 1e-4 * (i * 7 % 20 - 10)));
    Trial trial = samples::trial("basic", {{"BLOCK_SIZE", size *= 2}}, times);
    if (time > 200000) trial.configuration.problem["N"] = 8192;
    store.add_trial(run, samples::gpu(), trial);
  }
}

TEST_F(Queries, BestNamesAllThatAreTiedWithTheBest) {
  add_close_run(database_);
  check("best", {{"experiment", std::string("close")}}, "best_tied.csv");
}
TEST_F(Queries, BestTakesAMargin) {
  add_close_run(database_);
  const auto rows = [&](double margin) {
    return run_query(database_, find_query("best"),
                     {{"experiment", std::string("close")}, {"margin", margin}})
        .rows.size();
  };
  EXPECT_EQ(rows(0), 1U + 1);
  EXPECT_EQ(rows(0.01), 2U + 1);
  EXPECT_EQ(rows(0.03), 3U + 1);
  EXPECT_EQ(samples::error_of([&] { rows(-1); }),
            (folder_ / "results.db").string() + ": the margin must be 0 or more");
}
TEST_F(Queries, WorstAnswersAsExpected) {
  check("worst", {}, "worst.csv");
}
TEST_F(Queries, ByParameterAnswersAsExpected) {
  check("by_parameter", {}, "by_parameter.csv");
}
TEST_F(Queries, FailuresAnswersAsExpected) {
  check("failures", {}, "failures.csv");
}
TEST_F(Queries, WavesAnswersAsExpected) {
  check("waves", kBlockSize, "waves.csv");
}
TEST_F(Queries, SpeedupAnswersAsExpected) {
  check("speedup", {}, "speedup.csv");
}
TEST_F(Queries, SpeedupOverANamedVariantAnswersAsExpected) {
  Values parameters = kVariants;
  parameters["baseline"] = std::string("cpu");
  check("speedup", parameters, "speedup_over_cpu.csv");
}
TEST_F(Queries, RunsAnswersAsExpected) {
  check("runs", {}, "runs.csv");
}
TEST_F(Queries, PublishedAnswersAsExpected) {
  check("published", {}, "published.csv");
}
TEST_F(Queries, SpaceAnswersAsExpected) {
  check("space", {}, "space.csv");
}
TEST_F(Queries, OccupancyAnswersAsExpected) {
  check("occupancy", {}, "occupancy.csv");
}

// Two self-tests of a GPU, of which the second one counts, and one of a CPU.
TEST_F(Queries, SelftestAnswersAsExpected) {
  ResultStore store(database_);
  store.add_selftest(
      samples::cpu(), "2025-03-01T10:00:00Z",
      {{.name = "clock_step", .quantity = "highest change", .unit = "%", .detail = "no clock"}});
  for (const bool passed : {false, true}) {
    store.add_selftest(samples::gpu(), passed ? "2025-03-02T10:00:00Z" : "2025-03-01T10:00:00Z",
                       {{.name = "cache_flush",
                         .quantity = "cold over hot",
                         .unit = "ratio",
                         .expectation = "above 1.2",
                         .value = passed ? 1.5 : 1.1,
                         .passed = passed}});
  }
  check("selftest", {}, "selftest.csv");
}

TEST_F(Queries, AllHaveATitleAndRunWithoutParameters) {
  for (const NamedQuery& query : list_queries()) {
    EXPECT_FALSE(query.title.empty()) << query.name;
    EXPECT_FALSE(query.parameters.empty()) << query.name;
    EXPECT_NO_THROW(std::ignore = run_query(database_, query)) << query.name;
  }
}

TEST_F(Queries, OfTheCookbookInTheDocumentationRun) {
  const std::string page =
      samples::read_file(std::filesystem::path(TAILWAVE_SOURCE_DIR) / "docs/database.md");
  int found = 0;
  for (std::size_t place = page.find("```sql\n"); place != std::string::npos;
       place = page.find("```sql\n", place)) {
    place += 7;
    const std::string sql = page.substr(place, page.find("```", place) - place);
    EXPECT_NO_THROW(std::ignore = database_.query(sql)) << sql;
    ++found;
  }
  EXPECT_EQ(found, 5);
}

TEST_F(Queries, AreListedByName) {
  std::string names;
  for (const NamedQuery& query : list_queries()) names += query.name + " ";
  EXPECT_EQ(names,
            "best by_parameter claims drift failures occupancy phases published runs selftest space speedup "
            "waves worst ");
}

TEST_F(Queries, IncludeThoseOfTheProjectThatTheProgramLacks) {
  std::filesystem::create_directories(folder_ / "analysis/tables");
  std::ofstream(folder_ / "analysis/tables/mine.sql")
      << "-- title: Mine\n-- parameters: :x\nSELECT :x AS x;\n";
  std::ofstream(folder_ / "analysis/tables/best.sql") << "-- title: Another best\nSELECT 1\n";
  std::ofstream(folder_ / "analysis/tables/notes.txt") << "no query\n";
  EXPECT_EQ(list_queries(folder_ / "").size(), list_queries().size() + 1);
  const NamedQuery mine = find_query("mine", folder_ / "");
  EXPECT_EQ(mine.title, "Mine");
  EXPECT_EQ(mine.parameters, ":x");
  EXPECT_EQ(render(run_query(database_, mine, {{"x", 3}}), TableFormat::csv), "x\n3\n");
  EXPECT_NE(find_query("best", folder_ / "").title, "Another best");
}

TEST_F(Queries, AreSuggestedForAnUnknownName) {
  EXPECT_EQ(samples::error_of([] { find_query("bst"); }),
            "query: there is no query 'bst'\n  did you mean 'best'?");
  EXPECT_EQ(
      samples::error_of([] { find_query("everything"); }),
      "query: there is no query 'everything'\n  there are: best, by_parameter, claims, drift, failures, "
      "occupancy, phases, published, runs, selftest, space, speedup, waves, worst");
}

}  // namespace
}  // namespace tailwave
