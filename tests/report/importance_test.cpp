// Shares of variance against those computed by hand.
#include "report/importance.h"

#include <gmock/gmock.h>

#include <cmath>

#include "report/charts.h"
#include "report/fixture.h"
#include "report/queries.h"
#include "report/report.h"
#include "report/sql_files.h"

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::Not;

class Importance : public samples::Fixture {
 protected:
  void begin() { run_ = store_.begin_run(samples::run("space", "2025-06-01T10:00:00Z"), samples::gpu()); }
  void add(const Values& parameters, double time_ns) {
    store_.add_trial(run_, samples::gpu(), samples::trial("shared", parameters, {time_ns}));
  }
  std::string rows(const Values& more = {}) {
    Values parameters{{"experiment", std::string("nbody/space")}};
    parameters.insert(more.begin(), more.end());
    const Table all = run_query(database_, find_query("importance"), parameters);
    Table some{{all.columns.begin() + 5, all.columns.end()}, {}};
    for (const auto& row : all.rows) some.rows.emplace_back(row.begin() + 5, row.end());
    return samples::csv(some);
  }

  ResultStore store_{database_};
  std::int64_t run_ = 0;
};

constexpr const char* kColumns =
    "parameter,with,values,share,alone,best_value,value_of_best,worst_over_best,configurations\n";

std::string rest(const std::string& configurations, const std::string& share = "0") {
  return "\"(three or more, noise)\",,," + share + ",,,,," + configurations + "\n";
}

TEST_F(Importance, OfAFullSpaceIsSharedByParametersAndTheirInteraction) {
  // Logarithms 0, 0, 0 and ln 16: each parameter and the pair explain a third.
  begin();
  for (const int x : {1, 2})
    for (const int y : {1, 2}) add({{"X", x}, {"Y", y}, {"Z", 7}}, x + y == 4 ? 16e3 : 1e3);
  EXPECT_EQ(rows(), kColumns +
                        std::string("X,,2,0.333333333,0.333333333,1,1,4,4\n"
                                    "Y,,2,0.333333333,0.333333333,1,1,4,4\n"
                                    "X,Y,4,0.333333333,,\"1, 1\",,,4\n") +
                        rest("4"));
  EXPECT_EQ(rows({{"pairs", 0}, {"limit", 1}}),
            kColumns + std::string("X,,2,0.333333333,0.333333333,1,1,4,4\n"
                                   "\"(two or more, noise)\",,,0.333333333,,,,,4\n"));
}

// Counted, since times of a busy machine may be anything.
TEST_F(Importance, OfProgramsTakesWorkInProportionToTheirNumber) {
  const std::string experiment = "space";
  const auto work = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      Trial trial = samples::trial("shared", {{"X", i}}, {1e3 + i});
      trial.build = BuildRecord{.key = std::to_string(i),
                                .compiler = "",
                                .target = "program",
                                .options = "",
                                .code_hash = "",
                                .log = ""};
      store_.add_trial(run_, samples::gpu(), trial);
    }
    int turns = 0;
    database_.limit_queries({.cancelled = [&] { return ++turns < 0; }});
    EXPECT_EQ(run_query(database_, find_query("importance"), {{"experiment", experiment}, {"pairs", 0}})
                  .rows.size(),
              2U);
    database_.limit_queries({});
    return turns;
  };
  begin();
  const int few = work(0, 150);
  EXPECT_LT(work(150, 600), 8 * few);
}

TEST_F(Importance, NamesABooleanAsAPersonWritesIt) {
  begin();
  for (const bool fast : {false, true}) add({{"FAST", fast}}, fast ? 1e3 : 2e3);
  EXPECT_EQ(rows(), kColumns + std::string("FAST,,2,1,1,true,true,2,2\n") + rest("2"));
}

TEST_F(Importance, CountsOnceWhatTwoParametersExplainWhereConfigurationsAreRuledOut) {
  // Logarithms L, 0 and L: of the total 2/3 L^2, X alone explains L^2/6, as Y does, and both all of it.
  begin();
  add({{"X", 1}, {"Y", 1}}, 1e3);
  add({{"X", 1}, {"Y", 2}}, 4e3);
  add({{"X", 2}, {"Y", 1}}, 4e3);
  EXPECT_EQ(rows(),
            kColumns +
                std::string("X,,2,0.25,0.25,1,1,2,3\nY,,2,0.75,0.25,1,1,2,3\nX,Y,3,0,,\"1, 1\",,,3\n") +
                rest("3"));
}

