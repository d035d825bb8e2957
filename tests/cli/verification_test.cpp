// What configurations are verified with besides their problem, as a manifest says.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

using testing::HasSubstr;
using testing::Not;

class VerificationTest : public ProjectFixture {
 protected:
  VerificationTest() {
    write("kernel_templates/scale/reference.cpp",
          R"cpp(extern "C" void scale(float* out, const float* x, int n) {
                  for (int i = 0; i < n; ++i) out[i] = FACTOR * x[i];
                })cpp");
    write("kernel_templates/scale/scale.cu",
          R"cuda(__global__ void scale(float* out, const float* x, int n) {
                   const int i = blockIdx.x * blockDim.x + threadIdx.x;
                   if (i < n) out[i] = FACTOR * x[i];
                 })cuda");
  }

  // Whole blocks alone are right where the grid is rounded down.
  void write_system(const std::string& grid, const std::string& of_variant = "",
                    const std::string& of_reference = "", const std::string& of_system = "") {
    write("kernel_templates/scale/system.json", R"json({
      "schema_version": 1, "name": "scale", "title": "A factor",
      "problem": {"N": {"type": "int", "default": 256}},
      "buffers": {
        "x": {"type": "float32", "count": "N", "fill": {"kind": "uniform", "low": 1, "high": 2, "seed": 1}},
        "out": {"type": "float32", "count": "N", "output_only": true}},
      "reference": {"variant": "cpu", )json" + of_reference +
                                                    R"json("compare": {"out": {"norm": "exact"}}},)json" +
                                                    of_system + R"json(
      "variants": {
        "cpu": {"target": "host", "source": "reference.cpp", "parameters": {"FACTOR": 2},
                "launches": [{"function": "scale", "args": ["out", "x", "N"]}]},
        "gpu": {"target": "cuda", "source": "scale.cu", "parameters": {"FACTOR": 2, "BLOCK_SIZE": 64},)json" +
                                                    of_variant + R"json(
                "launches": [{"kernel": "scale", "grid": ")json" +
                                                    grid + R"json(", "block": "BLOCK_SIZE",
                              "args": ["out", "x", "N"]}]}}})json");
    write("experiments/scale/all.json", R"json({
      "schema_version": 1, "name": "all", "system": "scale", "question": "Is it right?",
      "cases": [{"variant": "gpu", "parameters": {"FACTOR": [2, 3], "BLOCK_SIZE": [32, 96]}}],
      "metric": {"name": "time"}, "measure": {"samples": 2}})json");
  }
  CommandResult run(const std::vector<std::string>& options = {}) {
    std::vector<std::string> words{"run", "experiments/scale/all.json", "--device", "cpu"};
    words.insert(words.end(), options.begin(), options.end());
    return tailwave(words);
  }
  std::string outcomes() {
    return scalar(
        "SELECT group_concat(text, '; ') FROM (SELECT outcome || ' ' || count(*) AS text FROM trial GROUP BY "
        "outcome ORDER BY outcome)");
  }

  static constexpr const char* kByFactor = R"("by": ["FACTOR"], )";
};

TEST_F(VerificationTest, FindsWhatIsWrongForOtherProblems) {
  write_system("N // BLOCK_SIZE", "", kByFactor,
               R"("verify": {"problems": [{"N": "BLOCK_SIZE"}, {"N": "2 * BLOCK_SIZE + 1"}]},)");
  const CommandResult result = run();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(outcomes(), "wrong_result 4");
  EXPECT_THAT(
      scalar("SELECT group_concat(DISTINCT detail) FROM trial JOIN configuration ON configuration.id = "
             "configuration_id WHERE json_extract(parameters, '$.BLOCK_SIZE') = 32"),
      HasSubstr("before timing, with N = 65, buffer 'out'"));
}

TEST_F(VerificationTest, StoresForWhichProblemsItHolds) {
  write_system("ceil_div(N, BLOCK_SIZE)", "", kByFactor,
               R"("verify": {"draws": 3, "problems": [{"N": 1}, {"N": 1}, {"N": 256}]},)");
  const CommandResult result = run();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(outcomes(), "correct 4");
  EXPECT_EQ(
      scalar("SELECT group_concat(phase || ' ' || coalesce(other_problem, '-'), ', ') FROM (SELECT phase, "
             "other_problem FROM verification WHERE trial_id = 1 GROUP BY 1, 2 ORDER BY min(position))"),
      "before N = 1, before -, while -, after -");
}

