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

// A kernel over n elements of T, and a main() around it.
std::string elementwise(const std::string& type, const std::string& body_of_main) {
  return "#include <cuda_fp16.h>\n__global__ void k(" + type + "* c, const " + type + "* a, const " + type +
         "* b, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) c[i] = i % 2 ? a[i] : b[i];\n}\n" +
         "int main() {\n" + body_of_main + "}\n";
}

TEST_F(PassedSizes, PointersThatAreCastAreBuffersOfTheirOwn) {
  adopt_text(elementwise("__half2",
                         "  const int n = 4096; __half *a, *b, *c;\n"
                         "  cudaMalloc(&a, 2 * n * sizeof(__half)); cudaMalloc(&b, 2 * n * sizeof(__half));\n"
                         "  cudaMalloc(&c, 2 * n * sizeof(__half));\n"
                         "  k<<<(n + 255) / 256, 256>>>(reinterpret_cast<__half2*>(c), (const __half2*)a,\n"
                         "                              reinterpret_cast<const __half2*>(b), n);\n"));
  EXPECT_THAT(launch()["args"], ElementsAre("c", "a", "b", "n"));
  EXPECT_EQ(count_of("b"), "n");
}

TEST_F(PassedSizes, PartsOfOneMemoryAreBuffersOfTheirOwn) {
  adopt_text(elementwise("float",
                         "  const int n = 4096; float* pool;\n  cudaMalloc(&pool, 3 * n * sizeof(float));\n"
                         "  float* b = pool + n;\n"
                         "  k<<<(n + 255) / 256, 256>>>(&pool[2 * n], pool, b, n);\n"));
  EXPECT_THAT(launch()["args"], ElementsAre("c", "a", "b", "n"));
  for (const char* buffer : {"a", "b", "c"}) EXPECT_EQ(count_of(buffer), "n");
  EXPECT_THAT(guesses(),
              Contains("argument 3 of k, 'b', which the file passes as 'pool + n' and the manifest as "
                       "a buffer of its own"));
}

TEST_F(PassedSizes, OneMemoryIsOneBufferWhateverItsElementsAreTakenFor) {
  adopt_text(
      "__global__ void one(float* x, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) x[i] = i; }\n"
      "__global__ void four(float4* x, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) x[i].x += 1; }\n"
      "__global__ void bits(unsigned* x, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) x[i] ^= 1; }\n"
      "int main() {\n  int n = 4096; float* x; cudaMalloc(&x, n * sizeof(float));\n"
      "  one<<<n / 256, 256>>>(x, n);\n  four<<<n / 1024, 256>>>((float4*)x, n / 4);\n"
      "  bits<<<n / 256, 256>>>((unsigned*)x, n);\n}\n");
  EXPECT_EQ(launch(0)["args"][0], "x");
  EXPECT_EQ(launch(1)["args"], json({"x", {{"value", "(n // 4)"}, {"type", "int32"}}}));
  EXPECT_EQ(launch(2)["args"][0], "x_1");
  EXPECT_EQ(count_of("x"), "n");
  EXPECT_THAT(guesses(), Contains(HasSubstr("of bits is a buffer of its own: 'x'")));
}

// Of a kernel k(y, x, bias, total, columns) that main() launches with what `sizes` declares.
std::string rows_of(const std::string& sizes, const std::string& total) {
  return "__global__ void k(float* y, const float* x, const float* bias, int total, int columns) {\n"
         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < total) y[i] = x[i] + bias[i % columns];\n}\n"
         "void run(float* y, const float* x, const float* bias, int n, int columns) {\n"
         "  k<<<(n + 255) / 256, 256>>>(y, x, bias, n, columns);\n}\n"
         "int main() {\n  " +
         sizes +
         "\n  float *x, *y, *bias;\n  cudaMalloc(&x, tokens * hidden * sizeof(float));\n"
         "  cudaMalloc(&y, tokens * hidden * sizeof(float)); cudaMalloc(&bias, hidden * sizeof(float));\n  run(y, x, bias, " +
         total + ", hidden);\n}\n";
}

