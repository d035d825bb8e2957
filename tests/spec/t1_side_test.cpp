// What a file beside a T1 file says instead of it, or with it.
#include <gmock/gmock.h>

#include <ostream>

#include "spec/enumerate.h"
#include "spec/paths.h"
#include "spec/t1_fixture.h"

namespace tailwave {
namespace {

constexpr const char* kSideFile = "t1/scale.tailwave.json";

class T1Side : public T1 {
 protected:
  // Errors of both files, without the project's folder.
  [[nodiscard]] std::string errors() const {
    Diagnostics found;
    const bool good = load_experiment(tree_.root() / kT1File, found).has_value();
    EXPECT_EQ(good, found.empty());
    std::string text;
    for (const Diagnostic& each : found) text += (text.empty() ? "" : "\n") + to_string(each);
    return tree_.without_root(text);
  }
};

TEST_F(T1Side, GivesAReferenceAndWhatIsComparedHow) {
  tree_.write("t1/right.cpp", "extern \"C\" void right(float* y, int n) { y[0] = n; }\n");
  tree_.write(kSideFile, R"({
    "variants": {"right": {"target": "host", "source": "right.cpp",
                           "launches": [{"function": "right", "args": ["y", {"value": 1000, "type": "int"}]}]}},
    "reference": {"variant": "right", "compare": {"y": {"norm": "max_abs", "tolerance": 1e-6}}},
    "work": {"bytes": "4 * problem_size_x"},
    "metric": {"name": "bytes_per_second"},
    "measure": {"samples": 7}})");
  EXPECT_EQ(errors(), "");
  const Experiment experiment = load();
  const System& system = experiment.system;
  ASSERT_EQ(system.variants.size(), 2U);
  EXPECT_EQ(system.variants[1].target, VariantSpec::Target::host);
  EXPECT_EQ(system.reference.variant, "right");
  EXPECT_EQ(system.reference.compare.at("y").norm, Comparison::Norm::max_abs);
  EXPECT_EQ(experiment.metric.name, "bytes_per_second");
  EXPECT_TRUE(experiment.metric.maximise);
  EXPECT_EQ(experiment.measure.samples, 7);
  ASSERT_EQ(experiment.cases.size(), 1U);
  EXPECT_EQ(experiment.cases[0].variant, "scale");
  EXPECT_NE(experiment.text.find("\"scale.tailwave.json\": {"), std::string::npos);
}

TEST_F(T1Side, SaysWhatArgumentsHold) {
  replace("\"FillType\": \"Constant\",\n       \"FillValue\": 0,",
          "\"FillType\": \"BinaryRaw\", \"DataSource\": \"gone\",");
  tree_.write(kSideFile,
              R"({"buffers": {"y": {"fill": {"kind": "uniform", "high": 3}, "type": "int16", "count": 5}}})");
  const BufferSpec buffer = load().system.buffers.at("y");
  EXPECT_EQ(buffer.fill.kind, Fill::Kind::uniform);
  EXPECT_EQ(buffer.type, ScalarType::int16);
  EXPECT_EQ(buffer.count.text(), "5");
  tree_.write(kSideFile, R"({"buffers": {"y": {"output_only": true, "type": "float4"}}})");
  EXPECT_TRUE(load().system.buffers.at("y").output_only);
  EXPECT_EQ(load().system.buffers.at("y").count.text(), "4000") << "the T1 file's Size, in elements";
}

TEST_F(T1Side, IsNamedWhereItsTypeDoesNotFitTheKernel) {
  tree_.write(kSideFile, "{\"buffers\":\n  {\"y\": {\"type\": \"half\"}}}");
  Diagnostics found;
  const auto experiment = load_experiment(tree_.root() / kT1File, found);
  ASSERT_TRUE(experiment);
  ASSERT_EQ(experiment->warnings.size(), 1U);
  EXPECT_EQ(
      tree_.without_root(to_string(experiment->warnings.front())),
      "t1/scale.tailwave.json: line 2, /buffers/y/type: the argument is a vector of float16, and the kernel takes "
      "'float* y'\n  write \"type\": \"float32\"");
}

TEST_F(T1Side, LaunchesWhatTheFileCannotSay) {
  const std::string whole = kT1Scale;
  tree_.write(kT1File,
              whole.substr(0, whole.find("\"ProblemSize\"")) + "\"LocalSize\": {\"X\": \"unknown\"}}}");
  tree_.write(kSideFile, R"({
    "problem": {"N": {"type": "int", "default": 256}},
    "buffers": {"y": {"type": "float", "count": "N"}},
    "reference": {"compare": {"y": {"norm": "exact"}}},
    "variants": {"scale": {
      "options": {"-DEXTRA=1": true}, "parameters": {"OTHER": 3}, "requires": "N % block_size_x == 0",
      "launches": [{"kernel": "scale", "grid": "N // block_size_x", "block": "block_size_x", "args": ["y", "N"]}]}}})");
  EXPECT_EQ(errors(), "");
  const VariantSpec variant = load().system.variants[0];
  EXPECT_EQ(variant.launches[0].grid[0].text(), "N // block_size_x");
  EXPECT_EQ(variant.options[0].first, "-DEXTRA=1");
  EXPECT_TRUE(variant.has_parameter("OTHER"));
  EXPECT_EQ(enumerate(load(), false).configurations.size(), 3U);
}

