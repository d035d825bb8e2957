#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class NewTest : public ProjectFixture {
 protected:
  [[nodiscard]] bool exists(const std::string& path) const { return fs::exists(project_ / path); }
};

// What `check` says of the skeleton.
const std::string kVerified =
    "  verified with 2 draws of the inputs, and for other problems: N = 33; N = BLOCK_SIZE; N = BLOCK_SIZE + 1\n";

TEST_F(NewTest, WritesASkeletonWhoseGapsCheckNames) {
  const CommandResult made = tailwave({"new", "my-kernel"});
  EXPECT_EQ(made.exit_status, 0) << made.err;
  EXPECT_EQ(
      made.out,
      "wrote experiments/my-kernel/first.json\n"
      "wrote kernel_templates/my-kernel/README.md\n"
      "wrote kernel_templates/my-kernel/basic.cu\n"
      "wrote kernel_templates/my-kernel/cpu_fp64.cpp\n"
      "wrote kernel_templates/my-kernel/system.json\n"
      "wrote schemas/experiment.schema.json\n"
      "wrote schemas/system.schema.json\n"
      "A skeleton: YOUR_RESULT stands in basic.cu and cpu_fp64.cpp for what your kernel computes. Then:\n"
      "  tailwave check experiments/my-kernel/first.json\n"
      "  tailwave plan experiments/my-kernel/first.json --target h100\n"
      "  tailwave run experiments/my-kernel/first.json --device auto\n");
  const CommandResult checked = tailwave({"check", "experiments/my-kernel", "kernel_templates/my-kernel"});
  EXPECT_EQ(checked.exit_status, 0);
  EXPECT_THAT(
      checked.err,
      HasSubstr(
          "/variants/basic: kernel_templates/my-kernel/basic.cu uses YOUR_RESULT, which is no parameter "
          "of this variant and not defined there\n"
          "  it is the skeleton's: put what your kernel computes in its place\n"));
  EXPECT_THAT(checked.err,
              HasSubstr("/variants/cpu_fp64: kernel_templates/my-kernel/cpu_fp64.cpp uses YOUR_RESULT"));
  EXPECT_NE(tailwave({"run", "experiments/my-kernel/first.json", "--device", "cpu"}).exit_status, 2);
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome = 'correct'"), "0") << "nothing is computed yet";
}

TEST_F(NewTest, WritesASkeletonThatRunsOnceItsGapsAreFilled) {
  ASSERT_EQ(tailwave({"new", "mine"}).exit_status, 0);
  for (const std::string file : {"basic.cu", "cpu_fp64.cpp"}) {
    std::ostringstream text;
    text << std::ifstream(project_ / "kernel_templates/mine" / file).rdbuf();
    std::string code = text.str();
    const std::string gap = "YOUR_RESULT";
    ASSERT_NE(code.find(gap), std::string::npos);
    write("kernel_templates/mine/" + file, code.replace(code.find(gap), gap.size(), "2 * in[i]"));
  }
  EXPECT_EQ(tailwave({"check", "experiments/mine", "kernel_templates/mine"}).out,
            "experiments/mine/first.json: ok: experiment, 6 configurations\n"
            "kernel_templates/mine/system.json: ok: system, 2 variants\n" +
                kVerified);
  const CommandResult run =
      tailwave({"run", "experiments/mine/first.json", "--device", "cpu", "--filter", "BLOCK_SIZE:(64|256)/"});
  EXPECT_EQ(run.exit_status, 0) << run.err;
  EXPECT_EQ(scalar("SELECT count(*) || ' ' || min(outcome) || ' ' || max(outcome) FROM trial"),
            "2 correct correct");
}

// As an editor looks for it: below the folder of the file that names it.
TEST_F(NewTest, WritesTheSchemasThatItsFilesName) {
  ASSERT_EQ(tailwave({"new", "mine"}).exit_status, 0);
  write("schemas/system.schema.json", "{}");  // of another version
  const CommandResult adopted =
      tailwave({"new", "--from", TAILWAVE_SOURCE_DIR "/tests/data/adopt/axpy.cu", "--json"});
  const nlohmann::json files = nlohmann::json::parse(adopted.out).at("files");
  EXPECT_EQ(std::count(files.begin(), files.end(), "schemas/system.schema.json"), 1);
  EXPECT_EQ(std::count(files.begin(), files.end(), "schemas/experiment.schema.json"), 0) << "it is there";
  const auto parsed = [&](const fs::path& file) {
    return nlohmann::json::parse(std::ifstream(project_ / file));
  };
  for (const fs::path file : {"experiments/mine/first.json", "kernel_templates/mine/system.json",
                              "experiments/axpy/axpy.json", "kernel_templates/axpy/system.json"}) {
    const fs::path schema = file.parent_path() / parsed(file).at("$schema").get<std::string>();
    EXPECT_TRUE(parsed(schema).at("properties").contains("$schema")) << file;
  }
}