TEST_F(PassedSizes, WhatIsComputedFromSizesIsSoInTheManifest) {
  for (const auto& [sizes, total] :
       {std::pair("const int tokens = 2048, hidden = 3072, n = tokens * hidden;", "n"),
        {"int hidden = 3072; int tokens = 2048; size_t n; n = hidden * tokens;", "(int)n"},
        {"int hidden = 3072, tokens = 2048;", "tokens * hidden"}}) {
    adopt_text(rows_of(sizes, total));
    EXPECT_EQ(launch()["args"][3], json({{"value", "columns * tokens"}, {"type", "int32"}})) << sizes;
    EXPECT_EQ(launch()["grid"], "ceil_div(columns * tokens, BLOCK_SIZE)") << sizes;
    EXPECT_EQ(count_of("x"), "columns * tokens") << sizes;
    EXPECT_EQ(manifest_["problem"]["tokens"]["default"], 2048) << sizes;
  }
}

TEST_F(PassedSizes, AQuotientIsTheSizeWhereNothingElseAsksForTheWhole) {
  for (const char* by : {"n / 4", "n / kVector", "n >> 2"}) {
    adopt_text(
        elementwise("float4",
                    "  int n = 1 << 22, kVector = 4; float *a, *b, *c;\n"
                    "  cudaMalloc(&a, n * sizeof(float)); cudaMalloc(&b, sizeof(float) * n);\n"
                    "  cudaMalloc(&c, n * sizeof(float));\n  const int n4 = " +
                        std::string(by) +
                        ";\n  k<<<(n4 + 255) / 256, 256>>>((float4*)c, (float4*)a, (float4*)b, n4);\n"));
    EXPECT_EQ(manifest_["problem"].size(), 1U) << by;
    EXPECT_EQ(manifest_["problem"]["n"]["default"], 1 << 20) << by;
    EXPECT_EQ(launch()["grid"], "ceil_div(n, BLOCK_SIZE)") << by;
    EXPECT_EQ(count_of("a"), "n") << by;
  }
}

constexpr const char* kHeads =
    "__global__ void k(float* y, const float* x, int heads, int width) {\n"
    "  int h = blockIdx.x * blockDim.x + threadIdx.x;\n  if (h < heads) y[h] = x[h * width];\n}\n"
    "__global__ void all(float* x, int hidden) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < hidden) x[i] = i;\n}\n"
    "int main() {\n  const int hidden = 7680, heads = 160;\n  float *x, *y;\n"
    "  cudaMalloc(&x, hidden * sizeof(float)); cudaMalloc(&y, heads * sizeof(float));\n";

TEST_F(PassedSizes, QuotientsOfSizesLeaveNoRemainder) {
  adopt_text(kHeads + std::string("  k<<<(heads + 63) / 64, 64>>>(y, x, heads, hidden / heads);\n}\n"),
             {"k"});
  EXPECT_EQ(manifest_["problem"]["width"]["default"], 48);
  EXPECT_EQ(count_of("x"), "heads * width");
  adopt_text(kHeads + std::string("  all<<<hidden / 64, 64>>>(x, hidden);\n"
                                  "  k<<<(heads + 63) / 64, 64>>>(y, x, heads, hidden / heads);\n}\n"));
  EXPECT_EQ(launch(1)["args"][3]["value"], "(hidden // heads)");
  EXPECT_EQ(manifest_["problem"]["hidden"]["default"], 7680);
  EXPECT_FALSE(manifest_.contains("verify"));
}

constexpr const char* kPitched =
    "struct Shape { int rows = 100, columns = 90; };\n"
    "__global__ void k(float* y, int rows, int columns, int pitch) {\n"
    "  int x = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;\n"
    "  if (x < columns && r < rows) y[r * pitch + x] = x;\n}\n"
    "int main() {\n  Shape s; int pitch = (s.columns + 31) & ~31; float* y;\n"
    "  cudaMalloc(&y, s.rows * pitch * sizeof(float));\n"
    "  k<<<dim3((s.columns + 63) / 64, s.rows), 64>>>(y, s.rows, s.columns, pitch);\n}\n";

TEST_F(PassedSizes, WhatIsBehindTheEndOfARowIsNotTakenForWritten) {
  adopt_text(kPitched);
  EXPECT_EQ(manifest_["problem"]["columns"]["default"], 90);
  EXPECT_EQ(count_of("y"), "32 * ceil_div(columns, 32) * rows");
  EXPECT_EQ(manifest_["buffers"]["y"]["fill"]["kind"], "zero");
}

