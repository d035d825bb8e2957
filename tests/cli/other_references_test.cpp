// Systems whose results are held against a function in Python, against stored ones, or against nothing.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/project_fixture.h"
#include "core/error.h"
#include "device/cpu/sanitizer.h"
#include "fakes/npy.h"
#include "measure/python_reference.h"

namespace tailwave {
namespace {

using testing::HasSubstr;

std::string page_text(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

class OtherReferences : public ProjectFixture {
 protected:
  // The kernel is right for the factor 2.
  void write_system(const std::string& reference, const std::string& fill) const {
    write("kernel_templates/scale/scale.cu",
          R"cuda(__global__ void scale(float* out, const float* x, int n) {
                   const int i = blockIdx.x * blockDim.x + threadIdx.x;
                   if (i < n) out[i] = FACTOR * x[i];
                 })cuda");
    write("kernel_templates/scale/system.json", R"json({
      "schema_version": 1, "name": "scale", "title": "A factor",
      "problem": {"N": {"type": "int", "default": 256}},
      "buffers": {
        "x": {"type": "float32", "count": "N", "fill": )json" +
                                                    fill +
                                                    R"json(},
        "out": {"type": "float32", "count": "N", "output_only": true}},
      "reference": )json" + reference + R"json(,
      "variants": {
        "gpu": {"target": "cuda", "source": "scale.cu", "parameters": {"FACTOR": 2},
                "launches": [{"kernel": "scale", "grid": "ceil_div(N, 64)", "block": 64,
                              "args": ["out", "x", "N"]}]}}})json");
    write_experiment_of("256");
  }
  void write_experiment_of(const std::string& sizes) const {
    write("experiments/scale/all.json", R"json({
      "schema_version": 1, "name": "all", "system": "scale", "question": "Is it right?",
      "problem": {"N": [)json" + sizes + R"json(]},
      "cases": [{"variant": "gpu", "parameters": {"FACTOR": [2, 3]}}],
      "metric": {"name": "time"}, "measure": {"samples": 3}})json");
  }
  [[nodiscard]] CommandResult run(const std::vector<std::string>& options = {}) const {
    std::vector<std::string> words{"run", "experiments/scale/all.json", "--device", "cpu"};
    words.insert(words.end(), options.begin(), options.end());
    return tailwave(words);
  }
  [[nodiscard]] std::string outcomes() const {
    return scalar(
        "SELECT group_concat(text, '; ') FROM (SELECT outcome || ' ' || name AS text FROM trial JOIN configuration ON "
        "configuration.id = configuration_id ORDER BY name)");
  }

  static constexpr const char* kCompare = R"("compare": {"out": {"norm": "exact"}})";
  static constexpr const char* kRightAndWrong =
      "correct scale/gpu/FACTOR:2/N:256; wrong_result scale/gpu/FACTOR:3/N:256";
};

TEST_F(OtherReferences, InPythonJudgeWhatIsMeasured) {
  try {
    (void)find_python();
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  write("kernel_templates/scale/reference.py",
        "import os\n"
        "from pkg.helper import PLUS\n"
        "def double(buffers, quantities):\n"
        "    factor = int(open(os.path.join(os.path.dirname(__file__), 'data/factor.txt')).read())\n"
        "    buffers['out'] = buffers['x'] * factor + PLUS\n");
  write("kernel_templates/scale/pkg/helper.py", "PLUS = 0\n");
  write("kernel_templates/scale/data/factor.txt", "2");
  write_system(
      R"({"python": "reference.py", "function": "double", "reads": ["data"], )" + std::string(kCompare) + "}",
      R"({"kind": "normal", "seed": 3})");
  const CommandResult result = run();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(outcomes(), kRightAndWrong);
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE unverified IS NOT NULL"), "0");
  EXPECT_THAT(run().out, HasSubstr("2 from before"));
  // Another reference makes other trials, and so does what it reads.
  write("kernel_templates/scale/data/factor.txt", "3");
  ASSERT_EQ(run().exit_status, 0);
  EXPECT_EQ(scalar("SELECT configuration FROM current_trial WHERE outcome = 'correct'"),
            "scale/gpu/FACTOR:3/N:256");
  write("kernel_templates/scale/reference.py",
        "def double(buffers, quantities):\n"
        "    raise RuntimeError('no such factor')\n");
  const CommandResult broken = run();
  EXPECT_EQ(broken.exit_status, 1);
  EXPECT_THAT(broken.err,
              HasSubstr("/reference/python: the reference double() in 'reference.py' cannot be computed"));
  EXPECT_THAT(broken.err, HasSubstr("RuntimeError: no such factor"));
}

TEST_F(OtherReferences, InPythonNeedOneWithNumPy) {
  write("kernel_templates/scale/reference.py", "def double(buffers, quantities):\n    pass\n");
  write_system(R"({"python": "reference.py", "function": "double", )" + std::string(kCompare) + "}",
               R"({"kind": "normal"})");
  const char* const before = std::getenv("TAILWAVE_PYTHON");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TAILWAVE_PYTHON", "/nowhere/python3", 1);
  const CommandResult result = run();
  const CommandResult checked = tailwave({"check", "experiments"});
  before == nullptr ? unsetenv("TAILWAVE_PYTHON") : setenv("TAILWAVE_PYTHON", kept.c_str(), 1);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err,
              HasSubstr("a reference in Python needs NumPy, and '/nowhere/python3' cannot be started\n"));
  EXPECT_EQ(checked.exit_status, 0);
  EXPECT_THAT(
      checked.err,
      HasSubstr("warning: kernel_templates/scale/system.json: /reference/python: a reference in Python "
                "needs NumPy, and '/nowhere/python3' cannot be started\n"));
}

