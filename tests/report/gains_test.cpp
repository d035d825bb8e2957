#include "report/gains.h"

#include <gmock/gmock.h>

#include <map>
#include <utility>

#include "interchange/import.h"
#include "report/gains_data.h"
#include "report/queries.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Gains : public samples::SizesFixture {
 protected:
  Table rows(const Values& parameters = {}) { return run_query(database_, find_query("gains"), parameters); }
  // "winner of N 4096: BLOCK_SIZE:128 1.5 slower correct" of each row of a problem.
  std::vector<std::string> lines(const std::string& problem) {
    std::vector<std::string> lines;
    for (const auto& row : rows().rows) {
      if (text(row[2]) != problem) continue;
      const std::string name = text(row[6]);
      const auto* const ratio = std::get_if<double>(&row[8]);
      lines.push_back(fmt::format("{}: {}{}{} {}", text(row[5]), name.substr(name.find('/') + 1),
                                  ratio == nullptr ? "" : fmt::format(" {:.2f} ", *ratio), text(row[11]),
                                  text(row[12])));
    }
    return lines;
  }
  static std::string text(const Cell& cell) {
    const auto* const text = std::get_if<std::string>(&cell);
    return text == nullptr ? "" : *text;
  }
};

TEST_F(Gains, HaveARowForTheDefaultEachOtherWinnerAndEachOtherVariant) {
  add_two_sizes();
  EXPECT_EQ(
      samples::csv(rows()).substr(0, samples::csv(rows()).find('\n')),
      "experiment,run_device,problem,best,best_us,beside,configuration,median_us,ratio,ratio_low,ratio_high,verdict,"
      "outcome,baseline_is");
  EXPECT_THAT(lines(R"({"N":1024})"),
              ElementsAre("default: basic/BLOCK_SIZE:32/N:1024 2.00 slower correct",
                          "winner of N 4096: shared/BLOCK_SIZE:128/N:1024 1.50 slower correct",
                          "best of basic: basic/BLOCK_SIZE:32/N:1024 2.00 slower correct"));
  EXPECT_THAT(lines(R"({"N":4096})"),
              ElementsAre("default: basic/BLOCK_SIZE:32/N:4096 3.00 slower correct",
                          "winner of N 1024: shared/BLOCK_SIZE:64/N:4096 1.20 slower correct",
                          "best of basic: basic/BLOCK_SIZE:64/N:4096 2.50 slower correct"));
  const auto row = rows().rows.front();
  EXPECT_EQ(row[3], Cell{"nbody/shared/BLOCK_SIZE:64/N:1024"});
  EXPECT_NEAR(std::get<double>(row[4]), 0.1, 1e-3);
  EXPECT_NEAR(std::get<double>(row[7]), 0.2, 1e-3);
  EXPECT_NEAR(std::get<double>(row[9]), 2, 0.01);
  EXPECT_NEAR(std::get<double>(row[10]), 2, 0.01);
  EXPECT_EQ(row[13], Cell{"the first GPU variant"});
}

TEST_F(Gains, AreNoneWhereTheBestIsTheDefaultAndAnotherSizesWinner) {
  add({samples::SizesFixture::timed("basic", 32, 1024, 100), timed("basic", 64, 1024, 200),
       timed("basic", 32, 4096, 400)});
  EXPECT_THAT(lines(R"({"N":1024})"),
              ElementsAre("default: basic/BLOCK_SIZE:32/N:1024 1.00 best correct",
                          "winner of N 4096: basic/BLOCK_SIZE:32/N:1024 1.00 best correct"));
}

TEST_F(Gains, SayWhyAnotherSizesWinnerHasNoTime) {
  const std::string spec = R"({"constraints": ["BLOCK_SIZE < N / 16"]})";
  add({timed("shared", 16, 1024, 100), wrong("shared", 32, 1024), timed("shared", 32, 4096, 200),
       timed("shared", 128, 8192, 300), timed("shared", 48, 16384, 500)},
      spec);
  EXPECT_THAT(lines(R"({"N":1024})"),
              ElementsAre("default: shared/BLOCK_SIZE:16/N:1024 1.00 best correct",
                          "winner of N 4096: shared/BLOCK_SIZE:32/N:1024 wrong_result",
                          "winner of N 8192: shared/BLOCK_SIZE:128/N:1024 ruled out by constraints",
                          "winner of N 16384: shared/BLOCK_SIZE:48/N:1024 not measured"));
}

