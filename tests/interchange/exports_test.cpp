#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "interchange/export_csv.h"
#include "interchange/export_google_benchmark.h"
#include "store/sample_data.h"

namespace tailwave {
namespace {

using nlohmann::json;
using samples::error_of;
using samples::TemporaryFolder;

const ExportScope kScope{"exported", "NVIDIA H200", ""};

// Two repetitions of one variant, a host variant, a failure, and a time of zero.
class Exports : public ::testing::Test {
 protected:
  void SetUp() override {
    ResultStore store(database_);
    const std::int64_t run =
        store.begin_run(samples::run("exported", "2025-01-01T10:00:00Z"), samples::gpu());
    Trial shared = samples::trial("shared", {{"BLOCK_SIZE", 32}, {"kind", std::string("a,b")}},
                                  {1000, 1200, 1100, 9000, 2000, 2200});
    shared.samples[3].dropped = "throttled";
    for (std::size_t i = 4; i < 6; ++i) shared.samples[i].repetition = 1;
    for (Sample& sample : shared.samples) sample.executions = 10;
    store.add_trial(run, samples::gpu(), shared);
    Trial host = samples::trial("cpu", {}, {3e6});
    host.unverified = "it is random";
    store.add_trial(run, samples::cpu(), host);
    store.add_trial(run, samples::gpu(),
                    samples::failed("shared", {{"BLOCK_SIZE", 1025}}, Outcome::launch_failed,
                                    "refused: \xff \"1025\"\nsecond line"));
    store.add_trial(run, samples::gpu(), samples::trial("zero", {{"FAST", true}}, {0}));
    store.finish_run(run, RunStatus::done, "2025-01-01T10:01:00Z");
  }

  // The entries of one run_name suffix, in their order.
  std::vector<json> entries(const std::string& configuration) {
    std::vector<json> found;
    const json document = json::parse(export_google_benchmark(database_, kScope));
    for (const json& one : document.at("benchmarks"))
      if (one.at("run_name").get<std::string>().starts_with("nbody/" + configuration)) found.push_back(one);
    return found;
  }

  TemporaryFolder folder_;
  Database database_{folder_ / "results.db", Database::Mode::read_write};
};

TEST_F(Exports, CsvHasARowForEachSampleAndFailureAndAColumnForEachParameter) {
  const auto rate = [](double time_ns) {
    return ",interactions_per_second," + to_string(Value(16'777'216 / (time_ns / 1e9)));
  };
  std::string expected =
      "system,experiment,run_device,device,kind,configuration,variant,BLOCK_SIZE,FAST,kind_,DT,N,outcome,"
      "unverified,mode,timer,repetition,position,time_ns,executions,dropped,metric,metric_value\n"
      "nbody,exported,NVIDIA H200,Test CPU (2 "
      "cores),cpu,nbody/cpu/DT:0.01/N:4096,cpu,,,,0.01,4096,correct,it is random,isolated,"
      "cuda_event,0,0,3e+06,1," +
      rate(3e6) +
      "\n"
      "nbody,exported,NVIDIA H200,NVIDIA "
      "H200,cuda,nbody/shared/BLOCK_SIZE:1025/DT:0.01/N:4096,shared,1025,,,0.01,"
      "4096,launch_failed,,isolated,,,,,,,interactions_per_second,\n";
  const std::vector<std::pair<std::string, double>> samples{
      {"0,0,1000,10,", 1000},          {"0,1,1200,10,", 1200}, {"0,2,1100,10,", 1100},
      {"0,3,9000,10,throttled", 9000}, {"1,4,2000,10,", 2000}, {"1,5,2200,10,", 2200}};
  for (const auto& [sample, time_ns] : samples) {
    expected += fmt::format(
        "nbody,exported,NVIDIA H200,NVIDIA H200,cuda,\"nbody/shared/BLOCK_SIZE:32/kind:a,b/DT:0.01/N:4096\","
        "shared,32,,\"a,b\",0.01,4096,correct,,isolated,cuda_event,{}{}\n",
        sample, rate(time_ns));
  }
  expected +=
      "nbody,exported,NVIDIA H200,NVIDIA H200,cuda,nbody/zero/FAST:true/DT:0.01/N:4096,zero,,true,,0.01,4096,"
      "correct,,isolated,cuda_event,0,0,0,1,,interactions_per_second,\n";
  EXPECT_EQ(export_csv(database_, kScope), expected);
}

TEST_F(Exports, GoogleBenchmarkHasAnEntryForEachRepetitionWithTheMedianOfItsSamples) {
  const std::vector<json> shared = entries("shared/BLOCK_SIZE:32");
  ASSERT_EQ(shared.size(), 6U);
  const json first = json::parse(R"({
    "name": "nbody/shared/BLOCK_SIZE:32/kind:a,b/DT:0.01/N:4096/manual_time", "family_index": 1,
    "per_family_instance_index": 1, "run_name": "nbody/shared/BLOCK_SIZE:32/kind:a,b/DT:0.01/N:4096/manual_time",
    "run_type": "iteration", "repetitions": 2, "repetition_index": 0, "threads": 1, "iterations": 30,
    "real_time": 1100.0, "cpu_time": 1100.0, "time_unit": "ns", "interactions_per_second": 15252014545454.545})");
  EXPECT_EQ(shared[0], first);
  EXPECT_EQ(shared[1].at("repetition_index"), 1);
  EXPECT_EQ(shared[1].at("iterations"), 20);
  EXPECT_EQ(shared[1].at("real_time"), 2100);
}

TEST_F(Exports, GoogleBenchmarkHasTheFourAggregatesOfRepetitions) {
  const std::vector<json> shared = entries("shared/BLOCK_SIZE:32");
  ASSERT_EQ(shared.size(), 6U);
  const auto expect = [&](std::size_t place, const std::string& name, const std::string& unit, double time) {
    const json& one = shared[place];
    EXPECT_EQ(one.at("name"), one.at("run_name").get<std::string>() + "_" + name);
    EXPECT_EQ(one.at("run_type"), "aggregate");
    EXPECT_EQ(one.at("aggregate_name"), name);
    EXPECT_EQ(one.at("aggregate_unit"), unit);
    EXPECT_EQ(one.at("iterations"), 2);
    EXPECT_NEAR(one.at("real_time"), time, 1e-9);
    EXPECT_TRUE(one.contains("interactions_per_second"));
    EXPECT_FALSE(one.contains("repetition_index"));
  };
  expect(2, "mean", "time", 1600);
  expect(3, "median", "time", 1600);
  expect(4, "stddev", "time", 1000 / std::sqrt(2));
  expect(5, "cv", "percentage", 1000 / std::sqrt(2) / 1600);
}

TEST_F(Exports, GoogleBenchmarkHasAFailureAsAnErrorWithoutATime) {
  const std::vector<json> failed = entries("shared/BLOCK_SIZE:1025");
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].at("error_occurred"), true);
  EXPECT_EQ(failed[0].at("error_message"), "launch_failed: refused: \xef\xbf\xbd \"1025\"\nsecond line");
  EXPECT_EQ(failed[0].at("real_time"), 0);
  EXPECT_FALSE(failed[0].contains("interactions_per_second"));
}

