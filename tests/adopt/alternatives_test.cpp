#include "adopt/alternatives.h"

#include "adopt/adopt_fixture.h"

namespace tailwave {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class AlternativesTest : public AdoptTest {
 protected:
  [[nodiscard]] std::vector<std::string> variants() const {
    std::vector<std::string> names;
    for (const auto& [name, variant] : manifest_["variants"].items()) names.push_back(name);
    return names;
  }
  [[nodiscard]] json launch_of(const std::string& variant) const {
    return manifest_["variants"].at(variant)["launches"].at(0);
  }
};

TEST_F(AlternativesTest, KernelsOfOneSignatureAreVariantsOfOneSystem) {
  adopt_data("histograms.cu");
  EXPECT_THAT(variants(), ElementsAre("histogram_global", "histogram_shared", "original"));
  EXPECT_EQ(launch_of("original")["kernel"], "histogram_global") << "the first is the reference";
  EXPECT_EQ(launch_of("histogram_shared")["kernel"], "histogram_shared");
  EXPECT_EQ(manifest_["variants"]["histogram_global"]["parameters"], json({{"BLOCK_SIZE", 256}}));
  EXPECT_EQ(manifest_["variants"]["histogram_shared"]["parameters"], json({{"BLOCK_SIZE", 256}}));
  ASSERT_EQ(experiment_["cases"].size(), 2U);
  EXPECT_EQ(experiment_["cases"][1]["variant"], "histogram_shared");
  EXPECT_EQ(experiment_["question"], "Which of histogram_global, histogram_shared is the fastest?");
  EXPECT_EQ(manifest_["buffers"]["values"]["fill"]["high"], 63) << "the shared bins are fewer";
  EXPECT_THAT(guesses(), Contains(StartsWith("histogram_global, histogram_shared compute the same: ")));
}

TEST_F(AlternativesTest, ParametersGoByTheirPlaces) {
  adopt_text(
      "__global__ void a(const float* in, float* out, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i];\n}\n"
      "__global__ void b(const float* src, float* dst, int count) {\n"
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) dst[i] = src[i];\n}\n");
  EXPECT_THAT(launch_of("b")["args"], ElementsAre("in", "out", "n"));
  EXPECT_EQ(launch_of("b")["grid"], "min(ceil_div(n, BLOCK_SIZE), 1024)");
  EXPECT_EQ(manifest_["buffers"].size(), 2U);
  EXPECT_EQ(manifest_["problem"].size(), 1U);
}

constexpr const char* kCopy =
    "(const float* in, float* out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i]; }\n";
constexpr const char* kUpdate =
    "(const float* in, float* out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i] * out[i]; }\n";

TEST_F(AlternativesTest, LaunchesThatWriteTheSameWithoutReadingItAreVariants) {
  const std::string host =
      "void run(float* d_in, float* d_out, int n) { a<<<n / 128, 128>>>(d_in, d_out, n); b<<<n / 128, 128>>>(d_in, d_out, n); }";
  adopt_text("__global__ void a" + std::string(kCopy) + "__global__ void b" + kCopy + host);
  EXPECT_THAT(variants(), ElementsAre("a", "b", "original"));
  adopt_text("__global__ void a" + std::string(kCopy) + "__global__ void b" + kUpdate + host);
  EXPECT_THAT(variants(), ElementsAre("original", "tuned"));
  EXPECT_EQ(manifest_["variants"]["tuned"]["launches"].size(), 2U) << "b changes what a has written";
}

TEST_F(AlternativesTest, AKernelThatIsNamedIsTakenAlone) {
  adopt_text("__global__ void a" + std::string(kCopy) + "__global__ void b" + kCopy, {"b"});
  EXPECT_THAT(variants(), ElementsAre("original", "tuned"));
  EXPECT_EQ(launch()["kernel"], "b");
}

TEST_F(AlternativesTest, ConditionsAreThoseOfTheirOwnKernels) {
  adopt_text(
      "#define TILE 16\n"
      "__global__ void rows(const float* in, float* out, int n) {\n"
      "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  if (x < n && y < n) out[x * n + y] = in[y * n + x];\n}\n"
      "__global__ void tiles(const float* in, float* out, int n) {\n"
      "  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;\n"
      "  if (x < n && y < n) out[x * n + y] = in[y * n + x];\n}\n");
  EXPECT_EQ(manifest_["variants"]["rows"]["requires"], "BLOCK_X * BLOCK_Y <= 1024");
  EXPECT_FALSE(manifest_["variants"]["tiles"].contains("requires"));
  EXPECT_EQ(manifest_["variants"]["tiles"]["parameters"], json({{"TILE", 16}}));
  EXPECT_FALSE(experiment_.contains("constraints"));
}

}  // namespace
}  // namespace tailwave