TEST_F(PassedSizes, ResultsOfBlocksAreEnoughForSmallProblems) {
  adopt_text(
      "__global__ void k(float* y, const float* x, int n) {\n  float sum = 0;\n"
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];\n"
      "  if (threadIdx.x == 0) y[blockIdx.x] = sum;\n}\n"
      "int main() {\n  int n = 1 << 24; const int t = 256; const int blocks = min((n + t - 1) / t, 1024);\n"
      "  float *x, *y; cudaMalloc(&x, n * sizeof(float)); cudaMalloc(&y, blocks * sizeof(float));\n"
      "  k<<<blocks, t>>>(y, x, n);\n}\n");
  EXPECT_EQ(count_of("y"), "min(ceil_div(n, 32), 1024)");
}

TEST_F(PassedSizes, AreThoseOfTheFunctionAroundALaunch) {
  const std::string kernels =
      "__global__ void add(float* y, const float* x, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += x[i];\n}\n"
      "__global__ void scale(float* y, const float* x, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] *= x[i];\n}\n";
  adopt_text(kernels +
             "void first() {\n  int n = 5000; float *x, *y; cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);\n"
             "  add<<<(n + 255) / 256, 256>>>(y, x, n);\n}\n"
             "void second() {\n  int n = 7000; float *x, *y; cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);\n"
             "  scale<<<(n + 255) / 256, 256>>>(y, x, n);\n}\n");
  EXPECT_EQ(launch(0)["args"], json({"y", "x", "n"}));
  EXPECT_EQ(launch(1)["args"], json({"y_1", "x_1", "n_1"}));
  EXPECT_EQ(manifest_["problem"]["n_1"]["default"], 7000);
  EXPECT_EQ(count_of("x_1"), "n_1");
  adopt_text(kernels +
             "void first(float* y, float* x, int n) { add<<<(n + 255) / 256, 256>>>(y, x, n); }\n"
             "void second(float* y, float* x, int n) { scale<<<(n + 255) / 256, 256>>>(y, x, n); }\n"
             "int main() {\n  int n = 5000; float *a, *b, *c; cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4);\n"
             "  cudaMalloc(&c, n * 4); first(a, b, n); second(a, c, n);\n}\n");
  EXPECT_EQ(launch(1)["args"], json({"a", "c", "n"})) << "they compute different things";
}

TEST_F(PassedSizes, SaysWhatSizesItCannotRelate) {
  adopt_text(
      "__global__ void k(float* y, int n, int side) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = i / side;\n}\n"
      "int main() {\n  int n = 1 << 20; int side = (int)sqrt((double)n);\n"
      "  float* y; cudaMalloc(&y, n * sizeof(float));\n  k<<<(n + 255) / 256, 256>>>(y, n, side);\n}\n");
  EXPECT_THAT(guesses(),
              Contains("side stays as it is when n changes: how the file computes it cannot be read"));
  EXPECT_FALSE(experiment_.contains("devices")) << "n has to fit to side on the CPU as well";
  EXPECT_FALSE(manifest_.contains("verify"));
}

TEST_F(PassedSizes, AreReadOutOfBraces) {
  for (
      const char* sizes :
      {"constexpr unsigned int w{640u}; auto h = 320; dim3 block{16, 16}; dim3 grid{(w + 15) / 16, (h + 15) / 16};",
       "int dims[2] = {640, 320}; dim3 block{16, 16}; dim3 grid((dims[0] + 15) / 16, (dims[1] + 15) / 16);"}) {
    const bool is_array = std::string(sizes).find("dims") != std::string::npos;
    const std::string w = is_array ? "dims[0]" : "w", h = is_array ? "dims[1]" : "h";
    adopt_text(
        "__global__ void k(float* y, int width, int height) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "  if (i < width && j < height) y[j * width + i] = 1;\n}\nint main() {\n  " +
        std::string(sizes) + "\n  float* y; size_t bytes{" + w + " * " + h +
        " * sizeof(float)}; cudaMalloc(&y, bytes);\n  k<<<grid, block>>>(y, " + w + ", " + h + ");\n}\n");
    EXPECT_EQ(manifest_["problem"]["width"]["default"], 640) << sizes;
    EXPECT_EQ(launch()["grid"], json({"ceil_div(width, BLOCK_X)", "ceil_div(height, BLOCK_Y)"})) << sizes;
    EXPECT_EQ(count_of("y"), "height * width") << sizes;
    EXPECT_THAT(guesses(), testing::IsEmpty()) << sizes;
  }
}