TEST_F(T1Side, GivesAnOpenClFileAKernelInCuda) {
  replace("\"CUDA\"", "\"OpenCL\"");
  replace("\"scale.cu\"", "\"scale.cl\", \"CompilerOptions\": [\"-cl-fast-relaxed-math\"]");
  EXPECT_NE(errors(), "");
  tree_.write(kSideFile, R"({"variants": {"scale": {"source": "scale.cu"}}})");
  EXPECT_EQ(errors(), "");
  EXPECT_EQ(load().system.variants[0].source, tree_.root() / "t1/scale.cu");
}

TEST_F(T1Side, MayCompareNothing) {
  tree_.write(kSideFile, R"({"reference": {"none": "the kernel draws its own numbers"}})");
  EXPECT_EQ(errors(), "");
  EXPECT_EQ(load().system.reference.none, "the kernel draws its own numbers");
  EXPECT_TRUE(load().system.reference.compare.empty());
  EXPECT_EQ(load().system.reference.variant, "");
}

TEST_F(T1Side, SetsTheProblemsSize) {
  tree_.write(kSideFile, R"({"problem": {"problem_size_x": {"default": 96}}})");
  const System system = load().system;
  EXPECT_EQ(system.problem.at("problem_size_x").default_value, Value(std::int64_t{96}));
  EXPECT_EQ(system.buffers.at("y").count.text(), "96") << "as Sizes see it";
}

TEST_F(T1Side, IsNoExperimentOfItsOwn) {
  tree_.write(kSideFile, "{}");
  EXPECT_THAT(find_specs(tree_.root() / "t1"), testing::ElementsAre(tree_.root() / kT1File));
  Diagnostics found;
  EXPECT_FALSE(load_experiment(tree_.root() / kSideFile, found));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].cause, "what a T1 file cannot say, not an experiment");
  EXPECT_EQ(found[0].hint, "name the T1 file beside it, which this one is read with");
}

struct SideBreak {
  const char* name;
  const char* text;
  const char* message;
};
void PrintTo(const SideBreak& broken, std::ostream* stream) {
  *stream << broken.name;
}

class BrokenT1Side : public T1Side, public testing::WithParamInterface<SideBreak> {};

TEST_P(BrokenT1Side, SaysWhatIsWrong) {
  tree_.write(kSideFile, GetParam().text);
  EXPECT_EQ(errors(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Errors, BrokenT1Side,
    testing::Values(
        SideBreak{
            "NoJson", "{\"buffers\": {},}",
            "t1/scale.tailwave.json: line 1, column 16: not valid JSON: while parsing object key - unexpected "
            "'}'; expected string literal\n"
            "  {\"buffers\": {},}\n"
            "                 ^ remove the comma before it"},
        SideBreak{"Key", "{\n\"bufers\": {\"y\": {}}}",
                  "t1/scale.tailwave.json: line 2, /bufers: unknown key 'bufers'\n"
                  "  did you mean 'buffers'?"},
        SideBreak{"KeyOfAManifest", "{\n\n\"name\": \"scale\"}",
                  "t1/scale.tailwave.json: line 3, /name: unknown key 'name'"},
        SideBreak{"Argument", "{\"buffers\": {\n\"z\": {\"fill\": {\"kind\": \"zero\"}}}}",
                  "t1/scale.tailwave.json: line 2, /buffers/z: unknown argument 'z'\n"
                  "  did you mean 'y'?"},
        SideBreak{"NewBuffer", "{\"buffers\": {\n\"z\": {\"type\": \"float\"}}}",
                  "t1/scale.tailwave.json: line 2, /buffers/z: missing key 'count'"},
        SideBreak{"Variant", "{\"variants\": {\n\"scael\": {\"options\": {}}}}",
                  "t1/scale.tailwave.json: line 2, /variants/scael: unknown variant 'scael'\n"
                  "  did you mean 'scale'?"},
        SideBreak{"NewVariant", "{\"variants\": {\n\"cpu\": {\"target\": \"host\"}}}",
                  "t1/scale.tailwave.json: line 2, /variants/cpu: missing key 'source'\n"
                  "t1/scale.tailwave.json: line 2, /variants/cpu: missing key 'launches'"},
        SideBreak{"Type", "{\"buffers\": {\"y\":\n{\"type\": \"flaot\"}}}",
                  "t1/scale.tailwave.json: line 2, /buffers/y/type: unknown type 'flaot'\n"
                  "  did you mean 'float'?"},
        SideBreak{"Reference", "{\"reference\": {\"variant\": \"cpu\"}}",
                  "t1/scale.tailwave.json: line 1, /reference/variant: unknown variant 'cpu'\n"
                  "  there is 'scale'"},
        SideBreak{"Source", "{\"variants\": {\"scale\": {\n\"source\": \"gone.cu\"}}}",
                  "t1/scale.tailwave.json: line 2, /variants/scale/source: no file 'gone.cu' in t1"},
        SideBreak{"Metric", "{\"metric\": {\"name\": \"flop_per_second\"}}",
                  "t1/scale.tailwave.json: line 1, /metric/name: unknown metric 'flop_per_second'\n"
                  "  there is 'time'"}),
    [](const testing::TestParamInfo<SideBreak>& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace tailwave
