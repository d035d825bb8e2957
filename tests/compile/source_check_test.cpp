#include "compile/source_check.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "fakes/scratch_folder.h"
#include "spec/experiment.h"
#include "spec/paths.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

constexpr const char* kManifest = R"json({
  "schema_version": 1, "name": "scale",
  "problem": {"N": {"type": "int", "default": 64}, "A": {"type": "float", "default": 2}},
  "buffers": {"x": {"type": "float32", "count": "N"}, "out": {"type": "float32", "count": "N", "output_only": true}},
  "reference": {"variant": "cpu", "compare": {"out": {"norm": "exact"}}},
  "variants": {
    "cpu": {"target": "host", "source": "cpu.cpp", "launches": [{"function": "scale", "args": ["out", "x", "A", "N"]}]},
    "gpu": {"target": "cuda", "source": "gpu.cu", "parameters": {"BLOCK_SIZE": 32},
            "launches": [{"kernel": "scale", "grid": "ceil_div(N, BLOCK_SIZE)", "block": "BLOCK_SIZE",
                          "args": ["out", "x", "A", "N"]}]}
  }
})json";

class SourceCheck : public testing::Test {
 protected:
  SourceCheck() {
    write("system.json", kManifest);
    write("cpu.cpp", "extern \"C\" void scale(float* out, const float* x, float a, int n) {}");
    write("gpu.cu", "__global__ void scale(float* out, const float* x, float a, int n) {}");
  }

  void write(const std::string& file, const std::string& text) const { folder_.write("scale/" + file, text); }

  // Replaces parts of the manifest.
  void change(const std::vector<std::pair<std::string, std::string>>& parts) const {
    std::string text = kManifest;
    for (const auto& [from, to] : parts) {
      const auto at = text.find(from);
      ASSERT_NE(at, std::string::npos) << from;
      text.replace(at, from.size(), to);
    }
    write("system.json", text);
  }
  void change(const std::string& from, const std::string& to) const { change({{from, to}}); }

  // The warnings, with paths relative to the project's folder.
  [[nodiscard]] std::string warnings() const {
    Diagnostics errors;
    const std::optional<System> system = load_system(folder_.path() / "scale/system.json", errors);
    if (!system) return Error(errors).what();
    std::string text;
    for (const Diagnostic& warning : check_sources(*system)) text += to_string(warning) + "\n";
    const std::string root = folder_.path().string() + "/";
    for (std::size_t at = text.find(root); at != std::string::npos; at = text.find(root, at))
      text.erase(at, root.size());
    return text;
  }

  ScratchFolder folder_;
};

TEST_F(SourceCheck, DoesNotAskWhatTheHostsCodeInASourceUses) {
  write(
      "gpu.cu",
      "__global__ void scale(float* out, const float* x, float a, int n) { out[blockIdx.x * BLOCK_SIZE] = x[0]; }\n"
      "int main() { cudaFree(nullptr); return clock() / CLOCKS_PER_SEC; }");
  EXPECT_EQ(warnings(), "");
}

TEST_F(SourceCheck, KnowsTexturesAndTensorMaps) {
  const auto warnings_of = [&](const std::string& argument, const std::string& parameter) {
    change("\"BLOCK_SIZE\",\n                          \"args\": [\"out\", \"x\"",
           "\"BLOCK_SIZE\", \"args\": [\"out\", " + argument);
    write("gpu.cu", "__global__ void scale(float* out, " + parameter + " x, float a, int n) {}");
    return warnings();
  };
  const std::string texture = R"({"texture": "x", "width": "N"})";
  const std::string map = R"({"tensor_map": "x", "dims": ["N"], "box": [16]})";
  const auto said = [](const std::string& text) { return text.substr(0, text.find("; the parameter")); };
  EXPECT_EQ(warnings_of(texture, "cudaTextureObject_t").find("argument"), std::string::npos);
  EXPECT_EQ(warnings_of(map, "const __grid_constant__ CUtensorMap").find("argument"), std::string::npos);
  EXPECT_NE(said(warnings_of(texture, "const float*")).find("argument 2 of 'scale' is a texture"),
            std::string::npos);
  EXPECT_NE(said(warnings_of(map, "int")).find("argument 2 of 'scale' is a tensor map"), std::string::npos);
}

