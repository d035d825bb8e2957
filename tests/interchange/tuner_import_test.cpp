// Results of other tuners on their way into the database.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "interchange/tuner_import_fixture.h"

namespace tailwave::samples {
namespace {

constexpr const char* kTrials =
    "SELECT configuration.name, outcome, detail, finished_at FROM trial JOIN configuration ON "
    "configuration.id = "
    "configuration_id ORDER BY trial.id";
constexpr const char* kSamples =
    "SELECT trial_id, repetition, position, time_ns, executions FROM sample ORDER BY 1, 2, 3";
constexpr const char* kMeasurements =
    "SELECT trial_id, name, value, unit, objective FROM measurement ORDER BY 1, 2";

using TunerImport = TunerImportFixture;

TEST_F(TunerImport, ReadsACachefile) {
  const ImportSummary summary = import("stencil-W7800.json", kCachefile);
  EXPECT_EQ(summary.experiment, "stencil-W7800");
  EXPECT_EQ(summary.device, "AMD Radeon PRO W7800");
  EXPECT_EQ(summary.trials_added, 2);
  EXPECT_EQ(summary.remark, "");
  EXPECT_EQ(csv(database_, "SELECT kind, name, compute_capability, sms FROM device"),
            "kind,name,compute_capability,sms\nrecorded,AMD Radeon PRO W7800,0,0\n");
  EXPECT_EQ(
      csv(database_, "SELECT system, experiment, metric, maximise, started_at, finished_at, status FROM run"),
      "system,experiment,metric,maximise,started_at,finished_at,status\n"
      "stencil,stencil-W7800,time,0,2025-04-06 07:35:43.614378+00:00,2025-04-06 "
      "07:35:44.000000+00:00,done\n");
  EXPECT_EQ(
      csv(database_, kTrials),
      "name,outcome,detail,finished_at\n"
      "stencil/recorded/block_size_x:16/unroll:true/problem_size_x:4096/problem_size_y:2048,correct,,"
      "2025-04-06 07:35:43.614378+00:00\n"
      "stencil/recorded/block_size_x:32/unroll:false/problem_size_x:4096/problem_size_y:2048,launch_failed,"
      "RuntimeFailedConfig,2025-04-06 07:35:44.000000+00:00\n");
  EXPECT_EQ(csv(database_, kSamples),
            "trial_id,repetition,position,time_ns,executions\n1,0,0,2000000,1\n1,0,1,3000000,1\n");
  EXPECT_EQ(
      csv(database_, kMeasurements),
      "trial_id,name,value,unit,objective\n"
      "1,GFLOP/s,12.5,,0\n1,benchmark_time,5.25,ms,0\n1,compile_time,300.5,ms,0\n1,framework_time,1.5,ms,0\n"
      "1,strategy_time,0,ms,0\n1,time,2.5,ms,1\n1,verification_time,0,ms,0\n"
      "2,benchmark_time,0,ms,0\n2,compile_time,200.5,ms,0\n2,framework_time,1.5,ms,0\n2,strategy_time,0,ms,"
      "0\n"
      "2,verification_time,0,ms,0\n");
}

TEST_F(TunerImport, ReadsT4AsTheCachefileOfTheSameRun) {
  const ImportSummary summary = import("stencil-W7800-T4.json", kT4);
  EXPECT_EQ(summary.experiment, "stencil-W7800");
  EXPECT_EQ(
      csv(database_, "SELECT system, experiment, device.name FROM run JOIN device ON device.id = device_id"),
      "system,experiment,name\nstencil,stencil-W7800,W7800\n");
  EXPECT_EQ(csv(database_, kTrials),
            "name,outcome,detail,finished_at\n"
            "stencil/recorded/block_size_x:16/unroll:true,correct,,2025-04-06 07:35:43.614378+00:00\n"
            "stencil/recorded/block_size_x:32/unroll:false,launch_failed,RuntimeFailedConfig,"
            "2025-04-06 07:35:44.000000+00:00\n");
  EXPECT_EQ(csv(database_, kSamples),
            "trial_id,repetition,position,time_ns,executions\n1,0,0,2000000,1\n1,0,1,3000000,1\n");
  EXPECT_EQ(csv(database_, kMeasurements),
            "trial_id,name,value,unit,objective\n"
            "1,GFLOP/s,12.5,,0\n1,compile_time,300.5,ms,0\n1,framework_time,1.5,ms,0\n"
            "1,strategy_time,0,ms,0\n1,time,2.5,ms,1\n1,verification_time,0,ms,0\n"
            "2,compile_time,200.5,ms,0\n2,framework_time,1.5,ms,0\n2,strategy_time,0,ms,0\n"
            "2,verification_time,0,ms,0\n");
}

TEST_F(TunerImport, ReadsT4WithItsOwnDeviceKernelTimeUnitAndSchemaNames) {
  std::string text = replaced(
      kT4, R"("timeunit": "milliseconds")",
      R"("timeunit": "microseconds", "device": "GPU X", "kernel_name": "blur", "problem": {"n": 8})");
  text = replaced(text, R"("compilation": 300.5)", R"("compilation_time": 300.5, "data": 7)");
  text = replaced(text, R"("unit": "ms")", R"("unit": "")");
  import("results.json", text);
  EXPECT_EQ(
      csv(database_, "SELECT system, experiment, device.name FROM run JOIN device ON device.id = device_id"),
      "system,experiment,name\nblur,results,GPU X\n");
  EXPECT_EQ(csv(database_, "SELECT problem FROM configuration"),
            "problem\n\"{\"\"n\"\":8}\"\n\"{\"\"n\"\":8}\"\n");
  EXPECT_EQ(csv(database_, "SELECT time_ns FROM sample"), "time_ns\n2000\n3000\n");
  EXPECT_EQ(csv(database_,
                "SELECT name, value, unit FROM measurement WHERE trial_id = 1 AND name IN ('time', "
                "'compile_time', 'data_time') ORDER BY 1"),
            "name,value,unit\ncompile_time,0.3005,ms\ndata_time,0.007,ms\ntime,2.5,us\n");
}

TEST_F(TunerImport, CostsTimesInMsWhateverTheirUnits) {
  const std::vector<std::string> times{R"({"name": "time", "value": 5, "unit": "ms"})",
                                       R"({"name": "time", "value": 0.006, "unit": "s"})",
                                       R"({"name": "time", "value": 7000, "unit": "us"})",
                                       R"({"name": "time", "value": 8e6, "unit": "nanoseconds"})",
                                       R"({"name": "time", "value": 0.009, "unit": "seconds"})",
                                       R"({"name": "time", "value": 10000, "unit": "microseconds"})",
                                       R"({"name": "time", "value": 11})"};
  import("units-X-T4.json", t4_of_measurements(times));
  EXPECT_EQ(csv(database_, "SELECT cost FROM space_cost ORDER BY trial_id"), "cost\n5\n6\n7\n8\n9\n10\n11\n");
  EXPECT_EQ(csv(database_, "SELECT value, unit FROM measurement WHERE trial_id IN (2, 3) ORDER BY trial_id"),
            "value,unit\n0.006,s\n7000,us\n")
      << "the file's own are kept";
}

TEST_F(TunerImport, CostsRuntimesInMsToo) {
  std::string text = replaced(kT4, R"("name": "time", "value": 2.5, "unit": "ms")",
                              R"("name": "power", "value": 90, "unit": "W")");
  import("a-X-T4.json", replaced(text, "\"milliseconds\"", "\"seconds\""));
  EXPECT_EQ(csv(database_, "SELECT cost FROM space_cost WHERE outcome = 'correct'"), "cost\n2500\n");
}

TEST_F(TunerImport, NamesADeviceThatNothingNamesUnknown) {
  EXPECT_EQ(import("stencil-T4.json", kT4).device, "unknown");
  EXPECT_EQ(import("other.json", replaced(kCachefile, "AMD Radeon PRO W7800", "")).device, "unknown");
}

TEST_F(TunerImport, AddsNothingASecondTime) {
  for (const auto& [name, text] :
       std::map<std::string, std::string>{{"a-X.json", kCachefile}, {"b-X-T4.json", kT4}}) {
    import(name, text);
    const std::string before =
        csv(database_, kTrials) + csv(database_, kSamples) + csv(database_, kMeasurements);
    const ImportSummary again = import(name, text);
    EXPECT_EQ(again.trials_added, 0);
    EXPECT_EQ(again.trials_present, 2);
    EXPECT_EQ(csv(database_, kTrials) + csv(database_, kSamples) + csv(database_, kMeasurements), before);
  }
  EXPECT_EQ(csv(database_, "SELECT count(*) AS runs FROM run"), "runs\n2\n");
}

TEST_F(TunerImport, CompletesTheCachefileOfARunInProgressAndLaterAddsTheRest) {
  const std::string first = kCachefile.substr(0, kCachefile.find("\n\"32,False\""));
  const ImportSummary unfinished = import("stencil.json", first);
  EXPECT_EQ(unfinished.trials_added, 1);
  EXPECT_EQ(unfinished.remark, "the run was still in progress, its file has no closing braces");
  EXPECT_EQ(csv(database_, "SELECT status FROM run"), "status\ninterrupted\n");
  const ImportSummary whole = import("stencil.json", kCachefile);
  EXPECT_EQ(whole.trials_added, 1);
  EXPECT_EQ(whole.trials_present, 1);
  EXPECT_EQ(whole.remark, "");
  EXPECT_EQ(csv(database_, "SELECT status, finished_at FROM run"),
            "status,finished_at\ndone,2025-04-06 07:35:44.000000+00:00\n");
}

TEST_F(TunerImport, DoesNotGoBackToAnOlderCopyOfAFile) {
  const std::string older = kCachefile.substr(0, kCachefile.find("\n\"32,False\""));
  import("stencil.json", kCachefile);
  const std::string before = csv(database_, "SELECT status, started_at, finished_at FROM run");
  const ImportSummary summary = import("stencil.json", older);
  EXPECT_EQ(summary.trials_present, 1);
  EXPECT_EQ(summary.remark, "the run was still in progress, its file has no closing braces");
  EXPECT_EQ(csv(database_, "SELECT status, started_at, finished_at FROM run"), before);
  EXPECT_EQ(before,
            "status,started_at,finished_at\n"
            "done,2025-04-06 07:35:43.614378+00:00,2025-04-06 07:35:44.000000+00:00\n");
}

TEST_F(TunerImport, FillsTheRunOfACachefileThatHadNoEntriesYet) {
  const std::size_t first = kCachefile.find("\n\"16,True\"");
  EXPECT_EQ(import("stencil.json", kCachefile.substr(0, first)).trials_added, 0);
  EXPECT_EQ(csv(database_, "SELECT status, started_at FROM run"), "status,started_at\ninterrupted,\n");
  EXPECT_EQ(import("stencil.json", kCachefile).trials_added, 2);
  EXPECT_EQ(csv(database_, "SELECT status, started_at FROM run"),
            "status,started_at\ndone,2025-04-06 07:35:43.614378+00:00\n");
}

TEST_F(TunerImport, SaysWhichTrialsHaveOtherValuesAndKeepsThoseThatAreThere) {
  import("stencil.json", kCachefile);
  const std::string before =
      csv(database_, kTrials) + csv(database_, kSamples) + csv(database_, kMeasurements);
  const std::string left_out =
      " of them have other values in the file, which were left out "
      "(stencil/recorded/block_size_x:16/unroll:true/problem_size_x:4096/problem_size_y:2048); import it "
      "under "
      "another name to have both";
  for (const auto& [part, other] :
       std::multimap<std::string, std::string>{{R"("time": 2.5)", R"("time": 5)"},
                                               {"[2.0, 3.0]", "[4.0, 6.0]"},
                                               {R"("time": 2.5)", R"("time": "InvalidConfig")"}}) {
    const ImportSummary summary = import("stencil.json", replaced(kCachefile, part, other));
    EXPECT_EQ(summary.trials_added, 0);
    EXPECT_EQ(summary.trials_present, 2);
    EXPECT_EQ(summary.remark, "1" + left_out);
  }
  const std::string failed = replaced(kCachefile, "RuntimeFailedConfig", "InvalidConfig");
  EXPECT_EQ(import("stencil.json", replaced(failed, R"("time": 2.5)", R"("time": 5)")).remark,
            "2" + left_out);
  EXPECT_EQ(csv(database_, kTrials) + csv(database_, kSamples) + csv(database_, kMeasurements), before);
}

TEST_F(TunerImport, TakesASpaceThatWasTunedAnewForARunOfItsOwn) {
  import("stencil.json", kCachefile);
  const ImportSummary anew =
      import("stencil.json", replaced(kCachefile, "2025-04-06 07:35:43", "2025-05-06 07:35:43"));
  EXPECT_EQ(anew.trials_added, 2);
  EXPECT_EQ(anew.remark, "");
  EXPECT_EQ(csv(database_, "SELECT count(*) AS runs FROM run"), "runs\n2\n");
}

TEST_F(TunerImport, ReadsCompressedFiles) {
  const ImportSummary summary = import("stencil-W7800-T4.json.gz", gzipped(kT4));
  EXPECT_EQ(summary.experiment, "stencil-W7800");
  EXPECT_EQ(summary.trials_added, 2);
}

TEST_F(TunerImport, KnowsEveryFailureNoteOfKernelTuner) {
  const std::string failed = R"("time": "RuntimeFailedConfig")";
  const std::map<std::string, std::string> outcomes{
      {R"("time": "CompilationFailedConfig")", "compile_error,CompilationFailedConfig"},
      {R"("time": "InvalidConfig")", "exceeds_device_limit,InvalidConfig"},
      {R"("time": "ErrorConfig")", "launch_failed,ErrorConfig"},
      {R"("__error__": "CompilationFailedConfig")", "compile_error,CompilationFailedConfig"},
      {R"("__error__": "RuntimeFailedConfig", "time": 3.5)", "launch_failed,RuntimeFailedConfig"},
      {R"("time": 1e20)", "launch_failed,RuntimeFailedConfig"}};
  for (const auto& [note, outcome] : outcomes) {
    Database database(folder_ / "one.db", Database::Mode::read_write);
    import_recorded(database, write("stencil.json", replaced(kCachefile, failed, note)));
    EXPECT_EQ(csv(database, "SELECT outcome, detail FROM trial WHERE id = 2"),
              "outcome,detail\n" + outcome + "\n")
        << note;
    EXPECT_EQ(csv(database, "SELECT count(*) AS n FROM measurement WHERE trial_id = 2 AND name = 'time'"),
              "n\n0\n");
    std::filesystem::remove(folder_ / "one.db");
  }
}

TEST_F(TunerImport, KnowsEveryInvalidityOfT4) {
  const std::map<std::string, std::string> outcomes{{"compile", "compile_error"},
                                                    {"runtime", "launch_failed"},
                                                    {"correctness", "wrong_result"},
                                                    {"timeout", "timeout"},
                                                    {"constraints", "exceeds_device_limit"}};
  for (const auto& [invalidity, outcome] : outcomes) {
    Database database(folder_ / "one.db", Database::Mode::read_write);
    import_recorded(database, write("t4.json", replaced(kT4, R"("invalidity": "runtime")",
                                                        R"("invalidity": ")" + invalidity + '"')));
    EXPECT_EQ(csv(database, "SELECT outcome FROM trial WHERE id = 2"), "outcome\n" + outcome + "\n");
    std::filesystem::remove(folder_ / "one.db");
  }
}

TEST_F(TunerImport, ReadsTheOldestLayoutOfCachefiles) {
  std::string text =
      replaced(kCachefile, "\"problem_size\": [\n4096,\n2048\n],", "\"problem_size\": 20000000,");
  text = replaced(text, "\"objective\": \"time\",\n", "");
  text = replaced(text, ", \"timestamp\": \"2025-04-06 07:35:43.614378+00:00\"", "");
  text = replaced(text, ", \"timestamp\": \"2025-04-06 07:35:44.000000+00:00\"", "");
  text = replaced(text, "\"times\": [2.0, 3.0], ", "");
  import("stencil.json", text);
  EXPECT_EQ(
      csv(database_,
          "SELECT DISTINCT problem, started_at, trial.finished_at FROM run JOIN trial ON run_id = run.id "
          "JOIN configuration ON configuration.id = configuration_id"),
      "problem,started_at,finished_at\n\"{\"\"problem_size\"\":20000000}\",,\n");
  EXPECT_EQ(csv(database_, "SELECT value FROM measurement WHERE objective"), "value\n2.5\n");
  EXPECT_EQ(csv(database_, "SELECT count(*) AS n FROM sample"), "n\n0\n");
}

TEST_F(TunerImport, KeepsAnObjectiveThatIsNotTheTime) {
  const std::string text =
      replaced(replaced(kCachefile, R"("objective": "time")", R"("objective": "GFLOP/s")"),
               R"("time": "RuntimeFailedConfig")", R"("GFLOP/s": "InvalidConfig")");
  import("stencil.json", text);
  EXPECT_EQ(csv(database_, "SELECT metric, maximise FROM run"), "metric,maximise\nGFLOP/s,1\n");
  EXPECT_EQ(csv(database_, "SELECT name, value FROM measurement WHERE objective"),
            "name,value\nGFLOP/s,12.5\n");
  EXPECT_EQ(csv(database_, "SELECT outcome FROM trial WHERE id = 2"), "outcome\nexceeds_device_limit\n");
}

TEST_F(TunerImport, ReadsKeysThatPythonPrinted) {
  std::string text =
      replaced(kCachefile, R"("16,True": {"block_size_x": 16)", R"("1e-05,True": {"block_size_x": 0.00001)");
  text = replaced(text, R"("32,False": {"block_size_x": 32)", R"("a,b,False": {"block_size_x": "a,b")");
  EXPECT_EQ(import("stencil.json", text).trials_added, 2);
}

// --- what is damaged ---------------------------------------------------------------------------------------

TEST_F(TunerImport, TakesAFailureAndASecondObjectiveOf0) {
  import("a.json",
         replaced(replaced(kCachefile, R"("objective": "time")", R"("objective": ["time", "error"])"),
                  R"("time": 2.5)", R"("time": 2.5, "error": 0)"));
  EXPECT_EQ(
      csv(database_,
          "SELECT outcome, name, value FROM trial LEFT JOIN measurement ON trial_id = id AND objective"),
      "outcome,name,value\ncorrect,error,0\ncorrect,time,2.5\nlaunch_failed,,\n");
}

}  // namespace
}  // namespace tailwave::samples
