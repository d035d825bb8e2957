#include "report/gains_page.h"

#include <gmock/gmock.h>

#include "report/gains_data.h"
#include "report/report.h"
#include "report/study_reader.h"

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::Not;

class GainsPage : public samples::SizesFixture {
 protected:
  ReportSummary render() { return render_report(database_, {{}, folder_ / "report"}); }
  std::string text(bool partly = false) { return gains_page(database_, load_studies(database_), partly); }
};

TEST_F(GainsPage, HasARowForEachProblemAndBelowWhatItIsBeside) {
  add_two_sizes();
  samples::expect_file(text(), "gains.md");
}

TEST_F(GainsPage, SaysThatThereAreOtherExperiments) {
  add_two_sizes();
  EXPECT_THAT(text(true), HasSubstr("the database has others"));
  EXPECT_THAT(text(false), Not(HasSubstr("the database has others")));
}

TEST_F(GainsPage, IsLinkedFromTheIndexAndFromEachPage) {
  add_two_sizes();
  const ReportSummary summary = render();
  EXPECT_EQ(summary.gains, folder_ / "report/gains.md");
  EXPECT_THAT(samples::read_file(summary.index), HasSubstr("\n[What tuning gained](gains.md): "));
  EXPECT_THAT(samples::read_file(summary.html), HasSubstr("<a href=\"gains.html\">What tuning gained</a>"));
  EXPECT_THAT(samples::read_file(folder_ / "report/nbody/sizes.html"),
              HasSubstr("<a href=\"../gains.html\">"));
  EXPECT_THAT(samples::read_file(folder_ / "report/gains.html"), HasSubstr("<h2"));
}

TEST_F(GainsPage, IsNoneForOneProblemAndOneVariantAndGoesWithThem) {
  add({timed("shared", 64, 1024, 100), timed("shared", 32, 1024, 200)});
  std::ignore = render();
  EXPECT_EQ(text(), "");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "report/gains.md"));
  add({timed("shared", 64, 4096, 100)});
  EXPECT_NE(render().gains, "");
  database_.execute(
      "DELETE FROM trial WHERE configuration_id IN (SELECT id FROM configuration WHERE problem LIKE '%4096%')");
  EXPECT_EQ(render().gains, "");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "report/gains.html"));
}

TEST_F(GainsPage, OfManyProblemsHasOnlyTheWinnerByWhichMostIsLost) {
  std::vector<Trial> trials;
  for (int size = 1; size <= 7; ++size)
    for (int block = 1; block <= 7; ++block)
      trials.push_back(timed("shared", block, 1024 * size, 100 + 10 * std::abs(block - size)));
  add(trials);
  EXPECT_THAT(text(), HasSubstr("| N 1024 | winner of N 7168 |"));
  EXPECT_THAT(text(), Not(HasSubstr("| N 1024 | winner of N 6144 |")));
  EXPECT_THAT(text(), HasSubstr("`tailwave query gains` has all."));
}

TEST_F(GainsPage, CountsWhatHasNoTime) {
  add({timed("shared", 16, 1024, 100), wrong("shared", 32, 1024), wrong("shared", 64, 1024),
       wrong("basic", 8, 1024), timed("shared", 32, 4096, 200), timed("shared", 64, 8192, 300)});
  EXPECT_THAT(text(), HasSubstr("| 2 wrong_result | none of 1 has a time (wrong_result 1) |"));
}

TEST_F(GainsPage, NamesOfTheWinnerWhatAllThatAreTiedWithItHaveAlike) {
  Trial other = timed("shared", 64, 1024, 100), slow = timed("shared", 32, 1024, 200);
  Trial first = other;
  first.configuration.parameters["UNROLL"] = 1;
  other.configuration.parameters["UNROLL"] = 2;
  slow.configuration.parameters["UNROLL"] = 1;
  for (Trial* const one : {&first, &other, &slow}) one->key = "key of " + one->configuration.name();
  add({first, other, slow, timed("basic", 32, 1024, 300)});
  EXPECT_THAT(text(), HasSubstr("| shared, BLOCK_SIZE 64 |"));
}

TEST_F(GainsPage, SaysOfAWinnerThatNothingVerifiedIt) {
  Trial best = timed("shared", 64, 1024, 100);
  best.unverified = "it has no reference";
  add({best, timed("basic", 32, 1024, 300)});
  EXPECT_THAT(text(), HasSubstr("| shared (unverified) |"));
}

TEST_F(GainsPage, NamesDevicesWhereThereAreSeveral) {
  add_two_sizes();
  EXPECT_THAT(text(), HasSubstr(" All on NVIDIA H200."));
  ResultStore store(database_);
  DeviceDescription other = samples::gpu();
  other.name = "NVIDIA H100";
  other.uuid = "GPU-2";
  const std::int64_t id = store.begin_run(samples::run("sizes", "2025-05-03T10:00:00Z"), other);
  for (const int n : {1024, 4096}) store.add_trial(id, other, timed("shared", 64, n, 100));
  EXPECT_THAT(text(), HasSubstr("| [nbody/sizes](nbody/sizes.md) | NVIDIA H100 | N 1024 |"));
  EXPECT_THAT(text(), HasSubstr("\n## nbody/sizes on NVIDIA H200\n"));
}

}  // namespace
}  // namespace tailwave
