#include "capture/source_variant.h"

#include <gmock/gmock.h>

#include <cstring>

#include "fakes/error_of.h"
#include "fakes/scratch_folder.h"

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kSource = R"(
#define BLOCK 128
__global__ void scale(float* x, int n, int rows, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[blockIdx.y * n + i] *= factor;
}
int main() {
  const int n = 5000, rows = 7;
  float* x;
  cudaMalloc(&x, n * rows * sizeof(float));
  scale<<<dim3((n + BLOCK - 1) / BLOCK, rows), BLOCK>>>(x, n, rows, 1.5f);
}
)";

template <class Value>
std::string bytes_of(Value value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

class SourceVariantTest : public testing::Test {
 protected:
  static CapturedLaunch launch(int n, int rows, std::int64_t block) {
    CapturedLaunch one;
    one.kernel = "_Z5scalePfiif";
    one.demangled = "scale(float*, int, int, float)";
    one.grid = {(n + block - 1) / block, rows, 1};
    one.block = {block, 1, 1};
    one.arguments = {
        {std::string(8, '\7'), {{0, 0, 0}}}, {bytes_of(n), {}}, {bytes_of(rows), {}}, {bytes_of(2.5F), {}}};
    one.memory.resize(1);
    return one;
  }
  SourceVariant made_of(const std::vector<CapturedLaunch>& launches, const std::string& source = kSource) {
    return source_variant(launches, folder_.write("my.cu", source));
  }
  static std::vector<std::string> texts(const nlohmann::ordered_json& list) {
    return list.get<std::vector<std::string>>();
  }

  ScratchFolder folder_;
};

TEST_F(SourceVariantTest, LaunchesWhatWasCapturedOverTheParametersOfTheSource) {
  const SourceVariant made = made_of({launch(1000, 3, 128)});
  const auto& one = made.variant["launches"][0];
  EXPECT_EQ(one["kernel"], "scale");
  EXPECT_THAT(texts(one["grid"]), ElementsAre("ceil_div(1000, BLOCK)", "3", "1"));
  EXPECT_THAT(texts(one["block"]), ElementsAre("BLOCK", "1", "1"));
  EXPECT_THAT(made.parameters["BLOCK"].get<std::vector<int>>(), testing::Contains(256));
  EXPECT_EQ(made.variant["parameters"]["BLOCK"], 128);
  ASSERT_EQ(made.files.size(), 1U);
  EXPECT_THAT(made.files[0].second, HasSubstr("#ifndef BLOCK"));
  EXPECT_THAT(
      made.shapes,
      ElementsAre(
          "grid ceil_div(1000, BLOCK) x 3 x 1 gives 8 x 3 x 1, block BLOCK x 1 x 1 gives 128 x 1 x 1"));
}

TEST_F(SourceVariantTest, HasTheNumbersOfEachSize) {
  const SourceVariant made = made_of({launch(1000, 3, 128), launch(70'000, 3, 128)});
  EXPECT_THAT(texts(made.variant["launches"][0]["grid"]),
              ElementsAre("ceil_div(([1000,70000][SIZE]), BLOCK)", "3", "1"));
}

// The source's own launch is another than the one that was captured.
TEST_F(SourceVariantTest, SeeksWhatTheSourceDoesNotSay) {
  std::string other = kSource;
  other.replace(other.find("(n + BLOCK - 1) / BLOCK"), 23, "n / 3");
  const SourceVariant made = made_of({launch(1000, 3, 128)}, other);
  EXPECT_THAT(texts(made.variant["launches"][0]["grid"]), ElementsAre("ceil_div(1000, BLOCK)", "3", "1"));
  const SourceVariant fixed = made_of({launch(1000, 3, 96)});
  EXPECT_THAT(texts(fixed.variant["launches"][0]["block"]), ElementsAre("96", "1", "1"));
  EXPECT_THAT(texts(fixed.variant["launches"][0]["grid"]), ElementsAre("ceil_div(1000, 96)", "3", "1"));
}

TEST_F(SourceVariantTest, RefusesAnotherKernel) {
  CapturedLaunch other = launch(1000, 3, 128);
  other.arguments.pop_back();
  EXPECT_THAT(
      samples::error_of([&] { made_of({other}); }),
      HasSubstr("my.cu: 'scale' takes arguments of 8, 4, 4, 4 bytes there, and the captured one of 8, 4, 4\n"
                "  it is another kernel, or another version of it"));
  other.demangled = "blur(float*)";
  EXPECT_THAT(samples::error_of([&] { made_of({other}); }), HasSubstr("my.cu: "));
}

}  // namespace
}  // namespace tailwave