TEST_F(SourceCheck, KnowsTemplateParametersWithTheNameOfAParameter) {
  const std::string kernel = "__global__ void scale(float* out, const float* x, float a, int n) {}";
  write("gpu.cu", "template <class T, int BLOCK_SIZE = 2> " + kernel);
  EXPECT_EQ(
      warnings(),
      "scale/system.json: /variants/gpu/parameters/BLOCK_SIZE: 'BLOCK_SIZE' is a parameter (#define BLOCK_SIZE "
      "32) and the name of a template parameter, scale/gpu.cu:1; rename one\n");
  write("gpu.cu", "#undef BLOCK_SIZE\ntemplate <int BLOCK_SIZE> " + kernel);
  EXPECT_EQ(warnings(), "");
  write("gpu.cu", "template <int K = BLOCK_SIZE, class T = Tile<BLOCK_SIZE>> " + kernel);
  EXPECT_EQ(warnings(), "");
}

TEST_F(SourceCheck, HasNothingToSayOfWhatFits) {
  EXPECT_EQ(warnings(), "");
}

TEST_F(SourceCheck, KnowsTolerancesThatRoundingExceeds) {
  const std::string exact = R"({"norm": "exact"})";
  for (const char* norm : {"relative_l2", "max_rel"}) {
    change(exact, R"({"norm": ")" + std::string(norm) + R"(", "tolerance": "1e-12 * A"})");
    EXPECT_EQ(
        warnings(),
        "scale/system.json: /reference/compare/out/tolerance: 2e-12 is less than what rounding to float32 changes "
        "a value by, 5.96e-08\n"
        "  hardly any result passes but one with the bits of the reference: give a larger tolerance, or the norm "
        "'exact'\n");
  }
  change(exact, R"({"norm": "close", "relative": 1e-9})");
  EXPECT_EQ(warnings().find(
                "scale/system.json: /reference/compare/out/relative: 1e-09 is less than what rounding to "
                "float32 changes a value by, 5.96e-08\n"),
            0U);
  for (const char* fits :
       {R"({"norm": "close", "relative": 1e-9, "absolute": 1e-6})",
        R"({"norm": "relative_l2", "tolerance": 1e-7})", R"({"norm": "max_abs", "tolerance": 1e-12})",
        R"({"norm": "max_rel", "tolerance": 0})"}) {
    change(exact, fits);
    EXPECT_EQ(warnings(), "");
  }
}

TEST_F(SourceCheck, MissesKernelsAndFunctions) {
  write("gpu.cu", "__global__ void scales(float* out, const float* x, float a, int n) {}");
  write("cpu.cpp", "");
  EXPECT_EQ(warnings(),
            "scale/system.json: /variants/cpu: no function 'scale' in scale/cpu.cpp\n"
            "  it has no function\n"
            "scale/system.json: /variants/gpu: no kernel 'scale' in scale/gpu.cu\n"
            "  did you mean 'scales'?\n");
}

TEST_F(SourceCheck, SeesThatAFunctionIsNoKernel) {
  write("gpu.cu", "void scale(float* out, const float* x, float a, int n) {}");
  EXPECT_EQ(warnings(),
            "scale/system.json: /variants/gpu: 'scale' in scale/gpu.cu is no kernel\n"
            "  put __global__ before it\n");
}

TEST_F(SourceCheck, CountsArguments) {
  write("gpu.cu", "__global__ void scale(float* out, const float* x, int n) {}");
  EXPECT_EQ(warnings(),
            "scale/system.json: /variants/gpu: 'scale' in scale/gpu.cu has 3 parameters, 'args' has 4\n"
            "  its parameters are: float* out, const float* x, int n\n");
}

TEST_F(SourceCheck, SeesTheFirstArgumentThatDoesNotFit) {
  write("gpu.cu", "__global__ void scale(float* out, const float* x, int n, float a) {}");
  write("cpu.cpp", "void scale(double* out, const float* x, float a, int n) {}");
  EXPECT_EQ(
      warnings(),
      "scale/system.json: /variants/cpu: argument 1 of 'scale' is the buffer 'out' of float32; the parameter "
      "is "
      "'double* out'\n"
      "  no order of 'args' fits: change its type here, or the parameter's in scale/cpu.cpp\n"
      "scale/system.json: /variants/gpu: argument 3 of 'scale' is A, a float32; the parameter is 'int n'\n"
      "  'args' has to be in the order of the parameters in scale/gpu.cu\n");
}