TEST_F(PassedSizes, AreVerifiedAsMultiplesOfWhatTheFileDividesThemBy) {
  adopt_text(
      elementwise("float4",
                  "  const int rows = 640, width = 480, total = rows * width; float *a, *b, *c;\n"
                  "  cudaMalloc(&a, total * 4); cudaMalloc(&b, total * 4); cudaMalloc(&c, total * 4);\n"
                  "  k<<<(total / 4 + 255) / 256, 256>>>((float4*)c, (float4*)a, (float4*)b, total / 4);\n"));
  EXPECT_EQ(launch()["args"][3]["value"], "((rows * width) // 4)");
  EXPECT_EQ(manifest_["verify"]["problems"][0], json({{"rows", 4 * 101}, {"width", 4 * 37}}));
}

TEST_F(PassedSizes, TypesOfATemplateAroundALaunchAreThoseOfItsFirstCall) {
  adopt_text(
      "template <typename T> __global__ void k(T* y, const T* x, size_t n) {\n"
      "  size_t i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i];\n}\n"
      "template <typename T> void run(float* y, const float* x, size_t bytes) {\n"
      "  size_t n = bytes / sizeof(T);\n"
      "  k<T><<<(n + 255) / 256, 256>>>(reinterpret_cast<T*>(y), reinterpret_cast<const T*>(x), n);\n}\n"
      "int main() {\n  size_t bytes = 64 << 20; float *x, *y; cudaMalloc(&x, bytes); cudaMalloc(&y, bytes);\n"
      "  run<float4>(y, x, bytes);\n}\n");
  EXPECT_EQ(launch()["kernel"], "k<float4>");
  EXPECT_EQ(manifest_["buffers"]["x"]["type"], "float32x4");
  EXPECT_EQ(count_of("x"), "n");
  EXPECT_EQ(manifest_["problem"]["n"]["default"], 4 << 20);
}

TEST_F(PassedSizes, LeaveTheRemaindersOfTheFileElsewhere) {
  adopt_text(
      "__global__ void body(float4* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i].x = 1; }\n"
      "__global__ void tail(float* y, int n) { int i = threadIdx.x; if (i < n) y[i] = 1; }\n"
      "int main() {\n  const int n = 1000003, n4 = n / 4, done = 4 * n4; float* y;\n"
      "  cudaMalloc(&y, n * sizeof(float)); body<<<(n4 + 255) / 256, 256>>>((float4*)y, n4);\n"
      "  tail<<<1, 32>>>(y + done, n - done);\n}\n");
  EXPECT_EQ(launch(1)["args"][1]["value"], "n - 4 * (n // 4)");
  EXPECT_EQ(experiment_["devices"]["cpu"]["problem"]["n"], json({65536 + 3}));
  EXPECT_EQ(manifest_["verify"]["problems"][0]["n"], 4 * 1009 + 3);
}

TEST_F(PassedSizes, AreThoseOfVectors) {
  adopt_text(
      elementwise("float",
                  "  const int count = 5000; std::vector<float> h(count), g(h.begin(), h.end());\n"
                  "  thrust::device_vector<float> a(h), b, c; b.resize(g.size()); c.resize(h.size());\n"
                  "  const int n = h.size();\n  k<<<(n + 255) / 256, 256>>>(c.data().get(),\n"
                  "    thrust::raw_pointer_cast(&a[0]), thrust::raw_pointer_cast(b.data()), n);\n"));
  EXPECT_THAT(launch()["args"], ElementsAre("c", "a", "b", "count"));
  EXPECT_EQ(manifest_["problem"]["count"]["default"], 5000);
  for (const char* buffer : {"a", "b", "c"}) EXPECT_EQ(count_of(buffer), "count");
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