// The reference itself is one, and every repetition of each says what its verification is worth, once.
TEST_F(VerificationTest, LeavesOutProblemsThatNameWhatAVariantDoesNotHave) {
  write_system("ceil_div(N, BLOCK_SIZE)", "", kByFactor,
               R"("verify": {"problems": [{"N": "BLOCK_SIZE + 1"}, {"N": 5}]},)");
  write("experiments/scale/all.json", R"json({
    "schema_version": 1, "name": "all", "system": "scale", "question": "Is it right?",
    "cases": [{"variant": "gpu"}, {"variant": "cpu"}],
    "metric": {"name": "time"}, "measure": {"samples": 2, "repetitions": 3}})json");
  const CommandResult result = run();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(outcomes(), "correct 2");
  EXPECT_THAT(result.err, Not(HasSubstr("no random input changes a result")));
  EXPECT_EQ(
      scalar(
          "SELECT group_concat(DISTINCT variant || ' ' || other_problem) FROM verification JOIN trial ON "
          "trial.id = trial_id JOIN configuration ON configuration.id = configuration_id WHERE other_problem "
          "IS NOT NULL"),
      "gpu N = 65,gpu N = 5,cpu N = 5");
}

// The reference of other factors is what a manifest without "by" takes for wrong.
TEST_F(VerificationTest, ComparesWithWhatIsRightForItsParameters) {
  write_system("ceil_div(N, BLOCK_SIZE)");
  ASSERT_EQ(run().exit_status, 0);
  EXPECT_EQ(outcomes(), "correct 2; wrong_result 2");
  write_system("ceil_div(N, BLOCK_SIZE)", "", kByFactor);
  ASSERT_EQ(run({"--db", "other.db"}).exit_status, 0);
  const CommandResult both = tailwave({"query", "--db", "other.db", "--format", "csv", "--sql",
                                       "SELECT outcome, count(*) FROM trial GROUP BY 1"});
  EXPECT_THAT(both.out, HasSubstr("correct,4"));
}

// "twice" has no FACTOR: what is right for it, and how exactly, is that of the reference's own.
TEST_F(VerificationTest, ComparesAsExactlyAsTheParametersOfByAskFor) {
  const auto with_tolerance = [&](const std::string& tolerance) {
    write_system("ceil_div(N, BLOCK_SIZE)", "", kByFactor);
    const auto file = project_ / "kernel_templates/scale/system.json";
    nlohmann::json manifest = nlohmann::json::parse(std::ifstream(file));
    manifest["reference"]["compare"]["out"] = {{"norm", "max_abs"}, {"tolerance", tolerance}};
    nlohmann::json twice = manifest["variants"]["gpu"];
    twice["parameters"].erase("FACTOR");
    twice["source"] = "twice.cu";
    manifest["variants"]["twice"] = twice;
    std::ofstream(file) << manifest;
  };
  write("kernel_templates/scale/twice.cu", R"cuda(__global__ void scale(float* out, const float* x, int n) {
                   const int i = blockIdx.x * blockDim.x + threadIdx.x;
                   if (i < n) out[i] = 2 * x[i] + 1;
                 })cuda");
  write("kernel_templates/scale/scale.cu",
        R"cuda(__global__ void scale(float* out, const float* x, int n) {
                   const int i = blockIdx.x * blockDim.x + threadIdx.x;
                   if (i < n) out[i] = FACTOR * x[i] + 1;
                 })cuda");
  with_tolerance("2 if FACTOR == 3 else 0.5");
  write("experiments/scale/all.json", R"json({
    "schema_version": 1, "name": "all", "system": "scale", "question": "Is it right?",
    "cases": [{"variant": "gpu", "parameters": {"FACTOR": [2, 3]}}, {"variant": "twice"}],
    "metric": {"name": "time"}, "measure": {"samples": 2}})json");
  ASSERT_EQ(run().exit_status, 0);
  EXPECT_EQ(outcomes(), "correct 1; wrong_result 2");
  with_tolerance("2 if FACTORS == 3 else 0.5");
  EXPECT_THAT(tailwave({"check", "experiments/scale/all.json"}).err,
              HasSubstr("/reference/compare/out/tolerance: unknown"));
  write_system("1", "", R"("by": ["BLOCK_SIZE"], )");
  auto manifest = nlohmann::json::parse(std::ifstream(project_ / "kernel_templates/scale/system.json"));
  manifest["reference"]["compare"]["out"] = {{"norm", "max_abs"}, {"tolerance", "1 / BLOCK_SIZE"}};
  std::ofstream(project_ / "kernel_templates/scale/system.json") << manifest;
  EXPECT_THAT(tailwave({"check", "experiments/scale/all.json"}).err,
              HasSubstr("/reference/by/0: the reference 'cpu' has no parameter 'BLOCK_SIZE'"));
}

