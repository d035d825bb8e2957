#include "report/explained_pair.h"

#include <gmock/gmock.h>

#include "report/fixture.h"
#include "report/queries.h"
#include "store/sample_counters.h"

namespace tailwave {
namespace {

using samples::error_of;
using testing::HasSubstr;

class ExplainedPairTest : public testing::Test {
 protected:
  // A correct trial of the experiment "pairs" with ten times within 0.1 % of it.
  void add(const std::string& variant, int block, double time_ns, int n = 4096,
           const std::string& code_hash = "") {
    std::vector<double> times;
    for (int i = 0; i < 10; ++i) times.push_back(time_ns * (1 + 1e-4 * i));
    Trial trial = samples::trial(variant, {{"BLOCK_SIZE", block}}, times);
    trial.configuration.problem["N"] = std::int64_t{n};
    trial.key = "key of " + trial.configuration.name();
    if (!code_hash.empty())
      trial.build = BuildRecord{.key = "build of " + trial.key,
                                .compiler = "NVRTC 13.0",
                                .target = "sm_90",
                                .options = "",
                                .code_hash = code_hash,
                                .log = ""};
    store_.add_trial(run_, samples::gpu(), trial);
  }
  std::int64_t count(const std::string& variant, int block, const std::map<std::string, double>& values,
                     const std::string& code_hash = "", const std::string& at = "2025-05-02T10:00:00Z") {
    CounterRun run = samples::counted(variant, {{"BLOCK_SIZE", block}}, values);
    run.code_hash = code_hash;
    return samples::add_counted(database_, run, at, "pairs");
  }
  ExplainedPair pair(const std::string& a, const std::string& b, Values parameters = {}) {
    return find_pair(database_, a, b, parameters);
  }
  std::string error(const std::string& a, const std::string& b, const Values& parameters = {}) {
    return error_of([&] { find_pair(database_, a, b, parameters); });
  }
  // "tuned 64 against basic 32"
  static std::string brief(const ExplainedPair& pair) {
    const auto one = [](const ExplainedTrial& trial) {
      return trial.configuration.variant + " " + to_string(trial.configuration.parameters.at("BLOCK_SIZE"));
    };
    return one(pair.a) + " against " + one(pair.b);
  }