TEST_F(NewTest, MakesTheFolderThatItIsGiven) {
  const CommandResult made = tailwave({"new", "mine", "--dir", "some/where"});
  EXPECT_EQ(made.exit_status, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("  tailwave check some/where/experiments/mine/first.json\n"));
  EXPECT_TRUE(exists("some/where/kernel_templates/mine/system.json"));
}

TEST_F(NewTest, LeavesWhatExistsAloneUnlessItIsForced) {
  const CommandResult system = tailwave({"new", "transpose"});
  EXPECT_EQ(system.exit_status, 2);
  EXPECT_EQ(system.err,
            "kernel_templates/transpose: exists already\n"
            "  choose another name, remove it first, or write over its files with --force\n");
  write("experiments/mine/notes.txt", "mine");
  EXPECT_EQ(tailwave({"new", "mine"}).err,
            "experiments/mine: exists already\n"
            "  choose another name, remove it first, or write over its files with --force\n");
  EXPECT_FALSE(exists("kernel_templates/mine"));
  EXPECT_EQ(tailwave({"new", "mine", "--force"}).exit_status, 0);
  EXPECT_TRUE(exists("kernel_templates/mine/system.json"));
  EXPECT_TRUE(exists("experiments/mine/notes.txt"));
}

TEST_F(NewTest, SaysWhichOptionsBelongTogether) {
  EXPECT_EQ(tailwave({"new"}).err,
            "new takes the name of a system, or --from FILE with a kernel that exists\n");
  EXPECT_EQ(tailwave({"new", "mine", "--kernel", "k"}).err, "--kernel has no meaning without --from\n");
  EXPECT_EQ(tailwave({"new", "mine", "--reference", "host"}).err,
            "--reference host has no meaning without --from\n");
  EXPECT_EQ(tailwave({"new", "--from", "nowhere.cu"}).err,
            "nowhere.cu: no such file\n  --from takes a CUDA source (*.cu)\n");
}

// Kernels of the shapes that people have: from a file to results that agree with it, in two commands.
class NewFromTest : public NewTest, public testing::WithParamInterface<const char*> {};

TEST_P(NewFromTest, AKernelThatExistsRunsAtOnce) {
  const std::string name = GetParam();
  const CommandResult made =
      tailwave({"new", "--from", TAILWAVE_SOURCE_DIR "/tests/data/adopt/" + name + ".cu"});
  ASSERT_EQ(made.exit_status, 0) << made.err;
  EXPECT_EQ(made.err, "") << "no warning";
  EXPECT_THAT(made.out,
              HasSubstr("  tailwave run experiments/" + name + "/" + name + ".json --device auto\n"));
  const CommandResult run =
      tailwave({"run", "experiments/" + name + "/" + name + ".json", "--device", "cpu"});
  EXPECT_EQ(run.exit_status, 0) << run.err;
  EXPECT_EQ(scalar("SELECT min(outcome) || ' ' || max(outcome) FROM trial"), "correct correct");
  EXPECT_EQ(scalar("SELECT count(*) > 2 FROM trial"), "1");
}

INSTANTIATE_TEST_SUITE_P(Shapes, NewFromTest,
                         testing::Values("axpy", "matmul", "heat", "block_sums", "scale", "unguarded",
                                         "pipeline", "half_scale", "move", "histogram", "convolution",
                                         "histograms", "particles"),
                         [](const auto& shape) { return std::string(shape.param); });

TEST_F(NewTest, ASystemOfAMainIsCalledLikeItsFolder) {
  const char* code = "__global__ void k(float* x, int n) { int i = threadIdx.x; if (i < n) x[i] = i; }\n";
  write("tsp-cuda/main.cu", code);
  write("2 opt/src/kernel.cu", code);
  ASSERT_EQ(tailwave({"new", "--from", "tsp-cuda/main.cu"}).exit_status, 0);
  ASSERT_EQ(tailwave({"new", "--from", "2 opt/src/kernel.cu"}).exit_status, 0);
  EXPECT_TRUE(exists("kernel_templates/tsp-cuda/system.json"));
  EXPECT_TRUE(exists("kernel_templates/k2_opt/system.json"));
}

TEST_F(NewTest, FindsTheFaultsOfACopyThatSomebodyChanged) {
  ASSERT_EQ(tailwave({"new", "--from", TAILWAVE_SOURCE_DIR "/tests/data/adopt/axpy.cu"}).exit_status, 0);
  write("kernel_templates/axpy/tuned.cu",
        "extern \"C\" __global__ void axpy(int n, float a, const float* x, float* y) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n - 1) y[i] = a * x[i] + y[i];\n}\n");
  EXPECT_NE(tailwave({"run", "experiments/axpy/axpy.json", "--device", "cpu"}).exit_status, 2);
  EXPECT_EQ(scalar("SELECT min(outcome) || ' ' || max(outcome) FROM trial"), "wrong_result wrong_result");
}

