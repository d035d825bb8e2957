// Results on their way to other tuners, and there and back.
#include "interchange/tuner_export.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "interchange/import.h"
#include "interchange/tuner_files.h"
#include "json/json_file.h"
#include "json/parser.h"
#include "json/schema.h"
#include "store/sample_data.h"

namespace tailwave {
namespace {

using nlohmann::json;
using samples::csv;
using samples::error_of;
using samples::kCachefile;
using samples::kT4;
using samples::replaced;
using samples::TemporaryFolder;
using samples::write_file;

const std::filesystem::path kTunerData = std::filesystem::path(TAILWAVE_TEST_DATA) / "tuners";

json load(const std::filesystem::path& file) {
  return json::parse(std::ifstream(file));
}

// What the published schema of T4 finds wrong; empty: nothing.
std::string t4_errors(const json& document) {
  Diagnostics errors;
  check_schema(read_json_file(kTunerData / "t4_schema.json").document, require_json(document.dump(), ""),
               errors);
  std::string text;
  for (const Diagnostic& error : errors) text += to_string(error) + "\n";
  return text;
}

class TunerExport : public ::testing::Test {
 protected:
  void import(const std::filesystem::path& file) { scope_ = imported(database_, file); }
  static ExportScope imported(Database& database, const std::filesystem::path& file) {
    const ImportSummary summary = import_recorded(database, file);
    return {summary.experiment, summary.device, ""};
  }
  json t4() { return json::parse(export_t4(database_, scope_)); }
  json cachefile() { return json::parse(export_kernel_tuner(database_, scope_)); }
  std::filesystem::path write(const std::string& name, const std::string& text) {
    return write_file(folder_ / name, text);
  }

  // Three configurations of two variants, for two problems, measured here.
  void measure() {
    ResultStore store(database_);
    const std::int64_t run = store.begin_run(samples::run("sizes", "2025-01-01T10:00:00Z"), samples::gpu());
    Trial fast = samples::trial("shared", {{"BLOCK_SIZE", 32}, {"FAST", true}}, {1e6, 9e6, 3e6});
    fast.samples[1].dropped = "throttled";
    fast.build = BuildRecord{"key", "NVRTC 13.0", "sm_90", "", "code", "", 0.25, false};
    store.add_trial(run, samples::gpu(), fast);
    Trial same =
        samples::failed("shared", {{"BLOCK_SIZE", 64}, {"FAST", true}}, Outcome::skipped_identical, "");
    same.same_as = fast.configuration.name();
    store.add_trial(run, samples::gpu(), same);
    Trial broken = samples::failed("basic", {{"BLOCK_SIZE", 32}}, Outcome::illegal_access, "out of bounds");
    broken.configuration.problem["N"] = 8192;
    store.add_trial(run, samples::gpu(), broken);
    store.add_trial(run, samples::cpu(), samples::trial("cpu", {}, {5e6}));
    store.finish_run(run, RunStatus::done, "2025-01-01T10:01:00Z");
    scope_ = {"sizes", "NVIDIA H200", ""};
  }

  TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
  ExportScope scope_;
};

TEST_F(TunerExport, SaysWhatNothingHasVerifiedAndReadsItAgain) {
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("random", "2025-01-01T10:00:00Z"), samples::gpu());
  Trial trial = samples::trial("shared", {{"BLOCK_SIZE", 32}}, {1e6});
  trial.unverified = "it is random";
  store.add_trial(run, samples::gpu(), trial);
  store.add_trial(run, samples::gpu(), samples::failed("shared", {{"BLOCK_SIZE", 64}}, Outcome::crashed, ""));
  scope_ = {"random", "NVIDIA H200", ""};
  EXPECT_EQ(t4().at("metadata").at("unverified"), "it is random");
  EXPECT_EQ(t4_errors(t4()), "");
  EXPECT_EQ(cachefile().at("unverified"), "it is random");
  for (const json& exported : {t4(), cachefile()}) {
    Database other(folder_ / (exported.contains("cache") ? "c.db" : "t.db"), Database::Mode::read_write);
    import_recorded(other,
                    write(exported.contains("cache") ? "again.json" : "again-T4.json", exported.dump()));
    EXPECT_EQ(csv(other, "SELECT outcome, unverified FROM trial ORDER BY outcome"),
              "outcome,unverified\ncorrect,it is random\nlaunch_failed,\n");
  }
}

TEST_F(TunerExport, GivesACachefileBackAsItWas) {
  for (const char* name : {"convolution_milo-A4000.json", "pnpoly-RTX_2080_Ti.json"}) {
    import(kTunerData / name);
    json expected = load(kTunerData / name);
    // A configuration that failed has no samples.
    for (json& entry : expected["cache"])
      if (entry["time"].is_string()) entry.erase("times");
    EXPECT_EQ(cachefile(), expected) << name;
  }
}

TEST_F(TunerExport, GivesT4BackAsItWas) {
  import(kTunerData / "convolution_milo-A4000-T4.json");
  json expected = load(kTunerData / "convolution_milo-A4000-T4.json");
  expected["metadata"]["device"] = "A4000";
  expected["metadata"]["kernel_name"] = "convolution_milo";
  EXPECT_EQ(t4(), expected);
}

TEST_F(TunerExport, WritesT4ThatThePublishedSchemaAccepts) {
  for (const char* name :
       {"convolution_milo-A4000.json", "pnpoly-RTX_2080_Ti.json", "convolution_milo-A4000-T4.json"}) {
    import(kTunerData / name);
    EXPECT_EQ(t4_errors(t4()), "") << name;
  }
  measure();
  EXPECT_EQ(t4_errors(t4()), "");
  // The schema's pattern, which check_schema() does not judge by.
  EXPECT_TRUE(std::regex_match(t4().at("schema_version").get<std::string>(), std::regex(R"(\d+\.\d+\.\d+)")));
  json broken = t4();
  broken["results"][0].erase("invalidity");
  EXPECT_NE(t4_errors(broken), "") << "the schema finds nothing";
}

TEST_F(TunerExport, SaysTheSameInBothFormats) {
  import(write("stencil-W7800.json", kCachefile));
  const json results = t4()["results"];
  const json expected = json::parse(kT4)["results"];
  ASSERT_EQ(results.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    for (const char* field : {"configuration", "invalidity", "correctness", "objectives", "timestamp"})
      EXPECT_EQ(results[i][field], expected[i][field]) << field;
    for (const auto& item : expected[i]["times"].items())
      EXPECT_EQ(results[i]["times"][item.key()], item.value());
    EXPECT_EQ(results[i]["times"]["compilation_time"], expected[i]["times"]["compilation"]);
    EXPECT_EQ(results[i]["measurements"].size(), expected[i]["measurements"].size());
  }
  EXPECT_EQ(results[1]["measurements"],
            json::parse(R"([{"name": "time", "value": "RuntimeFailedConfig", "unit": "ms"}])"));
}

// Everything that the database keeps of recorded results but when and from which file they came in.
std::string rows(Database& database) {
  return csv(database,
             "SELECT system, device.name, kind, metric, maximise, started_at, finished_at, status FROM run "
             "JOIN "
             "device ON device.id = device_id") +
         csv(database,
             "SELECT configuration.name, outcome, detail, trial.finished_at FROM trial JOIN configuration ON "
             "configuration.id = configuration_id ORDER BY 1") +
         csv(database,
             "SELECT configuration.name, repetition, position, time_ns FROM sample JOIN trial ON trial.id = "
             "trial_id "
             "JOIN configuration ON configuration.id = configuration_id ORDER BY 1, 2, 3") +
         csv(database,
             "SELECT configuration.name, measurement.name, value, unit, objective FROM measurement JOIN "
             "trial ON "
             "trial.id = trial_id JOIN configuration ON configuration.id = configuration_id ORDER BY 1, 2");
}

TEST_F(TunerExport, ComesBackToTheSameRows) {
  for (const char* name :
       {"convolution_milo-A4000.json", "pnpoly-RTX_2080_Ti.json", "convolution_milo-A4000-T4.json"}) {
    Database first(folder_ / (std::string(name) + ".first.db"), Database::Mode::read_write);
    Database second(folder_ / (std::string(name) + ".second.db"), Database::Mode::read_write);
    const ExportScope scope = imported(first, kTunerData / name);
    const bool is_t4 = std::string(name).find("T4") != std::string::npos;
    imported(second, write(name, is_t4 ? export_t4(first, scope) : export_kernel_tuner(first, scope)));
    EXPECT_EQ(rows(second), rows(first)) << name;
  }
}

// Timers of GPUs answer in single precision, other clocks in whole ns.
TEST_F(TunerExport, KeepsTimesOfSinglePrecisionAndDecimalOnesExactly) {
  std::string times;
  for (int i = 1; i <= 500; ++i)
    times += fmt::format("{}{}, {:.6f}", i == 1 ? "" : ", ",
                         static_cast<double>(0.0137F * static_cast<float>(i)), i * 0.073219);
  import(write("stencil.json", replaced(kCachefile, "2.0, 3.0", times)));
  const json kept = cachefile()["cache"]["16,True"]["times"];
  const json expected = json::parse("[" + times + "]");
  ASSERT_EQ(kept.size(), 1000U);
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i], expected[i]);
}

