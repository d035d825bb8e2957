#include "adopt/block_evidence.h"

#include "adopt/adopt_fixture.h"

namespace tailwave {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class BlockEvidenceTest : public AdoptTest {
 protected:
  // Of a kernel whose threads have an element of `data` each, below n.
  void adopt_body(const std::string& before, const std::string& body, const std::string& launch = "") {
    adopt_text(
        before + "\n__global__ void k(const int* data, int* out, int n) {\n" + body + "\n}\n" +
        (launch.empty() ? "" : "void run(int* d, int* o, int n) { k<<<" + launch + ">>>(d, o, n); }\n"));
  }
  [[nodiscard]] bool doubts(const std::string& name) const {
    for (const std::string& each : guesses())
      if (each.starts_with(name + " is not the number of threads of k")) return true;
    return false;
  }
};

constexpr const char* kOwnElement = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n";

TEST_F(BlockEvidenceTest, AnArrayThatThreadsWalkAlongIsNoBlock) {
  for (const char* walk : {"for (int b = threadIdx.x; b < BINS; b += blockDim.x) s[b] = 0;",
                           "int b = threadIdx.x; while (b < BINS) { s[b] = 0; b += blockDim.x; }"}) {
    adopt_body("#define BINS 64", kOwnElement + std::string("  __shared__ int s[BINS];\n  ") + walk +
                                      "\n  __syncthreads();\n  if (i < n) out[i] = s[data[i] % BINS];");
    EXPECT_EQ(launch()["block"], "BLOCK_SIZE") << walk;
    EXPECT_FALSE(manifest_["variants"]["tuned"]["parameters"].contains("BINS"));
  }
}

TEST_F(BlockEvidenceTest, AnArrayThatSomeThreadsHaveElementsOfIsNoBlockAndItIsSaid) {
  adopt_body("#define BINS 64", kOwnElement + std::string("  __shared__ int s[BINS];\n"
                                                          "  if (threadIdx.x < BINS) s[threadIdx.x] = 0;\n"
                                                          "  __syncthreads();\n  if (i < n) out[i] = s[3];"));
  EXPECT_EQ(launch()["block"], "BLOCK_SIZE");
  EXPECT_EQ(tried()["BLOCK_SIZE"], json({32, 64, 128, 256, 512, 1024}));
  EXPECT_TRUE(doubts("BINS"));
}

TEST_F(BlockEvidenceTest, AnArrayThatEachThreadHasAnElementOfIsOne) {
  adopt_body("#define THREADS 64",
             kOwnElement + std::string("  __shared__ int s[THREADS];\n  int t = threadIdx.x;\n"
                                       "  s[t] = i < n ? data[i] : 0;\n  __syncthreads();\n"
                                       "  if (i < n) out[i] = s[t];"));
  EXPECT_EQ(launch()["block"], "THREADS");
  EXPECT_FALSE(doubts("THREADS"));
}

TEST_F(BlockEvidenceTest, ALaunchSaysMoreThanTheCode) {
  adopt_body(
      "#define BINS 64",
      kOwnElement + std::string("  __shared__ int s[BINS];\n  if (threadIdx.x < BINS) s[threadIdx.x] = 0;\n"
                                "  __syncthreads();\n  if (i < n) out[i] = s[3];"),
      "(n + BINS - 1) / BINS, BINS");
  EXPECT_EQ(launch()["block"], "BINS");
}

TEST_F(BlockEvidenceTest, WhatALoopOfThreadsStepsByIsOne) {
  adopt_body(
      "#define WIDTH 128",
      "  int sum = 0;\n  for (int i = threadIdx.x; i < n; i += WIDTH) sum += data[i];\n  atomicAdd(out, sum);");
  EXPECT_EQ(launch()["block"], "WIDTH");
  EXPECT_EQ(tried()["WIDTH"], json({32, 64, 128, 256, 512, 1024}));
}

TEST_F(BlockEvidenceTest, ARowThatABlockWalksAlongIsNoBlock) {
  adopt_text(
      "__global__ void k(const float* in, float* out, int columns) {\n"
      "  for (int c = threadIdx.x; c < columns; c += blockDim.x)\n"
      "    out[blockIdx.x * columns + c] = 2 * in[blockIdx.x * columns + c];\n}\n");
  EXPECT_EQ(launch()["block"], "BLOCK_SIZE");
  EXPECT_EQ(launch()["grid"], "blocks_x");
  EXPECT_EQ(count_of("in"), "blocks_x * columns");
  EXPECT_THAT(guesses(), Contains("k has no guard in x: blocks_x blocks there"));
}

TEST_F(BlockEvidenceTest, ANumberOfBlocksGivesTheElementsOfThreadsThatHaveOneEach) {
  adopt_text(
      "#define THREADS 512\n#define BLOCKS 4096\n"
      "__global__ void k(float* x, int j) {\n  unsigned i = threadIdx.x + blockDim.x * blockIdx.x;\n  x[i] += j;\n}\n"
      "int main() { float* x; cudaMalloc(&x, THREADS * BLOCKS * sizeof(float)); k<<<BLOCKS, THREADS>>>(x, 1); }");
  EXPECT_EQ(launch()["grid"], "(threads_x // THREADS)") << "the same work for each block size";
  EXPECT_EQ(manifest_["problem"]["threads_x"]["default"], 512 * 4096);
  EXPECT_EQ(count_of("x"), "threads_x");
  EXPECT_EQ(manifest_["variants"]["tuned"]["requires"], "threads_x % THREADS == 0");
  EXPECT_FALSE(manifest_["reference"].contains("by"));
}

TEST_F(BlockEvidenceTest, WarpsOfABlockAreTriedAndNotTheirSize) {
  adopt_text(
      "#define WARP_SIZE 32\n#define WARPS_PER_BLOCK 4\n"
      "__global__ void k(const float* m, float* sums, int rows, int columns) {\n"
      "  const int row = blockIdx.x * WARPS_PER_BLOCK + threadIdx.x / WARP_SIZE, lane = threadIdx.x % WARP_SIZE;\n"
      "  if (row >= rows) return;\n  float sum = 0;\n"
      "  for (int i = lane; i < columns; i += WARP_SIZE) sum += m[row * columns + i];\n"
      "  for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(~0u, sum, s);\n  if (lane == 0) sums[row] = sum;\n}\n"
      "void run(const float* m, float* s, int rows, int columns) { k<<<(rows + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK, "
      "WARPS_PER_BLOCK * WARP_SIZE>>>(m, s, rows, columns); }\n");
  EXPECT_EQ(launch()["block"], "32 * WARPS_PER_BLOCK");
  EXPECT_EQ(tried(), json({{"WARPS_PER_BLOCK", {1, 2, 4, 8, 16, 32}}}));
  EXPECT_FALSE(manifest_["reference"].contains("by")) << "a row's sum is the same whoever makes it";
}

TEST_F(BlockEvidenceTest, ATileThatThreadsWalkAlongHasWholeSteps) {
  adopt_text(
      "#define TILE 32\n#define ROWS 8\n"
      "__global__ void k(const float* in, float* out) {\n  __shared__ float tile[TILE][TILE + 1];\n"
      "  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y, width = gridDim.x * TILE;\n"
      "  for (int j = 0; j < TILE; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];\n"
      "  __syncthreads();\n"
      "  for (int j = 0; j < TILE; j += ROWS) out[(x + j) * width + y] = tile[threadIdx.x][threadIdx.y + j];\n}\n"
      "void run(const float* in, float* out, int n) { k<<<dim3(n / TILE, n / TILE), dim3(TILE, ROWS)>>>(in, out); }\n");
  EXPECT_EQ(launch()["block"], json({"TILE", "ROWS"}));
  EXPECT_THAT(std::string(manifest_["variants"]["tuned"]["requires"]), HasSubstr("TILE % ROWS == 0"));
}

TEST_F(BlockEvidenceTest, LimitsBlocksToArraysThatEachThreadHasAnElementOf) {
  adopt_body(
      "", kOwnElement +
              std::string(
                  "  __shared__ int s[128];\n  s[threadIdx.x] = 1;\n  if (i < n) out[i] = s[threadIdx.x];"));
  EXPECT_EQ(tried()["BLOCK_SIZE"], json({32, 64, 128}));
  adopt_body(
      "",
      kOwnElement +
          std::string(
              "  __shared__ int s[32];\n  if (threadIdx.x < 32) s[threadIdx.x] = 1;\n  if (i < n) out[i] = s[3];"));
  EXPECT_EQ(tried()["BLOCK_SIZE"], json({32, 64, 128, 256, 512, 1024}));
}

}  // namespace
}  // namespace tailwave
