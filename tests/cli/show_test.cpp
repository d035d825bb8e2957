#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/project_fixture.h"

namespace tailwave {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// What the disassembler prints here, whatever it is given: code of a kernel, with one label.
constexpr const char* kDisassembly =
    ".text.twice:\n"
    "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
    ".L_x_7:\n"
    "        /*0010*/                   FADD R2, R3.reuse, R3 ;\n"
    "        /*0020*/               @P0 BRA `(.L_x_7) ;\n"
    "        /*0030*/                   EXIT ;\n";

class ShowTest : public ProjectFixture {
 protected:
  void SetUp() override {
    write("kernel_templates/row/system.json", R"json({
      "schema_version": 1, "name": "row", "title": "Multiplies an array",
      "problem": { "N": {"type": "int", "default": 4000} },
      "buffers": { "values": {"type": "float32", "count": "N", "fill": {"kind": "uniform", "low": -1, "high": 1, "seed": 1}} },
      "reference": { "variant": "cpu", "compare": {"values": {"norm": "exact", "tolerance": 0}} },
      "variants": {
        "cpu":  { "target": "host", "source": "cpu.cpp", "launches": [ {"function": "twice", "args": ["values", "N"]} ] },
        "gpu": { "target": "cuda", "source": "row.cu", "parameters": {"BLOCK_SIZE": 32, "FACTOR": 2, "UNUSED": 0, "BREAK": 0},
                 "launches": [ {"kernel": "twice", "grid": "ceil_div(N, BLOCK_SIZE)", "block": "BLOCK_SIZE",
                                "args": ["values", "N"]} ] },
        "built": { "target": "cuda", "source": "row.cubin",
                   "launches": [ {"kernel": "first", "grid": 1, "block": 32, "args": ["values"]} ] } } })json");
    write("kernel_templates/row/cpu.cpp",
          "extern \"C\" void twice(float* values, int n) { for (int i = 0; i < n; ++i) values[i] *= 2; }\n");
    write("kernel_templates/row/row.cu",
          "extern \"C\" __global__ void twice(float* values, int n) {\n"
          "#if BREAK\n  nonsense;\n#endif\n"
          "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
          "  if (i < n) values[i] = values[i] * FACTOR + 1.0f;\n}\n");
    fs::copy_file(TAILWAVE_SOURCE_DIR "/tests/fuzz/corpus/cubins/sm_90.cubin",
                  project_ / "kernel_templates/row/row.cubin");
    write("experiments/row/rows.json", R"json({
      "schema_version": 1, "name": "rows", "system": "row", "question": "What is it made of?",
      "cases": [ {"variant": "gpu", "parameters": {"BLOCK_SIZE": [32, 64], "FACTOR": [2, 3], "UNUSED": [0, 1], "BREAK": [0, 1]}},
                 {"variant": "built"} ],
      "metric": {"name": "time", "goal": "min"} })json");
    write("nvdisasm", std::string("#!/bin/sh\ncat <<'END'\n") + kDisassembly + "END\n");
    fs::permissions(project_ / "nvdisasm", fs::perms::owner_all);
    setenv("TAILWAVE_NVDISASM", (project_ / "nvdisasm").c_str(), 1);
    const CommandResult result = show("FACTOR=2,BLOCK_SIZE=32,UNUSED=0,BREAK=0", {"--ptx"});
    if (result.err.find("show needs NVRTC") != std::string::npos) GTEST_SKIP() << result.err;
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }
  ~ShowTest() override { unsetenv("TAILWAVE_NVDISASM"); }

  [[nodiscard]] CommandResult show(const std::string& filter,
                                   const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"show", "experiments/row/rows.json", "--filter", filter, "--target",
                                       "sm_90"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return tailwave(arguments);
  }
};

TEST_F(ShowTest, ShowsPtxAndCountsItsInstructions) {
  const CommandResult result = show("FACTOR=2,BLOCK_SIZE=32,UNUSED=0,BREAK=0", {"--ptx"});
  EXPECT_THAT(result.out,
              StartsWith("row/gpu/BLOCK_SIZE:32/BREAK:0/FACTOR:2/UNUSED:0/N:4000\nPTX for sm_90, NVRTC "));
  EXPECT_THAT(result.out, HasSubstr("\ntwice\n    .reg "));
  EXPECT_THAT(result.out, HasSubstr("\n    ld.param.u64 %rd1, [kernel_param_0];\n"));
  EXPECT_THAT(result.out, HasSubstr("\nL1:\n    ret;\n"));
  EXPECT_THAT(result.out, Not(HasSubstr(".loc")));
  EXPECT_THAT(result.out, ContainsRegex("\ntwice +global load +1\n"));
  EXPECT_THAT(result.out, ContainsRegex("\ntwice +all +[0-9]+\n"));
}

