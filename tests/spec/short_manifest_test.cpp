// What a manifest need not say, and the experiment that it is.
#include <gmock/gmock.h>

#include <ostream>

#include "spec/enumerate.h"
#include "spec/spec_tree.h"
#include "spec/system_reader.h"

namespace tailwave {
namespace {

using testing::ElementsAre;

constexpr const char* kShort = "kernel_templates/short/system.json";
constexpr const char* kText = R"-({
  "problem": {"n": 96, "dt": 0.5},
  "buffers": {"x": {"type": "float32", "count": "n"}},
  "reference": {"variant": "cpu", "compare": {"x": {"norm": "exact"}}},
  "work": {"bytes": "8 * n"}, "metric": "bytes_per_second",
  "variants": {
    "cpu": {"source": "cpu.cpp", "launches": [{"function": "scale"}]},
    "gpu": {
      "source": "gpu.cu",
      "parameters": {"BLOCK": [64, 32], "STEP": {"values": "[2 * i for i in range(1, 4)]", "default": 4}, "FAST": true},
      "launches": [{"kernel": "scale", "grid": "ceil_div(n, BLOCK)", "block": "BLOCK"}] } } })-";

class ShortManifest : public testing::Test {
 protected:
  ShortManifest() {
    tree_.write(kShort, kText);
    tree_.write("kernel_templates/short/cpu.cpp", "extern \"C\" void scale(float* x, double dt, int n) {}\n");
    tree_.write(
        "kernel_templates/short/gpu.cu",
        "__global__ void scale(const float* __restrict__ x, const long long n, float dt, int STEP) {}\n");
  }

  [[nodiscard]] Experiment load() const { return load_experiment(tree_.root() / kShort); }
  [[nodiscard]] std::string errors() const {
    Diagnostics found;
    (void)load_experiment(tree_.root() / kShort, found);
    std::string text;
    for (Diagnostic& each : found) {
      each.file.clear();
      text += (text.empty() ? "" : "\n") + to_string(each);
    }
    return tree_.without_root(text);
  }

  SpecTree tree_;
};

TEST_F(ShortManifest, IsAnExperimentOfItsKernels) {
  const Experiment experiment = load();
  EXPECT_EQ(experiment.name, "short");
  EXPECT_EQ(experiment.system.name, "short");
  EXPECT_EQ(experiment.question, "Which configuration of short is the best?");
  EXPECT_EQ(experiment.metric.name, "bytes_per_second");
  EXPECT_TRUE(experiment.metric.maximise);
  ASSERT_EQ(experiment.cases.size(), 1U);
  EXPECT_EQ(experiment.cases[0].variant, "gpu");
  EXPECT_EQ(enumerate(experiment, false).configurations.size(), 6U);
}

TEST_F(ShortManifest, TakesTheFirstValueOfAListForTheDefault) {
  const System system = load().system;
  EXPECT_THAT(system.variants[1].parameters,
              ElementsAre(std::pair("BLOCK", Value(std::int64_t{64})),
                          std::pair("STEP", Value(std::int64_t{4})), std::pair("FAST", Value(true))));
}

TEST_F(ShortManifest, KnowsTypesOfNumbersAndTargetsOfEndings) {
  const System system = load().system;
  EXPECT_EQ(system.problem.at("n").type, ScalarType::int32);
  EXPECT_EQ(system.problem.at("dt").type, ScalarType::float32);
  EXPECT_EQ(system.variants[0].target, VariantSpec::Target::host);
  EXPECT_EQ(system.variants[1].target, VariantSpec::Target::cuda);
}

TEST_F(ShortManifest, PassesWhatParametersAreCalled) {
  const System system = load().system;
  const auto type_at = [](const Argument& argument) { return std::get<ScalarArgument>(argument).type; };
  const std::vector<Argument>& host = system.variants[0].launches[0].arguments;
  ASSERT_EQ(host.size(), 3U);
  EXPECT_EQ(std::get<BufferArgument>(host[0]).buffer, "x");
  EXPECT_EQ(type_at(host[1]), ScalarType::float64) << "the parameter's type, not the quantity's";
  const std::vector<Argument>& kernel = system.variants[1].launches[0].arguments;
  ASSERT_EQ(kernel.size(), 4U);
  EXPECT_EQ(type_at(kernel[1]), ScalarType::int64);
  EXPECT_EQ(type_at(kernel[2]), ScalarType::float32);
  EXPECT_EQ(std::get<ScalarArgument>(kernel[3]).value.text(), "STEP");
}