TEST_F(Gains, SayWhereAnotherSizesWinnerIsNotValid) {
  add({timed("shared", 32, 1024, 100), timed("shared", 64, 4096, 200)},
      R"({"constraints": ["BLOCK_SIZE < N / 16"]})");
  ResultStore(database_).set_domains("nbody", {{"shared", "N % (BLOCK_SIZE * BLOCK_SIZE) == 0"}});
  EXPECT_THAT(lines(R"({"N":1024})"),
              testing::Contains(
                  "winner of N 4096: shared/BLOCK_SIZE:64/N:1024 not valid: its variant requires otherwise"));
}

TEST_F(Gains, DoNotCallRuledOutWhatAConstraintThatNobodyCanReadIsAbout) {
  add({timed("shared", 32, 1024, 100), timed("shared", 64, 4096, 200)},
      R"({"constraints": ["BLOCK_SIZE <"]})");
  EXPECT_THAT(lines(R"({"N":1024})"),
              testing::Contains("winner of N 4096: shared/BLOCK_SIZE:64/N:1024 not measured"));
}

TEST_F(Gains, TakeTheTimeOfWhatHasTheSameMachineCode) {
  const Trial twin = timed("shared", 64, 1024, 150);
  add({timed("shared", 32, 1024, 100), twin, skipped("shared", 128, 1024, twin),
       skipped("other", 1, 1024, twin), timed("shared", 128, 4096, 200)});
  EXPECT_THAT(lines(R"({"N":1024})"),
              ElementsAre("default: shared/BLOCK_SIZE:32/N:1024 1.00 best correct",
                          "winner of N 4096: shared/BLOCK_SIZE:128/N:1024 1.50 slower skipped_identical",
                          "best of other: other/BLOCK_SIZE:1/N:1024 1.50 slower skipped_identical"));
}

TEST_F(Gains, TakeItsLatestTimeWhereThatWasMeasuredAgain) {
  const Trial twin = timed("shared", 64, 1024, 150);
  add({timed("shared", 32, 1024, 100), twin, skipped("shared", 128, 1024, twin),
       timed("shared", 128, 4096, 200)});
  add({timed("shared", 64, 1024, 160)}, "{}", "2025-05-02T10:00:00Z");
  EXPECT_THAT(
      lines(R"({"N":1024})"),
      testing::Contains("winner of N 4096: shared/BLOCK_SIZE:128/N:1024 1.60 slower skipped_identical"));
}

TEST_F(Gains, SayThatTheDefaultFailed) {
  add({wrong("basic", 32, 1024), timed("basic", 64, 1024, 200), timed("shared", 64, 1024, 100)}, "{}",
      "2025-05-01T10:00:00Z", R"({"basic": {"BLOCK_SIZE": 32}})");
  EXPECT_THAT(lines(R"({"N":1024})"),
              ElementsAre("in place of the default: basic/BLOCK_SIZE:64/N:1024 2.00 slower correct",
                          "default: basic/BLOCK_SIZE:32/N:1024 wrong_result",
                          "best of basic: basic/BLOCK_SIZE:64/N:1024 2.00 slower correct"));
}

TEST_F(Gains, NameOfAVariantWhatWasMeasuredBeforeWhatHasItsMachineCode) {
  const Trial twin = timed("shared", 64, 1024, 150);
  add({timed("basic", 32, 1024, 100), skipped("shared", 32, 1024, twin), twin,
       skipped("shared", 128, 1024, twin)});
  EXPECT_THAT(lines(R"({"N":1024})"),
              testing::Contains("best of shared: shared/BLOCK_SIZE:64/N:1024 1.50 slower correct"));
}