TEST_F(Importance, LeavesFailuresOutAndIsOfEachVariantAndOfTheChoiceAmongThem) {
  begin();
  add({{"X", 1}}, 1e3);
  add({{"X", 2}}, 3e3);
  store_.add_trial(run_, samples::gpu(),
                   samples::failed("shared", {{"X", 4}}, Outcome::launch_failed, "too many"));
  const std::string shared = "X,,2,1,1,1,1,3,2\n" + rest("2");
  EXPECT_EQ(rows(), kColumns + shared);
  store_.add_trial(run_, samples::gpu(), samples::trial("basic", {}, {9e3}));
  // In units of ln 3: 0, 1 and 2, of which the means 1/2 of the first two and 2 explain 3/4.
  EXPECT_EQ(rows(), kColumns +
                        std::string("variant,,2,0.75,0.75,shared,shared,5.196152423,3\n"
                                    "(within variants),,,0.25,,,,,3\n") +
                        shared);
}

TEST_F(Importance, KnowsAParameterWhateverItIsCalled) {
  begin();
  for (const int i : {1, 2}) add({{"a\"b", i}, {"c.d[0]", i}, {"$.e", i}, {"variant", i}}, i * 1e3);
  // All four go together: the first has it all.
  EXPECT_EQ(rows({{"pairs", 0}}), kColumns + std::string("$.e,,2,1,1,1,1,2,2\n\"a\"\"b\",,2,0,1,1,1,2,2\n"
                                                         "c.d[0],,2,0,1,1,1,2,2\nvariant,,2,0,1,1,1,2,2\n"
                                                         "\"(two or more, noise)\",,,0,,,,,2\n"));
}

TEST_F(Importance, OfEqualTimesIsNothing) {
  begin();
  add({{"X", 1}}, 1e3);
  add({{"X", 2}}, 1e3);
  EXPECT_EQ(rows(), kColumns);
}

TEST_F(Importance, IsDrawnForAParameterWhateverItIsCalled) {
  begin();
  for (const int x : {1, 2, 4, 8, 16})
    for (const int y : {1, 2, 3, 4}) add({{"a\"b", x}, {"Y", y}}, 1e3 * x * (y == 3 ? 1 : 2));
  const Table rows = database_.query(
      sql_files("charts").at("marginals"),
      {{"system", "nbody"}, {"experiment", "space"}, {"device", "NVIDIA H200"}, {"kind", "cuda"}});
  ASSERT_EQ(rows.rows.size(), 9U);
  EXPECT_EQ(std::get<std::string>(rows.rows[0][3]), "a\"b: 91.4 %");
}

// 5 x 4 configurations whose time is the product of X and a factor of Y.
class ImportanceOfAProduct : public Importance {
 protected:
  ImportanceOfAProduct() {
    begin();
    for (const int x : {1, 2, 4, 8, 16})
      for (const int y : {1, 2, 3, 4}) add({{"X", x}, {"Y", y}}, 1e3 * x * (y == 3 ? 1 : 2));
  }
};

TEST_F(ImportanceOfAProduct, IsASectionOfThePage) {
  render_report(database_, {{}, folder_ / "report"});
  const std::string page = samples::read_file(folder_ / "report/nbody/space.md");
  EXPECT_THAT(page, HasSubstr("\n### Which parameters matter\n"));
  // Variances of the logarithms to base 2: 2 for X, 3/16 for Y.
  EXPECT_THAT(page, HasSubstr("| `X` | 5 | 91.4 % | 91.4 % | 1 | 1 | 16 |\n"));
  EXPECT_THAT(page, HasSubstr("| `Y` | 4 | 8.6 % | 8.6 % | 3 | 3 | 2 |\n"));
  EXPECT_THAT(page, HasSubstr("| `X` with `Y` | 20 | 0.0 % |  | 1, 3 |  |  |\n"));
  EXPECT_THAT(samples::read_file(folder_ / "report/nbody/basic_block_size.md"),
              Not(HasSubstr("Which parameters matter")));
}

TEST_F(ImportanceOfAProduct, IsDrawnAsCostByTheValueOfEachParameter) {
  const Table rows = database_.query(
      sql_files("charts").at("marginals"),
      {{"system", "nbody"}, {"experiment", "space"}, {"device", "NVIDIA H200"}, {"kind", "cuda"}});
  ASSERT_EQ(rows.rows.size(), 9U);
  Table some{{"panel", "rank", "setting", "position", "mean", "best"}, {}};
  for (const auto& row : rows.rows) some.rows.emplace_back(row.begin() + 3, row.end());
  // The factors of Y are 2, 2, 1, 2: their geometric mean is 2^(3/4); that of X is 4.
  EXPECT_EQ(samples::csv(some),
            "panel,rank,setting,position,mean,best\n"
            "X: 91.4 %,1,1,1,1.6818,1\nX: 91.4 %,1,2,2,3.3636,2\nX: 91.4 %,1,4,3,6.7272,4\n"
            "X: 91.4 %,1,8,4,13.4543,8\nX: 91.4 %,1,16,5,26.9087,16\n"
            "Y: 8.57 %,2,1,1,8,2\nY: 8.57 %,2,2,2,8,2\nY: 8.57 %,2,3,3,4,1\nY: 8.57 %,2,4,4,8,2\n");
}

}  // namespace
}  // namespace tailwave
