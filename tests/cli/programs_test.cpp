#include <gmock/gmock.h>

#include "cli/project_fixture.h"

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

  void write_system(const std::string& target_of_report) const {
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
                                                    R"(", "source": "report.sh",
                   "launches": [{"command": ["sh", "{program}", "{x}", "{y}"]}]}}})");
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
          "SELECT group_concat(variant || place || '/' || of_correct, ' ') FROM (SELECT * FROM ranked_trial "
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
  EXPECT_THAT(tailwave({"query", "speedup", "--param", "baseline=report", "--format", "csv"}).out,
              Not(HasSubstr("copy/WAYS")));
  ASSERT_EQ(tailwave({"report", "--out", "page"}).exit_status, 0);
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
  const CommandResult compared = tailwave({"compare", "previous", "latest", "--format", "csv"});
  EXPECT_THAT(compared.out,
              ContainsRegex("report/N:100,not comparable,.*times that are taken in different ways: "
                            "self-reported in A, process in B"));
}

}  // namespace
}  // namespace tailwave
