// The views of harness/store/views against values computed by hand.
#include <gtest/gtest.h>

#include "report/fixture.h"
#include "report/traces.h"

namespace tailwave {
namespace {

using samples::csv;

class Views : public samples::Fixture {
 protected:
  std::string of_block_size(const std::string& columns, const std::string& view, int size) {
    return csv(database_, "SELECT " + columns + " FROM " + view +
                              " JOIN current_trial USING (trial_id) WHERE current_trial.experiment = "
                              "'basic_block_size' AND current_trial.run_kind = 'cuda' AND "
                              "json_extract(parameters, '$.BLOCK_SIZE') = " +
                              std::to_string(size));
  }
};

TEST_F(Views, CurrentTrialIsTheLatestOfEachConfiguration) {
  EXPECT_EQ(
      csv(database_,
          "SELECT run_id, json_extract(parameters, '$.BLOCK_SIZE') AS size, run_device, outcome FROM "
          "current_trial "
          "WHERE experiment = 'basic_block_size' ORDER BY run_kind DESC, size"),
      "run_id,size,run_device,outcome\n1,1,NVIDIA H200,correct\n2,2,NVIDIA H200,correct\n"
      "1,30,NVIDIA H200,wrong_result\n1,32,NVIDIA H200,correct\n1,1025,NVIDIA H200,exceeds_device_limit\n"
      "3,1,Test CPU (2 cores),correct\n3,32,Test CPU (2 cores),correct\n");
}

// Else a report on one experiment would take longer with every other one in the database.
TEST_F(Views, ReadNoTrialsOfOtherExperiments) {
  const std::string one = " WHERE system = 'nbody' AND experiment = 'basic_block_size'";
  for (const std::string view : {"current_trial", "ranked_trial", "speedup", "gpu_trial", "trial_limit",
                                 "published_comparison", "occupancy_mismatch", "trial_change"}) {
    std::string sql = "EXPLAIN QUERY PLAN SELECT * FROM " + view + one;
    if (view == "trial_change") sql += " AND new_system = 'nbody' AND new_experiment = 'basic_block_size'";
    Statement plan = database_.prepare(sql);
    while (plan.step()) {
      const std::string step = plan.text(3) + " ";
      for (const std::string table : {"trial", "next", "newer", "launch", "sample", "time_limit"})
        EXPECT_FALSE(step.starts_with("SCAN " + table + " ")) << view << ": " << step;
    }
  }
}

// Else the time for an experiment of n configurations grows with n * n.
TEST_F(Views, TrialChangePairsByAnIndexWhereAnExperimentIsNamed) {
  Statement plan = database_.prepare(
      "EXPLAIN QUERY PLAN SELECT gain FROM trial_change WHERE system = 'nbody' AND experiment = "
      "'basic_block_size' "
      "AND new_system = 'nbody' AND new_experiment = 'basic_block_size'");
  std::string last;
  while (plan.step()) last = plan.text(3);
  EXPECT_TRUE(last.starts_with("SEARCH new USING AUTOMATIC")) << last;
}

TEST_F(Views, RunSeriesSaysWhichRunsAFreshOneSupersededAndWhoseIsThePlan) {
  ResultStore store(database_);
  RunRecord planned = samples::run("basic_block_size", "2025-03-01T10:00:00Z");
  planned.fresh = true;
  const std::int64_t fresh = store.begin_run(
      planned, samples::gpu(), {samples::trial("basic", {{"BLOCK_SIZE", 32}}, {}).configuration});
  EXPECT_EQ(csv(database_, "SELECT sum(superseded) AS n FROM run_series"), "n\n0\n");
  store.finish_run(fresh, RunStatus::done, "2025-03-01T11:00:00Z");
  store.begin_run(samples::run("basic_block_size", "2025-03-02T10:00:00Z"), samples::gpu());
  EXPECT_EQ(csv(database_,
                "SELECT run_id, run_kind, superseded, next_run_id, planned_run_id FROM run_series WHERE "
                "experiment = "
                "'basic_block_size' ORDER BY run_id"),
            "run_id,run_kind,superseded,next_run_id,planned_run_id\n1,cuda,1,2,6\n2,cuda,1,6,6\n3,cpu,0,,\n"
            "6,cuda,0,7,6\n7,cuda,0,,6\n");
}

TEST_F(Views, CurrentTrialForgetsWhatAFreshRunSupersedes) {
  RunRecord fresh = samples::run("basic_block_size", "2025-03-01T10:00:00Z");
  fresh.fresh = true;
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(fresh, samples::gpu());
  store.add_trial(run, samples::gpu(), samples::trial("basic", {{"BLOCK_SIZE", 32}}, {3e5}));
  store.finish_run(run, RunStatus::done, "2025-03-01T11:00:00Z");
  EXPECT_EQ(csv(database_,
                "SELECT run_kind, count(*) AS n FROM current_trial WHERE experiment = 'basic_block_size' "
                "GROUP BY 1"),
            "run_kind,n\ncpu,2\ncuda,1\n");
}

TEST_F(Views, CurrentTrialSaysWhereAHostVariantRan) {
  EXPECT_EQ(csv(database_,
                "SELECT variant, run_device, device, kind FROM current_trial WHERE experiment = 'variants' "
                "AND variant <> 'shared' ORDER BY variant"),
            "variant,run_device,device,kind\nbasic,NVIDIA H200,NVIDIA H200,cuda\n"
            "cpu,NVIDIA H200,Test CPU (2 cores),cpu\n");
}

TEST_F(Views, GpuTrialHasTheTimeAndTheMainLaunchOfRunsOnAGpu) {
  EXPECT_EQ(csv(database_,
                "SELECT block_size, ran_on, median_us, grid, warps_per_block, waves, sms FROM gpu_trial "
                "WHERE device = 'NVIDIA H200' AND experiment = 'basic_block_size' ORDER BY block_size"),
            "block_size,ran_on,median_us,grid,warps_per_block,waves,sms\n1,cuda,1100,4096,1,0.97,132\n"
            "2,cuda,610,2048,1,0.48,132\n30,cuda,,,,,132\n32,cuda,350,128,1,0.03,132\n1025,cuda,,,,,132\n");
  EXPECT_EQ(csv(database_, "SELECT variant, ran_on, n FROM gpu_trial WHERE ran_on = 'cpu'"),
            "variant,ran_on,n\ncpu,cpu,4096\n");
}

TEST_F(Views, TrialTimeHasTheQuantilesOfAnEvenNumberOfSamples) {
  // 1.0, 1.1, 1.1, 1.2 ms: quartiles at positions 0.75 and 2.25.
  EXPECT_EQ(
      of_block_size(
          "samples, median_ns, round(q1_ns, 3) AS q1, round(q3_ns, 3) AS q3, min_ns, max_ns, mean_ns",
          "trial_time", 1),
      "samples,median_ns,q1,q3,min_ns,max_ns,mean_ns\n4,1100000,1075000,1125000,1000000,1200000,1100000\n");
}

TEST_F(Views, TrialTimeLeavesDroppedSamplesOut) {
  EXPECT_EQ(of_block_size("samples, median_ns, max_ns", "trial_time", 32),
            "samples,median_ns,max_ns\n4,350000,360000\n");
}

TEST_F(Views, TrialTimeHasNoRowForAFailure) {
  EXPECT_EQ(of_block_size("median_ns", "trial_time", 1025), "median_ns\n");
  EXPECT_EQ(of_block_size("median_ns", "trial_time", 30), "median_ns\n");
}

TEST_F(Views, TrialTimeAgreesWithTheStatisticsOfTheProgram) {
  EXPECT_EQ(csv(database_,
                "SELECT max(abs(median_ns - m)) < 1e-9 AND max(abs(q1_ns - q1)) < 1e-6 AND max(abs(q3_ns - "
                "q3)) < 1e-6 "
                "AS same FROM trial_time JOIN (SELECT trial_id, median(time_ns) AS m, quantile(time_ns, "
                "0.25) AS q1, "
                "quantile(time_ns, 0.75) AS q3 FROM sample WHERE dropped IS NULL GROUP BY trial_id) USING "
                "(trial_id)"),
            "same\n1\n");
}

TEST_F(Views, TrialRateIsWorkOverTheMedianTime) {
  // 4096 * 4096 interactions in 350 us
  EXPECT_EQ(of_block_size("trial_rate.work, value", "trial_rate", 32),
            "work,value\n16777216,4.793490286e+10\n");
}

TEST_F(Views, TrialRateIsSecondsForTheTimeMetric) {
  EXPECT_EQ(csv(database_, "SELECT value FROM trial_rate WHERE metric = 'time' ORDER BY value"),
            "value\n2.5390625e-06\n1.015625e-05\n");
}

TEST_F(Views, RankedTrialCountsPlacesFromBothEndsByDeviceAndProblem) {
  EXPECT_EQ(csv(database_,
                "SELECT run_device, device, variant, place, place_from_worst, of_ranked FROM ranked_trial "
                "WHERE experiment = 'variants' ORDER BY device, place"),
            "run_device,device,variant,place,place_from_worst,of_ranked\n"
            "NVIDIA H200,NVIDIA H200,shared,1,3,3\nNVIDIA H200,NVIDIA H200,shared,2,2,3\n"
            "NVIDIA H200,NVIDIA H200,basic,3,1,3\nNVIDIA H200,Test CPU (2 cores),cpu,1,1,1\n");
  EXPECT_EQ(csv(database_, "SELECT value, place FROM ranked_trial WHERE metric = 'time' ORDER BY place"),
            "value,place\n2.5390625e-06,1\n1.015625e-05,2\n");
}

TEST_F(Views, SampleCostIsLessForTheBetterWhateverTheGoal) {
  EXPECT_EQ(of_block_size("repetition, position, cost", "sample_cost", 2),
            "repetition,position,cost\n0,0,0.03695487976\n0,1,0.03576278687\n0,2,0.03635883331\n");
  EXPECT_EQ(csv(database_,
                "SELECT cost FROM sample_cost JOIN ranked_trial USING (trial_id) WHERE metric = 'time' AND "
                "place = 1 "
                "ORDER BY cost"),
            "cost\n2500\n2539.0625\n2578.125\n");
  database_.execute("UPDATE run SET maximise = 1 - maximise");
  EXPECT_EQ(csv(database_,
                "SELECT cost FROM sample_cost JOIN ranked_trial USING (trial_id) WHERE metric = 'time' AND "
                "place = 1 "
                "ORDER BY cost"),
            "cost\n9.696969697e-05\n9.846153846e-05\n0.0001\n");
}

TEST_F(Views, SpeedupIsOverTheSlowestOfTheSameDevice) {
  EXPECT_EQ(of_block_size("speedup.speedup, slowest", "speedup", 32),
            "speedup,slowest\n3.142857143,nbody/basic/BLOCK_SIZE:1/DT:0.01/N:4096\n");
  EXPECT_EQ(csv(database_,
                "SELECT configuration, speedup FROM speedup WHERE experiment = 'variants' AND kind = 'cpu'"),
            "configuration,speedup\nnbody/cpu/DT:0.01/N:4096,1\n");
  EXPECT_EQ(csv(database_, "SELECT speedup FROM speedup WHERE system = 'jacobi' ORDER BY 1"),
            "speedup\n1\n4\n");
}

TEST_F(Views, TrialWavesShowsTheMainLaunch) {
  EXPECT_EQ(
      of_block_size("kernel, grid, block, registers, blocks_per_sm, limiter, trial_waves.occupancy, waves, "
                    "tail_fraction, active_sms",
                    "trial_waves", 1),
      "kernel,grid,block,registers,blocks_per_sm,limiter,occupancy,waves,tail_fraction,active_sms\n"
      "body_force,4096,1,40,32,blocks,0.5,0.97,0.97,132\n");
}

TEST_F(Views, TrialWavesPrefersAMuchLargerLaterLaunchToTheFirst) {
  ResultStore store(database_);
  Trial trial = samples::trial("basic", {{"BLOCK_SIZE", 64}}, {1e5});
  trial.launches = {samples::launch("clear", 100, 32, 16, "warps", 1, {}),
                    samples::launch("slightly_larger", 150, 32, 16, "warps", 1, {}),
                    samples::launch("main", 200, 32, 16, "warps", 1, {})};
  for (int i = 0; i < 3; ++i) trial.launches[static_cast<std::size_t>(i)].position = i;
  const std::int64_t id = store.add_trial(1, samples::gpu(), trial);
  EXPECT_EQ(csv(database_, "SELECT kernel FROM trial_waves WHERE trial_id = " + std::to_string(id)),
            "kernel\nmain\n");
  trial.launches.pop_back();
  trial.configuration.parameters = {{"BLOCK_SIZE", 65}};
  const std::int64_t other = store.add_trial(1, samples::gpu(), trial);
  EXPECT_EQ(csv(database_, "SELECT kernel FROM trial_waves WHERE trial_id = " + std::to_string(other)),
            "kernel\nclear\n");
}

// The plans of the tests of main_launch() in tests/core/trial_test.cpp, with the same answers.
TEST_F(Views, MainLaunchIsOfTheKernelsThatTheManifestNames) {
  ResultStore store(database_);
  Trial trial = samples::trial("basic", {{"BLOCK_SIZE", 64}}, {1e5});
  trial.launches = {samples::launch("force", 10, 64, 16, "warps", 1, {}),
                    samples::launch("move", 1000, 128, 16, "warps", 1, {}),
                    samples::launch("sum", 20, 64, 16, "warps", 1, {}),
                    samples::launch("sum", 21, 64, 16, "warps", 1, {})};
  for (int i = 0; i < 4; ++i) trial.launches[static_cast<std::size_t>(i)].position = i;
  const std::int64_t id = store.add_trial(1, samples::gpu(), trial);
  const auto main_with = [&](const std::vector<std::string>& kernels) {
    store.set_main_kernels("nbody", {{"basic", kernels}});
    return csv(database_, fmt::format("SELECT position FROM main_launch WHERE of = 'trial' AND id = {}", id));
  };
  EXPECT_EQ(main_with({}), "position\n1\n");
  EXPECT_EQ(main_with({"force"}), "position\n0\n");
  EXPECT_EQ(main_with({"sum", "force"}), "position\n3\n");
  EXPECT_EQ(main_with({"sum"}), "position\n2\n");
  EXPECT_EQ(main_with({"relax"}), "position\n1\n");
}

TEST_F(Views, MainLaunchCountsPartsOfWarpsAndLaunchesInLoops) {
  ResultStore store(database_);
  const auto main_of = [&](int block_size, std::vector<LaunchRecord> launches) {
    Trial trial = samples::trial("basic", {{"BLOCK_SIZE", block_size}}, {1e5});
    for (std::size_t i = 0; i < launches.size(); ++i) launches[i].position = static_cast<int>(i);
    trial.launches = std::move(launches);
    const std::int64_t id = store.add_trial(1, samples::gpu(), trial);
    return csv(database_, fmt::format("SELECT kernel FROM trial_waves WHERE trial_id = {}", id));
  };
  LaunchRecord looped = samples::launch("move", 1, 32, 16, "warps", 1, {});
  EXPECT_EQ(main_of(64, {samples::launch("force", 10, 32, 16, "warps", 1, {}), looped}), "kernel\nforce\n");
  looped.count = 20;
  EXPECT_EQ(main_of(65, {samples::launch("force", 10, 32, 16, "warps", 1, {}), looped}), "kernel\nmove\n");
  EXPECT_EQ(main_of(66, {samples::launch("force", 10, 31, 16, "warps", 1, {}),
                         samples::launch("move", 10, 33, 16, "warps", 1, {})}),
            "kernel\nmove\n");
  EXPECT_EQ(main_of(67, {samples::launch("force", 10, 1, 16, "warps", 1, {}),
                         samples::launch("move", 10, 32, 16, "warps", 1, {})}),
            "kernel\nforce\n");
  EXPECT_EQ(main_of(68, {{0, "step", {64, 1, 1}, {64, 1, 1}, 0, {}, {}, {}, "", {}}}), "kernel\n")
      << "nothing is known of it";
}

TEST_F(Views, ObservedLaunchIsTheMainOneOfTheLatestTrace) {
  const std::string name = "nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096";
  samples::add_trace(database_, name, {{0, 0, 0, 10}}, 2, 2, "2025-06-01T10:00:00Z");
  const std::int64_t latest =
      samples::add_trace(database_, name, samples::seven_blocks(), 2, 2, "2025-06-02T10:00:00Z");
  database_.execute(fmt::format(
      "INSERT INTO trace_launch (trace_id, position, kernel, grid_x, grid_y, grid_z, block_x, block_y, "
      "block_z, "
      "dynamic_shared_bytes, sms, blocks_per_sm, noted_one_in, duration_ns) "
      "VALUES ({}, 1, 'integrate', 4, 2, 1, 33, 1, 1, 0, 2, 4, 1, 77)",
      latest));
  EXPECT_EQ(
      csv(database_,
          "SELECT trace_id, position, device, variant, kernel, grid, block, waves FROM observed_launch"),
      "trace_id,position,device,variant,kernel,grid,block,waves\n"
      "2,1,NVIDIA H200,basic,integrate,8,33,1\n");
  const std::string kernel_only = "SELECT kernel FROM observed_launch";
  EXPECT_EQ(csv(database_, "SELECT duration_ns, all_note FROM observed_launch"),
            "duration_ns,all_note\n77,1\n");
  database_.execute("UPDATE trace_launch SET grid_x = 3 WHERE position = 1");
  EXPECT_EQ(csv(database_, kernel_only), "kernel\nbody_force\n") << "12 warps are not twice 7";
  database_.execute("UPDATE trace_launch SET count = 2 WHERE position = 1");
  EXPECT_EQ(csv(database_, kernel_only), "kernel\nintegrate\n");
  ResultStore(database_).set_main_kernels("nbody", {{"basic", {"body_force"}}});
  EXPECT_EQ(csv(database_, "SELECT kernel, duration_ns FROM observed_launch"),
            "kernel,duration_ns\nbody_force,2500\n");
}

TEST_F(Views, ShownTraceIsOnceForEachExperimentWithItsConfiguration) {
  const std::string columns = "SELECT shown_in, experiment, unit_ns FROM shown_trace ORDER BY shown_in";
  const std::int64_t trace = samples::add_trace(database_, "nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096",
                                                samples::seven_blocks(), 2, 2);
  EXPECT_EQ(csv(database_, columns),
            "shown_in,experiment,unit_ns\n"
            "basic_block_size,basic_block_size,1000\nvariants,basic_block_size,1000\n");
  database_.execute("UPDATE trace SET experiment = 'watched'");
  EXPECT_EQ(csv(database_, columns),
            "shown_in,experiment,unit_ns\n"
            "basic_block_size,watched,1000\nvariants,watched,1000\nwatched,watched,1000\n");
  database_.execute(fmt::format("UPDATE trace_launch SET duration_ns = 0 WHERE trace_id = {}", trace));
  EXPECT_EQ(csv(database_, columns), "shown_in,experiment,unit_ns\n");
}

TEST_F(Views, OccupancyMismatchShowsWhereTheDriverDisagrees) {
  EXPECT_EQ(csv(database_,
                "SELECT configuration, offline_blocks_per_sm, driver_blocks_per_sm FROM occupancy_mismatch"),
            "configuration,offline_blocks_per_sm,driver_blocks_per_sm\n"
            "nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096,32,24\n");
}

TEST_F(Views, PublishedComparisonMatchesByTheNamedParameters) {
  EXPECT_EQ(csv(database_,
                "SELECT json_extract(named, '$.BLOCK_SIZE') AS size, outcome, ratio, fitting, invalid IS NOT "
                "NULL AS bad "
                "FROM published_comparison WHERE experiment = 'basic_block_size' AND run_kind = 'cuda' ORDER "
                "BY size"),
            "size,outcome,ratio,fitting,bad\n"
            "1,correct,1.034104993,1,0\n"
            "2,correct,1.007053304,1,0\n"
            "32,correct,1.483134371,1,0\n"
            "64,,,0,0\n"
            "1025,exceeds_device_limit,,1,1\n");
}

TEST_F(Views, PublishedComparisonOfTimesIsAboveOneWhenOursIsFaster) {
  EXPECT_EQ(csv(database_, "SELECT value, ratio FROM published_comparison WHERE system = 'jacobi'"),
            "value,ratio\n2.5390625e-06,992.4923077\n");
}

TEST_F(Views, PublishedComparisonPutsTheBestFirstWhereSeveralFit) {
  ResultStore(database_).set_published("variants", {{"study",
                                                     "a100",
                                                     "interactions_per_second",
                                                     "1e9/s",
                                                     "shared",
                                                     {{"BLOCK_SIZE", 128}, {"N", 4096}},
                                                     218e9,
                                                     "",
                                                     ""}});
  EXPECT_EQ(csv(database_,
                "SELECT place, fitting, json_extract(configuration.parameters, '$.FAST_MATH') AS fast "
                "FROM published_comparison JOIN configuration ON configuration.name = configuration "
                "WHERE experiment = 'variants' ORDER BY place"),
            "place,fitting,fast\n1,2,1\n2,2,0\n");
}

TEST_F(Views, NeverPutTimesOfACpuAndAGpuInOneRow) {
  EXPECT_EQ(csv(database_,
                "SELECT count(*) AS n FROM speedup AS ours JOIN current_trial AS slowest ON "
                "slowest.configuration = ours.slowest AND slowest.experiment = ours.experiment AND "
                "slowest.run_device = ours.run_device WHERE slowest.kind <> ours.kind"),
            "n\n0\n");
}

}  // namespace
}  // namespace tailwave
