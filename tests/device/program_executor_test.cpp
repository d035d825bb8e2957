#include "device/program/program_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "core/outcome.h"
#include "device/cpu/cpu_executor.h"
#include "device/program/report.h"
#include "fakes/one_variant.h"
#include "fakes/scratch_folder.h"

namespace tailwave {
namespace {

using fakes::failure_of;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// Scripts for /bin/sh that get the file of the buffer y, four floats.
class Programs : public testing::Test {
 protected:
  Programs() : executor_(std::make_unique<CpuExecutor>(1), CpuExecutor(1).description()) {
    y_ = executor_.allocate(4 * sizeof(float));
    const std::vector<float> ones(4, 1);
    executor_.upload(*y_, std::as_bytes(std::span(ones)));
  }

  RunResult run(const std::string& script, RunOptions options = {},
                Artifact::Kind kind = Artifact::Kind::program) {
    Artifact artifact;
    artifact.kind = kind;
    artifact.file = folder_.write("script.sh", script);
    const auto program = executor_.load(artifact);
    Launch launch;
    launch.kernel = "script.sh";
    const auto text = [](const std::string& word) { return CommandWord{word, {word}}; };
    launch.command = {text("sh"), CommandWord{"{program}", {CommandWord::Place::program}}, text("y.bin")};
    launch.arguments = {y_.get()};
    launch.files = {"y.bin"};
    launch.reports = reports_;
    return executor_.run(*program, std::span(&launch, 1), options);
  }
  std::string failure(const std::string& script, Artifact::Kind kind = Artifact::Kind::program) {
    return failure_of([&] { run(script, {}, kind); });
  }
  std::string bytes() {
    std::string text(y_->size_bytes(), '\0');
    executor_.download(*y_, std::as_writable_bytes(std::span(text)));
    return text;
  }