TEST_F(ShowTest, ShowsTwoBesideEachOtherWhereTheyDiffer) {
  const CommandResult result = show("FACTOR=2,BLOCK_SIZE=32,UNUSED=0,BREAK=0",
                                    {"--ptx", "--against", "FACTOR=3,BLOCK_SIZE=32,UNUSED=0,BREAK=0"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              StartsWith("A: row/gpu/BLOCK_SIZE:32/BREAK:0/FACTOR:2/UNUSED:0/N:4000\n"
                         "B: row/gpu/BLOCK_SIZE:32/BREAK:0/FACTOR:3/UNUSED:0/N:4000\nPTX for sm_90, "));
  EXPECT_THAT(result.out, HasSubstr("\ntwice\n... "));
  EXPECT_THAT(result.out,
              ContainsRegex("0f40000000, 0f3F800000; +\\| +fma.rn.f32 .*0f40400000, 0f3F800000;\n"));
  EXPECT_THAT(result.out, ContainsRegex("\ntwice +all +([0-9]+) +[0-9]+ +0\n"));
  const CommandResult all = show("FACTOR=2,BLOCK_SIZE=32,UNUSED=0,BREAK=0",
                                 {"--ptx", "--against", "FACTOR=3,BLOCK_SIZE=32,UNUSED=0,BREAK=0", "--all"});
  EXPECT_THAT(all.out, Not(HasSubstr("... ")));
  EXPECT_THAT(all.out, ContainsRegex("    ret; +ret;\n"));
}

TEST_F(ShowTest, SaysFirstThatTheMachineCodeIsTheSame) {
  const CommandResult result = show("FACTOR=2,BLOCK_SIZE=32,UNUSED=0,BREAK=0",
                                    {"--against", "FACTOR=2,BLOCK_SIZE=32,UNUSED=1,BREAK=0"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("A and B are the same, machine code and launches: neither is faster "
                                     "than the other.\nA: row/gpu/"));
  EXPECT_THAT(result.out, Not(HasSubstr("LDC")));
  const CommandResult launched = show("FACTOR=2,BLOCK_SIZE=32,UNUSED=0,BREAK=0",
                                      {"--against", "FACTOR=2,BLOCK_SIZE=64,UNUSED=0,BREAK=0"});
  EXPECT_THAT(launched.out, StartsWith("A and B are the same machine code; what differs is how it is "
                                       "launched, or on what.\nA: row/gpu/"));
}

TEST_F(ShowTest, ShowsWhatTheDisassemblerSays) {
  const CommandResult result = show("FACTOR=2,BLOCK_SIZE=32,UNUSED=0,BREAK=0");
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("\nSASS for sm_90, NVRTC [0-9.]+, nvdisasm\n\ntwice\n"
                                        "    LDC R1, c\\[0x0\\]\\[0x28\\]\n"
                                        "L1:\n    FADD R2, R3, R3\n    @P0 BRA L1\n    EXIT\n"));
  EXPECT_THAT(result.out, ContainsRegex("\ntwice +branch +2\n"));
  const CommandResult both = show("FACTOR=2,BLOCK_SIZE=32,UNUSED=0,BREAK=0",
                                  {"--against", "FACTOR=3,BLOCK_SIZE=32,UNUSED=0,BREAK=0"});
  EXPECT_THAT(both.out, StartsWith("The same instructions: the machine code differs in what is not shown, "));
}

TEST_F(ShowTest, HasJson) {
  const CommandResult result = show("FACTOR=2,BLOCK_SIZE=32,UNUSED=0,BREAK=0",
                                    {"--against", "FACTOR=3,BLOCK_SIZE=32,UNUSED=0,BREAK=0", "--json"});
  const nlohmann::json shown = nlohmann::json::parse(result.out);
  EXPECT_EQ(shown.at("same_machine_code"), false);
  ASSERT_EQ(shown.at("configurations").size(), 2U);
  const nlohmann::json& kernel = shown.at("configurations")[1].at("kernels").at(0);
  EXPECT_EQ(kernel.at("kernel"), "twice");
  EXPECT_EQ(kernel.at("code")[1], "L1:");
  EXPECT_EQ(kernel.at("instructions"), nlohmann::json({{"branch", 2}, {"constant load", 1}, {"fp32", 1}}));
}

TEST_F(ShowTest, RefusesWhatItCannotShow) {
  const CommandResult wrong = show("FACTOR=2,BLOCK_SIZE=32,UNUSED=0,BREAK=1");
  EXPECT_EQ(wrong.exit_status, 1);
  EXPECT_THAT(wrong.err,
              StartsWith("row/gpu/BLOCK_SIZE:32/BREAK:1/FACTOR:2/UNUSED:0/N:4000: compile_error: "));
  const CommandResult prebuilt = show("variant=built", {"--ptx"});
  EXPECT_EQ(prebuilt.exit_status, 1);
  EXPECT_EQ(prebuilt.err,
            "row/built/N:4000: what is code already is run as it is: there is no PTX to change\n"
            "  --sass shows machine code\n");
  const CommandResult several = show("FACTOR=2");
  EXPECT_EQ(several.exit_status, 2);
  EXPECT_THAT(several.err, HasSubstr("8 configurations fit 'FACTOR=2', expected one"));
  const CommandResult targets = tailwave({"show", "experiments/row/rows.json", "--target", "a100,h200"});
  EXPECT_EQ(targets.exit_status, 2);
  EXPECT_EQ(targets.err, "show takes one --target, there are 2\n  name one of them\n");
  EXPECT_EQ(show("FACTOR=2,BLOCK_SIZE=32,UNUSED=0,BREAK=0", {"--ptx", "--sass"}).exit_status, 2);
  setenv("TAILWAVE_NVDISASM", "/nowhere/nvdisasm", 1);
  const CommandResult none = show("FACTOR=2,BLOCK_SIZE=32,UNUSED=0,BREAK=0");
  EXPECT_EQ(none.exit_status, 2);
  EXPECT_THAT(none.err, StartsWith("/nowhere/nvdisasm: is no program, though $TAILWAVE_NVDISASM names it\n"));
}

}  // namespace
}  // namespace tailwave
