#include <gmock/gmock.h>

#include <filesystem>

#include "cli/project_fixture.h"
#include "device/cuda/cuda_device.h"

namespace tailwave {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// A system whose variants are a host reference, a script that copies a file, and one that reports a time.
class OwnProgramsTest : public ProjectFixture {
 protected:
  OwnProgramsTest() {
    write(
        "kernel_templates/twice/cpu.cpp",
        "extern \"C\" void same(const float* x, float* y, int n) { for (int i = 0; i < n; ++i) y[i] = x[i]; }\n");
    write("kernel_templates/twice/copy.sh", "cp \"$1\" \"$2\"\n");
    write("kernel_templates/twice/report.sh", "cp \"$1\" \"$2\"; echo \"{\\\"time_s\\\": 1e-6}\"\n");
    write_system("reporting_program");
    write("experiments/twice/all.json", R"({
      "schema_version": 1, "name": "all", "system": "twice", "question": "Which?",
      "cases": [{"variant": "cpu"}, {"variant": "copy", "parameters": {"WAYS": [1, 2]}}, {"variant": "report"},
                {"variant": "wrong"}],
      "metric": {"name": "time"}, "measure": {"samples": 3, "time_cap_s": 0.5, "warmup": 0}})");
  }

  void write_system(
      const std::string& target_of_report,
      const std::string& rest_of_report =
          R"("source": "report.sh", "launches": [{"command": ["sh", "{program}", "{x}", "{y}"]}])") const {
    write("kernel_templates/twice/system.json", R"({
      "schema_version": 1, "name": "twice", "problem": {"N": {"type": "int", "default": 100}},
      "buffers": {"x": {"type": "float32", "count": "N", "fill": {"kind": "uniform"}},
                  "y": {"type": "float32", "count": "N", "output_only": true}},
      "reference": {"variant": "cpu", "compare": {"y": {"norm": "exact"}}},
      "variants": {
        "cpu": {"target": "host", "source": "cpu.cpp", "launches": [{"function": "same", "args": ["x", "y", "N"]}]},
        "copy": {"target": "program", "source": "copy.sh", "parameters": {"WAYS": 1},
                 "launches": [{"command": ["sh", "{program}", "{x}", "{y}", "--ways={WAYS}"]}]},
        "wrong": {"target": "program", "source": "copy.sh",
                  "launches": [{"command": ["sh", "-c", "echo looked at {N}; sh {program} {y} copy.bin"]}]},
        "report": {"target": ")" + target_of_report +
                                                    "\", " + rest_of_report + "}}}");
  }
};

TEST_F(OwnProgramsTest, AreVerifiedTimedAndRankedAmongThemselves) {
  EXPECT_EQ(
      tailwave({"check", "experiments/twice/all.json", "kernel_templates/twice/system.json"}).exit_status, 0);
  const CommandResult result = tailwave({"run", "experiments/twice/all.json", "--device", "cpu"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("\nreport .* self-reported +- "));
  EXPECT_THAT(result.out, ContainsRegex("\ncopy .* process +"));
  EXPECT_EQ(scalar("SELECT outcome FROM trial JOIN configuration ON configuration.id = configuration_id "
                   "WHERE variant = 'wrong'"),
            "wrong_result");
  EXPECT_EQ(
      scalar("SELECT kernel_output LIKE 'looked at 100%' FROM trial JOIN configuration ON configuration.id = "
             "configuration_id WHERE variant = 'wrong'"),
      "1");
  EXPECT_EQ(
      scalar(
          "SELECT group_concat(variant || place || '/' || of_ranked, ' ') FROM (SELECT * FROM ranked_trial "
          "ORDER BY peers, place)"),
      "copy1/2 copy2/2 report1/1 cpu1/1");
  EXPECT_EQ(
      scalar(
          "SELECT group_concat(DISTINCT mode || '|' || timer) FROM current_trial WHERE variant = 'report'"),
      "isolated, self-reported|self-reported");
  EXPECT_EQ(
      scalar(
          "SELECT count(*) FROM sample JOIN trial ON trial.id = trial_id WHERE timer = 'self-reported' AND "
          "abs(time_ns - 1000) < 1e-6"),
      "3");
  const CommandResult best = tailwave({"query", "best", "--format", "csv"});
  EXPECT_THAT(best.out, ContainsRegex("twice/report/N:100,time,.*\"isolated, self-reported\",best,"));
  EXPECT_THAT(best.out, ContainsRegex("twice/cpu/N:100,time,.*isolated,reference,"));
  EXPECT_THAT(tailwave({"query", "speedup", "--set", "baseline=report", "--format", "csv"}).out,
              Not(HasSubstr("copy/WAYS")));
  ASSERT_EQ(tailwave({"report", "--out", "page"}).exit_status, 0);
  const CommandResult explained = tailwave({"explain"});
  EXPECT_EQ(explained.exit_status, 2);
  EXPECT_EQ(
      explained.err,
      "results/tailwave.db: no kernel has a time there, and times of programs and host variants are not explained: "
      "copy, cpu, report\n  'tailwave query best' ranks them\n");
}

TEST_F(OwnProgramsTest, AreUnverifiedWhereNothingSaysWhatIsRight) {
  replace("kernel_templates/twice/system.json",
          R"("reference": {"variant": "cpu", "compare": {"y": {"norm": "exact"}}})",
          R"("reference": {"none": "nobody knows"})");
  const CommandResult result = tailwave({"run", "experiments/twice/all.json", "--device", "cpu", "--json"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(scalar("SELECT group_concat(DISTINCT outcome || ': ' || unverified) FROM trial"),
            "correct: nobody knows");
  EXPECT_THAT(result.out, HasSubstr("\"unverified\": 5"));
  EXPECT_THAT(tailwave({"run", "experiments/twice/all.json", "--device", "cpu"}).out,
              ContainsRegex("\nall on .*: 5 unverified, 5 from before\n"));
  EXPECT_THAT(tailwave({"query", "runs", "--format", "csv"}).out, ContainsRegex("done,0,5,0,5,"));
  const CommandResult best = tailwave({"query", "best", "--format", "csv"});
  EXPECT_THAT(best.out, HasSubstr(R"("isolated, self-reported","best, unverified",)"));
  EXPECT_THAT(best.out, ContainsRegex(R"re("isolated, process","best, unverified",)re"));
}

// A sample of one has a number that another lacks.
TEST_F(OwnProgramsTest, ReportMetricsOfTheirOwn) {
  write("kernel_templates/twice/copy.sh", "cp \"$1\" \"$2\"\necho '{\"steps\": 6}'\necho '{\"steps\": 8}'\n");
  replace("kernel_templates/twice/system.json", "\"buffers\":",
          R"("metrics": {"steps": {"goal": "max", "unit": "1"}, "residual": {"goal": "min"}}, "buffers":)");
  write("experiments/twice/all.json", R"({
    "schema_version": 1, "name": "all", "system": "twice", "question": "Which?",
    "cases": [{"variant": "copy", "parameters": {"WAYS": [1]}}, {"variant": "report"}],
    "metrics": [{"name": "time"}, {"name": "steps"}, {"name": "step_time", "value": "time / steps", "goal": "min", "unit": "s"}],
    "measure": {"samples": 3, "time_cap_s": 0.5, "warmup": 0}})");
  const CommandResult result = tailwave({"run", "experiments/twice/all.json", "--device", "cpu"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("steps (1, self-reported)"));
  EXPECT_THAT(
      result.out,
      HasSubstr("steps: not known of 1 configuration: no program said 'steps' of each of its samples"));
  EXPECT_EQ(scalar("SELECT group_concat(DISTINCT reported) FROM sample"), R"({"steps":7.0})");
  EXPECT_EQ(
      scalar(
          "SELECT count(*) FROM trial_metric AS step JOIN trial_metric AS run USING (trial_id) WHERE step.name = "
          "'step_time' AND run.name = 'time' AND abs(run.value / step.value - 7) < 1e-9"),
      "1");
  const std::string metrics = tailwave({"query", "metrics", "--format", "csv"}).out;
  EXPECT_THAT(metrics, HasSubstr(",steps,7,7,7,1,max,,1,\n"));
  EXPECT_THAT(metrics, ContainsRegex("copy/WAYS:1/N:100,time,.*,s,min,,0,\n"));
  EXPECT_THAT(metrics, ContainsRegex("report/N:100,time,.*,s,min,,1,\n"));
  const std::string samples =
      tailwave({"export", "--experiment", "all", "--format", "csv", "--device", "cpu"}).out;
  EXPECT_THAT(samples, HasSubstr(",dropped,metric,metric_value,steps,step_time\n"));
  EXPECT_THAT(samples, ContainsRegex(",time,0\\.[0-9e-]+,7,0\\.[0-9e-]+\n"));
  ASSERT_EQ(tailwave({"export", "--experiment", "all", "--format", "recorded", "--device", "cpu", "--out",
                      "kept.json"})
                .exit_status,
            0);
  ASSERT_EQ(tailwave({"import", "kept.json", "--db", "other.db"}).exit_status, 0);
  EXPECT_EQ(tailwave({"query", "metrics", "--format", "csv", "--db", "other.db"}).out, metrics);
}

TEST_F(OwnProgramsTest, AreWhatIsTunedWhereThereAreNoKernels) {
  const CommandResult result = tailwave(
      {"tune", "experiments/twice/all.json", "--strategy", "random", "--budget", "3", "--device", "cpu"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(
      result.err,
      HasSubstr("all: searching 3 configurations for 3 evaluations: all that can run, 2 of variants of "
                "other kinds left out: nothing compares them with these\n"));
  EXPECT_THAT(result.out, HasSubstr("copy"));
}

TEST_F(OwnProgramsTest, AreNotComparedWithWhatTheyReported) {
  ASSERT_EQ(tailwave({"run", "experiments/twice/all.json", "--device", "cpu"}).exit_status, 0);
  write_system("program");
  ASSERT_EQ(tailwave({"run", "experiments/twice/all.json", "--device", "cpu"}).exit_status, 0);
  EXPECT_THAT(tailwave({"compare", "--format", "csv"}).out,
              HasSubstr("times that are taken in different ways: self-reported in A, process in B"));
}

constexpr const char* kNvcc = "/usr/local/cuda/bin/nvcc";

// Copies x into y on the GPU and reports the time of the kernel by CUDA's events.
constexpr const char* kCudaProgram = R"(
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void copy(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
int main(int, char** words) {
  const int n = atoi(words[1]);
  std::vector<float> host(n);
  FILE* file = fopen(words[2], "rb");
  if (fread(host.data(), sizeof(float), n, file) != static_cast<size_t>(n)) return 2;
  fclose(file);
  float *x, *y, ms = 0;
  if (cudaMalloc(&x, n * sizeof(float)) != cudaSuccess || cudaMalloc(&y, n * sizeof(float)) != cudaSuccess) return 3;
  cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  for (int run = 0; run < 5; ++run) {
    cudaEventRecord(start);
    copy<<<(n + 127) / 128, 128>>>(x, y, n);
    cudaEventRecord(stop);
    if (cudaEventSynchronize(stop) != cudaSuccess) return 4;
    cudaEventElapsedTime(&ms, start, stop);
    printf("{\"time_s\": %g}\n", ms / 1e3);
  }
  cudaMemcpy(host.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
  file = fopen(words[3], "wb");
  fwrite(host.data(), sizeof(float), n, file);
  fclose(file);
}
)";

TEST_F(OwnProgramsTest, SeeTheGpuOfTheRun) {
  if (const std::string obstacle = cuda_obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
  if (!std::filesystem::exists(kNvcc)) GTEST_SKIP() << "there is no " << kNvcc;
  write("kernel_templates/twice/report.sh", kCudaProgram);
  std::filesystem::rename(project_ / "kernel_templates/twice/report.sh",
                          project_ / "kernel_templates/twice/gpu.cu");
  write("kernel_templates/twice/copy.sh",
        "case $CUDA_VISIBLE_DEVICES in GPU-*) cp \"$1\" \"$2\";; *) exit 5;; esac\n");
  write_system("reporting_program", R"("source": "gpu.cu",
    "build": ["/usr/local/cuda/bin/nvcc", "-arch=native", "{source}", "-o", "{program}"],
    "launches": [{"command": ["{program}", "{N}", "{x}", "{y}"]}])");
  const CommandResult result = tailwave({"run", "experiments/twice/all.json", "--device", "cuda:0"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(
      scalar(
          "SELECT group_concat(variant || ' ' || outcome || ' ' || kind || ' ' || peers, ', ') FROM (SELECT * "
          "FROM current_trial WHERE variant IN ('copy', 'report') ORDER BY configuration)"),
      "copy correct cuda 1, copy correct cuda 1, report correct cuda 2")
      << result.out << scalar("SELECT group_concat(detail, '; ') FROM trial WHERE outcome <> 'correct'");
  EXPECT_EQ(
      scalar("SELECT min(time_ns) > 0 AND max(time_ns) < 1e6 FROM sample JOIN trial ON trial.id = trial_id "
             "WHERE timer = 'self-reported'"),
      "1");
  EXPECT_EQ(tailwave({"run", "experiments/twice/all.json", "--device", "cuda:0", "--sms", "32"}).exit_status,
            0);
  EXPECT_EQ(
      scalar("SELECT count(*) FROM trial WHERE outcome = 'unavailable' AND detail LIKE '%without --sms'"),
      "4");
}

}  // namespace
}  // namespace tailwave
