#include "report/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/comparison_text.h"
#include "store/sample_data.h"
#include "store/search_store.h"

namespace tailwave {
namespace {

using samples::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

// Ten samples about a time, half a percent apart at most.
std::vector<double> about(double time_ns) {
  std::vector<double> times;
  for (int i = 0; i < 10; ++i) times.push_back(time_ns * (1 + 0.0005 * (i * 7 % 10)));
  return times;
}

class CompareSides : public testing::Test {
 protected:
  std::int64_t add_run(const std::string& started_at, const std::vector<Trial>& trials,
                       const DeviceDescription& device = samples::gpu(),
                       const std::string& commit = "abc1234") {
    RunRecord record = samples::run("variants", started_at);
    record.commit = commit;
    return add_run(record, trials, device);
  }
  std::int64_t add_run(const RunRecord& record, const std::vector<Trial>& trials,
                       const DeviceDescription& device = samples::gpu()) {
    ResultStore store(database_);
    const std::int64_t run = store.begin_run(record, device);
    for (const Trial& trial : trials) store.add_trial(run, device, trial);
    return run;
  }
  static Trial of(int size, double time_ns) {
    return samples::trial("basic", {{"BLOCK_SIZE", size}}, about(time_ns));
  }
  std::vector<Side> sides(const SideName& name) { return find_sides(database_, name); }
  static SideName run_named(std::int64_t run) {
    SideName name;
    name.text = "run:" + std::to_string(run);
    name.run = run;
    return name;
  }
  SideComparison compare(std::int64_t a, std::int64_t b) {
    return compare_sides(database_, sides(run_named(a)), database_, sides(run_named(b)));
  }
  // Of two runs, in the second of which `change` was made, the only row.
  template <class Change>
  ComparedRow row_after(Change change, const std::string& metric = "interactions_per_second") {
    RunRecord record = samples::run("variants", "2025-01-01T10:00:00Z");
    record.metric = metric;
    Trial trial = of(32, 1000);
    const std::int64_t a = add_run(record, {trial});
    record.started_at = "2025-01-02T10:00:00Z";
    change(record, trial);
    const std::int64_t b = add_run(record, {trial});
    const SideComparison comparison = compare(a, b);
    summary_ = summary_line(comparison);
    return comparison.rows.at(0);
  }
  static std::string why(const ComparedRow& row) {
    return std::string(to_string(row.compared)) + ", " + std::string(to_string(row.obstacle)) + ": " +
           row.obstacle_detail;
  }
  // "BLOCK_SIZE:32 faster", or with the variant that has no parameters.
  static std::vector<std::string> verdicts(const SideComparison& comparison) {
    std::vector<std::string> all;
    for (const ComparedRow& row : comparison.rows) {
      const std::string name = row.configuration.substr(0, row.configuration.find("/DT:"));
      all.push_back(name.substr(name.rfind('/') + 1) + " " + std::string(to_string(row.compared)));
    }
    return all;
  }

