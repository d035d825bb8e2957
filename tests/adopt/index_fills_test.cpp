#include "adopt/index_fills.h"

#include "adopt/adopt_fixture.h"

namespace tailwave {
namespace {

using nlohmann::json;
using testing::Contains;

class IndexFillsTest : public AdoptTest {};

constexpr const char* kRows =
    "__global__ void k(const int* begins, const int* columns, const float* values, const float* x, float* y, int rows) {\n"
    "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n  if (row >= rows) return;\n  float sum = 0;\n"
    "  for (int e = begins[row]; e < begins[row + 1]; ++e) sum += values[e] * x[columns[e]];\n  y[row] = sum;\n}\n";

TEST_F(IndexFillsTest, RowsAreOfEqualLengths) {
  adopt_text(kRows);
  EXPECT_EQ(count_of("begins"), "rows + 1");
  EXPECT_EQ(manifest_["buffers"]["begins"]["fill"], json({{"kind", "generated"}, {"element", "8 * i"}}));
  EXPECT_EQ(count_of("values"), "8 * rows");
  EXPECT_EQ(count_of("columns"), "8 * rows");
  EXPECT_THAT(guesses(), Contains("'begins' are the begins of rows of 8 elements"));
  EXPECT_EQ(manifest_["buffers"]["columns"]["fill"]["kind"], "integers");
}

TEST_F(IndexFillsTest, RowsFillWhatTheFileAllocates) {
  adopt_text(
      std::string(kRows) +
      "int main() { int rows = 1000, nnz = 5000; int *b, *c; float *v, *x, *y; cudaMalloc(&b, (rows + 1) * 4); "
      "cudaMalloc(&c, nnz * sizeof(int)); cudaMalloc(&v, nnz * sizeof(float)); cudaMalloc(&x, rows * 4); "
      "cudaMalloc(&y, rows * 4); k<<<(rows + 255) / 256, 256>>>(b, c, v, x, y, rows); }");
  EXPECT_EQ(count_of("values"), "nnz");
  EXPECT_EQ(manifest_["buffers"]["begins"]["fill"]["element"], "((nnz) // (rows)) * i");
  EXPECT_EQ(manifest_["buffers"]["columns"]["fill"]["high"], "rows - 1");
}

TEST_F(IndexFillsTest, SharedArraysLimitIndicesToo) {
  adopt_text(
      "#define BINS 32\n__global__ void k(const int* data, int* out, int n) {\n  __shared__ int bins[BINS];\n"
      "  for (int b = threadIdx.x; b < BINS; b += blockDim.x) bins[b] = 0;\n  __syncthreads();\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) atomicAdd(&bins[data[i]], 1);\n"
      "  __syncthreads();\n  for (int b = threadIdx.x; b < BINS; b += blockDim.x) atomicAdd(&out[b], bins[b]);\n}\n");
  EXPECT_EQ(manifest_["buffers"]["data"]["fill"]["high"], 31);
}

}  // namespace
}  // namespace tailwave
