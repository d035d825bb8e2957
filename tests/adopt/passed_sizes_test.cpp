#include "adopt/adopt_fixture.h"

namespace tailwave {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Sizes that stand elsewhere than where the launch does.
class PassedSizes : public AdoptTest {};

TEST_F(PassedSizes, QuantitiesThatAreOneVariableOfTheCallerAreOne) {
  adopt_text(
      "__global__ void mm(int M, int N, int K, float alpha, const float* A, const float* B, float* C) {\n"
      "  int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (r >= M || c >= N) return;\n  float sum = 0;\n"
      "  for (int k = 0; k < K; k += 1) { sum += *A * *B; A += 1; B += N; }\n"
      "  C[r * N + c] = alpha * sum;\n}\n"
      "void run(int M, int N, int K, float alpha, float* A, float* B, float* C) {\n"
      "  dim3 block(16, 16);\n"
      "  mm<<<dim3((N + 15) / 16, (M + 15) / 16), block>>>(M, N, K, alpha, A, B, C);\n}\n"
      "int main() {\n  long m = 512; float *a, *b, *c;\n  cudaMalloc((void **)&a, sizeof(float) * m * m);\n"
      "  cudaMalloc((void **)&b, sizeof(float) * m * m);\n  cudaMalloc((void **)&c, sizeof(float) * m * m);\n"
      "  run(m, m, m, 0.25, a, b, c);\n}\n");
  EXPECT_THAT(launch()["args"], ElementsAre("M", "M", "M", "alpha", "A", "B", "C"));
  EXPECT_EQ(manifest_["problem"]["M"]["default"], 512);
  EXPECT_EQ(manifest_["problem"]["alpha"]["default"], 0.25);
  for (const char* buffer : {"A", "B", "C"}) EXPECT_EQ(count_of(buffer), "M * M");
  EXPECT_EQ(launch()["grid"], json({"ceil_div(M, BLOCK_X)", "ceil_div(M, BLOCK_Y)"}));
}

TEST_F(PassedSizes, AFunctionThatIsCalledTwiceLaunchesAsItsFirstCall) {
  adopt_text(
      "constexpr int blocksFor(int n, int t) { return (n + t - 1) / t; }\n"
      "__global__ void damp(const double* src, double* dst, int count, double w) {\n"
      "  int i = blockDim.x * blockIdx.x + threadIdx.x;\n  if (i < count) dst[i] = w * src[i];\n}\n"
      "void relax(const double* from, double* to, int count) {\n  const int t = 192;\n"
      "  damp<<<blocksFor(count, t), t>>>(from, to, count, 0.7);\n}\n"
      "int main() {\n  const int cells = 1 << 20; double *u0, *u1;\n"
      "  cudaMalloc(&u0, cells * sizeof(double)); cudaMalloc(&u1, cells * sizeof(double));\n"
      "  relax(u0, u1, cells);\n  relax(u1, u0, cells);\n}\n");
  EXPECT_EQ(launch()["grid"], "ceil_div(count, BLOCK_SIZE)");
  EXPECT_EQ(count_of("dst"), "count");
  EXPECT_EQ(manifest_["problem"]["count"]["default"], 1 << 20);
  EXPECT_THAT(guesses(), testing::IsEmpty());
}

constexpr const char* kSizeOfAType =
    "typedef unsigned long long mask_t;\nconst int threadsPerBlock = sizeof(mask_t) * 8;\n"
    "enum { HALO = 1 };\n"
    "__global__ void k(const int n, const float* b, mask_t* m) {\n"
    "  const int i = threadsPerBlock * blockIdx.x + threadIdx.x;\n  if (i < n - HALO) m[i] = b[i + HALO] > 0.5f;\n}\n";

TEST_F(PassedSizes, AreThoseOfNamedTypes) {
  adopt_text(
      std::string(kSizeOfAType) +
      "void nms(const float* b, mask_t* m, int num) {\n"
      "  dim3 blocks((num + threadsPerBlock - 1) / threadsPerBlock);\n  dim3 threads(threadsPerBlock);\n"
      "  k<<<blocks, threads>>>(num, b, m);\n}\n");
  EXPECT_EQ(launch()["block"], 64);
  EXPECT_EQ(launch()["grid"], "ceil_div(n, 64)");
  EXPECT_EQ(count_of("b"), "n");
  EXPECT_THAT(adopted_.understood, Contains(HasSubstr("block 64, as the file launches it")));
}

TEST_F(PassedSizes, ALaunchThatCannotBeReadIsNotSaidToBeTheFiles) {
  adopt_text(std::string(kSizeOfAType) +
             "void nms(const float* b, mask_t* m, int num) { k<<<device.blocks(), 64>>>(num, b, m); }\n");
  EXPECT_THAT(guesses(), Contains("the grid of k: 'device.blocks()' cannot be read"));
  EXPECT_THAT(adopted_.understood, Not(Contains(HasSubstr("as the file launches it"))));
}

TEST_F(PassedSizes, ConstantMemoryIsNoResult) {
  EXPECT_THAT(
      refusal_of("struct Image { float** rows; };\n__constant__ float weights[33];\n"
                 "__global__ void k(Image image) { image.rows[0][threadIdx.x] = weights[threadIdx.x]; }\n"),
      HasSubstr("nothing to compare"));
}

TEST_F(PassedSizes, SaysThatATextIsUtf16) {
  using namespace std::string_literals;
  EXPECT_EQ(refusal_of("\xff\xfe_\0_\0"s),
            "my.cu: it is UTF-16 text, and has to be UTF-8\n"
            "  save it as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8");
}

}  // namespace
}  // namespace tailwave
