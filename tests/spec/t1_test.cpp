// T1 files: the experiment that becomes of one.
#include <gmock/gmock.h>

#include <array>
#include <filesystem>

#include "spec/enumerate.h"
#include "spec/t1_fixture.h"

namespace tailwave {
namespace {

using testing::ElementsAre;

std::string texts(const std::array<Expression, 3>& sizes) {
  return sizes[0].text() + ", " + sizes[1].text() + ", " + sizes[2].text();
}

TEST_F(T1, LooksIntoNoFileOutsideItsFolder) {
  tree_.write("t1/inside.h", "constexpr int size = block_size_x;\n");
  tree_.write("elsewhere.h", "constexpr int twice = 2 * factor;\n");
  const auto link = tree_.root() / "t1/link.h";
  std::filesystem::create_symlink(tree_.root() / "elsewhere.h", link);
  const std::string kernel = "__global__ void scale(float* y, int n) { y[0] = 1; }\n";
  const std::string missing =
      "/ConfigurationSpace/TuningParameters/1: nothing uses the parameter 'factor': neither the source nor a "
      "size";
  for (const std::string include : {"../elsewhere.h", "link.h", "/dev/zero"}) {
    tree_.write("t1/scale.cu", "#include \"inside.h\"\n#include \"" + include + "\"\n" + kernel);
    EXPECT_EQ(said(), missing) << include;
  }
}

TEST_F(T1, BecomesAnExperimentWithASystem) {
  const Experiment experiment = load();
  EXPECT_EQ(experiment.name, "scale");
  EXPECT_EQ(experiment.system.name, "scale_up");
  EXPECT_EQ(experiment.metric.name, "time");
  EXPECT_FALSE(experiment.metric.maximise);
  ASSERT_EQ(experiment.system.variants.size(), 1);
  const VariantSpec& variant = experiment.system.variants.front();
  EXPECT_EQ(variant.name, "scale");
  EXPECT_EQ(variant.source, tree_.root() / "t1" / "scale.cu");
  EXPECT_EQ(experiment.system.reference.variant, "scale");
  const Comparison& comparison = experiment.system.reference.compare.at("y");
  EXPECT_EQ(comparison.norm, Comparison::Norm::relative_l2);
  EXPECT_EQ(comparison.tolerance.text(), "1e-04");
  EXPECT_THAT(variant.parameters, ElementsAre(std::pair("block_size_x", Value(std::int64_t{64})),
                                              std::pair("factor", Value(std::int64_t{2}))));
  const std::vector<Configuration> all = enumerate(experiment, false).configurations;
  ASSERT_EQ(all.size(), 3);
  EXPECT_EQ(all[0].name(), "scale_up/scale/block_size_x:32/factor:2/problem_size_x:1000");
  EXPECT_EQ(said(), "");
}

TEST_F(T1, DefinesWhatKernelTunerDefines) {
  const Experiment experiment = load();
  const VariantSpec& variant = experiment.system.variants.front();
  std::string names;
  for (const auto& [name, value] : variant.defines)
    names += name + " " +
             to_string(value.evaluate(
                 default_configuration(experiment.system, variant, {{"problem_size_x", std::int64_t{1000}}})
                     .scope())) +
             "; ";
  EXPECT_EQ(names,
            "grid_size_x 16; grid_size_y 1; grid_size_z 1; block_size_y 1; block_size_z 1; kernel_tuner 1; ");
  EXPECT_TRUE(variant.zero_unrolls_nothing);
}

TEST_F(T1, DividesTheProblemByGridDivOrTheBlock) {
  EXPECT_EQ(texts(load().system.variants[0].launches[0].grid),
            "ceil_div(problem_size_x, block_size_x), 1, 1");
  replace("\"ProblemSize[0]\"", "1000");
  replace("[1000],", R"([1000, "10 * factor"], "GridDivX": ["block_size_x", "2 * factor"], "GridDivZ": [],)");
  const LaunchSpec launch = load().system.variants[0].launches[0];
  EXPECT_EQ(texts(launch.grid),
            "ceil_div(problem_size_x, (block_size_x) * (2 * factor)), ceil_div(10 * factor, 1), 1");
  EXPECT_EQ(texts(launch.block), "block_size_x, 1, 1");
}

TEST_F(T1, SaysWhereAGridHasADivisorThatNoExpressionHas) {
  replace(R"("ProblemSize": [1000])", R"("ProblemSize": [1000], "GridDivX": [-9223372036854775808])");
  EXPECT_EQ(said(),
            "/KernelSpecification/ProblemSize: number does not fit 64 bits\n"
            "  ceil_div(problem_size_x, (-9223372036854775808))\n"
            "                             ^");
}

TEST_F(T1, DividesByNothingWhereGridDivIsAnEmptyList) {
  replace("[1000],", R"([1000], "GridDivX": [],)");
  EXPECT_EQ(texts(load().system.variants[0].launches[0].grid), "ceil_div(problem_size_x, 1), 1, 1");
}

TEST_F(T1, TakesGlobalSizeForBlocksOrThreads) {
  replace(R"("ProblemSize": [1000])",
          R"("GlobalSize": {"X": "1024 // block_size_x", "Y": 2}, "GlobalSizeType": "CUDA")");
  replace("ProblemSize[0]", "1000");
  EXPECT_EQ(texts(load().system.variants[0].launches[0].grid), "1024 // block_size_x, 2, 1");
  replace(R"("GlobalSizeType": "CUDA")", R"("GlobalSizeType": "OpenCL", "LocalSize": {"X": "block_size_x"})");
  EXPECT_EQ(texts(load().system.variants[0].launches[0].grid),
            "ceil_div(1024 // block_size_x, block_size_x), ceil_div(2, 1), ceil_div(1, 1)");
  replace("\"OpenCL\"", "\"Metal\"");
  EXPECT_EQ(said(),
            "/KernelSpecification/GlobalSizeType: unknown GlobalSizeType 'Metal'\n"
            "  one of 'CUDA', 'OpenCL', 'Vulkan'");
}

TEST_F(T1, PrefersGridDivAndTellsOfAContradiction) {
  replace("[1000],",
          R"([1000], "GridDivX": ["block_size_x"], "GlobalSize": {"X": "262144 // block_size_x"},)");
  EXPECT_EQ(texts(load().system.variants[0].launches[0].grid),
            "ceil_div(problem_size_x, (block_size_x)), 1, 1");
  EXPECT_EQ(
      said(),
      "/KernelSpecification/GlobalSize: the defaults give a grid of 4096 x 1 x 1 blocks here, and 16 x 1 x "
      "1 by ProblemSize and GridDiv, which count");
}

TEST_F(T1, KnowsTheBlockFromLocalSizeFirst) {
  replace("[1000],", R"([1000], "LocalSize": {"X": "block_size_x * factor"},)");
  EXPECT_EQ(texts(load().system.variants[0].launches[0].block), "block_size_x * factor, 1, 1");
  EXPECT_EQ(
      said(),
      "/KernelSpecification/LocalSize: blocks have 128 threads in X, block_size_x is 64 with the defaults; "
      "LocalSize counts");
}

TEST_F(T1, ReadsValuesThatAreJsonToo) {
  replace("block_size_x * factor >= 64",
          "factor == 'a' or factor in (1, 2.5) and 64 / block_size_x % 1 == 0");
  replace(R"("[1, 2]")", R"([1, 2.5, true, "a"])");
  const Experiment experiment = load();
  EXPECT_THAT(experiment.cases[0].parameters[1].values,
              ElementsAre(Value(std::int64_t{1}), Value(2.5), Value(std::string("a"))));
  EXPECT_EQ(enumerate(experiment, false).configurations.size(), 6);
}

TEST_F(T1, FillsWithConstantsRandomNumbersAndFormulas) {
  const auto fill = [&] { return load().system.buffers.at("y").fill; };
  EXPECT_EQ(fill().kind, Fill::Kind::zero);
  replace(R"("FillValue": 0,)", R"("FillValue": 0.5,)");
  EXPECT_EQ(fill().kind, Fill::Kind::constant);
  EXPECT_EQ(fill().value.evaluate_double({}), 0.5);
  replace("\"Constant\"", "\"Random\"");
  EXPECT_EQ(fill().kind, Fill::Kind::uniform);
  EXPECT_EQ(fill().low.evaluate_double({}), 0);
  EXPECT_EQ(fill().high.evaluate_double({}), 0.5);
  replace(R"("FillValue": 0.5,)", R"("FillValue": 7,)");
  replace("\"float\"", "\"uint8\"");
  EXPECT_EQ(fill().high.evaluate_double({}), 8) << "an integer fill reaches its FillValue";
  EXPECT_EQ(load().system.reference.compare.at("y").norm, Comparison::Norm::exact);
  replace("\"Random\"", R"("Generator", "DataSource": "ProblemSize[0] - i")");
  EXPECT_EQ(fill().kind, Fill::Kind::generated);
  EXPECT_EQ(fill().element.text(), "(1000) - i");
}

TEST_F(T1, FillsFromAFileOfItsFolder) {
  replace(R"("Constant")", R"("BinaryRaw", "DataSource": "y.bin")");
  EXPECT_EQ(said(),
            "/KernelSpecification/Arguments/0/DataSource: no file 'y.bin' in t1\n"
            "  put it there: its first bytes are the argument's values; or give another FillType");
  tree_.write("t1/y.bin", std::string(3999, 'y'));
  EXPECT_EQ(said(),
            "/KernelSpecification/Arguments/0/DataSource: the file has 3999 bytes, the argument 4000");
  tree_.write("t1/y.bin", std::string(4000, 'y'));
  const Fill fill = load().system.buffers.at("y").fill;
  EXPECT_EQ(fill.kind, Fill::Kind::file);
  EXPECT_EQ(fill.file, tree_.root() / "t1" / "y.bin");
  tree_.write("t1/y.bin", std::string(4000, 'z'));
  EXPECT_NE(load().system.buffers.at("y").fill.digest, fill.digest);
  replace("y.bin", "../y.bin");
  EXPECT_EQ(said(), "/KernelSpecification/Arguments/0/DataSource: the path '../y.bin' leaves t1");
}

TEST_F(T1, CopiesConstantArgumentsToTheirSymbols) {
  replace(R"({"Name": "n")",
          R"-({"Name": "w", "Type": "float4", "MemoryType": "Vector", "MemType": "Constant",
       "AccessType": "ReadOnly", "FillType": "Random", "Size": "len(factor)"}, {"Name": "n")-");
  tree_.write("t1/scale.cu",
              "__constant__ float4 w[2];\n"
              "__global__ void scale(float* y, float4* unused, int n) { y[n] = w[factor].x; }\n");
  const Experiment experiment = load();
  const VariantSpec& variant = experiment.system.variants[0];
  ASSERT_EQ(variant.prepare.size(), 1);
  EXPECT_EQ(variant.prepare[0].copied, "w");
  EXPECT_EQ(variant.prepare[0].kernel, "w");
  EXPECT_EQ(variant.launches[0].arguments.size(), 3);
  EXPECT_EQ(experiment.system.buffers.at("w").count.text(), "8");
  EXPECT_EQ(said(), "");
  tree_.write("t1/scale.cu", "__global__ void scale(float* y, float4* weights, int n) { y[factor] = n; }\n");
  EXPECT_EQ(said(),
            "/KernelSpecification/Arguments/1/Name: the source has no variable 'w' of constant memory");
}

TEST_F(T1, PassesNoConstantArgumentThatTheKernelDoesNotTake) {
  replace("1000}]", R"(1000},
      {"Name": "w", "Type": "float", "MemoryType": "Vector", "MemType": "Constant", "AccessType": "ReadOnly",
       "FillType": "Random", "Size": 2}])");
  tree_.write("t1/scale.cu",
              "__constant__ float w[2];\n"
              "template <int a, int b> __device__ float f(); // scale(a, b, c)\n"
              "__global__ void __launch_bounds__(64) scale(float* y, int n) { y[n] = w[factor]; }\n");
  EXPECT_EQ(load().system.variants[0].launches[0].arguments.size(), 2);
  EXPECT_EQ(said(), "");
  tree_.write("t1/scale.cu",
              "__constant__ float w[2];\n__global__ void scale(float* y) { y[0] = w[factor]; }\n");
  EXPECT_EQ(said(),
            "/KernelSpecification/Arguments: the list has 2 arguments, 'scale' seems to take 1\n"
            "  it takes float* y");
}

TEST_F(T1, TakesTemplatesAndMangledNames) {
  replace("\"scale\"", R"("scale", "KernelTypeNames": ["float", "factor"])");
  EXPECT_EQ(load().system.variants[0].launches[0].kernel, "scale<float, factor>");
  replace(R"("scale", "KernelTypeNames": ["float", "factor"])", "\"_ZN1a5scaleILi5EEEvPfi\"");
  const Experiment experiment = load();
  EXPECT_EQ(experiment.system.variants[0].launches[0].kernel, "a::scale<5>");
  EXPECT_EQ(experiment.system.variants[0].name, "scale");
}

TEST_F(T1, PassesOptionsThatNvrtcKnows) {
  replace(
      "\"scale.cu\",",
      R"("scale.cu", "CompilerOptions": ["-std=c++11", "-O3", "-DX={}"], "SharedMemory": "4 * block_size_x",)");
  const Experiment experiment = load();
  std::string options;
  for (const auto& option : experiment.system.variants[0].options) options += option.first + " ";
  EXPECT_EQ(options, "-std=c++11 -DX={} ");
  EXPECT_EQ(experiment.system.variants[0].launches[0].dynamic_shared_bytes.text(), "4 * block_size_x");
  EXPECT_EQ(said(),
            "/KernelSpecification/CompilerOptions/1: the option '-O3' is left out\n"
            "  NVRTC does not know it, or tailwave decides it");
}

TEST_F(T1, TakesOptionsThatAreEmptyOrOneText) {
  replace("\"scale.cu\",", R"("scale.cu", "CompilerOptions": [""],)");
  EXPECT_TRUE(load().system.variants[0].options.empty());
  replace("[\"\"]", "\"-std=c++17\"");
  ASSERT_EQ(load().system.variants[0].options.size(), 1);
  EXPECT_EQ(load().system.variants[0].options[0].first, "-std=c++17");
  EXPECT_EQ(said(), "");
}

TEST_F(T1, NamesTheLineOfWhatIsWrong) {
  replace("\"scale.cu\"", "\"scala.cu\"");
  Diagnostics found;
  (void)load_experiment(tree_.root() / kT1File, found);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].place, "line 11, /KernelSpecification/KernelFile");
}

TEST_F(T1, TakesTheTypesThatManifestsHave) {
  replace("\"float\"", "\"half\"");
  replace("\"int32\"", "\"double3\"");
  tree_.write("t1/scale.cu",
              "__global__ void scale(__half* y, double3 n) { y[0] = factor * block_size_x; }\n");
  const System system = load().system;
  EXPECT_EQ(said(), "");
  EXPECT_EQ(system.buffers.at("y").type, ScalarType::float16);
  EXPECT_EQ(system.reference.compare.at("y").tolerance.evaluate_double({}), 0x1p-9) << "four roundings";
  const Argument& n = system.variants[0].launches[0].arguments[1];
  EXPECT_EQ(layout_of(n).bytes, 24);
  for_each_leaf(n, [](const Argument& leaf) {
    EXPECT_EQ(std::get<ScalarArgument>(leaf).type, ScalarType::float64);
    EXPECT_EQ(std::get<ScalarArgument>(leaf).value.text(), "1000");
  });
}

TEST_F(T1, CountsTheComponentsOfVectors) {
  replace("\"float\"", "\"double3\"");
  tree_.write("t1/scale.cu",
              "__global__ void scale(double3* y, int n) { y[n].x = factor * block_size_x; }\n");
  EXPECT_EQ(load().system.buffers.at("y").count.text(), "3000");
  EXPECT_EQ(load().system.buffers.at("y").type, ScalarType::float64);
  EXPECT_EQ(said(), "");
}

TEST_F(T1, FindsTheKernelBesideItsFolderToo) {
  std::filesystem::rename(tree_.root() / "t1/scale.cu", tree_.root() / "scale.cu");
  EXPECT_EQ(load().system.variants[0].source, tree_.root() / "scale.cu");
  EXPECT_EQ(load().system.directory, tree_.root());
}

TEST_F(T1, HasAReferenceThoughTheDefaultIsInvalid) {
  replace("\"Default\": 64", "\"Default\": 32");
  replace("\"Default\": 2", "\"Default\": 1");
  EXPECT_EQ(said(),
            "/ConfigurationSpace/Conditions/0: the Default configuration does not satisfy the condition "
            "(block_size_x = 32, factor = 1)\n"
            "  block_size_x * factor >= 64\n"
            "  the first valid configuration is the reference instead");
  EXPECT_EQ(load().system.variants[0].parameters[1].second, Value(std::int64_t{2}));
  replace("\"Default\": 1", "\"Default\": 3");
  EXPECT_EQ(
      said(),
      "/ConfigurationSpace/TuningParameters/1/Default: the Default 3 of 'factor' is not among its Values");
}

}  // namespace
}  // namespace tailwave