  samples::TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
  ResultStore store_{database_};
  std::int64_t run_ = store_.begin_run(samples::run("pairs", "2025-05-01T10:00:00Z"), samples::gpu());
};

TEST_F(ExplainedPairTest, IsTheBestAgainstTheBaselineTheSlowestOrTheBestOfAVariant) {
  add("tuned", 64, 1e4);
  add("tuned", 32, 2e4);
  add("basic", 64, 2.5e4);
  add("basic", 32, 3e4);
  add("basic", 128, 4e4);
  const Table speedups = run_query(database_, find_query("speedup"), {{"experiment", "pairs"}});
  EXPECT_EQ(speedups.rows.front().at(9), Cell{"nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096"});
  EXPECT_EQ(brief(pair("best", "baseline")), "tuned 64 against basic 32");
  EXPECT_EQ(brief(pair("best", "baseline", {{"baseline", "basic"}})), "tuned 64 against basic 64");
  EXPECT_EQ(brief(pair("best", "worst", {{"baseline", "basic"}})), "tuned 64 against basic 128");
  EXPECT_EQ(brief(pair("worst,variant=tuned", "worst")), "tuned 32 against basic 128");
  EXPECT_EQ(brief(pair("best,BLOCK_SIZE=32", "variant=basic")), "tuned 32 against basic 64");
  EXPECT_EQ(brief(pair("nbody/basic/BLOCK_SIZE:32", "tuned")), "basic 32 against tuned 64");
  EXPECT_EQ(error("baseline,variant=tuned", "best"),
            "the baseline is none of what 'baseline,variant=tuned' means\n  leave its values out, or name a "
            "variant by --baseline");
}

TEST_F(ExplainedPairTest, IsOfTheProblemThatBothMayMean) {
  add("tuned", 64, 1e4);
  add("basic", 64, 2e4);
  add("tuned", 64, 1e5, 8192);
  add("basic", 64, 2e5, 8192);
  EXPECT_EQ(error("best", "baseline"),
            "'best' and 'baseline' may be of 2 problems: DT=0.01,N=4096, DT=0.01,N=8192\n  say which, as in "
            "best,DT=0.01,N=4096");
  EXPECT_EQ(pair("best,N=8192", "baseline").b.configuration.problem.at("N"), Value{std::int64_t{8192}});
  EXPECT_EQ(error("variant=tuned,N=8192", "variant=basic,N=4096"),
            "'variant=tuned,N=8192' and 'variant=basic,N=4096' are of different problems: DT=0.01,N=8192 and "
            "DT=0.01,N=4096\n  times of the same problem are compared");
}

TEST_F(ExplainedPairTest, RefusesWhatIsOneOrNothing) {
  add("tuned", 64, 1e4);
  EXPECT_EQ(error("best", "baseline"),
            "'best' and 'baseline' are both nbody/tuned/BLOCK_SIZE:64/DT:0.01/N:4096\n  name "
            "another one: worst, or one that 'tailwave query best --limit 20' lists");
  EXPECT_THAT(error("best", "variant=basic"), HasSubstr("basic"));
  EXPECT_EQ(error("best", "baseline", {{"baseline", "basic"}}),
            "the variant 'basic' has no time there\n  these have: tuned");
  EXPECT_THAT(error("best", "baseline", {{"experiment", "pars"}}),
              HasSubstr("nothing of experiment 'pars'\n  did you mean 'pairs'?"));
}

TEST_F(ExplainedPairTest, HasTheResultOfTheSameMachineCodeForOneThatWasNotMeasured) {
  add("tuned", 64, 1e4);
  add("basic", 64, 2e4);
  Trial skipped = samples::trial("tuned", {{"BLOCK_SIZE", 32}}, {});
  skipped.configuration.problem["N"] = std::int64_t{4096};
  skipped.outcome = Outcome::skipped_identical;
  skipped.same_as = "nbody/tuned/BLOCK_SIZE:64/DT:0.01/N:4096";
  store_.add_trial(run_, samples::gpu(), skipped);
  const ExplainedPair same = pair("BLOCK_SIZE=32", "best");
  EXPECT_EQ(brief(same), "tuned 32 against tuned 64");
  EXPECT_EQ(same.a.same_as, skipped.same_as);
  EXPECT_EQ(same.b.same_as, "");
  const Explanation explained = explain(database_, same);
  EXPECT_EQ(explained.verdict, ExplainedVerdict::tied);
  EXPECT_EQ(
      explained.paragraph(),
      "A and B are the same, machine code and launches: neither is faster than the other, and one of them "
      "was measured.");
  const ExplainedPair other = pair("BLOCK_SIZE=32", "variant=basic");
  EXPECT_EQ(brief(other), "tuned 32 against basic 64");
  EXPECT_EQ(explain(database_, other).verdict, ExplainedVerdict::a_faster);
  EXPECT_THAT(error("BLOCK_SIZE=32", "BLOCK_SIZE=32"), HasSubstr("are both nbody/tuned/BLOCK_SIZE:32/"));
}

TEST_F(ExplainedPairTest, WantsToKnowWhichExperimentAndTakesTheDeviceOfTheLatestRun) {
  add("tuned", 64, 1e4);
  add("basic", 64, 1e4);
  run_ = store_.begin_run(samples::run("others", "2025-05-01T10:00:00Z"), samples::gpu());
  add("tuned", 64, 1e4);
  EXPECT_THAT(
      error("best", "baseline"),
      HasSubstr(": has 2 experiments with times\n  say which with --experiment: nbody/others, nbody/pairs"));
  run_ = store_.begin_run(samples::run("pairs", "2025-05-01T11:00:00Z"), samples::cpu());
  for (const int block : {64, 128})
    store_.add_trial(run_, samples::cpu(), samples::trial("tuned", {{"BLOCK_SIZE", block}}, {1e9 * block}));
  const ExplainedPair latest = pair("best", "worst", {{"experiment", "pairs"}});
  EXPECT_EQ(latest.a.device, samples::cpu().name);
  EXPECT_EQ(latest.other_devices, std::vector{samples::gpu().name});
  EXPECT_EQ(error("variant=basic", "best", {{"experiment", "pairs"}}),
            "'variant=basic' is nbody/basic/BLOCK_SIZE:64/DT:0.01/N:4096 on " + samples::gpu().name +
                "; times on " + samples::cpu().name + " are explained\n  --device \"" + samples::gpu().name +
                "\" explains those");
  Trial serial = samples::trial("serial", {}, {1e9});
  serial.build = BuildRecord{
      .key = "serial", .compiler = "g++", .target = "host", .options = "", .code_hash = "", .log = ""};
  store_.add_trial(run_, samples::cpu(), serial);
  EXPECT_THAT(error("variant=serial", "best", {{"experiment", "pairs"}}),
              HasSubstr("; times of kernels alone are explained\n  'tailwave query best' ranks"));
}

TEST_F(ExplainedPairTest, ReadsCountersOfEachLaunchAsOftenAsThePlanHasIt) {
  add("tuned", 64, 1e4);
  add("basic", 64, 2e4);
  CounterRun run = samples::counted("tuned", {{"BLOCK_SIZE", 64}},
                                    {{"smsp__inst_executed.sum", 100}, {"gpu__time_duration.sum", 10}});
  CountedLaunch second = run.launches.front();
  second.position = 1;
  second.count = 3;
  second.values = {counter_value("smsp__inst_executed.sum", 7, "")};
  run.launches.push_back(second);
  samples::add_counted(database_, run, "2025-05-02T10:00:00Z", "elsewhere");
  const ExplainedSide side = read_side(database_, pair("best", "baseline").a.trial_id);
  ASSERT_TRUE(side.counted);
  EXPECT_EQ(side.counted->launches, 4);
  EXPECT_EQ(side.counted->sum("smsp__inst_executed.sum"), 121);
  EXPECT_EQ(side.counted->sum("gpu__time_duration.sum"), std::nullopt);  // a launch lacks it
  run.ends_on_value = true;  // how many launches there were is not known
  samples::add_counted(database_, run, "2025-05-03T10:00:00Z", "elsewhere");
  const ExplainedSide unknown = read_side(database_, pair("best", "baseline").a.trial_id);
  EXPECT_TRUE(unknown.counted->sums.empty());
  EXPECT_EQ(
      unknown.not_counted,
      "its launches end on a value, so that sums of its counters (2025-05-03T10:00:00Z) over all of them "
      "are not known");
}

TEST_F(ExplainedPairTest, LeavesOutCountersOfOtherCode) {
  add("tuned", 64, 1e4, 4096, "new");
  add("basic", 64, 2e4, 4096, "same");
  count("tuned", 64, samples::counted_values(), "old");
  count("basic", 64, samples::counted_values(), "same");
  const ExplainedPair both = pair("best", "baseline");
  EXPECT_EQ(read_side(database_, both.a.trial_id).not_counted,
            "its counters (2025-05-02T10:00:00Z) are of other machine code");
  EXPECT_TRUE(read_side(database_, both.b.trial_id).counted);
}

TEST_F(ExplainedPairTest, IsExplainedByWhatIsStored) {
  add("tuned", 64, 1e4);
  add("basic", 64, 2e4);
  std::map<std::string, double> values = samples::counted_values();
  count("tuned", 64, values);
  for (auto& [metric, value] : values)
    if (metric.find("peak_sustained") == std::string::npos) value *= 2;
  values["smsp__inst_executed.sum"] = 1.2e7;
  count("basic", 64, values);
  EXPECT_EQ(
      explain(database_, pair("best", "baseline")).paragraph(),
      "A is 2 times as fast as B: 10 us against 20.01 us (95 % interval of the ratio 1.999 to 2.001, within this "
      "run alone). The main cause: warps execute fewer instructions, 4 M against 12 M (3 times). Counted alone, its "
      "launches take 10 us against 20 us: 2 = 3 from instructions (4 M against 12 M) x 1 from SMs that have warps "
      "(94.1 % against 94.1 % of the cycles) x 0.6667 from instructions a cycle of such an SM (1.894 against 2.841) "
      "x 1 from the clock (1.7 GHz against 1.7 GHz). Instructions a cycle: 0.6667 = 1 from warps on an SM that has "
      "any (32 against 32) x 0.6667 from the cycles that a warp takes for one (16.9 against 11.26); of these "
      "`long_scoreboard` (waiting for L1, L2 or DRAM) differs most: 7.5 against 5. DRAM moves 9 MB against 18 MB, "
      "at 20 % against 20 % of its peak. L2 moves 20 MB against 40 MB, at 25 % against 25 % of its peak. Not "
      "traced: both (`tailwave trace` does).");
}

TEST_F(ExplainedPairTest, TellsCountersOfAnotherRunFromThoseOfTheTimes) {
  add("tuned", 64, 1e4);
  add("basic", 64, 2e4);
  count("tuned", 64, samples::counted_values());
  const auto of_other = [&] {
    return read_side(database_, pair("best", "baseline").a.trial_id).counted->other_run;
  };
  EXPECT_FALSE(of_other());
  samples::add_counted(database_, samples::counted("tuned", {{"BLOCK_SIZE", 64}}, samples::counted_values()),
                       "2025-05-03T10:00:00Z", "others");
  EXPECT_TRUE(of_other());
  count("tuned", 64, samples::counted_values(), "", "2025-05-04T10:00:00Z");
  EXPECT_FALSE(of_other());
  store_.begin_run(samples::run("pairs", "2025-05-03T12:00:00Z"), samples::gpu());
  EXPECT_TRUE(of_other());
}

TEST_F(ExplainedPairTest, IsARowForEachNumberOfTheQueryWhy) {
  add("tuned", 64, 1e4);
  add("basic", 64, 2e4);
  add("basic", 32, 4e4);
  const std::string names =
      "nbody/pairs,NVIDIA "
      "H200,\"{\"\"DT\"\":0.01,\"\"N\"\":4096}\",nbody/tuned/BLOCK_SIZE:64/DT:0.01/N:4096,"
      "nbody/basic/BLOCK_SIZE:64/DT:0.01/N:4096,";
  EXPECT_EQ(
      render(run_query(database_, find_query("why"), {{"experiment", "pairs"}, {"baseline", "basic"}}),
             TableFormat::csv),
      "experiment,device,problem,best,baseline,quantity,of_best,of_baseline,ratio,"
      "unit,of_best_by,of_baseline_by,says\n" +
          names +
          "time,10004.5,20009,2,ns,,,\"The best is 2 times as fast as the baseline: 10 us against 20.01 us (95 % "
          "interval of the ratio 1.999 to 2.001, within this run alone).\"\n" +
          names +
          "not known,,,,number,,,Not counted: both (`tailwave counters` does). Not traced: both (`tailwave "
          "trace` does).\n");
}

TEST_F(ExplainedPairTest, AreInTheOrderOfTheirProblemsAsNumbers) {
  for (const int n : {512, 64, 1024}) {
    add("tuned", 64, 1e4, n);
    add("basic", 64, 2e4, n);
  }
  add("tuned", 64, 2e4, 32);
  add("basic", 64, 1e4, 32);  // the baseline is the best
  std::string sizes;
  for (const ExplainedPair& pair : best_and_baselines(database_, {{"experiment", "nbody/pairs"}}))
    sizes += to_string(pair.a.configuration.problem.at("N")) + " " + brief(pair) + "; ";
  EXPECT_EQ(sizes,
            "64 tuned 64 against basic 64; 512 tuned 64 against basic 64; 1024 tuned 64 against basic 64; ");
}

}  // namespace
}  // namespace tailwave