TEST_F(OtherReferences, ThatAreStoredJudgeTheProblemThatTheyAreOf) {
  std::vector<float> results(256);
  for (std::size_t i = 0; i < results.size(); ++i) results[i] = 2 * static_cast<float>(i);
  write("kernel_templates/scale/out.npy", fakes::npy("<f4", "(256,)", fakes::bytes_of(results)));
  write_system(R"({"stored": {"out": "out.npy"}, )" + std::string(kCompare) + "}",
               R"({"kind": "generated", "element": "i"})");
  const CommandResult result = run();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(outcomes(), kRightAndWrong);
  write_experiment_of("256, 512");
  const CommandResult other = run();
  EXPECT_EQ(other.exit_status, 2);
  EXPECT_THAT(
      other.err,
      HasSubstr(
          "experiments/scale/all.json: /problem/N: N is 512, and the results that are stored to compare "
          "with are of 256\n"
          "  a reference that computes them (a variant, or Python) is right for every problem"));
  write_experiment_of("256");
  results[7] = 1;
  write("kernel_templates/scale/out.npy", fakes::npy("<f4", "(256,)", fakes::bytes_of(results)));
  ASSERT_EQ(run().exit_status, 0);
  EXPECT_EQ(scalar("SELECT count(*) FROM current_trial WHERE outcome = 'correct'"), "0")
      << "other results are another reference";
}

TEST_F(OtherReferences, ThatAreNoneLeaveEveryResultUnverifiedWhereverItIsShown) {
  write_system(R"({"none": "the factor is random"})", R"({"kind": "normal"})");
  const CommandResult result = run();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(outcomes(), "correct scale/gpu/FACTOR:2/N:256; correct scale/gpu/FACTOR:3/N:256");
  EXPECT_EQ(scalar("SELECT count(*) FROM trial WHERE unverified = 'the factor is random'"), "2");
  EXPECT_EQ(scalar("SELECT count(*) FROM verification"), "0");
  EXPECT_THAT(result.out,
              HasSubstr("unverified: nothing says whether the results are right (the factor is random)"));
  EXPECT_THAT(result.out, HasSubstr("  unverified  ")) << "the table";
  EXPECT_THAT(result.err, HasSubstr(", unverified")) << "what went by";
  EXPECT_THAT(tailwave({"query", "best"}).out, HasSubstr("best, unverified"));
  EXPECT_THAT(tailwave({"query", "worst"}).out, HasSubstr("the factor is random"));
  EXPECT_THAT(tailwave({"query", "speedup"}).out, HasSubstr("the factor is random"));
  EXPECT_THAT(run({"--json"}).out, HasSubstr(R"("unverified": "the factor is random")"));
  ASSERT_EQ(run({"--fresh"}).exit_status, 0);
  const CommandResult compared = tailwave({"compare", "--json"});
  EXPECT_THAT(
      compared.err,
      HasSubstr("; unverified in A: 2 (the factor is random); unverified in B: 2 (the factor is random)"));
  EXPECT_THAT(compared.out, HasSubstr(R"("why": "the factor is random")"));
  EXPECT_THAT(tailwave({"query", "history"}).out, HasSubstr("first, unverified"));
  EXPECT_THAT(tailwave({"export", "--experiment", "all", "--format", "header", "--device", "cpu"}).out,
              HasSubstr(R"(, "the factor is random"},)"));
  EXPECT_THAT(tailwave({"tune", "experiments/scale/all.json", "--strategy", "random", "--budget", "2",
                        "--device", "cpu"})
                  .out,
              HasSubstr("best, unverified"));
  ASSERT_EQ(tailwave({"report", "--out", "pages"}).exit_status, 0);
  std::string pages;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(project_ / "pages"))
    if (entry.path().extension() == ".md") pages += page_text(entry.path());
  EXPECT_THAT(pages, HasSubstr("**unverified**"));
  EXPECT_THAT(pages, HasSubstr("Nothing says whether the results are right: the factor is random."));
  EXPECT_THAT(tailwave({"explain", "--experiment", "scale/all", "--device", "cpu"}).out,
              HasSubstr("unverified"));
}