  ScratchFolder folder_;
  ProgramExecutor executor_;
  std::unique_ptr<Buffer> y_;
  std::vector<std::string> reports_;
};

TEST_F(Programs, FindBuffersAsFilesAndLeaveResultsThere) {
  const RunResult result = run("cp \"$1\" before && cmp -s before y.bin && printf 0123456789abcdef > \"$1\"");
  EXPECT_EQ(bytes(), "0123456789abcdef");
  EXPECT_GT(result.time_ns, 0);
  EXPECT_LT(result.time_ns, 20e9);
}

TEST_F(Programs, AreTimedFromStartToEnd) {
  EXPECT_GE(run("sleep 0.2").time_ns, 0.2e9);
  EXPECT_GE(run("sleep 0.2", {.executions = 2}).time_ns, 0.2e9);
}

TEST_F(Programs, ThatReportTheirTimeHaveThatOne) {
  const std::string report =
      "echo 'three runs'\necho '{\"time_s\": 0.003}'\necho '{\"time_s\": 1e-3}'\n"
      "echo '{\"time_s\": 0.002}'\nsleep 0.05\n";
  EXPECT_DOUBLE_EQ(run(report, {}, Artifact::Kind::reporting_program).time_ns, 2e6);
  EXPECT_GE(run(report).time_ns, 50e6);
}

TEST_F(Programs, ReportWhatTheManifestNamesBesideTheirTime) {
  reports_ = {"residual", "steps"};
  const std::string report =
      "echo '{\"time_s\": 0.003, \"steps\": 4}'\necho '{\"time_s\": 1e-3, \"steps\": 8}'\n"
      "echo '{\"residual\": 1e-6}'\nsleep 0.05\n";
  const Values numbers{{"residual", 1e-6}, {"steps", 6.0}};
  const RunResult self = run(report, {}, Artifact::Kind::reporting_program);
  EXPECT_DOUBLE_EQ(self.time_ns, 2e6);
  EXPECT_EQ(self.reported, numbers);
  const RunResult timed = run(report);
  EXPECT_GE(timed.time_ns, 50e6);
  EXPECT_EQ(timed.reported, numbers);
  EXPECT_TRUE(run(report, {.timed = false}).reported.empty());
  EXPECT_THAT(
      failure("echo '{\"step\": 1}'"),
      HasSubstr(
          "unknown key 'step' (known: time_s, residual, steps; the manifest's 'metrics' has the others)"));
  EXPECT_THAT(failure("echo '{\"steps\": null}'"), HasSubstr("it has no number 'steps'"));
  EXPECT_THAT(failure("echo '{}'"), HasSubstr("it has no number; a report"));
  EXPECT_THAT(failure("echo '{\"steps\": 1}'", Artifact::Kind::reporting_program),
              HasSubstr("reported no time"));
}

TEST_F(Programs, ThatFailSayHow) {
  EXPECT_EQ(failure("echo no such mesh >&2; exit 3"),
            "crashed: 'script.sh' ended with status 3: no such mesh");
  EXPECT_EQ(failure("echo begins; echo no such mesh >&2; echo; exit 3"),
            "crashed: 'script.sh' ended with status 3: no such mesh\nbegins\nno such mesh");
  EXPECT_EQ(failure("exit 200"), "crashed: 'script.sh' ended with status 200");
  EXPECT_THAT(failure("kill -SEGV $$"),
              StartsWith("crashed: 'script.sh' was ended by signal 11 (Segmentation fault)"));
  EXPECT_EQ(failure("rm y.bin"), "wrong_result: 'script.sh' left no file y.bin");
  EXPECT_EQ(failure("rm y.bin; ln -s /etc/passwd y.bin"), "wrong_result: 'script.sh' left no file y.bin");
  EXPECT_EQ(failure("rm y.bin; mkfifo y.bin"), "wrong_result: 'script.sh' left no file y.bin");
  EXPECT_EQ(failure("printf short > y.bin"), "wrong_result: 'script.sh' left 5 bytes in y.bin, which has 16");
  executor_.set_deadline_s(0.2);
  EXPECT_EQ(failure("sleep 30"), "timeout: 'script.sh' took longer than 0.2 s");
}

TEST_F(Programs, ThatReportNonsenseFail) {
  const auto kind = Artifact::Kind::reporting_program;
  EXPECT_EQ(failure("echo done", kind),
            "crashed: 'script.sh' reported no time: no line that it printed is like {\"time_s\": 0.0012}");
  EXPECT_THAT(
      failure("echo hello; echo '{\"time_ms\": 3}'", kind),
      EndsWith(
          "'script.sh', line 2 of what it printed: unknown key 'time_ms' (known: time_s; the manifest's 'metrics' has "
          "the others); a report is a line like {\"time_s\": 0.0012}"));
  EXPECT_THAT(failure("echo '{\"time_s\": '", kind), HasSubstr("line 1 of what it printed: it is no JSON: "));
  EXPECT_THAT(failure("echo '{}'", kind), HasSubstr("it has no number 'time_s'"));
  EXPECT_THAT(failure("echo '{\"time_s\": \"1\"}'", kind), HasSubstr("it has no number 'time_s'"));
  EXPECT_THAT(failure("echo '{\"time_s\": 0}'", kind), HasSubstr("0 s is no time that anything takes"));
  EXPECT_THAT(
      failure("echo '{\"time_s\": 3600}'", kind),
      AllOf(HasSubstr("with it, it reports 3600 s, and its process took "), HasSubstr(" s; a report")));
}

TEST_F(Programs, AreUnavailableWhereTheyCannotBeMeasured) {
  EXPECT_EQ(failure_of([&] { run("true", {.flush_cache = true}); }),
            "unavailable: a program is timed as a process, before which no cache is emptied");
  EXPECT_EQ(failure_of([&] { executor_.load({}); }), "launch_failed: no program to be run as a process");
  ProgramExecutor on_a_part(std::make_unique<CpuExecutor>(1), {}, "run it without --sms");
  Artifact artifact;
  artifact.kind = Artifact::Kind::program;
  EXPECT_EQ(failure_of([&] { on_a_part.load(artifact); }), "unavailable: run it without --sms");
}

TEST_F(Programs, ThatCannotBeStartedAreNamed) {
  Artifact artifact;
  artifact.kind = Artifact::Kind::program;
  artifact.file = "/no/such/program";
  const auto program = executor_.load(artifact);
  Launch launch;
  launch.command = {CommandWord{"{program}", {CommandWord::Place::program}}};
  EXPECT_EQ(failure_of([&] { executor_.run(*program, std::span(&launch, 1), {}); }),
            "launch_failed: /no/such/program: cannot be started: No such file or directory");
}

}  // namespace
}  // namespace tailwave