TEST_F(Exports, GoogleBenchmarkSaysWhereAHostVariantRan) {
  const std::vector<json> cpu = entries("cpu");
  ASSERT_EQ(cpu.size(), 1U);
  EXPECT_EQ(cpu[0].at("label"), "Test CPU (2 cores), unverified: it is random");
  EXPECT_EQ(cpu[0].at("family_index"), 0);
}

TEST_F(Exports, GoogleBenchmarkHasFiniteNumbersOnly) {
  const std::vector<json> zero = entries("zero");
  ASSERT_EQ(zero.size(), 1U);
  EXPECT_EQ(zero[0].at("real_time"), 0);
  EXPECT_FALSE(zero[0].contains("interactions_per_second"));
  EXPECT_EQ(export_google_benchmark(database_, kScope).find("null"), std::string::npos);
}

TEST_F(Exports, GoogleBenchmarkHasTheContextOfTheLatestRun) {
  const json context = json::parse(export_google_benchmark(database_, kScope)).at("context");
  EXPECT_EQ(context.at("date"), "2025-01-01T10:00:00Z");
  EXPECT_EQ(context.at("host_name"), "Test CPU, 2 cores, Linux");
  EXPECT_EQ(context.at("num_cpus"), 2);
  EXPECT_EQ(context.at("caches"), json::array());
  EXPECT_EQ(context.at("library_build_type"), "release");
  EXPECT_EQ(context.at("device"), "NVIDIA H200");
}

TEST_F(Exports, RefuseADeviceWithoutTrials) {
  const std::string expected = (folder_ / "results.db").string() +
                               ": no trials of experiment 'exported' on device 'NVIDIA A100'\n"
                               "  it has trials on 'NVIDIA H200'";
  EXPECT_EQ(error_of([&] { (void)export_csv(database_, {"exported", "NVIDIA A100", ""}); }), expected);
  EXPECT_EQ(error_of([&] {
              (void)export_google_benchmark(database_, {"exported", "NVIDIA A100", ""});
            }),
            expected);
  EXPECT_NE(error_of([&] {
              (void)export_csv(database_, {"exported", "NVIDIA H200", "jacobi"});
            }).find("the experiment has no trials at all"),
            std::string::npos);
}

}  // namespace
}  // namespace tailwave