TEST_F(Gains, SayOfAVariantWithoutATimeWhatBecameOfIt) {
  add({timed("shared", 32, 1024, 100), wrong("basic", 32, 1024), wrong("basic", 64, 1024),
       timed("tuned", 32, 4096, 200)});
  EXPECT_THAT(lines(R"({"N":1024})"),
              testing::IsSupersetOf(
                  {"best of basic:  none of 2 has a time (wrong_result 2)", "best of tuned:  not measured"}));
}

TEST_F(Gains, LeaveOutHostVariantsAndCountUnverifiedOnesAsThat) {
  Trial unverified = timed("basic", 32, 1024, 200);
  unverified.unverified = "it has no reference";
  Trial host = timed("cpu", 1, 1024, 9000);
  host.build = BuildRecord{
      .key = "host", .compiler = "g++", .target = "host", .options = "", .code_hash = "", .log = ""};
  add({unverified, timed("shared", 32, 1024, 100), host});
  EXPECT_THAT(lines(R"({"N":1024})"),
              ElementsAre("default: basic/BLOCK_SIZE:32/N:1024 2.00 slower unverified",
                          "best of basic: basic/BLOCK_SIZE:32/N:1024 2.00 slower unverified"));
}

TEST_F(Gains, HaveNoIntervalOfTooFewSamples) {
  add({samples::SizesFixture::of_size(samples::trial("basic", {{"BLOCK_SIZE", 32}}, {200}), 1024),
       samples::SizesFixture::of_size(samples::trial("shared", {{"BLOCK_SIZE", 32}}, {100}), 1024)});
  const auto row = rows().rows.at(0);
  EXPECT_EQ(row[8], Cell{2.0});
  EXPECT_EQ(row[9], Cell{});
  EXPECT_EQ(row[11], Cell{"unclear"});
}

// The ratio, its interval and the verdict of each row are those of the query "best".
TEST_F(Gains, AreWhatTheQueryBestSaysOfRecordedSpaces) {
  for (const char* const name : {"particles/tuning", "plasma/tuning"})
    import_recorded(database_, TAILWAVE_SOURCE_DIR "/results/h200/" + std::string(name) + ".json");
  std::map<std::string, std::vector<Cell>> best;
  for (const auto& row : run_query(database_, find_query("best"), {{"limit", std::int64_t{100'000}}}).rows)
    best[text(row[0]) + text(row[6])] = row;
  std::size_t compared = 0;
  for (const auto& row : rows().rows) {
    if (row[9] == Cell{}) continue;
    const std::vector<Cell>& other = best.at(text(row[0]) + text(row[6]));
    const std::vector<Cell> ours(row.begin() + 8, row.begin() + 12);
    if (best.at(text(row[0]) + text(row[3]))[14] != Cell{"best"})
      continue;  // one of several with the same median
    EXPECT_EQ(ours[0], other[15]) << text(row[6]);
    EXPECT_EQ(ours[1], other[16]);
    EXPECT_EQ(ours[2], other[17]);
    EXPECT_EQ(ours[3], other[14]);
    ++compared;
  }
  EXPECT_GT(compared, 4U);
}

TEST_F(Gains, SayWhyTheyAreNone) {
  add({wrong("shared", 32, 1024)});
  EXPECT_TRUE(rows().rows.empty());
  EXPECT_THAT(why_no_rows(database_, find_query("gains")), HasSubstr("no configuration has a time"));
}

TEST_F(Gains, SayThatAnotherTunersResultsHaveNothingBesideThem) {
  import_recorded(database_, TAILWAVE_SOURCE_DIR "/tests/data/tuners/convolution_milo-A4000-T4.json");
  for (const char* query : {"gains", "limits", "speedup", "why"}) {
    EXPECT_TRUE(run_query(database_, find_query(query)).rows.empty());
    EXPECT_THAT(
        why_no_rows(database_, find_query(query)),
        HasSubstr("no rows: what another tuner recorded has no variants, default and limits to stand beside; "
                  "'tailwave query best' ranks it\n"));
  }
  // Of our own results another reason is true.
  add({wrong("shared", 32, 1024)});
  EXPECT_THAT(why_no_rows(database_, find_query("gains")), HasSubstr("no configuration has a time"));
}

}  // namespace
}  // namespace tailwave