// Of a square problem all of whose sides are whole blocks it would be right.
TEST_F(NewTest, FindsAStrideThatIsTheOtherSides) {
  const auto code = [](const std::string& stride) {
    return "__global__ void copy(const float* in, float* out, int nx, int ny) {\n"
           "  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
           "  if (x < nx && y < ny) out[y * " +
           stride + " + x] = 2 * in[y * " + stride + " + x];\n}\n";
  };
  write("copy.cu", code("nx"));
  ASSERT_EQ(tailwave({"new", "--from", "copy.cu"}).exit_status, 0);
  write("kernel_templates/copy/tuned.cu", code("ny"));
  const CommandResult run =
      tailwave({"run", "experiments/copy/copy.json", "--device", "cpu", "--filter", "BLOCK_X:16/BLOCK_Y:4"});
  EXPECT_EQ(scalar("SELECT group_concat(DISTINCT outcome) FROM trial"), "wrong_result") << run.out;
}

TEST_F(NewTest, AHostReferenceHasToBeWrittenFirst) {
  const CommandResult made = tailwave(
      {"new", "sum", "--from", TAILWAVE_SOURCE_DIR "/tests/data/adopt/axpy.cu", "--reference", "host"});
  ASSERT_EQ(made.exit_status, 0) << made.err;
  EXPECT_THAT(made.out, HasSubstr("Write reference.cpp, which says what is right. Then:\n"));
  const CommandResult early = tailwave({"run", "experiments/sum/sum.json", "--device", "cpu"});
  EXPECT_NE(early.exit_status, 0);
  EXPECT_THAT(early.err,
              HasSubstr("the reference is not written yet: have it compute y here, then remove this line"));
  write(
      "kernel_templates/sum/reference.cpp",
      "extern \"C\" void reference(const float* x, float* y, int n, float a) {\n"
      "  for (int i = 0; i < n; ++i) y[i] = static_cast<float>(static_cast<double>(a) * x[i] + y[i]);\n}\n");
  EXPECT_EQ(tailwave({"run", "experiments/sum/sum.json", "--device", "cpu"}).exit_status, 0);
  EXPECT_EQ(scalar("SELECT min(outcome) || ' ' || max(outcome) FROM current_trial"), "correct correct");
}

TEST_F(NewTest, WhatIsToBeDescribedByHandDoesNotPassMeanwhile) {
  const CommandResult made =
      tailwave({"new", "--from", TAILWAVE_SOURCE_DIR "/tests/data/adopt/texture.cu", "--json"});
  ASSERT_EQ(made.exit_status, 0) << made.err;
  const nlohmann::json said = nlohmann::json::parse(made.out);
  EXPECT_EQ(said.at("by_hand").at(0).at("what"), "argument 1 of sample, 'cudaTextureObject_t image'");
  EXPECT_NE(tailwave({"run", "experiments/texture/texture.json", "--device", "cpu"}).exit_status, 2);
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE outcome = 'correct'"), "0");
}

TEST_F(NewTest, RefusesWhatIsNoNameOfASystem) {
  for (const std::string name : {"1st", "../out", "a b", "a/b"}) {
    const CommandResult result = tailwave({"new", name});
    EXPECT_EQ(result.exit_status, 2) << name;
    EXPECT_EQ(result.err,
              "the system name '" + name + "' is no name (letters, digits, '_' and '-', a letter first)\n");
  }
  EXPECT_FALSE(exists("out"));
}

TEST_F(NewTest, LeavesNothingBehindWhereItCannotWriteAll) {
  write("experiments_parent/experiments", "a file where a folder has to be");
  const CommandResult result = tailwave({"new", "mine", "--dir", "experiments_parent"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_EQ(result.err,
            "experiments_parent/experiments: cannot be made: File exists\n  nothing was written\n");
  EXPECT_FALSE(exists("experiments_parent/kernel_templates"));
}

TEST_F(NewTest, SaysWhereItMayNotWrite) {
  // The disk is full after the first file: the folders made before it go again.
  const pid_t full = begin({"new", "mine", "--dir", "full"}, "full", {.file_limit_bytes = 100});
  const CommandResult result = end(full, "full");
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr(": cannot be made: File too large\n  nothing was written\n"));
  EXPECT_FALSE(exists("full"));
  fs::create_directory(project_ / "locked");
  fs::permissions(project_ / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  const CommandResult refused =
      end(begin({"new", "mine", "--dir", "locked"}, "locked", {.unprivileged = true}), "locked");
  if (refused.exit_status == 127) GTEST_SKIP() << "an unprivileged process may not start here";
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_EQ(refused.err,
            "locked/kernel_templates: cannot be made: Permission denied\n  nothing was written\n");
}

}  // namespace
}  // namespace tailwave
