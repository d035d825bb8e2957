// T1 files as they were published, with a stand-in for the kernel that is not ours, and one of our own.
#include <gmock/gmock.h>

#include <filesystem>

#include "spec/enumerate.h"
#include "spec/experiment_reader.h"
#include "spec/spec_tree.h"
#include "spec/t1/reader.h"

namespace tailwave {
namespace {

Experiment published(const std::string& name, const std::string& kernel, const std::string& source) {
  const SpecTree tree;
  const std::filesystem::path file = tree.root() / (name + ".json");
  std::filesystem::copy(TAILWAVE_TEST_DATA "/t1/" + name + ".json", file);
  tree.write(kernel, source);
  return load_experiment(file);
}

std::string warnings_of(const Experiment& experiment) {
  std::string text;
  for (const Diagnostic& warning : experiment.warnings)
    text += warning.place.substr(warning.place.find('/')) + ": " + warning.cause + "\n";
  return text;
}

TEST(PublishedT1, ConvolutionHasItsConfigurations) {
  const Experiment experiment = published(
      "convolution_milo", "convolution_milo.cu",
      "__constant__ float d_filter[filter_height * filter_width];\n"
      "__global__ void convolution_kernel(float* out, float* in, float* filter) {\n"
      "  out[0] = read_only + use_padding + use_shmem + use_cmem + tile_size_x + d_filter[0];\n}\n");
  EXPECT_EQ(enumerate(experiment, false).configurations.size(), 4362);
  const System& system = experiment.system;
  EXPECT_EQ(system.buffers.at("output_image").count.text(), "16777216");
  EXPECT_EQ(system.buffers.at("input_image").count.text(), "16892100");
  EXPECT_EQ(system.buffers.at("d_filter").count.text(), "225");
  const LaunchSpec& launch = system.variants[0].launches[0];
  const Values scope = default_scope(system, system.variants[0]);
  EXPECT_EQ(launch.grid[0].evaluate_int(scope), 256);
  EXPECT_EQ(launch.grid[1].evaluate_int(scope), 256);
  EXPECT_EQ(launch.block[1].evaluate_int(scope), 16);
  EXPECT_EQ(launch.arguments.size(), 3);
  EXPECT_EQ(warnings_of(experiment),
            "/ConfigurationSpace/Conditions/3/Parameters: the list lacks 'filter_width', 'filter_height'\n"
            "/KernelSpecification/GlobalSize: the defaults give a grid of 16384 x 16384 x 1 blocks here, and "
            "256 x 256 x 1 "
            "by ProblemSize and GridDiv, which count\n");
}

TEST(PublishedT1, DedispersionHasItsConfigurations) {
  const Experiment experiment =
      published("dedispersion_milo", "dedisp_milo/dedispersion.cu.hip",
                "__global__ void dedispersion_kernel(float* samples, float* out, float* shifts) {\n"
                "#pragma unroll loop_unroll_factor_channel\n"
                "  out[0] = tile_stride_x + tile_stride_y + shifts[0];\n}\n");
  EXPECT_EQ(enumerate(experiment, false).configurations.size(), 11130);
  EXPECT_EQ(warnings_of(experiment),
            "/ConfigurationSpace/Conditions/1: the Default configuration does not satisfy the condition "
            "(tile_size_x = 1, "
            "tile_stride_x = 1)\n"
            "/KernelSpecification/GlobalSize: the defaults give a grid of 262144 x 8192 x 1 blocks here, and "
            "25000 x 64 x 1 "
            "by ProblemSize and GridDiv, which count\n"
            "/KernelSpecification/Arguments/0/Size: the vector 'input_samples' has one element\n"
            "/KernelSpecification/Arguments/2/Size: the vector 'shifts' has one element\n");
}

TEST(PublishedT1, LacksItsKernelAndSaysOnlyThat) {
  Diagnostics found;
  EXPECT_FALSE(load_experiment(TAILWAVE_TEST_DATA "/t1/convolution_milo.json", found));
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].place, "line 110, /KernelSpecification/KernelFile");
  EXPECT_THAT(found[0].cause, testing::StartsWith("no file 'convolution_milo.cu' in "));
}

TEST(OwnT1, HasTheConfigurationsThatPythonCounts) {
  const Experiment experiment = load_experiment(TAILWAVE_TEST_DATA "/t1/convolution.json");
  EXPECT_EQ(enumerate(experiment, false).configurations.size(), 608);
  EXPECT_EQ(warnings_of(experiment), "");
}

}  // namespace
}  // namespace tailwave
