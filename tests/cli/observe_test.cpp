#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/project_fixture.h"
#include "device/cuda/cuda_device.h"

namespace tailwave {
namespace {

using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;

// `trace` and `curve`, on the CPU device, where a worker thread is an SM.
class ObserveTest : public ProjectFixture {
 protected:
  [[nodiscard]] CommandResult observe(const std::string& command,
                                      const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{command, "experiments/row/rows.json", "--device", "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return tailwave(arguments);
  }

  // A system whose kernel has a grid of one dimension.
  void SetUp() override {
    write("kernel_templates/row/system.json", R"json({
      "schema_version": 1, "name": "row", "title": "Doubles an array",
      "problem": { "N": {"type": "int", "default": 4000} },
      "buffers": { "values": {"type": "float32", "count": "N", "fill": {"kind": "uniform", "low": -1, "high": 1, "seed": 1}} },
      "reference": { "variant": "cpu", "compare": {"values": {"norm": "exact", "tolerance": 0}} },
      "work": { "bytes": "8 * N" },
      "variants": {
        "cpu":  { "target": "host", "source": "cpu.cpp", "launches": [ {"function": "twice", "args": ["values", "N"]} ] },
        "gpu": { "target": "cuda", "source": "row.cu", "parameters": {"BLOCK_SIZE": 32, "WRONG": 0},
                 "launches": [ {"kernel": "twice", "grid": "ceil_div(N, BLOCK_SIZE)", "block": "BLOCK_SIZE",
                                "args": ["values", "N"]} ] } } })json");
    write("kernel_templates/row/cpu.cpp",
          "extern \"C\" void twice(float* values, int n) { for (int i = 0; i < n; ++i) values[i] *= 2; }\n");
    write("kernel_templates/row/row.cu",
          "extern \"C\" __global__ void twice(float* values, int n) {\n"
          "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (i < n) values[i] *= 2 + WRONG;\n}\n");
    write("experiments/row/rows.json", R"json({
      "schema_version": 1, "name": "rows", "system": "row", "question": "How do its blocks run?",
      "cases": [ {"variant": "cpu"}, {"variant": "gpu", "parameters": {"BLOCK_SIZE": [32, 64], "WRONG": [0, 1]}} ],
      "metric": {"name": "time", "goal": "min"}, "measure": {"mode": "isolated", "samples": 3} })json");
  }
};

TEST_F(ObserveTest, TracesEveryBlockOfTheSelectedConfigurations) {
  const CommandResult result = observe("trace", {"--filter", "BLOCK_SIZE=32,WRONG=0"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("row/gpu/BLOCK_SIZE:32/WRONG:0/N:4000\n"));
  EXPECT_THAT(result.out, HasSubstr("  twice: 125 blocks, "));
  EXPECT_EQ(scalar("SELECT count(*) || ' ' || min(start_ns) || ' ' || (max(end_ns) > 0) FROM block_trace"),
            "125 0 1");
  EXPECT_EQ(scalar("SELECT method || ' ' || kernel || ' ' || blocks_per_sm FROM trace JOIN trace_launch ON "
                   "trace_id = trace.id"),
            "workers twice 1");
  EXPECT_THAT(tailwave({"query", "traces"}).out, HasSubstr("row/rows"));
}

TEST_F(ObserveTest, SaysWhatIsWrongWithAConfigurationAndGoesOn) {
  const CommandResult result = observe("trace", {"--filter", "BLOCK_SIZE=64"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("row/gpu/BLOCK_SIZE:64/WRONG:1/N:4000\n  wrong_result: before timing, buffer "
                        "'values': 4000 of 4000 elements differ; worst at element "));
  EXPECT_EQ(scalar("SELECT count(*) FROM trace"), "1");
  EXPECT_EQ(observe("trace", {"--most-slower", "nan"}).exit_status, 2);
  const CommandResult none = observe("trace", {"--filter", "WRONG=1"});
  EXPECT_EQ(none.exit_status, 1);
  EXPECT_EQ(none.err, "no configuration could be observed\n");
}

TEST_F(ObserveTest, RefusesASelectionThatFitsNothing) {
  const CommandResult result = observe("trace", {"--filter", "BLOCK_SIZ=32"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.err,
            "experiments/row/rows.json: no configuration has a value named 'BLOCK_SIZ'\n  did you mean "
            "'BLOCK_SIZE'?\n");
  EXPECT_EQ(observe("curve", {"--config", "BLOCK_SIZE=33"}).err,  // as it was called
            "experiments/row/rows.json: no configuration has BLOCK_SIZE=33\n  BLOCK_SIZE is there: 32, 64\n");
}

TEST_F(ObserveTest, TimesGridsThatModelsAreFittedToAndOthers) {
  const CommandResult result =
      observe("curve", {"--filter", "BLOCK_SIZE=32,WRONG=0", "--held-out", "5", "--samples", "3"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(scalar("SELECT count(*) FROM (SELECT blocks FROM grid_sample WHERE NOT fitted GROUP BY blocks)"),
            "5");
  EXPECT_EQ(
      scalar("SELECT min(n) || ' ' || max(n) FROM (SELECT count(*) AS n FROM grid_sample GROUP BY blocks)"),
      "3 3");
  EXPECT_EQ(scalar("SELECT min(blocks) || ' ' || max(blocks) FROM grid_sample"), "1 125");
  EXPECT_THAT(result.out, HasSubstr("\n  median error on held-out grids: staircase "));
  EXPECT_EQ(scalar("SELECT count(*) FROM grid_error WHERE model = 'selected'"), "5");
  EXPECT_EQ(scalar("SELECT full_grid || ' ' || block_threads FROM grid_curve"), "125 32");
}

TEST_F(ObserveTest, TimesAPlanOnSomeOfTheCores) {
  const CommandResult result = observe("curve", {"--filter", "BLOCK_SIZE=32,WRONG=0", "--sms", "1,1"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("row/gpu/BLOCK_SIZE:32/WRONG:0/N:4000\n  in proportion to the SMs up to "));
  EXPECT_THAT(result.out,
              ContainsRegex("\nsms_asked +sms +median_us +speedup +efficiency +gain +waves_begun +follows"));
  EXPECT_EQ(
      scalar("SELECT count(DISTINCT sms_asked) || ' ' || min(sms_asked) || ' ' || min(sms) FROM sm_sample"),
      "2 0 1");
  EXPECT_EQ(scalar("SELECT kernel || ' ' || grid || ' ' || block_threads FROM sm_curve"), "twice 125 32");
  EXPECT_EQ(scalar("SELECT waves_begun FROM sm_point WHERE sms_asked = 1"), "125");
  EXPECT_EQ(scalar("SELECT count(*) FROM grid_curve"), "0");
}

TEST_F(ObserveTest, TakesTheSpecBehindSmsWithoutAList) {
  const CommandResult result = tailwave({"curve", "--sms", "experiments/row/rows.json", "--device", "cpu",
                                         "--filter", "BLOCK_SIZE=32,WRONG=1"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.out, HasSubstr("row/gpu/BLOCK_SIZE:32/WRONG:1/N:4000\n"));
  EXPECT_THAT(result.err, EndsWith("no configuration could be observed\n"));
  const CommandResult wrong = observe("curve", {"--sms", "8,x"});
  EXPECT_EQ(wrong.exit_status, 2);
  EXPECT_EQ(wrong.err,
            "--sms: 'x' is no number of SMs\n  a list such as 8,16,32 of numbers from 1 to 100000\n");
  EXPECT_EQ(observe("curve", {"--sms", "8", "--held-out", "3"}).exit_status, 2);
}

TEST_F(ObserveTest, RefusesACurveOfAGridWithTwoDimensions) {
  const CommandResult result = tailwave({"curve", "experiments/transpose/tile_size.json", "--device", "cpu"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(
      result.out,
      HasSubstr(
          "launch_failed: no curve of 'transpose': its grid has more than one dimension, and there is no "
          "PTX to change\n"));
}

TEST_F(ObserveTest, HoldsTheDeadlineOfTheExperiment) {
  write("kernel_templates/row/row.cu",
        "extern \"C\" __global__ void twice(float* values, int n) {\n"
        "  volatile int forever = 1 + WRONG;\n  while (forever) {}\n  values[0] = n;\n}\n");
  write("experiments/row/rows.json", R"json({
    "schema_version": 1, "name": "rows", "system": "row", "question": "When does it end?",
    "cases": [ {"variant": "gpu", "parameters": {"BLOCK_SIZE": [32]}} ],
    "metric": {"name": "time", "goal": "min"}, "measure": {"mode": "isolated", "samples": 3, "deadline_s": 1} })json");
  for (const char* command : {"trace", "curve"}) {
    const CommandResult result = observe(command);
    EXPECT_EQ(result.exit_status, 1) << command;
    EXPECT_THAT(result.out, HasSubstr("row/gpu/BLOCK_SIZE:32/WRONG:0/N:4000\n  timeout: ")) << command;
  }
}

TEST_F(ObserveTest, ExportsWhatWasObservedAndImportsItOnce) {
  ASSERT_EQ(observe("trace", {"--filter", "BLOCK_SIZE=32,WRONG=0"}).exit_status, 0);
  ASSERT_EQ(observe("curve", {"--filter", "BLOCK_SIZE=64,WRONG=0", "--held-out", "2", "--samples", "2"})
                .exit_status,
            0);
  ASSERT_EQ(observe("curve", {"--filter", "BLOCK_SIZE=32,WRONG=0", "--sms", "1"}).exit_status, 0);
  const std::vector<std::string> write_it{"export",   "--experiment", "rows",  "--format",
                                          "observed", "--out",        "o.json"};
  const CommandResult written = tailwave(write_it);
  ASSERT_EQ(written.exit_status, 0) << written.err;
  const CommandResult imported = tailwave({"import", "o.json", "--db", "other.db"});
  ASSERT_EQ(imported.exit_status, 0) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr("3 traces, curves, counters and timelines added, 0 already there\n"));
  EXPECT_THAT(tailwave({"import", "o.json", "--db", "other.db"}).out,
              HasSubstr("0 traces, curves, counters and timelines added, 3 already"));
  EXPECT_THAT(tailwave({"query", "model_errors", "--db", "other.db", "--format", "csv"}).out,
              HasSubstr(",all,selected,1,2,"));
  std::vector<std::string> again = write_it;
  again.back() = "again.json";
  again.insert(again.end(), {"--db", "other.db"});
  ASSERT_EQ(tailwave(again).exit_status, 0);
  const auto text = [&](const std::string& file) {
    std::ostringstream read;
    read << std::ifstream(project_ / file).rdbuf();
    return read.str();
  };
  EXPECT_EQ(text("again.json"), text("o.json"));
  EXPECT_THAT(text("o.json"), HasSubstr("\"curves\""));
  EXPECT_THAT(text("o.json"), HasSubstr("\"sm_curves\""));
}

TEST_F(ObserveTest, SeesTheBlocksOfTheGpu) {
  if (const std::string obstacle = cuda_obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
  const std::vector<std::string> selected{"experiments/row/rows.json", "--filter", "BLOCK_SIZE=32,WRONG=0",
                                          "--device", "cuda:0"};
  for (const std::string command : {"trace", "curve"}) {
    std::vector<std::string> arguments{command};
    arguments.insert(arguments.end(), selected.begin(), selected.end());
    const CommandResult result = tailwave(arguments);
    ASSERT_EQ(result.exit_status, 0) << result.out << result.err;
  }
  EXPECT_EQ(scalar("SELECT method FROM trace"), "ptx");
  EXPECT_EQ(scalar("SELECT count(*) FROM block_trace WHERE end_ns > start_ns"), "125");
  EXPECT_EQ(scalar("SELECT traced_blocks_per_sm = blocks_per_sm FROM trace_launch"), "1");
  EXPECT_EQ(scalar("SELECT count(DISTINCT sm) > 1 FROM block_trace"), "1");
  EXPECT_EQ(
      scalar(
          "SELECT blocks_per_sm > 1 AND max(blocks) = 125 FROM grid_curve JOIN grid_sample ON curve_id = id"),
      "1");
}

// Blocks that have an SM each, in clusters of four: some SMs of a GPC may have no room for one.
TEST_F(ObserveTest, CountsTheSlotsOfClustersOnTheGpu) {
  if (const std::string obstacle = cuda_obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
  replace("kernel_templates/row/system.json", R"("block": "BLOCK_SIZE",)",
          R"("block": "BLOCK_SIZE", "cluster": 4, "dynamic_shared_bytes": 163840,)");
  replace("kernel_templates/row/system.json", R"("default": 4000)", R"("default": 32768)");
  write("kernel_templates/row/row.cu",
        "extern \"C\" __global__ void twice(float* values, int n) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  float value = i < n ? values[i] : 0;\n"
        "  for (int step = 0; step < 20000; ++step) value = fmaf(value, 1.0001f, WRONG);\n"
        "  if (i < n) values[i] = value == 0.12345f ? value : 2 * values[i];\n}\n");
  for (const std::string command : {"trace", "curve"}) {
    const CommandResult result = tailwave(
        {command, "experiments/row/rows.json", "--filter", "BLOCK_SIZE=32,WRONG=0", "--device", "cuda:0"});
    if (result.out.find("need compute capability 9.0") != std::string::npos ||
        result.err.find("need compute capability 9.0") != std::string::npos)
      GTEST_SKIP() << "this GPU runs no clusters";
    ASSERT_EQ(result.exit_status, 0) << result.out << result.err;
  }
  EXPECT_EQ(
      scalar("SELECT cluster_slots % 4 = 0 AND cluster_slots <= sms AND blocks_per_sm = 1 FROM trace_launch"),
      "1");
  EXPECT_EQ(
      scalar("SELECT trace_launch.cluster_slots = grid_curve.cluster_slots FROM trace_launch, grid_curve"),
      "1");
  EXPECT_EQ(scalar("SELECT slots BETWEEN cluster_slots AND sms AND pooled FROM trace_slots"), "1");
  EXPECT_EQ(scalar("SELECT utilisation BETWEEN 0.3 AND 1.001 FROM trace_waves"), "1");
  EXPECT_EQ(scalar("SELECT abs(sum(share) - 1) < 1e-9 FROM trace_loss"), "1");
  EXPECT_EQ(scalar("SELECT max(blocks % 4) FROM grid_sample"), "0");
  EXPECT_NE(
      scalar(
          "SELECT count(*) FROM grid_sample JOIN grid_curve ON curve_id = id WHERE blocks = cluster_slots"),
      "0");
}

TEST_F(ObserveTest, CountsNothingOnTheCpuAndSaysSo) {
  const CommandResult result = observe("counters");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.err,
            "counters: the CPU device has no hardware counters\n"
            "  name a GPU with --device; what Nsight Compute counted elsewhere comes in by "
            "'tailwave import --format ncu'\n");
}

TEST_F(ObserveTest, RecordsNoTimelineOnTheCpuAndSaysSo) {
  const CommandResult result = observe("timeline");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, testing::StartsWith("counters: the CPU device has no hardware counters\n"));
  EXPECT_EQ(tailwave({"timeline"}).err,
            "timeline: SPEC is missing\n  SPEC: an experiment file\n"
            "  for example: tailwave timeline experiments/nbody_force_law/streams.json --device cuda:0\n");
  EXPECT_THAT(tailwave({"timeline", "experiments/row/rows.json", "--filter", "BLOCK_SIZE=33"}).err,
              HasSubstr("BLOCK_SIZE=33"));
}

TEST_F(ObserveTest, RecordsATimelineOnTheGpu) {
  if (const std::string obstacle = cuda_obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
  const CommandResult result =
      tailwave({"timeline", "experiments/row/rows.json", "--filter", "WRONG=0", "--device", "cuda:0"});
  if (result.err.find("not permitted") != std::string::npos) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.exit_status, 0) << result.out << result.err;
  EXPECT_EQ(scalar("SELECT count(*) FROM timeline"), "2");
  EXPECT_EQ(
      scalar("SELECT count(*) FROM timeline_record WHERE kind = 'kernel' AND position = 0 AND stream = 0 "
             "AND end_ns > begin_ns"),
      "2");
}

TEST_F(ObserveTest, RunsOnTheCpuWithoutTheCountersThatItIsAskedFor) {
  const CommandResult result = tailwave({"run", "experiments/row/rows.json", "--device", "cpu",
                                         "--counters=quick", "--filter", "BLOCK_SIZE=32"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.err, HasSubstr("counters: the CPU device has no hardware counters\n"));
  EXPECT_THAT(result.err, HasSubstr("\nthe run is whole without counters\n"));
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome = 'correct'"), "1");
}

TEST_F(ObserveTest, SaysWithQuietTooThatItCouldNotCount) {
  const CommandResult result = tailwave({"run", "experiments/row/rows.json", "--device", "cpu", "--counters",
                                         "-q", "--filter", "BLOCK_SIZE=32"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.err, HasSubstr("\ncounters: the CPU device has no hardware counters\n"));
  EXPECT_THAT(result.err, HasSubstr("\nthe run is whole without counters\n"));
}

TEST_F(ObserveTest, RefusesWordsThatAreNoSetOfCounters) {
  const CommandResult result = tailwave({"run", "experiments/row/rows.json", "--counters=some"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.err,
            "run: --counters cannot be 'some'\n  use --counters or --counters=WORD of {default,quick}\n");
  EXPECT_EQ(tailwave({"run", "experiments/row/rows.json", "--counters", "--sms", "8"}).err,
            "run: --counters counts on a whole GPU, not on the SMs of --sms\n  leave one of them out\n");
  EXPECT_EQ(tailwave({"run", "experiments/row/rows.json", "--counters-most", "3"}).err,
            "run: --counters-most says how many are counted, and nothing is\n  add --counters\n");
  EXPECT_EQ(
      observe("counters", {"--metrics", "cycles"}).err,
      "--metrics: 'cycles' is no metric\n"
      "  a metric is called like sm__cycles_active.avg, with what is wanted of the counter behind the dot; "
      "'ncu --query-metrics' lists them\n");
}

TEST_F(ObserveTest, CountsOnTheGpu) {
  if (const std::string obstacle = cuda_obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
  const std::vector<std::string> selected{"experiments/row/rows.json", "--filter", "WRONG=0", "--device",
                                          "cuda:0"};
  std::vector<std::string> arguments{"counters"};
  arguments.insert(arguments.end(), selected.begin(), selected.end());
  const CommandResult result = tailwave(arguments);
  if (result.err.find("not permitted") != std::string::npos) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.exit_status, 0) << result.out << result.err;
  // 125 blocks of a warp, 63 of two, of which the last one's second has nothing to do.
  EXPECT_EQ(scalar("SELECT count(DISTINCT configuration_id) FROM counter_run"), "2");
  EXPECT_EQ(scalar("SELECT count(*) FROM counter_launch WHERE instructions >= 125 * 5 AND cycles > 0 AND "
                   "occupancy BETWEEN 0.001 AND 1 AND issue_share BETWEEN 0 AND 1 AND doubt IS NULL"),
            "2");
  EXPECT_EQ(scalar("SELECT count(*) FROM counter_value WHERE doubt IS NOT NULL"), "0");
  // A multiplication by two each, which may be an addition.
  EXPECT_EQ(scalar("SELECT count(*) FROM counter_roofline WHERE precision = 'fp32' AND flop = 4000"), "2");
  EXPECT_THAT(tailwave({"query", "stalls", "--format", "csv"}).out, HasSubstr("long_scoreboard"));
}

TEST_F(ObserveTest, TimesAPlanOnSomeSmsOfTheGpu) {
  if (const std::string obstacle = cuda_obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
  const CommandResult result = tailwave({"curve", "experiments/row/rows.json", "--filter",
                                         "BLOCK_SIZE=32,WRONG=0", "--device", "cuda:0", "--sms", "1,100000"});
  if (result.out.find("no green contexts") != std::string::npos) GTEST_SKIP() << result.out;
  ASSERT_EQ(result.exit_status, 0) << result.out << result.err;
  EXPECT_THAT(
      result.out,
      HasSubstr("\n  100000 SMs: exceeds_device_limit: 'twice' is to have 100000 SMs, the device has "));
  EXPECT_EQ(scalar("SELECT count(DISTINCT sms_asked) FROM sm_sample"), "2");
  EXPECT_EQ(scalar("SELECT min(sms) < max(sms) FROM sm_sample"), "1");
}

// What is verified and compared, and by whom, is as ever.
TEST_F(ObserveTest, RunsAndTracesOnSomeSmsOfTheGpuAsADeviceOfItsOwn) {
  if (const std::string obstacle = cuda_obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
  const std::vector<std::string> on_part{
      "experiments/row/rows.json", "--filter", "BLOCK_SIZE=32,WRONG=0", "--device", "cuda:0", "--sms", "1"};
  for (const std::string command : {"run", "trace"}) {
    std::vector<std::string> arguments{command};
    arguments.insert(arguments.end(), on_part.begin(), on_part.end());
    const CommandResult result = tailwave(arguments);
    if (result.err.find("no green contexts") != std::string::npos) GTEST_SKIP() << result.err;
    ASSERT_EQ(result.exit_status, 0) << result.out << result.err;
  }
  EXPECT_EQ(scalar("SELECT count(*) FROM device WHERE name LIKE '% (' || sms || ' SMs)'"), "1");
  EXPECT_EQ(scalar("SELECT used_sms <= sms FROM trace_waves"), "1");
  EXPECT_EQ(
      scalar(
          "SELECT trial_waves.sms = device.sms FROM trial_waves JOIN device ON device.name = trial_waves.device"),
      "1");
  ASSERT_EQ(tailwave({"run", "experiments/row/rows.json", "--filter", "BLOCK_SIZE=32,WRONG=0", "--device",
                      "cuda:0"})
                .exit_status,
            0);
  EXPECT_EQ(scalar("SELECT count(*) FROM ranked_trial WHERE place = 1"), "2");  // one of each device
}

TEST_F(ObserveTest, RefusesToExportWhatNobodyObserved) {
  ASSERT_EQ(tailwave({"run", "experiments/row/rows.json", "--device", "cpu"}).exit_status, 0);
  const CommandResult result = tailwave({"export", "--experiment", "rows", "--format", "observed"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err,
              HasSubstr("no traces, curves, counters or timelines of experiment 'rows' on device '"));
  EXPECT_THAT(result.err, HasSubstr("\n  'tailwave trace', 'curve', 'counters' and 'timeline' make some\n"));
}

TEST_F(ObserveTest, ImportsNothingOfADamagedRecording) {
  ASSERT_EQ(observe("trace", {"--filter", "BLOCK_SIZE=32,WRONG=0"}).exit_status, 0);
  ASSERT_EQ(
      tailwave({"export", "--experiment", "rows", "--format", "observed", "--out", "o.json"}).exit_status, 0);
  std::ostringstream read;
  read << std::ifstream(project_ / "o.json").rdbuf();
  std::string text = read.str();
  const std::string grid = "\"grid_x\": 125";
  ASSERT_NE(text.find(grid), std::string::npos);
  text.replace(text.find(grid), grid.size(), "\"grid_x\": 124");
  write("damaged.json", text);
  const CommandResult result = tailwave({"import", "damaged.json", "--db", "other.db"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(scalar("SELECT count(*) FROM trace"), "1");
  EXPECT_EQ(result.err,
            "damaged.json: /traces/0/launches/0/blocks/block: has 125 values, the grid has 124 blocks\n");
  EXPECT_FALSE(std::filesystem::exists(project_ / "other.db"));
}

}  // namespace
}  // namespace tailwave