  samples::TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
  std::string summary_;
};

TEST_F(CompareSides, SaysOfEveryConfigurationWhatBecameOfIt) {
  using samples::failed;
  const auto broken = [](int size, Outcome outcome) {
    return failed("basic", {{"BLOCK_SIZE", size}}, outcome, "why");
  };
  const std::int64_t a = add_run("2025-01-01T10:00:00Z",
                                 {of(32, 1000), of(64, 1000), of(128, 1000), of(256, 1000),
                                  broken(512, Outcome::timeout), of(1, 1000), broken(3, Outcome::timeout)});
  const std::int64_t b = add_run(
      "2025-01-02T10:00:00Z", {of(32, 1080), of(64, 950), of(128, 1001), broken(256, Outcome::wrong_result),
                               of(512, 1000), of(2, 1000), broken(3, Outcome::crashed)});
  const SideComparison comparison = compare(a, b);
  EXPECT_THAT(verdicts(comparison),
              ElementsAre("BLOCK_SIZE:256 failed", "BLOCK_SIZE:32 slower", "BLOCK_SIZE:3 other outcome",
                          "BLOCK_SIZE:512 fixed", "BLOCK_SIZE:64 faster", "BLOCK_SIZE:128 same",
                          "BLOCK_SIZE:1 only in A", "BLOCK_SIZE:2 only in B"));
  EXPECT_NEAR(*comparison.rows[1].ratio, 1.08, 1e-9);
  EXPECT_EQ(
      summary_line(comparison),
      "of 8 configurations 1 failed, 1 slower, 1 other outcome, 1 fixed, 1 faster, 1 same, 1 only in A, "
      "1 only in B");
  EXPECT_EQ(comparison.on_both(), 6U);
  EXPECT_EQ(left_out_text(comparison, 8), "");
  EXPECT_EQ(left_out_text(comparison, 7), "1 only in B; --all shows them.\n");
  EXPECT_EQ(left_out_text(comparison, 6), "1 only in A, 1 only in B; --all shows them.\n");
  EXPECT_EQ(left_out_text(comparison, 5),
            "The first 5 of 6; --all shows all.\n1 only in A, 1 only in B; --all shows them.\n");
  EXPECT_TRUE(comparison.differences.empty());
}

TEST_F(CompareSides, ReadsARunThatALaterOneSuperseded) {
  const std::int64_t a = add_run("2025-01-01T10:00:00Z", {of(32, 1000)});
  const std::int64_t b = add_run("2025-01-02T10:00:00Z", {of(32, 2000)});
  EXPECT_THAT(verdicts(compare(a, b)), ElementsAre("BLOCK_SIZE:32 slower"));
  EXPECT_THAT(verdicts(compare(b, a)), ElementsAre("BLOCK_SIZE:32 faster"));
  EXPECT_THAT(verdicts(compare(a, a)), ElementsAre("BLOCK_SIZE:32 same"));
}

TEST_F(CompareSides, IsUnclearWithFewSamples) {
  const std::int64_t a = add_run("2025-01-01T10:00:00Z", {samples::trial("basic", {}, {1000, 1001, 1002})});
  const std::int64_t b = add_run("2025-01-02T10:00:00Z", {samples::trial("basic", {}, {2000, 2001, 2002})});
  EXPECT_THAT(verdicts(compare(a, b)), ElementsAre("basic unclear"));
}

TEST_F(CompareSides, GivesIdenticalCodeTheSamplesOfItsTwin) {
  const std::int64_t a = add_run("2025-01-01T10:00:00Z", {of(32, 1000), of(64, 1000)});
  Trial twin = of(64, 0);
  twin.samples.clear();
  twin.outcome = Outcome::skipped_identical;
  twin.timer = twin.stopped_by = "";
  twin.same_as = of(32, 1).configuration.name();
  const std::int64_t b = add_run("2025-01-02T10:00:00Z", {of(32, 1100), twin});
  EXPECT_THAT(verdicts(compare(a, b)), ElementsAre("BLOCK_SIZE:32 slower", "BLOCK_SIZE:64 slower"));
}

TEST_F(CompareSides, TellsWhatNothingHasVerifiedOnEitherSide) {
  Trial once = of(32, 1000), always = of(64, 1000);
  always.unverified = "it draws numbers";
  const std::int64_t a = add_run("2025-01-01T10:00:00Z", {once, always});
  once.unverified = "no reference | yet";
  const std::int64_t b = add_run("2025-01-02T10:00:00Z", {once, always});
  const SideComparison comparison = compare(a, b);
  EXPECT_THAT(comparison.unverified(), ElementsAre(UnverifiedPart{"A", "it draws numbers", 1},
                                                   UnverifiedPart{"B", "it draws numbers", 1},
                                                   UnverifiedPart{"B", "no reference | yet", 1}));
  EXPECT_THAT(summary_line(comparison),
              HasSubstr("; unverified in A: 1 (it draws numbers); unverified in B: 1 (it draws numbers); "
                        "unverified in B: 1 (no reference | yet)"));
  const Table table = comparison_table(comparison, 9);
  std::vector<Cell> outcomes;
  for (const auto& row : table.rows) outcomes.push_back(row.at(8));
  EXPECT_THAT(outcomes, ElementsAre(Cell{"correct -> unverified"}, Cell{"unverified"}));
  const std::string page = comparison_page(comparison, 9);
  EXPECT_THAT(page, HasSubstr("| correct -&gt; unverified |"));
  EXPECT_THAT(page, HasSubstr("unverified in B: 1 (no reference \\| yet)"));
}

TEST_F(CompareSides, ComparesNoCpuWithAGpu) {
  const std::int64_t a = add_run("2025-01-01T10:00:00Z", {of(32, 1000)});
  const std::int64_t b = add_run("2025-01-02T10:00:00Z", {of(32, 900000)}, samples::cpu());
  const SideComparison comparison = compare(a, b);
  EXPECT_THAT(verdicts(comparison), ElementsAre("BLOCK_SIZE:32 not comparable"));
  EXPECT_EQ(summary_line(comparison),
            "of 1 configuration 1 not comparable (the times of a CPU device say nothing of a GPU's)");
}

TEST_F(CompareSides, ComparesNothingRecordedByAnotherProgramWithWhatIsMeasured) {
  const std::int64_t a = add_run("2025-01-01T10:00:00Z", {of(32, 1000)});
  const std::int64_t b =
      add_run("2025-01-02T10:00:00Z", {of(32, 1000)}, {.kind = DeviceKind::recorded, .name = "NVIDIA H200"});
  EXPECT_EQ(summary_line(compare(a, b)),
            "of 1 configuration 1 not comparable (times that another program recorded are no measurements of "
            "tailwave's)");
  EXPECT_THAT(verdicts(compare(b, b)), ElementsAre("BLOCK_SIZE:32 same"));
}

TEST_F(CompareSides, ComparesNoTwoMetrics) {
  const ComparedRow row = row_after([](RunRecord& run, Trial&) { run.metric = "flop_per_second"; });
  EXPECT_EQ(why(row),
            "not comparable, different metrics: interactions_per_second in A, flop_per_second in B");
  EXPECT_FALSE(row.ratio);
  EXPECT_EQ(summary_, "of 1 configuration 1 not comparable (different metrics)");
}

TEST_F(CompareSides, ComparesNoTwoGoals) {
  EXPECT_EQ(why(row_after([](RunRecord& run, Trial&) { run.maximise = !run.maximise; })),
            "not comparable, different goals: more is better in A, less in B");
}

TEST_F(CompareSides, ComparesNoTwoAmountsOfWork) {
  const auto half = [](RunRecord&, Trial& trial) { trial.work["interactions"] = 8'388'608; };
  const std::string halved = "not comparable, different work: interactions is 16777216 in A, 8388608 in B";
  EXPECT_EQ(why(row_after(half)), halved);
  EXPECT_EQ(summary_, "of 1 configuration 1 not comparable (different work)");
  EXPECT_EQ(why(row_after(half, "time")), halved);
  EXPECT_EQ(why(row_after([](RunRecord&, Trial& trial) { trial.work.clear(); })),
            "not comparable, different work: interactions is 16777216 in A, unknown in B");
  EXPECT_EQ(why(row_after([](RunRecord&, Trial& trial) { trial.work["flop"] = 1; })), "same, : ")
      << "a quantity that A does not know";
}

TEST_F(CompareSides, SaysWhatFailedWhateverTheMetric) {
  const ComparedRow row = row_after([](RunRecord& run, Trial& trial) {
    run.metric = "time";
    trial = samples::failed("basic", {{"BLOCK_SIZE", 32}}, Outcome::wrong_result, "why");
  });
  EXPECT_EQ(row.compared, ComparedAs::failed);
}

TEST_F(CompareSides, TablesAndPagesSayWhatIsNotComparable) {
  const std::int64_t a = add_run("2025-01-01T10:00:00Z", {of(32, 1000)});
  RunRecord record = samples::run("variants", "2025-01-02T10:00:00Z");
  record.metric = "time";
  const std::int64_t b = add_run(record, {of(32, 1000)});
  EXPECT_EQ(
      samples::csv(comparison_table(compare(a, b), 9)),
      "experiment,configuration,B_is,us_A,us_B,ratio,low,high,outcome,why\n"
      "nbody/variants,nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096,not comparable,1.00225,1.00225,,,,correct,"
      "\"different metrics: interactions_per_second in A, time in B\"\n");
  EXPECT_THAT(
      comparison_page(compare(a, b), 9),
      HasSubstr("| not comparable | 1.002 us | 1.002 us | different metrics: interactions_per_second in A, "
                "time in B |\n"));
}

TEST_F(CompareSides, TellsWhereTheEnvironmentDiffers) {
  const std::int64_t a = add_run("2025-01-01T10:00:00Z", {of(32, 1000)});
  DeviceDescription other = samples::gpu();
  other.name = "NVIDIA H100";
  const std::int64_t b = add_run("2025-01-02T10:00:00Z", {of(32, 1000)}, other, "def5678-dirty");
  std::vector<std::string> differences;
  for (const Difference& one : compare(a, b).differences)
    differences.push_back(one.what + ": " + one.a + ", " + one.b);
  EXPECT_THAT(differences, ElementsAre("commit: abc1234, def5678-dirty", "device: NVIDIA H200, NVIDIA H100"));
}

TEST_F(CompareSides, MakesAPageForAPullRequest) {
  const std::int64_t a = add_run("2025-01-01T10:00:00Z", {of(32, 1000), of(64, 1000)});
  const std::int64_t b =
      add_run("2025-01-02T10:00:00Z", {of(32, 1100), of(64, 1000)}, samples::gpu(), "def5678");
  EXPECT_EQ(
      comparison_page(compare(a, b), 1),
      "# Comparison\n\n"
      "- A: run 1 (NVIDIA H200, 2025-01-01T10:00:00Z)\n- B: run 2 (NVIDIA H200, 2025-01-02T10:00:00Z)\n\n"
      "**B against A** (margin 1 %, intervals within these runs alone): of 2 configurations 1 slower, 1 same.\n\n"
      "| different | A | B |\n| --- | --- | --- |\n| commit | abc1234 | def5678 |\n\n"
      "| configuration | B is | A | B | B / A | 95 % interval |\n| --- | --- | ---: | ---: | ---: | ---: |\n"
      "| `nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096` | **slower** | 1.002 us | 1.102 us | 1.100 | 1.098 to "
      "1.102 |\n"
      "\nThe first 1 of 2; --all shows all.\n");
}

TEST_F(CompareSides, FindsRunsByAgeCommitAndDevice) {
  add_run("2025-01-01T10:00:00Z", {of(32, 1000)});
  add_run("2025-01-02T10:00:00Z", {of(32, 1000)}, samples::gpu(), "def5678");
  add_run("2025-01-03T10:00:00Z", {of(32, 1000)}, samples::cpu(), "def5678");
  add_run("2025-01-04T10:00:00Z", {of(32, 1000)}, samples::gpu(), "def9999");
  SideName name;
  name.age = SideName::Age::latest;
  EXPECT_THAT(sides(name).at(0).runs, ElementsAre(4));
  name.age = SideName::Age::previous;
  EXPECT_THAT(sides(name).at(0).runs, ElementsAre(2));
  name.age = SideName::Age::any;
  name.commit = "def";
  name.device = "cuda";
  EXPECT_THAT(sides(name).at(0).runs, ElementsAre(4, 2));
  EXPECT_FALSE(sides(name).at(0).current);
  name.commit = "";
  EXPECT_TRUE(sides(name).at(0).current);
}

TEST_F(CompareSides, TakesASearchAndTheRoundsOfItsLeadersForOneRun) {
  ResultStore store(database_);
  add_run("2025-01-01T10:00:00Z", {of(32, 1000)});
  const std::int64_t searching = add_run("2025-01-02T10:00:00Z", {of(32, 1000), of(64, 1010), of(96, 2000)});
  begin_search(database_, searching, {.strategy = "random"});
  for (const std::string minute : {"01", "02"})
    set_final_run(database_, searching,
                  add_run("2025-01-02T10:" + minute + ":00Z", {of(32, 1000), of(64, 1010)}));
  const SideName latest{.text = "latest", .age = SideName::Age::latest};
  const SideName previous{.text = "previous", .age = SideName::Age::previous};
  EXPECT_THAT(sides(latest).at(0).runs, ElementsAre(4, 3, 2));
  EXPECT_THAT(sides(previous).at(0).runs, ElementsAre(1));
  const SideComparison compared = compare_sides(database_, sides(previous), database_, sides(latest));
  EXPECT_EQ(compared.name_b, "runs 2 to 4 (NVIDIA H200, 2025-01-02T10:00:00Z)");
  EXPECT_EQ(compared.rows.size(), 3U);
  add_run("2025-01-03T10:00:00Z", {of(32, 1000)});
  EXPECT_THAT(sides(latest).at(0).runs, ElementsAre(5));
  EXPECT_THAT(sides(previous).at(0).runs, ElementsAre(4, 3, 2));
}

TEST_F(CompareSides, RefusesASideThatMeansNothingOrTooMuch) {
  add_run("2025-01-01T10:00:00Z", {of(32, 1000)});
  const std::string file = (folder_ / "results.db").string();
  SideName name{.text = "commit:fff", .commit = "fff"};
  EXPECT_EQ(error_of([&] { find_sides(database_, name, "variants"); }),
            file + ": 'commit:fff' means no run of 'variants' with trials\n  'tailwave query runs --db " +
                file + "' lists them");
  name = {.text = "previous", .age = SideName::Age::previous};
  EXPECT_EQ(
      error_of([&] { sides(name); }),
      file +
          ": 'previous' means the run before the latest, but nbody/variants has only run 1 on NVIDIA H200\n"
          "  'tailwave run --fresh' measures everything again");
  add_run("2025-01-03T10:00:00Z", {of(32, 1000)}, samples::cpu());
  name = {.text = "run:1", .run = 1};
  EXPECT_EQ(error_of([&] { find_sides(database_, name, "tuning"); }),
            file + ": 'run:1' is a run of nbody/variants, not of 'tuning'\n  'tailwave query runs --db " +
                file + "' lists them");
  EXPECT_EQ(
      error_of([&] { sides({.text = "run:99999", .run = 99999}); }),
      file + ": there is no run 99999: the last is 2\n  'tailwave query runs --db " + file + "' lists them");
  name = {.text = "commit:abc", .commit = "abc"};
  EXPECT_EQ(
      error_of([&] { sides(name); }),
      file +
          ": 'commit:abc' has runs of nbody/variants on several devices: Test CPU (2 cores) and NVIDIA H200\n"
          "  name one, as in 'commit:abc,device:Test CPU (2 cores)'");
}

TEST_F(CompareSides, WritesACommaOfADeviceTwiceWhereItIsToBeTyped) {
  add_run("2025-01-01T10:00:00Z", {of(32, 1000)});
  DeviceDescription cpu = samples::cpu();
  cpu.name = "CPU, 2 cores";
  add_run("2025-01-03T10:00:00Z", {of(32, 1000)}, cpu);
  EXPECT_THAT(error_of([&] { sides({.text = "commit:abc", .commit = "abc"}); }),
              HasSubstr("\n  name one, as in 'commit:abc,device:CPU,, 2 cores'"));
}

}  // namespace
}  // namespace tailwave