TEST_F(SourceCheck, SeesAFunctionThatFillsABufferOfAnotherType) {
  change(R"({"type": "float32", "count": "N"})",
         R"({"type": "float32", "count": "N",
             "fill": {"kind": "function", "source": "fill.cpp", "function": "make", "args": ["x", "N"]}})");
  write("fill.cpp", "extern \"C\" void make(float* x, int n) {}");
  EXPECT_EQ(warnings(), "");
  for (const char* type : {"double", "int"}) {
    write("fill.cpp", std::string("extern \"C\" void make(") + type + "* x, int n) {}");
    EXPECT_EQ(
        warnings(),
        std::string("scale/system.json: /buffers/x/fill: argument 1 of 'make' is the buffer 'x' of "
                    "float32; the parameter is '") +
            type +
            "* x'\n  no order of 'args' fits: change its type here, or the parameter's in scale/fill.cpp\n");
  }
}

TEST_F(SourceCheck, SeesPointersThatChangedPlaces) {
  change(R"("block": "BLOCK_SIZE",
                          "args": ["out", "x", "A", "N"])",
         R"("block": "BLOCK_SIZE",
                          "args": ["x", "out", "A", "N"])");
  EXPECT_EQ(
      warnings(),
      "scale/system.json: /variants/gpu: nothing writes the buffer 'out', which is compared with the "
      "reference: "
      "argument 2 of 'scale' is 'const float* x'\n"
      "  argument 1, 'float* out', is given 'x', which is compared with nothing: are the two swapped?\n");
}

TEST_F(SourceCheck, SeesAResultThatIsOnlyRead) {
  write("gpu.cu", "__global__ void scale(float const* out, const float* x, float a, int n) {}");
  EXPECT_EQ(warnings(),
            "scale/system.json: /variants/gpu: nothing writes the buffer 'out', which is compared with the "
            "reference: "
            "argument 1 of 'scale' is 'float const* out'\n"
            "  its result would never be right\n");
}

TEST_F(SourceCheck, LetsAResultBeReadThatIsWrittenToo) {
  change(R"("args": ["out", "x", "A", "N"]}]}
  })",
         R"("args": ["out", "x", "A", "N"]},
                         {"kernel": "check", "grid": "1", "block": "1", "args": ["out"]}]}
  })");
  write("gpu.cu",
        "__global__ void scale(float* const out, const float* x, float a, int n) {}\n"
        "__global__ void check(const float* out) {}");
  EXPECT_EQ(warnings(), "");
}

TEST_F(SourceCheck, TakesOverloadsTypesOfTheSourcesOwnAndHeaders) {
  write("types.cuh", "using Real = float;\n#define KERNEL __global__ void");
  write("gpu.cu",
        "#include \"types.cuh\"\n"
        "__global__ void scale(float* out) {}\n"
        "__global__ void scale(Real* out, const float4* x, Real a, int n) {}");
  EXPECT_EQ(warnings(), "");
}

TEST_F(SourceCheck, SeesNamesThatNothingDefines) {
  write("gpu.cu",
        "__global__ void scale(float* out, const float* x, float a, int n) {\n"
        "  __shared__ float tile[BLOCK_SIZ];\n"
        "#pragma unroll UNROLL\n"
        "  for (int i = 0; i < n; ++i) out[i] = a * x[i] < FLT_MAX ? 1 : WARP;\n"
        "}");
  EXPECT_EQ(warnings(),
            "scale/system.json: /variants/gpu: scale/gpu.cu uses BLOCK_SIZ, which is no parameter of this "
            "variant and not "
            "defined there\n"
            "  did you mean 'BLOCK_SIZE'?\n"
            "scale/system.json: /variants/gpu: scale/gpu.cu uses UNROLL, which is no parameter of this "
            "variant and not "
            "defined there\n"
            "  to tune it, give UNROLL a default in \"parameters\", and an experiment its values\n"
            "scale/system.json: /variants/gpu: scale/gpu.cu uses WARP, which is no parameter of this variant "
            "and not "
            "defined there\n"
            "  to tune it, give WARP a default in \"parameters\", and an experiment its values\n");
}

