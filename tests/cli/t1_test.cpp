#include <gmock/gmock.h>

#include <filesystem>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

using testing::HasSubstr;

class T1Command : public ProjectFixture {
 protected:
  // Beside the project's folders: a T1 file needs none of them.
  void copy_convolution() const {
    std::filesystem::copy(TAILWAVE_SOURCE_DIR "/tests/data/t1", project_ / "t1",
                          std::filesystem::copy_options::recursive);
  }
  [[nodiscard]] std::string outcomes() const {
    return scalar(
        "SELECT group_concat(name || ' ' || outcome, ', ') FROM (SELECT substr(name, 1, instr(name, "
        "'/problem') - 1) AS name, outcome FROM trial JOIN configuration ON configuration.id = "
        "configuration_id ORDER BY name)");
  }
};

TEST_F(T1Command, RunsAFileUnchanged) {
  copy_convolution();
  const CommandResult result =
      tailwave({"run", "t1/convolution.json", "--device", "cpu", "--filter",
                "block_size_x:24/block_size_y:2/.*factor_filter:0/read_only:true/tile_size_x:2/"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(scalar("SELECT group_concat(DISTINCT outcome) || ' ' || count(*) FROM trial"), "correct 6");
  EXPECT_EQ(
      scalar(
          "SELECT count(DISTINCT buffer) || ' ' || count(DISTINCT trial_id || phase) || ' ' || min(passed) FROM "
          "verification"),
      "1 12 1");
  EXPECT_EQ(scalar("SELECT max(error) < 1e-6 FROM verification"), "1");
}

TEST_F(T1Command, FindsWrongAndUncompilableConfigurations) {
  write("scale.json", R"({
    "ConfigurationSpace": {"TuningParameters": [
      {"Name": "mode", "Type": "string", "Values": "['good', 'wrong', 'beyond', 'broken']", "Default": "good"}]},
    "KernelSpecification": {
      "Language": "CUDA", "KernelName": "scale", "KernelFile": "scale.cu", "ProblemSize": [64],
      "LocalSize": {"X": "32"}, "GridDivX": ["32"],
      "Arguments": [
        {"Name": "y", "Type": "int32", "MemoryType": "Vector", "AccessType": "ReadWrite", "FillType": "Generator",
         "DataSource": "3 * i", "Size": "ProblemSize[0]", "Output": 1}]}})");
  write("scale.cu",
        "#define good 0\n#define wrong 1\n#define beyond 2\n#define broken 3\n"
        "#if mode == broken\n#error \"broken\"\n#endif\n"
        "__global__ void scale(int* y) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  y[i] = y[i] * 2 + (mode == wrong && i == 5);\n"
        "  if (mode == beyond && i == 63) y[64] = 1;\n"
        "}\n");
  const CommandResult result = tailwave({"run", "scale.json", "--device", "cpu"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
#ifdef TAILWAVE_SANITIZE
  const std::string beyond = "crashed";  // the sanitizer ends the process
#else
  const std::string beyond = "illegal_access";
  EXPECT_THAT(scalar("SELECT detail FROM trial WHERE outcome = 'illegal_access'"),
              HasSubstr("guard words of buffer 'y' overwritten"));
#endif
  EXPECT_EQ(outcomes(), "scale/scale/mode:beyond " + beyond +
                            ", scale/scale/mode:broken compile_error, "
                            "scale/scale/mode:good correct, scale/scale/mode:wrong wrong_result");
}

// The default configuration is wrong, which no other configuration could tell.
TEST_F(T1Command, HoldsEachConfigurationAgainstWhatTheFileSaysOfResults) {
  write("scale.json", R"({
    "ConfigurationSpace": {"TuningParameters": [
      {"Name": "wrong", "Type": "int", "Values": "[0, 1]", "Default": 1}]},
    "KernelSpecification": {
      "Language": "CUDA", "KernelName": "scale", "KernelFile": "scale.cu", "ProblemSize": [64],
      "LocalSize": {"X": "32"}, "GridDivX": ["32"],
      "ReferenceArguments": [{"Name": "reference", "TargetName": "y", "FillType": "Generator", "DataSource": "6 * i"}],
      "Arguments": [
        {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadWrite", "FillType": "Generator",
         "DataSource": "3 * i", "Size": "ProblemSize[0]"}]}})");
  write("scale.cu",
        "__global__ void scale(float* y) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  y[i] = y[i] * 2 + wrong;\n"
        "}\n");
  const CommandResult result = tailwave({"run", "scale.json", "--device", "cpu"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(outcomes(), "scale/scale/wrong:0 correct, scale/scale/wrong:1 wrong_result");
}

TEST_F(T1Command, ChecksAndWarnsWithoutFailing) {
  copy_convolution();
  write("t1/convolution_milo.cu", "__global__ void convolution_kernel(float* a, float* b) {}\n");
  const CommandResult result = tailwave({"check", "t1/convolution.json", "t1/convolution_milo.json"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(result.out,
            "t1/convolution.json: ok: experiment, 608 configurations\n"
            "t1/convolution_milo.json: ok: experiment, 4362 configurations, 9 warnings\n");
  EXPECT_THAT(
      result.err,
      HasSubstr("warning: t1/convolution_milo.json: line 157, /KernelSpecification/Arguments/2/Name: the "
                "source has no variable 'd_filter' of constant memory\n"));
}

TEST_F(T1Command, SaysInOneErrorThatTheKernelIsMissing) {
  copy_convolution();
  const CommandResult result = tailwave({"run", "t1/convolution_milo.json", "--device", "cpu"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, testing::StartsWith(
                              "t1/convolution_milo.json: line 110, /KernelSpecification/KernelFile: no file "
                              "'convolution_milo.cu' in t1\n"));
}

}  // namespace
}  // namespace tailwave