// The reference and the kernel begin with what it made, for each problem.
TEST_F(OtherReferences, BeginWithWhatAFunctionOfTheHostFills) {
  write("kernel_templates/scale/make_input.cpp", R"cpp(
    extern "C" void make(float* x, int n, double first) {
      for (int i = 0; i < n; ++i) x[i] = static_cast<float>(first + i);
    })cpp");
  write("kernel_templates/scale/reference.cpp", R"cpp(
    extern "C" void scale(float* out, const float* x, int n) {
      for (int i = 0; i < n; ++i) out[i] = x[0] == 1.5f && x[n - 1] == 0.5f + n ? 2 * x[i] : 0;
    })cpp");
  write_system(R"({"variant": "cpu", )" + std::string(kCompare) + "}",
               R"json({"kind": "function", "source": "make_input.cpp", "function": "make",
                       "args": ["x", "N", {"value": "1 + 128 / 256", "type": "double"}]})json");
  std::string manifest = page_text(project_ / "kernel_templates/scale/system.json");
  const std::string variants = R"("variants": {)";
  manifest.insert(manifest.find(variants) + variants.size(),
                  R"("cpu": {"target": "host", "source": "reference.cpp",
                             "launches": [{"function": "scale", "args": ["out", "x", "N"]}]},)");
  write("kernel_templates/scale/system.json", manifest);
  write_experiment_of("256, 100");
  const CommandResult result = run();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(outcomes(),
            "correct scale/gpu/FACTOR:2/N:100; correct scale/gpu/FACTOR:2/N:256; wrong_result "
            "scale/gpu/FACTOR:3/N:100; wrong_result scale/gpu/FACTOR:3/N:256");
  EXPECT_THAT(run().out, HasSubstr("4 from before"));
  write("kernel_templates/scale/make_input.cpp", R"cpp(
    extern "C" void make(float* x, int n, double first) {
      x[n] = 1;
    })cpp");
  const CommandResult broken = run();
  EXPECT_EQ(broken.exit_status, 1);
  EXPECT_THAT(broken.err, HasSubstr("/buffers/x/fill: make(), which fills the buffer 'x', does not run"));
}

// A kernel that writes where it should not is found nevertheless.
TEST_F(OtherReferences, ThatAreNoneDoNotKeepGuardWordsFromBeingLookedAt) {
  write_system(R"({"none": "the factor is random"})", R"({"kind": "normal"})");
  write("kernel_templates/scale/scale.cu",
        R"cuda(__global__ void scale(float* out, const float* x, int n) {
                 out[n + 1] = FACTOR * x[0];
               })cuda");
  ASSERT_EQ(run().exit_status, 0);
  // AddressSanitizer, with which kernels are then built, ends the process where that happens.
  const std::string outcome = sanitizer::kActive ? "crashed" : "illegal_access";
  EXPECT_EQ(outcomes(), outcome + " scale/gpu/FACTOR:2/N:256; " + outcome + " scale/gpu/FACTOR:3/N:256");
}

}  // namespace
}  // namespace tailwave