TEST_F(VerificationTest, HasNoConfigurationsOutsideOfADomain) {
  write_system(
      "N // BLOCK_SIZE", R"("requires": "N % BLOCK_SIZE == 0",)", kByFactor,
      R"("verify": {"problems": [{"N": "64 if BLOCK_SIZE == 64 else 65"}, {"N": "3 * BLOCK_SIZE"}]},)");
  const CommandResult result = run();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(outcomes(), "correct 2");  // 96 does not divide 256
  EXPECT_EQ(scalar("SELECT group_concat(DISTINCT other_problem) FROM verification"), "N = 96");
}

TEST_F(VerificationTest, RefusesWhatAManifestCannotMean) {
  const auto errors_of = [&](const std::string& variant, const std::string& reference,
                             const std::string& system) {
    write_system("1", variant, reference, system);
    return tailwave({"check", "experiments/scale/all.json"}).err;
  };
  EXPECT_THAT(errors_of("", R"("by": ["BLOCK_SIZE"], )", ""),
              HasSubstr("/reference/by/0: the reference 'cpu' has no parameter 'BLOCK_SIZE'"));
  EXPECT_THAT(errors_of(R"("requires": "M > 1",)", "", ""),
              HasSubstr("/variants/gpu/requires: unknown parameter 'M'"));
  EXPECT_THAT(errors_of("", "", R"("verify": {"problems": [{"M": 1}]},)"),
              HasSubstr("/verify/problems/0/M: unknown quantity 'M'"));
  EXPECT_THAT(errors_of("", "", R"("verify": {"draws": 1},)"), HasSubstr("/verify/draws"));
  const auto error_of_problem = [&](const std::string& n) {
    return errors_of("", "", R"("verify": {"problems": [{"N": )" + n + "}]},");
  };
  EXPECT_THAT(
      error_of_problem("0"),
      HasSubstr("/verify/problems/0: the count of buffer 'out' is 0, expected a whole number of at least 1"));
  EXPECT_THAT(error_of_problem("1.5"),
              HasSubstr("/verify/problems/0/N: expected an integer that fits int32, found 1.5"));
  EXPECT_THAT(error_of_problem("\"2147483647 + 1\""), HasSubstr("found 2147483648"));
  EXPECT_THAT(error_of_problem("\"1 / (N - N)\""), HasSubstr("/verify/problems/0/N: '/' by zero"));
}

TEST_F(VerificationTest, RefusesProblemsThatNoDeviceCanHave) {
  const auto errors_of = [&](const std::string& problem) {
    write_system("ceil_div(N, BLOCK_SIZE)", "", kByFactor, R"("verify": {"problems": [)" + problem + "]},");
    return tailwave({"check", "kernel_templates/scale"}).err;
  };
  EXPECT_EQ(
      errors_of(R"({"N": 5}, {"N": "BLOCK_SIZE / 128"})"),
      "kernel_templates/scale/system.json: /verify/problems/1/N: expected an integer that fits int32, found "
      "0.5 (BLOCK_SIZE = 64)\n"
      "  BLOCK_SIZE / 128\n"
      "  '//' divides whole numbers, '/' gives a real one\n");
  EXPECT_EQ(errors_of(R"x({"N": "5 % (BLOCK_SIZE - 64)"})x"),
            "kernel_templates/scale/system.json: /verify/problems/0/N: '%' by zero (BLOCK_SIZE = 64)\n"
            "  5 % (BLOCK_SIZE - 64)\n"
            "    ^\n");
  EXPECT_EQ(
      errors_of(R"({"N": "BLOCK_SIZE - 64"})"),
      "kernel_templates/scale/system.json: /verify/problems/0: the count of buffer 'out' is 0, expected a "
      "whole number of at least 1 (N = 0)\n"
      "  N\n");
  write_system("ceil_div(N, BLOCK_SIZE)", "", kByFactor, R"("verify": {"problems": [{"N": "1 + M"}]},)");
  EXPECT_THAT(tailwave({"check", "kernel_templates/scale"}).err,
              HasSubstr("/verify/problems/0/N: unknown parameter 'M'"));
  EXPECT_EQ(
      errors_of(R"({"N": 3000000000})"),
      "kernel_templates/scale/system.json: /verify/problems/0/N: expected an integer that fits int32, found "
      "3000000000\n"
      "  3000000000\n"
      "  '//' divides whole numbers, '/' gives a real one\n");
}