TEST_F(ShortManifest, NeedsNoNamesInExperimentsEither) {
  tree_.write("experiments/short/blocks.json",
              R"({"system": "short", "cases": [{"variant": "gpu", "parameters": {"BLOCK": [32, 64, 96]}}]})");
  const Experiment experiment = load_experiment(tree_.root() / "experiments/short/blocks.json");
  EXPECT_EQ(experiment.name, "blocks");
  EXPECT_EQ(experiment.metric.name, "time");
  EXPECT_FALSE(experiment.metric.maximise);
  EXPECT_EQ(enumerate(experiment, false).configurations.size(), 3U);
}

struct ShortBreak {
  const char* name;
  const char* from;
  const char* to;
  const char* message;
};
void PrintTo(const ShortBreak& broken, std::ostream* stream) {
  *stream << broken.name;
}

class BrokenShortManifest : public ShortManifest, public testing::WithParamInterface<ShortBreak> {};

TEST_P(BrokenShortManifest, SaysWhatIsWrong) {
  tree_.replace(kShort, GetParam().from, GetParam().to);
  EXPECT_EQ(errors(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Errors, BrokenShortManifest,
    testing::Values(
        ShortBreak{"EmptyList", "[64, 32]", "[]", "/variants/gpu/parameters/BLOCK: the array is empty"},
        ShortBreak{"EmptyText", "\"[2 * i for i in range(1, 4)]\"", "\"[]\"",
                   "/variants/gpu/parameters/STEP/values: the list has no values"},
        ShortBreak{
            "TwoKinds", "[64, 32]", "[64, true]",
            "/variants/gpu/parameters/BLOCK/1: expected an integer like the first value 64, found true"},
        ShortBreak{"Twice", "[64, 32]", "[64, 64]",
                   "/variants/gpu/parameters/BLOCK/1: the value 64 is given twice"},
        ShortBreak{"LineBreak", "\"FAST\": true", "\"FAST\": [\"a\\nb\"]",
                   "/variants/gpu/parameters/FAST/0: the text has a line break or another control character"},
        ShortBreak{"NoList", "\"[2 * i for i in range(1, 4)]\"", "\"[1, 2 4]\"",
                   "/variants/gpu/parameters/STEP/values: expected ',' or ']', found '4'\n"
                   "  [1, 2 4]\n"
                   "        ^"},
        ShortBreak{"Default", "\"default\": 4", "\"default\": 5",
                   "/variants/gpu/parameters/STEP/default: the default 5 is none of the values"},
        ShortBreak{"NoSuchArgument", "\"dt\": 0.5", "\"dx\": 0.5",
                   "/variants/cpu/launches/0: unknown argument 'dt'\n"
                   "  did you mean 'dx'?\n"
                   "/variants/gpu/launches/0: unknown argument 'dt'\n"
                   "  did you mean 'dx'?"},
        ShortBreak{"NoSuchKernel", "\"kernel\": \"scale\"", "\"kernel\": \"scala\"",
                   "/variants/gpu/launches/0: missing key 'args'\n"
                   "  the source has no one 'scala' whose parameters' names would be those of the arguments"},
        ShortBreak{"Metric", "\"metric\": \"bytes_per_second\"", "\"metric\": \"flop_per_second\"",
                   "/metric: unknown metric 'flop_per_second'\n"
                   "  did you mean 'bytes_per_second'?"},
        ShortBreak{"NoKernel", "\"reference\": {\"variant\": \"cpu\"", "\"reference\": {\"variant\": \"gpu\"",
                   "/variants: no variant is a kernel besides the reference\n"
                   "  an experiment in experiments/SYSTEM/ names the variants that it is about"}),
    [](const testing::TestParamInfo<ShortBreak>& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace tailwave