TEST_F(SourceCheck, KnowsTheMacrosThatOptionsDefine) {
  write("gpu.cu",
        "__global__ void scale(float* out, const float* x, float a, int n) { out[LENGTH + WIDTH] = TWO; }");
  change("\"source\": \"gpu.cu\",",
         R"("source": "gpu.cu", "options": {"-DLENGTH={}": "N", "--define-macro=WIDTH={}": "2 * N"},)");
  EXPECT_EQ(
      warnings(),
      "scale/system.json: /variants/gpu: scale/gpu.cu uses TWO, which is no parameter of this variant and "
      "not defined there\n"
      "  to tune it, give TWO a default in \"parameters\", and an experiment its values\n");
}

TEST_F(SourceCheck, SeesParametersThatNothingReads) {
  change("{\"BLOCK_SIZE\": 32}", "{\"BLOCK_SIZE\": 32, \"UNROLL\": 4}");
  EXPECT_EQ(warnings(),
            "scale/system.json: /variants/gpu/parameters/UNROLL: nothing reads the parameter: not "
            "scale/gpu.cu, and no "
            "expression of the variant\n"
            "  its values would all be the same program\n");
}

TEST_F(SourceCheck, SeesThatTheReferenceReadsParameters) {
  change({{R"("reference": {)", R"("reference": {"by": ["SOFT"], )"},
          {R"("source": "cpu.cpp",)", R"("source": "cpu.cpp", "parameters": {"SOFT": true},)"},
          {R"({"BLOCK_SIZE": 32})", R"({"BLOCK_SIZE": 32, "SOFT": false})"}});
  EXPECT_EQ(warnings(), "");
}

TEST_F(SourceCheck, SeesThatATemplateReadsParameters) {
  change({{R"({"BLOCK_SIZE": 32})", R"({"BLOCK_SIZE": 32, "ITEMS": 4})"},
          {R"json({"kernel": "scale",)json", R"json({"kernel": "scale<ITEMS>",)json"}});
  EXPECT_EQ(warnings(), "");
}

TEST_F(SourceCheck, SeesThatALoopReadsParameters) {
  change(R"json({"BLOCK_SIZE": 32},
            "launches": [{"kernel": "scale", "grid": "ceil_div(N, BLOCK_SIZE)", "block": "BLOCK_SIZE",
                          "args": ["out", "x", "A", "N"]}])json",
         R"json({"BLOCK_SIZE": 32, "TIMES": 4, "LIMIT": 4},
            "launches": [{"repeat": "TIMES", "until": {"buffer": "out", "at_most": "LIMIT"}, "launches": [
                          {"kernel": "scale", "grid": "ceil_div(N, BLOCK_SIZE)", "block": "BLOCK_SIZE",
                           "args": ["out", "x", "A", "N"]}]}])json");
  EXPECT_EQ(warnings(), "");
}

TEST_F(SourceCheck, SeesBuffersThatNothingTakes) {
  change("\"x\": {", "\"spare\": {\"type\": \"int\", \"count\": 1}, \"x\": {");
  EXPECT_EQ(warnings(),
            "scale/system.json: /buffers/spare: no launch of any variant takes the buffer\n"
            "  name it in 'args', or remove it\n");
}

TEST_F(SourceCheck, SeesAResultThatAVariantDoesNotWrite) {
  write("gpu.cu", "__global__ void scale(const float* x, float a, int n) {}");
  change("\"block\": \"BLOCK_SIZE\",\n                          \"args\": [\"out\", ",
         "\"block\": \"BLOCK_SIZE\", \"args\": [");
  EXPECT_EQ(warnings(),
            "scale/system.json: /variants/gpu: no launch takes the buffer 'out', which is compared with the "
            "reference\n"
            "  its result would always be wrong\n");
}

TEST_F(SourceCheck, SaysWhatItCannotRead) {
  write("../other.h", "");
  write("gpu.cu", "#include \"../other.h\"\n");
  EXPECT_EQ(
      warnings(),
      "scale/system.json: /variants/gpu: scale/gpu.cu: line 1: '../other.h' is outside the system's folder\n"
      "  put what it needs into scale\n");
}

TEST_F(SourceCheck, HasNothingToSayOfTheSystemsOfThisRepository) {
  for (const auto& manifest : find_manifests(TAILWAVE_SOURCE_DIR)) {
    Diagnostics errors;
    const std::optional<System> system = load_system(manifest, errors);
    ASSERT_TRUE(system) << manifest;
    for (const Diagnostic& warning : check_sources(*system)) ADD_FAILURE() << to_string(warning);
  }
}

}  // namespace
}  // namespace tailwave
