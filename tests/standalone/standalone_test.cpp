#include "standalone/standalone.h"

#include <gmock/gmock.h>

#include "core/error.h"
#include "fakes/error_of.h"
#include "fakes/scratch_folder.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

using samples::error_of;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr const char* kUniform = R"json("fill": {"kind": "uniform", "low": -1, "high": 1, "seed": 1})json";
constexpr const char* kCompared =
    R"json(, "compare": {"values": {"norm": "max_abs", "tolerance": 0.25}})json";
const std::string kOnCpu = std::string(R"json("variant": "cpu")json") + kCompared;

// Of a system "row" that a test writes.
class StandaloneTest : public testing::Test {
 protected:
  StandaloneTest() {
    folder_.write("row/row.cu",
                  "#include \"helper.h\"\n__global__ void twice(float* values, int n) { /* "
                  "*/ }\n");
    folder_.write("row/helper.h", "// helps\n");
    folder_.write("row/cpu.cpp", "extern \"C\" void twice(float* values, int n) {}\n");
  }

  // What the variant "gpu", the buffer "values" and the reference have.
  StandaloneProgram exported(const std::string& variant, const std::string& buffer = kUniform,
                             const std::string& reference = kOnCpu) {
    const auto file =
        folder_.write("row/system.json", R"json({"schema_version": 1, "name": "row", "title": "T",
      "problem": {"N": 4000, "X": 0.5},
      "buffers": {"values": {"type": "float32", "count": "N", )json" +
                                             buffer + R"json(}},
      "reference": {)json" + reference + R"json(},
      "variants": {
        "cpu": {"target": "host", "source": "cpu.cpp", "options": {"-fno-math-errno": true},
                "launches": [{"function": "twice", "args": ["values", "N"]}]},
        "gpu": {"target": "cuda", "source": "row.cu", "parameters": {"BLOCK_SIZE": 32}, )json" +
                                             variant + "}}}");
    Diagnostics diagnostics;
    system_ = load_system(file, diagnostics);
    if (!system_) throw std::logic_error(to_string(diagnostics.at(0)));
    return standalone_program({&*system_,
                               default_configuration(*system_, *system_->find_variant("gpu"),
                                                     {{"N", std::int64_t{4000}}, {"X", 0.5}}),
                               90, "2 us"});
  }

  ScratchFolder folder_;
  std::optional<System> system_;
};

constexpr const char* kLaunch =
    R"json("launches": [{"kernel": "twice", "grid": "ceil_div(N, BLOCK_SIZE)", "block": "BLOCK_SIZE", "args": ["values", "N"]}])json";

std::vector<std::string> names_of(const StandaloneProgram& program) {
  std::vector<std::string> names;
  for (const auto& [path, text] : program.files) names.push_back(path.string());
  return names;
}

TEST_F(StandaloneTest, IsAFolderWithMacrosSourceHeadersAndReference) {
  const StandaloneProgram program =
      exported(std::string(R"("options": {"--use_fast_math": true}, )") + kLaunch);
  for (const char* const file :
       {"program.cu", "reference.cpp", "source/row.cu", "source/helper.h", "source/cpu.cpp",
        "tailwave/standalone/cuda_program.h", "tailwave/core/random.h"})
    EXPECT_THAT(names_of(program), Contains(file));
  EXPECT_EQ(program.command,
            "nvcc -std=c++20 -O3 -arch=sm_90a -Itailwave -Isource -Xcompiler -ffp-contract=off -Xcompiler "
            "-fno-math-errno --use_fast_math program.cu reference.cpp -o program");
  const std::string& text = program.files.at("program.cu");
  EXPECT_THAT(text, StartsWith("// row/gpu/BLOCK_SIZE:32/N:4000/X:0.5\n"));
  EXPECT_THAT(text, HasSubstr("//   " + program.command + " && ./program\n//\n// Measured: 2 us.\n"));
  EXPECT_THAT(text, HasSubstr("#define BLOCK_SIZE 32\n#include \"source/row.cu\"\n"));
  EXPECT_THAT(
      text,
      HasSubstr("tailwave_program::launch(\"twice\", (const void*)(twice), {dim3(125, 1, 1), dim3(32, 1, 1), "
                "0, 0}, tw_b[0], std::int32_t{4000});\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "{\"values\", Type::float32, 4000, {Fill::uniform, -1.0, 1.0, 0, 0, 1ULL}, Memory::device, false},"));
  EXPECT_THAT(text, HasSubstr("{0, {tailwave::DifferenceNorm::max_abs, 0.25, 0.0, 0.0}},  // values\n"));
  EXPECT_THAT(text, Not(HasSubstr("define main")));
  EXPECT_THAT(program.files.at("reference.cpp"),
              HasSubstr("  twice(tailwave_program::AnyPointer{tw_b[0]}, std::int32_t{4000});\n"));
  EXPECT_THAT(program.not_checked, IsEmpty());
}

TEST_F(StandaloneTest, RepeatsInLoopsAndLeavesThemWhereTheManifestDoes) {
  const StandaloneProgram program = exported(R"("launches": [
    {"repeat": 100, "counter": "i", "launches": [{"kernel": "twice", "grid": 1, "block": 32, "args": ["values", {"value": "i % 2", "type": "int64"}]}],
     "until": {"buffer": "values", "at_most": 0.125}},
    {"kernel": "other", "grid": 1, "block": 64, "args": ["values", {"value": "X", "type": "float64"}]}])");
  EXPECT_THAT(
      program.files.at("program.cu"),
      HasSubstr(
          "  for (int tw_i = 0; tw_i < 50; ++tw_i) {\n"
          "  tailwave_program::launch(\"twice\", (const void*)(twice), {dim3(1, 1, 1), dim3(32, 1, 1), 0, 0}, tw_b[0], "
          "std::int64_t{0LL});\n"
          "  if (tailwave_program::leaves<float>(tw_b[0], 0.125)) goto tw_100;\n"
          "  tailwave_program::launch(\"twice\", (const void*)(twice), {dim3(1, 1, 1), dim3(32, 1, 1), 0, 0}, tw_b[0], "
          "std::int64_t{1LL});\n"
          "  if (tailwave_program::leaves<float>(tw_b[0], 0.125)) goto tw_100;\n  }\ntw_100:;\n"));
}

TEST_F(StandaloneTest, GivesAMainOfTheSourceAnotherName) {
  folder_.write("row/row.cu", "__global__ void twice(float*, int) {}\nint main() {}\n");
  EXPECT_THAT(exported(kLaunch).files.at("program.cu"),
              HasSubstr("#define main main_of_source\n#include \"source/row.cu\"\n#undef main\n"));
}

TEST_F(StandaloneTest, HasInFilesWhatIsReadOrGenerated) {
  folder_.write("row/right.bin", std::string(16000, 'r'));
  const StandaloneProgram program =
      exported(kLaunch, R"json("fill": {"kind": "generated", "element": "i + 1"})json",
               std::string(R"json("stored": {"values": "right.bin"})json") + kCompared);
  EXPECT_EQ(program.files.at("data/expected_values.bin"), std::string(16000, 'r'));
  EXPECT_EQ(program.files.at("data/input_values.bin").substr(0, 8), std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  const std::string& text = program.files.at("program.cu");
  EXPECT_THAT(text, HasSubstr("{Fill::file, 0, 0, 0, 0, 0, \"data/input_values.bin\"}"));
  EXPECT_THAT(text, HasSubstr(", \"data/expected_values.bin\"},  // values\n"));
  EXPECT_THAT(names_of(program), Not(Contains("reference.cpp")));
}

TEST_F(StandaloneTest, SaysWhatItDoesNotCheck) {
  const StandaloneProgram program = exported(kLaunch, kUniform, R"json("none": "nobody knows")json");
  EXPECT_THAT(program.not_checked, ElementsAre("all results: nobody knows"));
  EXPECT_THAT(program.files.at("program.cu"), HasSubstr("// NOT CHECKED: all results: nobody knows.\n"));
  const std::string kernel = std::string(R"json("variant": "gpu")json") + kCompared;
  EXPECT_THAT(exported(kLaunch, kUniform, kernel).not_checked,
              ElementsAre("values: the reference is a kernel, which such a program does not have"));
}

TEST_F(StandaloneTest, RefusesWhatAProgramOfItsOwnCannotHave) {
  const std::string configuration = "row/gpu/BLOCK_SIZE:32/N:4000/X:0.5: cannot be exported as a program: ";
  const std::string hint = "\n  --config names another configuration, as --filter does elsewhere";
  const auto refused = [&](const std::string& variant, const std::string& buffer = kUniform) {
    return error_of([&] { (void)exported(variant, buffer); });
  };
  EXPECT_EQ(
      refused(
          R"("launches": [{"kernel": "twice", "grid": 1, "block": 32, "gpu": 1, "args": ["values", "N"]}])"),
      configuration + "'twice' runs on another GPU" + hint);
  EXPECT_EQ(
      refused(
          R"("launches": [{"kernel": "twice", "grid": 1, "block": 32, "sms": 8, "args": ["values", "N"]}])"),
      configuration + "'twice' asks for some of the multiprocessors" + hint);
  EXPECT_EQ(refused(kLaunch, std::string(kUniform) + R"json(, "memory": "pageable")json"),
            configuration + "buffer 'values' lies in pageable memory" + hint);
  EXPECT_EQ(refused(kLaunch, std::string(kUniform) + R"json(, "gpu": 1)json"),
            configuration + "buffer 'values' is another GPU's" + hint);
  EXPECT_EQ(refused(R"("launches": [{"repeat": 3000, "counter": "i", "launches": [
              {"kernel": "twice", "grid": "i + 1", "block": 32, "args": ["values", "N"]}]}])"),
            configuration + "its plan has more than 2000 different launches" + hint);
  const auto of_variant = [&](const char* variant, std::int64_t n) {
    (void)exported(kLaunch);
    const Values problem{{"N", n}, {"X", 0.5}};
    return error_of([&] {
      (void)standalone_program(
          {&*system_, default_configuration(*system_, *system_->find_variant(variant), problem)});
    });
  };
  EXPECT_EQ(of_variant("cpu", 4000),
            "row/cpu/N:4000/X:0.5: cannot be exported as a program: its variant is no CUDA kernel" + hint);
  EXPECT_EQ(
      of_variant("gpu", -1),
      "row/gpu/BLOCK_SIZE:32/N:-1/X:0.5: cannot be exported as a program: count of buffer 'values' is -1, "
      "expected at least 1" +
          hint);
}

}  // namespace
}  // namespace tailwave
