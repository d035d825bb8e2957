// `export --format program`: what it writes is compiled by nvcc where there is one, and runs where there is a GPU, too.
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>

#include "cli/project_fixture.h"
#include "compile/cuda_toolkit.h"
#include "core/process.h"
#include "device/cuda/cuda_device.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// The folder of nvcc; "" where there is none.
std::string nvcc_folder() {
  for (const fs::path& root : toolkit_roots())
    if (fs::exists(root / "bin/nvcc")) return (root / "bin").string();
  return "";
}

struct Exported {
  const char* name;
  const char* spec;
  const char* configuration;
};
void PrintTo(const Exported& exported, std::ostream* stream) {
  *stream << exported.name;
}

class ExportProgramTest : public ProjectFixture {
 protected:
  [[nodiscard]] CommandResult export_program(std::vector<std::string> more) const {
    more.insert(more.begin(), {"export", "--format", "program", "--out", "program"});
    return tailwave(more);
  }

  // As the first lines of program.cu say, for the GPU that is there or one that need not be.
  [[nodiscard]] ProcessResult compiled(const std::string& architecture) const {
    const std::string text = text_of(project_ / "program/program.cu");
    const std::size_t begin = text.find("nvcc "), end = text.find(" && ./program", begin);
    std::string command = text.substr(begin, end - begin);
    command.replace(command.find("-arch=native"), 12, "-arch=" + architecture);
    return run_process({"sh", "-c", "PATH=" + nvcc_folder() + ":$PATH; " + command}, std::chrono::minutes(10),
                       {}, project_ / "program");
  }
};

class ExportedProgramTest : public ExportProgramTest, public testing::WithParamInterface<Exported> {
 protected:
  void SetUp() override {
    if (nvcc_folder().empty()) GTEST_SKIP() << "no nvcc in a CUDA toolkit here";
    for (const auto& [from, to] : {std::pair("kernel_templates", "kernel_templates"),
                                   {"experiments", "experiments"},
                                   {"tests/data/kernel_tuner", "kernel_templates"}})
      fs::copy(fs::path(TAILWAVE_SOURCE_DIR) / from, project_ / to,
               fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    const auto& [name, spec, configuration] = GetParam();
    const CommandResult result =
        export_program({"--experiment", "any", "--spec", spec, "--config", configuration});
    ASSERT_EQ(result.exit_status, 0) << result.err;
    EXPECT_THAT(result.err,
                ContainsRegex("\nprogram: [0-9]+ files; there\n  nvcc .* -o program && ./program\n"));
  }
};

TEST_P(ExportedProgramTest, IsCompiledByNvcc) {
  const ProcessResult result = compiled("sm_90a");
  EXPECT_EQ(result.exit_status, 0) << result.output;
}

TEST_P(ExportedProgramTest, IsRightOnAGpu) {
  if (const std::string obstacle = cuda_obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
  const ProcessResult built = compiled("native");
  ASSERT_EQ(built.exit_status, 0) << built.output;
  const ProcessResult ran = run_process({"./program", "--draw", "3", "--samples", "5"},
                                        std::chrono::minutes(5), {}, project_ / "program");
  EXPECT_EQ(ran.exit_status, 0) << ran.output;
  EXPECT_THAT(ran.output, ContainsRegex("\nmedian [0-9.e-]+ us of 5 samples"));
  EXPECT_THAT(ran.output, EndsWith("\nright\n"));
}

INSTANTIATE_TEST_SUITE_P(
    All, ExportedProgramTest,
    testing::Values(Exported{"nbody", "experiments/nbody/variants.json", "variant=tuned,THIRD_LAW=true"},
                    Exported{"jacobi", "experiments/jacobi/convergence.json", "variant=atomic"},
                    Exported{"vector_add", "kernel_templates/vector_add/system.json", "block_size_x=256"}),
    [](const testing::TestParamInfo<Exported>& each) { return std::string(each.param.name); });

TEST_F(ExportProgramTest, WritesTheBestOfADevice) {
  ASSERT_EQ(tailwave(kRun).exit_status, 0);
  const CommandResult result = export_program({"--experiment", "transpose/tile_size", "--device", "cpu"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("transpose/tile/"));
  EXPECT_THAT(text_of(project_ / "program/program.cu"), ContainsRegex("// Measured: .* on .*\n"));
  EXPECT_THAT(text_of(project_ / "program/source/tile.cu"), HasSubstr("__global__ void transpose("));
}

TEST_F(ExportProgramTest, RefusesWhatIsNotThere) {
  const CommandResult unknown = export_program({"--experiment", "nothing", "--config", "TILE=8"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_EQ(unknown.err, "no spec of this project is experiment 'nothing'\n  name its file: --spec FILE\n");
  const CommandResult nowhere =
      tailwave({"export", "--format", "program", "--experiment", "tile_size", "--config", "TILE=8"});
  EXPECT_EQ(nowhere.exit_status, 2);
  EXPECT_EQ(nowhere.err, "--out: is missing: a program is a folder\n  --out FOLDER\n");
  const CommandResult host = export_program({"--experiment", "tile_size", "--config", "variant=cpu"});
  EXPECT_EQ(host.exit_status, 2);
  write("program", "a file");
  const CommandResult file = export_program({"--experiment", "tile_size", "--config", "TILE=8"});
  EXPECT_EQ(file.exit_status, 1);
  EXPECT_THAT(file.err, StartsWith("program/program.cu: cannot be written\n"));
  const CommandResult other = tailwave({"export", "--experiment", "tile_size", "--config", "TILE=8"});
  EXPECT_EQ(other.exit_status, 2);
  EXPECT_EQ(other.err, "--config: is for --format program alone\n  other formats have all configurations\n");
}

}  // namespace
}  // namespace tailwave