TEST_F(TunerExport, EndsACachefileAsTheReaderOfKernelTunerExpects) {
  import(write("stencil.json", kCachefile));
  const std::string text = export_kernel_tuner(database_, scope_);
  EXPECT_TRUE(text.ends_with("}}\n}") || text.ends_with("}\n}")) << text;
  EXPECT_TRUE(text.starts_with("{\n\"device_name\": \"AMD Radeon PRO W7800\",\n")) << text;
}

TEST_F(TunerExport, KeepsAFailureWhicheverWayItIsNoted) {
  import(write("stencil.json", replaced(kCachefile, R"("time": "RuntimeFailedConfig")",
                                        R"("__error__": "CompilationFailedConfig")")));
  EXPECT_EQ(cachefile()["cache"]["32,False"]["time"], "CompilationFailedConfig");
  EXPECT_EQ(t4()["results"][1]["invalidity"], "compile");
}

TEST_F(TunerExport, IgnoresAMemberOfT4ThatItsOwnNotesAreCalled) {
  import(write("a-X-T4.json", replaced(kT4, R"("schema_version")", R"("compilation": 5, "schema_version")")));
  EXPECT_EQ(t4()["results"][0]["times"]["compilation"], 300.5);
}

TEST_F(TunerExport, ConvertsTimesToMilliseconds) {
  import(write("a-X-T4.json",
               replaced(replaced(kT4, "milliseconds", "seconds"), R"("unit": "ms")", R"("unit": "")")));
  const json entry = cachefile()["cache"]["16,True"];
  EXPECT_EQ(entry["time"], 2500);
  EXPECT_EQ(entry["compile_time"], 300500);
  EXPECT_EQ(entry["times"], json::parse("[2000.0, 3000.0]"));
}

TEST_F(TunerExport, KeepsTheUnitsOfT4) {
  const std::string text =
      replaced(replaced(kT4, R"("value": 2.5, "unit": "ms")", R"("value": 0.007, "unit": "s")"),
               R"("RuntimeFailedConfig", "unit": "ms")", R"("RuntimeFailedConfig", "unit": "s")");
  import(write("a-X-T4.json", text));
  json expected = json::parse(text);
  expected["metadata"]["device"] = "X";
  expected["metadata"]["kernel_name"] = "a";
  // In the order of their names.
  std::swap(expected["results"][0]["measurements"][0], expected["results"][0]["measurements"][1]);
  EXPECT_EQ(t4(), expected);
  EXPECT_EQ(cachefile()["cache"]["16,True"]["time"], 7);
}

