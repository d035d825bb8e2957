#include "adopt/constant_memory.h"

#include "adopt/adopt_fixture.h"

namespace tailwave {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;

class ConstantMemoryTest : public AdoptTest {
 protected:
  // Of a kernel that multiplies each element with `factor`.
  void adopt_constants(const std::string& constants, const std::string& factor,
                       const std::string& host = "") {
    adopt_text(constants +
               "\n__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
               "if (i < n) x[i] *= " +
               factor + "; }\n" + host);
  }
  [[nodiscard]] json prepared() const {
    return manifest_["variants"]["tuned"].value("prepare", json::array());
  }
};

TEST_F(ConstantMemoryTest, IsCopiedFromABuffer) {
  adopt_constants(
      "#define W 3\n__constant__ float weights[W * W];\n__constant__ float known[2] = {1, 2};\n"
      "__constant__ int unused[4];",
      "weights[W] + known[1]");
  EXPECT_EQ(prepared(), json({{{"copy", "weights"}, {"symbol", "weights"}}}));
  EXPECT_EQ(count_of("weights"), 9);
  EXPECT_EQ(manifest_["buffers"]["weights"]["fill"]["kind"], "uniform");
  EXPECT_FALSE(manifest_["reference"]["compare"].contains("weights"));
  EXPECT_FALSE(manifest_["buffers"].contains("unused"));
  EXPECT_THAT(guesses(), Contains("__constant__ weights holds random numbers"));
}

TEST_F(ConstantMemoryTest, OfOneNumberHasTheValueThatTheHostCopies) {
  adopt_constants("__constant__ float scale;\n__constant__ int shift, width;", "scale + (i + shift) % width",
                  "void run() { float s = 0.25f; const int w = 12; cudaMemcpyToSymbol(scale, &s, 4); "
                  "cudaMemcpyToSymbol(width, &w, sizeof(int)); }");
  EXPECT_EQ(manifest_["problem"]["scale"]["default"], 0.25);
  EXPECT_EQ(manifest_["problem"]["width"]["default"], 12);
  EXPECT_EQ(manifest_["problem"]["shift"]["default"], 1);
  EXPECT_THAT(guesses(), Contains("shift is 1"));
  EXPECT_THAT(guesses(), Not(Contains("width is 12")));
  EXPECT_EQ(manifest_["buffers"]["scale_1"]["fill"], json({{"kind", "constant"}, {"value", "scale"}}));
  EXPECT_EQ(prepared().size(), 3U);
}

TEST_F(ConstantMemoryTest, ThatNoBufferCanBeHoldsZerosAndItIsSaid) {
  adopt_constants(
      "struct Mixed { int a; float b; };\n__constant__ Mixed mixed;\nstatic __constant__ float own[4];\n"
      "namespace inner { __constant__ float named[4]; }",
      "mixed.b + own[0] + inner::named[1]");
  for (const char* name : {"mixed", "own", "named"})
    EXPECT_THAT(guesses(), Contains("__constant__ " + std::string(name) + " holds zeros"));
  EXPECT_THAT(prepared(), IsEmpty());
}

TEST_F(ConstantMemoryTest, ThatAFunctionOfTheKernelReadsIsCopied) {
  adopt_constants(
      "__constant__ float table[8];\n__device__ float at(int i) { return table[i % 8]; }\n#define AT(i) at(i)",
      "AT(i)");
  EXPECT_EQ(prepared().size(), 1U);
}

}  // namespace
}  // namespace tailwave