TEST_F(VerificationTest, RefusesProblemsThatFitNoMemory) {
  write_system("ceil_div(N, BLOCK_SIZE)", "", kByFactor, R"("verify": {"problems": [{"N": "2 ** 40"}]},)");
  const std::filesystem::path manifest = project_ / "kernel_templates/scale/system.json";
  std::stringstream text;
  text << std::ifstream(manifest).rdbuf();
  std::string wide = text.str();
  wide.replace(wide.find("\"int\""), 5, "\"int64\"");
  write("kernel_templates/scale/system.json", wide);
  EXPECT_EQ(
      tailwave({"check", "kernel_templates/scale"}).err,
      "kernel_templates/scale/system.json: /verify/problems/0: the buffers of variant 'cpu' would have 8.8e+12 "
      "bytes, more than any device holds\n"
      "  each configuration is verified with it: a few blocks are enough\n");
}

TEST_F(VerificationTest, RefusesProblemsThatNoVariantCanHave) {
  write_system("ceil_div(N, BLOCK_SIZE)", R"("options": {"-DTWICE={}": "2 * FACTOR"},)", "",
               R"("verify": {"problems": [{"N": "BLOCK_SIZE + TILE"}]},)");
  const std::filesystem::path manifest = project_ / "kernel_templates/scale/system.json";
  std::stringstream text;
  text << std::ifstream(manifest).rdbuf();
  std::string two = text.str();
  two.replace(two.find("{\"FACTOR\": 2}"), 13, R"({"FACTOR": 2, "TILE": 4})");
  write("kernel_templates/scale/system.json", two);
  EXPECT_THAT(tailwave({"check", "kernel_templates/scale"}).err,
              HasSubstr("/verify/problems/0: no variant can have this problem, so it is never verified\n"
                        "  'gpu' lacks a parameter that it names\n"));
  const auto errors_of = [&](const std::string& of_variant) {
    write_system("ceil_div(N, BLOCK_SIZE)", of_variant, "", R"("verify": {"problems": [{"N": 101}]},)");
    return tailwave({"check", "kernel_templates/scale"}).err;
  };
  EXPECT_THAT(errors_of(R"("requires": "N % BLOCK_SIZE == 0",)"),
              HasSubstr("so it is never verified\n  'gpu' requires N % BLOCK_SIZE == 0\n"));
  EXPECT_THAT(errors_of(R"("options": {"-DSIZE={}": "N"},)"),
              HasSubstr("\n  the code of 'gpu' is built for one value of what it changes\n"));
  write_system("ceil_div(N, BLOCK_SIZE)", R"("requires": "N % BLOCK_SIZE == 0",)", "",
               R"("verify": {"problems": [{"N": 96}]},)");
  replace("kernel_templates/scale/system.json", R"("BLOCK_SIZE": 64)", R"("BLOCK_SIZE": [64, 32])");
  EXPECT_EQ(tailwave({"check", "kernel_templates/scale"}).err, "");
}

TEST_F(VerificationTest, AdvisesAnOtherSizeThatAVariantCanHave) {
  const auto advice_for = [&](const std::string& requires_what) {
    write_system("ceil_div(N, BLOCK_SIZE)", R"("requires": ")" + requires_what + R"(",)");
    return tailwave({"check", "kernel_templates/scale"}).out;
  };
  EXPECT_THAT(advice_for("N > 0"), HasSubstr(R"([{"N": 101}])"));
  EXPECT_THAT(advice_for("N > 128"), HasSubstr(R"([{"N": 1009}])"));
  EXPECT_THAT(advice_for("N % BLOCK_SIZE == 0"), Not(HasSubstr("verified for no other sizes")));
}

