#include "store/observation_store.h"

#include <gtest/gtest.h>

#include <vector>

#include "store/sample_counters.h"
#include "store/sample_timelines.h"

namespace tailwave {
namespace {

using samples::csv;

class ObservationStore : public ::testing::Test {
 protected:
  samples::TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
};

GridCurve sample_curve() {
  GridCurve curve;
  curve.configuration = samples::trial("basic", {{"BLOCK_SIZE", 32}}, {}).configuration;
  curve.kernel = "body_force";
  curve.full_grid = 128;
  curve.block_threads = 32;
  curve.sms = 132;
  curve.blocks_per_sm = 16;
  curve.samples = {{1, true, {5, 6}}, {64, false, {70, 75, 60}}};
  curve.predictions = {{"staircase", 64, 80}};
  return curve;
}

TEST_F(ObservationStore, GivesBackTheCurvesThatItWasGiven) {
  const std::int64_t id = add_grid_curve(database_, {.system = "nbody", .experiment = "residency"},
                                         samples::gpu(), sample_curve());
  const std::vector<StoredGridCurve> curves = grid_curves(database_);
  ASSERT_EQ(curves.size(), 1U);
  EXPECT_EQ(curves[0].id, id);
  EXPECT_EQ(curves[0].configuration, "nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096");
  const GridCurve& curve = curves[0].curve;
  EXPECT_EQ(curve.kernel, "body_force");
  EXPECT_EQ(curve.full_grid, 128);
  EXPECT_EQ(curve.block_threads, 32);
  EXPECT_EQ(curve.sms, 132);
  EXPECT_EQ(curve.blocks_per_sm, 16);
  ASSERT_EQ(curve.samples.size(), 2U);
  EXPECT_TRUE(curve.samples[0].fitted);
  EXPECT_EQ(curve.samples[1].blocks, 64);
  EXPECT_FALSE(curve.samples[1].fitted);
  EXPECT_EQ(curve.samples[1].times_ns, (std::vector<double>{70, 75, 60}));
  ASSERT_EQ(curve.predictions.size(), 1U);
  EXPECT_EQ(curve.predictions[0].time_ns, 80);
}

TEST_F(ObservationStore, ReplacesThePredictionsOfOneCurve) {
  const ObservationRecord record{.system = "nbody", .experiment = "residency"};
  const std::int64_t first = add_grid_curve(database_, record, samples::gpu(), sample_curve());
  add_grid_curve(database_, record, samples::gpu(), sample_curve());
  replace_predictions(database_, first, {{"sm_load", 1, 5}, {"sm_load", 64, 71}});
  EXPECT_EQ(csv(database_, "SELECT curve_id, model, blocks, time_ns FROM grid_prediction ORDER BY 1, 2, 3"),
            "curve_id,model,blocks,time_ns\n1,sm_load,1,5\n1,sm_load,64,71\n2,staircase,64,80\n");
}

TEST_F(ObservationStore, KeepsCountersByConfigurationLaunchAndMetric) {
  CounterRun run = samples::counted("basic", {{"BLOCK_SIZE", 32}}, {{"a__x.sum", 3}, {"a__y.sum", 4}});
  run.left_out = "a__z.sum";
  run.code_hash = "f00d";
  run.launches[0].count = 20;
  samples::add_counted(database_, run, "2025-01-01T10:00:00Z");
  EXPECT_EQ(
      csv(database_,
          "SELECT name, metric_set, method, chip, passes, time_ns, left_out, code_hash, remark, counted_at "
          "FROM counter_run JOIN configuration ON configuration.id = configuration_id"),
      "name,metric_set,method,chip,passes,time_ns,left_out,code_hash,remark,counted_at\n"
      "nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096,default,range_profiler,GH100,5,9500,a__z.sum,f00d,,"
      "2025-01-01T10:00:00Z\n");
  EXPECT_EQ(
      csv(database_,
          "SELECT kernel, grid_x, block_x, count, metric, value FROM counted_launch JOIN counter_value "
          "USING (counter_run_id, position)"),
      "kernel,grid_x,block_x,count,metric,value\nbody_force,32,128,20,a__x.sum,3\nbody_force,32,128,20,a__y.sum,4\n");
}

TEST_F(ObservationStore, KeepsTimelinesWithTheirRecords) {
  Timeline timeline = samples::sample_timeline("basic", {{"BLOCK_SIZE", 32}});
  timeline.remark = "streams are numbered as they appear";
  samples::store_timeline(database_, timeline, "2025-01-01T10:00:00Z");
  EXPECT_EQ(csv(database_,
                "SELECT name, code_hash, time_ns, executions, found, remark, observed_at "
                "FROM timeline JOIN configuration ON configuration.id = configuration_id"),
            "name,code_hash,time_ns,executions,found,remark,observed_at\n"
            "nbody/basic/BLOCK_SIZE:32/DT:0.01/N:4096,f00d,900,5,3,streams are numbered as they appear,"
            "2025-01-01T10:00:00Z\n");
  EXPECT_EQ(
      csv(database_,
          "SELECT number, kind, name, position, gpu, stream, begin_ns, end_ns, bytes FROM timeline_record"),
      "number,kind,name,position,gpu,stream,begin_ns,end_ns,bytes\n0,kernel,body_force,0,0,0,0,400,\n"
      "1,kernel,body_force,0,0,1,300,600,\n2,copy,device to host,,0,0,750,1000,4096\n");
}

TEST_F(ObservationStore, SaysHowLongNothingOfATimelineRanAndHowLongTwoDid) {
  const char* const columns =
      "SELECT records, streams, span_ns, idle_ns, overlap_ns, age FROM timeline_summary ORDER BY timeline_id";
  samples::store_timeline(database_, samples::sample_timeline(), "2025-01-01T10:00:00Z");
  EXPECT_EQ(csv(database_, columns), "records,streams,span_ns,idle_ns,overlap_ns,age\n3,2,1000,150,100,1\n");
  // The third begins with the end of the second, and a fourth lies within it, as a fifth does.
  Timeline latest = samples::sample_timeline();
  latest.records[2].begin_ns = 600;
  for (const std::int64_t begin_ns : {700, 720})
    latest.records.push_back({.number = static_cast<std::int64_t>(latest.records.size()),
                              .name = "body_force",
                              .position = {},
                              .gpu = 1,
                              .begin_ns = begin_ns,
                              .end_ns = 740,
                              .bytes = {}});
  samples::store_timeline(database_, latest, "2025-01-02T10:00:00Z");
  EXPECT_EQ(csv(database_, columns),
            "records,streams,span_ns,idle_ns,overlap_ns,age\n3,2,1000,150,100,2\n5,3,1000,0,140,1\n");
}

TEST_F(ObservationStore, SaysHowLongNothingRanOnEachGpu) {
  Timeline timeline = samples::sample_timeline();
  timeline.records[1].gpu = 1;  // 300 to 600 of 1000
  timeline.records[1].stream = 0;
  samples::store_timeline(database_, timeline, "2025-01-01T10:00:00Z");
  EXPECT_EQ(
      csv(database_,
          "SELECT gpu, records, streams, span_ns, busy_ns, idle_ns, overlap_ns FROM timeline_gpu ORDER BY gpu"),
      "gpu,records,streams,span_ns,busy_ns,idle_ns,overlap_ns\n0,2,1,1000,650,350,0\n1,1,1,1000,300,700,0\n");
  samples::store_timeline(database_, samples::sample_timeline(), "2025-01-02T10:00:00Z");
  EXPECT_EQ(csv(database_,
                "SELECT gpu, streams, busy_ns, idle_ns, overlap_ns FROM timeline_gpu WHERE timeline_id = 2"),
            "gpu,streams,busy_ns,idle_ns,overlap_ns\n0,2,850,150,100\n");
}

TEST_F(ObservationStore, KeepsTheTimesOnEachNumberOfSms) {
  SmCurve curve;
  curve.configuration = sample_curve().configuration;
  curve.kernel = "body_force";
  curve.grid = 64;
  curve.blocks_per_sm = 4;
  curve.samples = {{30, 32, {5, 6}}, {0, 132, {2}}};
  add_sm_curve(database_, {.system = "nbody", .experiment = "sms"}, samples::gpu(), curve);
  EXPECT_EQ(csv(database_, "SELECT kernel, grid, block_threads, blocks_per_sm FROM sm_curve"),
            "kernel,grid,block_threads,blocks_per_sm\nbody_force,64,1,4\n");
  EXPECT_EQ(csv(database_, "SELECT sms_asked, sms, position, time_ns FROM sm_sample ORDER BY sms, position"),
            "sms_asked,sms,position,time_ns\n30,32,0,5\n30,32,1,6\n0,132,0,2\n");
}

TEST_F(ObservationStore, PutsACurveOfASingleTimeAndOneWithoutAnyInTheirPlace) {
  SmCurve curve;
  curve.configuration = sample_curve().configuration;
  curve.blocks_per_sm = 1;
  curve.samples = {{8, 8, {0}}, {16, 16, {4}}};
  add_sm_curve(database_, {.system = "nbody", .experiment = "sms"}, samples::gpu(), curve);
  EXPECT_EQ(csv(database_, "SELECT sms, speedup, gain, saturated, follows FROM sm_point"),
            "sms,speedup,gain,saturated,follows\n16,1,,,\n");
}

// 15 SMs of one block, of which clusters of 4 can use 12.
TEST_F(ObservationStore, CountsTheWavesOfClustersOnEachNumberOfSms) {
  SmCurve curve;
  curve.configuration = sample_curve().configuration;
  curve.grid = 48;
  curve.blocks_per_sm = 1;
  curve.samples = {{8, 8, {12}, 8}, {0, 15, {8}, 12}};
  add_sm_curve(database_, {.system = "nbody", .experiment = "sms"}, samples::gpu(), curve);
  EXPECT_EQ(csv(database_, "SELECT sms, waves, waves_begun, follows FROM sm_point ORDER BY sms"),
            "sms,waves,waves_begun,follows\n8,6,6,\n15,4,4,waves\n");
}

}  // namespace
}  // namespace tailwave