TEST_F(TunerExport, HasOurOwnTrialsWithVariantAndProblemAsParameters) {
  measure();
  const json document = cachefile();
  EXPECT_EQ(document["tune_params_keys"], json::parse(R"(["BLOCK_SIZE", "FAST", "N", "variant"])"));
  EXPECT_EQ(document["tune_params"]["N"], json::parse("[4096, 8192]"));
  EXPECT_EQ(document["kernel_name"], "nbody");
  EXPECT_EQ(document["cache"].size(), 3U);
  const json fast = document["cache"]["32,True,4096,shared"];
  EXPECT_EQ(fast["time"], 2.0) << "the median";
  EXPECT_EQ(fast["times"], json::parse("[1.0, 3.0]"));
  EXPECT_EQ(fast["compile_time"], 250);
  EXPECT_EQ(fast["interactions_per_second"], 16'777'216 / 2e-3);
  EXPECT_EQ(document["cache"]["64,True,4096,shared"]["time"], 2.0) << "the machine code is that of the first";
  EXPECT_EQ(document["cache"]["32,none,8192,basic"]["time"], "RuntimeFailedConfig");
  const json results = t4()["results"];
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[2]["invalidity"], "runtime");
  EXPECT_EQ(results[2]["configuration"],
            json::parse(R"({"BLOCK_SIZE": 32, "FAST": "none", "N": 8192, "variant": "basic"})"));
  EXPECT_EQ(t4()["metadata"], json::parse(R"({"device": "NVIDIA H200", "kernel_name": "nbody",
                                              "problem": {"DT": 0.01}, "timeunit": "milliseconds"})"));
}

TEST_F(TunerExport, ReadsBackWhatItSaysOfOurOwnTrials) {
  measure();
  for (const bool as_t4 : {true, false}) {
    Database other(folder_ / (as_t4 ? "t4.db" : "kt.db"), Database::Mode::read_write);
    const std::string text = as_t4 ? export_t4(database_, scope_) : export_kernel_tuner(database_, scope_);
    const ExportScope scope = imported(other, write("sizes.json", text));
    EXPECT_EQ(scope.device, "NVIDIA H200");
    EXPECT_EQ(csv(other, "SELECT outcome, count(*) AS n FROM trial GROUP BY 1"),
              "outcome,n\ncorrect,2\nlaunch_failed,1\n");
    EXPECT_EQ(csv(other, "SELECT kind, system FROM run JOIN device ON device.id = device_id"),
              "kind,system\nrecorded,nbody\n");
  }
}

TEST_F(TunerExport, MapsEveryOutcome) {
  const std::vector<std::pair<Outcome, std::string>> outcomes{{Outcome::compile_error, "compile"},
                                                              {Outcome::compile_timeout, "compile"},
                                                              {Outcome::exceeds_device_limit, "constraints"},
                                                              {Outcome::launch_failed, "runtime"},
                                                              {Outcome::illegal_access, "runtime"},
                                                              {Outcome::timeout, "timeout"},
                                                              {Outcome::given_up, "timeout"},
                                                              {Outcome::out_of_memory, "runtime"},
                                                              {Outcome::wrong_result, "correctness"},
                                                              {Outcome::crashed, "runtime"}};
  ResultStore store(database_);
  const std::int64_t run = store.begin_run(samples::run("outcomes", "2025-01-01T10:00:00Z"), samples::gpu());
  int i = 0;
  for (const auto& [outcome, word] : outcomes) {
    Trial trial = samples::failed("shared", {{"I", i++}}, outcome, "why");
    if (outcome == Outcome::given_up) trial.at_least_ns = 1e9;
    store.add_trial(run, samples::gpu(), trial);
  }
  scope_ = {"outcomes", "NVIDIA H200", ""};
  const json results = t4()["results"];
  ASSERT_EQ(results.size(), outcomes.size());
  for (std::size_t k = 0; k < outcomes.size(); ++k) EXPECT_EQ(results[k]["invalidity"], outcomes[k].second);
}

TEST_F(TunerExport, RefusesWhatIsNotThere) {
  const std::string file = (folder_ / "results.db").string();
  EXPECT_EQ(
      error_of([&] {
        (void)export_t4(database_, {"none", "NVIDIA H200", ""});
      }),
      file +
          ": no trials of experiment 'none' on device 'NVIDIA H200'\n  the experiment has no trials at all");
}

}  // namespace
}  // namespace tailwave