// With the defaults both can be evaluated.
TEST_F(VerificationTest, NamesTheManifestsPlaceWhereAProblemFailsInARun) {
  write_system("ceil_div(N, BLOCK_SIZE)", "", kByFactor,
               R"("verify": {"problems": [{"N": 5}, {"N": "7 % (BLOCK_SIZE - 32) + 1"}]},)");
  ASSERT_EQ(run().exit_status, 0);
  EXPECT_EQ(outcomes(), "correct 2; wrong_result 2");
  EXPECT_THAT(
      scalar("SELECT DISTINCT detail FROM trial WHERE outcome = 'wrong_result'"),
      HasSubstr("kernel_templates/scale/system.json: /verify/problems/1/N: '%' by zero (BLOCK_SIZE = 32)\n"
                "  7 % (BLOCK_SIZE - 32) + 1\n"));
  write_system("ceil_div(N, BLOCK_SIZE)", R"("requires": "N == 256 or 7 % (BLOCK_SIZE - 32) > 0",)",
               kByFactor, R"("verify": {"problems": [{"N": 256}, {"N": 5}]},)");
  ASSERT_EQ(run({"--db", "domain.db"}).exit_status, 0);
  const CommandResult failed = tailwave({"query", "--db", "domain.db", "--format", "csv", "--sql",
                                         "SELECT DISTINCT detail FROM trial WHERE outcome = 'wrong_result'"});
  EXPECT_THAT(failed.out,
              HasSubstr("system.json: /variants/gpu/requires: '%' by zero (N = 5, BLOCK_SIZE = 32)"));
}

TEST_F(VerificationTest, SaysWhatAVariantIsMadeForAndVerifiedWith) {
  write_system("N // BLOCK_SIZE", R"("requires": "N % BLOCK_SIZE == 0",)", kByFactor,
               R"("verify": {"draws": 3, "problems": [{"N": "BLOCK_SIZE"}, {"N": "3 * BLOCK_SIZE"}]},)");
  EXPECT_EQ(
      tailwave({"check", "kernel_templates/scale"}).out,
      "kernel_templates/scale/system.json: ok: system, 2 variants\n"
      "  made for some problems only: gpu where N % BLOCK_SIZE == 0\n"
      "  verified with 3 draws of the inputs, and for other problems: N = BLOCK_SIZE; N = 3 * BLOCK_SIZE\n");
  const CommandResult as_json = tailwave({"check", "kernel_templates/scale", "--json"});
  EXPECT_EQ(nlohmann::json::parse(as_json.out)["files"][0]["verification"].dump(),
            R"({"draws":3,"other_problems":["N = BLOCK_SIZE","N = 3 * BLOCK_SIZE"],)"
            R"("requires":{"gpu":"N % BLOCK_SIZE == 0"}})");
  ASSERT_EQ(run().exit_status, 0);
  ASSERT_EQ(tailwave({"report", "--out", "report"}).exit_status, 0);
  std::stringstream page;
  page << std::ifstream(project_ / "report/scale/all.md").rdbuf();
  EXPECT_THAT(
      page.str(),
      HasSubstr("\nVerified with 3 draws of the inputs, and for other problems: N = 32; N = 96.\n"
                "\nMade for, and verified on, some problems only: `gpu` where `N % BLOCK_SIZE == 0`.\n"));
}

TEST_F(VerificationTest, SaysWhatAComparisonIsNotWorth) {
  write("kernel_templates/scale/reference.cpp",
        R"cpp(extern "C" void scale(float* out, const float* x, int n) {
                for (int i = 0; i < n / 2; ++i) out[i] = FACTOR;
              })cpp");
  write_system("ceil_div(N, BLOCK_SIZE)");
  const CommandResult result = run();
  EXPECT_THAT(
      result.err,
      HasSubstr("scale: the reference leaves 128 of 256 elements of 'out' unwritten, from element 128 on"));
  EXPECT_THAT(result.err, HasSubstr("scale: no random input changes a result"));
}

TEST_F(VerificationTest, TakesTheInputsOfAnotherMachine) {
  write_system("ceil_div(N, BLOCK_SIZE)", "", kByFactor);
  ASSERT_EQ(run({"--draw", "12"}).exit_status, 0);
  EXPECT_EQ(scalar("SELECT draw FROM run"), "12");
  const CommandResult refused = run({"--draw", "-1"});
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(refused.err, HasSubstr("--draw"));
}

}  // namespace
}  // namespace tailwave
