#include "adopt/results.h"

#include "adopt/adopt_fixture.h"

namespace tailwave {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kScale =
    "__global__ void scale(real_t* y, const real_t* x, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n";

class AdoptedResults : public AdoptTest {
 protected:
  [[nodiscard]] std::vector<std::string> compared() const {
    std::vector<std::string> names;
    for (const auto& [name, how] : manifest_["reference"]["compare"].items()) names.push_back(name);
    return names;
  }
};

TEST_F(AdoptedResults, AreBothBuffersOfPointersThatAreExchanged) {
  adopt_text(
      "__global__ void relax(float* a, float* b, int n, int steps) {\n  int i = threadIdx.x;\n"
      "  for (int t = 0; t < steps; ++t) {\n    if (i < n) b[i] = a[i] * 0.5f + 1;\n    __syncthreads();\n"
      "    float* q = a; a = b; b = q;\n  }\n}\n"
      "int main() { int n = 200; float *x, *y; cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);\n"
      "  relax<<<1, 256>>>(x, y, n, 4); }\n");
  EXPECT_THAT(compared(), testing::ElementsAre("a", "b"));
  EXPECT_EQ(manifest_["buffers"]["b"]["fill"]["kind"], "uniform") << "it is read, too";
}

TEST_F(AdoptedResults, SayThatVariablesOfTheDeviceAreNotCompared) {
  adopt_text(
      "__device__ float sum, table[4];\n__device__ int calls = 0;\n"
      "__global__ void total(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n"
      "  y[i] = x[i] * calls;\n  atomicAdd(&sum, x[i]);\n}\n");
  EXPECT_THAT(guesses(), Contains("__device__ sum is written and not compared"));
  EXPECT_THAT(guesses(), Not(Contains(HasSubstr("__device__ calls"))));
}

TEST_F(AdoptedResults, PartialSumsHaveRoomForTheSmallestBlockUnderALimit) {
  adopt_text(
      "__global__ void partial(const float* in, float* out, int n) {\n  __shared__ float s[1024];\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  s[threadIdx.x] = i < n ? in[i] : 0;\n  __syncthreads();\n"
      "  if (threadIdx.x == 0) out[blockIdx.x] = s[0];\n}\n"
      "int main() {\n  int n = 1 << 20;\n  const int threads = 256;\n"
      "  int blocks = min((n + threads - 1) / threads, 1024);\n  float *a, *b;\n"
      "  cudaMalloc(&a, n * sizeof(float)); cudaMalloc(&b, blocks * sizeof(float));\n"
      "  partial<<<blocks, threads>>>(a, b, n);\n}\n");
  EXPECT_EQ(launch()["grid"], "min(ceil_div(n, BLOCK_SIZE), 1024)");
  EXPECT_EQ(count_of("out"), "min(ceil_div(n, 32), 1024)");
}

TEST_F(AdoptedResults, KeepAGridLoopWhoseVariableHasTheNameOfAnother) {
  adopt_text(
      "typedef long long index_t;\n"
      "__global__ void count(const unsigned char* data, unsigned* bins, index_t size) {\n"
      "  __shared__ unsigned own[256];\n  for (int i = threadIdx.x; i < 256; i += blockDim.x) own[i] = 0;\n"
      "  __syncthreads();\n"
      "  for (index_t i = blockIdx.x * (index_t)blockDim.x + threadIdx.x; i < size; i += (index_t)gridDim.x * blockDim.x)\n"
      "    atomicAdd(&own[data[i]], 1u);\n  __syncthreads();\n"
      "  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], own[i]);\n}\n"
      "int main() { index_t size = 100000; unsigned char* d; unsigned* b; cudaMalloc(&d, size);\n"
      "  cudaMalloc(&b, 256 * sizeof(unsigned)); count<<<4 * processors(), 192>>>(d, b, size); }\n");
  EXPECT_EQ(launch()["grid"], "min(ceil_div(size, BLOCK_SIZE), 1024)");
  EXPECT_EQ(count_of("bins"), 256);
}

TEST_F(AdoptedResults, ElementsAndMembersAreBuffersOfTheirOwn) {
  adopt_text(
      "__global__ void scale(float* y, const float* x, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n"
      "int main() { int n = 100000; float* d[2]; for (int i = 0; i < 2; ++i) cudaMalloc(&d[i], n * sizeof(float));\n"
      "  scale<<<(n + 255) / 256, 256>>>(d[1], d[0], n); }\n");
  EXPECT_THAT(launch()["args"], testing::ElementsAre("y", "x", "n"));
  EXPECT_EQ(count_of("y"), "n");
  const std::string kMove =
      "struct Bodies { float* pos; };\n__global__ void move(Bodies out, Bodies in, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out.pos[i] = 2 * in.pos[i];\n}\n";
  for (const char* const main :
       {"",
        "int main() { Bodies a, b; int n = 8192; cudaMalloc(&a.pos, n * 4); cudaMalloc(&b.pos, n * 4);\n"
        "  move<<<(n + 255) / 256, 256>>>(b, a, n); }\n"}) {
    adopt_text(kMove + main);
    EXPECT_EQ(launch()["args"], json({{{"struct", {"pos"}}}, {{"struct", {"in_pos"}}}, "n"})) << main;
    EXPECT_THAT(compared(), testing::ElementsAre("pos"));
    EXPECT_EQ(count_of("in_pos"), "n");
  }
}

TEST_F(AdoptedResults, KnowTypesOfTheFilesOwnHeaders) {
  for (const char* const include :
       {"#include \"types.h\"\n", "#include <types.h>\n", "#include \"../include/types.h\"\n"}) {
    write("src/types.h", "#include \"deep.h\"\n");
    write("include/types.h", "#include \"deep.h\"\n");
    write("src/deep.h", "typedef float real_t;\n");
    write("include/deep.h", "typedef float real_t;\n");
    write("src/my.cu", std::string(include) + kScale);
    adopt_file(folder_.path() / "src/my.cu");
    EXPECT_EQ(manifest_["buffers"]["y"]["type"], "float32") << include;
    EXPECT_THAT(text_of("kernel_templates/mine/tuned.cu"), StartsWith("#include \"types.h\"\n"));
    EXPECT_THAT(text_of("kernel_templates/mine/deep.h"), HasSubstr("real_t"));
  }
}

TEST_F(AdoptedResults, AreRefusedWithWhatStandsInTheWay) {
  EXPECT_THAT(refusal_of(kScale),
              StartsWith("my.cu: nothing to compare: argument 1 of scale, 'real_t* y' cannot be read\n"));
  EXPECT_THAT(
      refusal_of("struct P { float x; int id; };\n__global__ void push(P* p) { p[threadIdx.x].x += 1; }\n"),
      HasSubstr("argument 1 of push, 'P* p' cannot be read\n  write kernel_templates/NAME/system.json by "
                "hand, with a buffer of a type that it is made of"));
  EXPECT_THAT(
      refusal_of("template <class F> __global__ void each(int n, F f) { f(threadIdx.x); }\n"
                 "void go(float* x, int n) { each<<<1, 32>>>(n, [=] __device__(int i) { x[i] = 1; }); }\n"),
      StartsWith("my.cu: argument 2 of each in line 2 is a lambda, which no system can pass\n"));
  EXPECT_THAT(refusal_of("__global__ void k(float* x) {}"),
              HasSubstr("nothing to compare: no write through 'float* x' of k could be read\n"));
  EXPECT_THAT(refusal_of("__global__ void k(int n) {}"),
              HasSubstr("nothing to compare: kernels get no pointer\n"));
}

TEST_F(AdoptedResults, NeedWholeTilesWithoutAGuard) {
  adopt_text(
      "__global__ void __launch_bounds__(256) k(float* a, float* b) { int i = blockIdx.x * 256 + threadIdx.x; b[i] = a[i]; }\n"
      "int main() { int n = 1 << 16; float *x, *y; cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);\n"
      "  k<<<n / 256, 256>>>(x, y); }\n");
  EXPECT_EQ(manifest_["variants"]["tuned"]["requires"], "n % 256 == 0");
  adopt_text(
      "template <int BM, int BK>\n__global__ void product(int M, int K, const float* A, float* C) {\n"
      "  A += blockIdx.x * BM * K;\n  float sum = 0;\n"
      "  for (int k0 = 0; k0 < K; k0 += BK)\n    for (int k = 0; k < BK; ++k) sum += A[threadIdx.x * K + k0 + k];\n"
      "  C[blockIdx.x * BM + threadIdx.x] = sum;\n}\n"
      "int main() { int M = 1024, K = 512; float *a, *c; cudaMalloc(&a, M * K * 4); cudaMalloc(&c, M * 4);\n"
      "  product<64, 8><<<M / 64, 64>>>(M, K, a, c); }\n");
  const std::string needed = manifest_["variants"]["tuned"]["requires"];
  EXPECT_THAT(needed, HasSubstr("M % TUNED_BM == 0"));
  EXPECT_THAT(needed, HasSubstr("K % TUNED_BK == 0"));
}

TEST_F(AdoptedResults, ReadsWhatTheRuntimesCallsLaunch) {
  adopt_text(
      "__global__ void k(const float* x, float* y, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = 2 * x[i];\n}\n"
      "int main() { int n = 100000; float *x, *y; cudaMalloc(&x, n * 4); cudaMalloc(&y, n * 4);\n"
      "  void* args[] = {&x, &y, &n};\n"
      "  cudaLaunchCooperativeKernel((void*)k, dim3((n + 255) / 256), dim3(256), args, 0, 0); }\n");
  EXPECT_EQ(launch()["grid"], "ceil_div(n, BLOCK_SIZE)");
  EXPECT_EQ(launch()["cooperative"], true);
  EXPECT_EQ(manifest_["problem"]["n"]["default"], 100000);
  adopt_text(
      "__global__ void k(float* y) { y[threadIdx.x] = 1; }\nvoid go(void** a) { cudaLaunchKernel((void*)k, 1, 32, a, 0, 0); }\n");
  EXPECT_THAT(guesses(), Contains(StartsWith("cudaLaunchKernel of line 2 cannot be read")));
}

TEST_F(AdoptedResults, TakeNumbersThatTheFileComputes) {
  adopt_text(
      "__global__ void wave(float* y, double step, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = i * step;\n}\n"
      "int main(int argc, char** argv) { int W = 1000; if (argc > 1) W = atoi(argv[1]); float* y;\n"
      "  cudaMalloc(&y, W * 4); wave<<<(W + 255) / 256, 256>>>(y, 3.0 / W, W); }\n");
  EXPECT_EQ(manifest_["problem"]["n"]["default"], 1000);
  EXPECT_EQ(manifest_["problem"]["step"]["default"], 0.003);
}

TEST_F(AdoptedResults, TriesRowsForWhichABlockHasRoom) {
  adopt_text(
      "__global__ void rows(float* y, int w, int h) {\n  int x = blockIdx.x * 32 + threadIdx.x;\n"
      "  int r = blockIdx.y * blockDim.y + threadIdx.y;\n  if (x < w && r < h) y[r * w + x] = 1;\n}\n"
      "int main() { int w = 500, h = 400; float* y; cudaMalloc(&y, w * h * 4); dim3 block(32, 4);\n"
      "  rows<<<dim3((w + 31) / 32, (h + 3) / 4), block>>>(y, w, h); }\n");
  EXPECT_EQ(tried()["BLOCK_Y"], json({1, 2, 4, 8, 16, 32}));
}

TEST_F(AdoptedResults, SayWhichRoundOfTheFilesLoopsTheyAreOf) {
  adopt_text(
      "__global__ void step(float* x, int j, int k) { int i = threadIdx.x + blockIdx.x * blockDim.x; x[i ^ j] += k; }\n"
      "int main() {\n  float* x;\n  cudaMalloc(&x, 4096 * 4);\n"
      "  for (int k = 2; k <= 64; k *= 2)\n    for (int j = k / 2; j > 0; j /= 2) step<<<16, 256>>>(x, j, k);\n}\n");
  EXPECT_THAT(guesses(), Contains("k is 2, as in the first round of the file's loop over it"));
}

TEST_F(AdoptedResults, HaveTheElementsOfTheFileHoweverLargeBlocksAre) {
  adopt_text(
      "__global__ void stage(float* x, int at) { int i = at + threadIdx.x + blockIdx.x * blockDim.x; x[i] += 1; }\n"
      "int main() {\n  const int threads = 256, n = 4 * 1024 * threads;\n  float* x;\n"
      "  cudaMalloc(&x, n * sizeof(float));\n  stage<<<n / threads, threads>>>(x, 0);\n}\n");
  EXPECT_EQ(count_of("x"), 1048576);
}

TEST_F(AdoptedResults, HaveOneSizeOfAMemberThatFunctionsGet) {
  adopt_text(
      "struct Sim { float* pos; int n; };\n"
      "__global__ void step(float* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] += 1; }\n"
      "void advance(Sim& s) { dim3 block{128, 1}; step<<<(s.n + 127) / 128, block>>>(s.pos, s.n); }\n"
      "int main() { Sim sim; sim.n = 5000; cudaMalloc(&sim.pos, sim.n * sizeof(float)); advance(sim); }\n");
  EXPECT_EQ(count_of("p"), "n");
  EXPECT_EQ(manifest_["problem"], json({{"n", {{"type", "int32"}, {"default", 5000}}}}));
  EXPECT_EQ(launch()["grid"], "ceil_div(n, BLOCK_SIZE)");
}

TEST_F(AdoptedResults, NeedAllBlocksWhereTheFilesOwnCannotBeRead) {
  adopt_text(
      "__global__ void step(float* p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] += 1; }\n"
      "void go(float* p, int n) { step<<<(n + 511) / 512, best_block()>>>(p, n); }\n");
  EXPECT_EQ(launch()["grid"], "ceil_div(n, BLOCK_SIZE)");
}

TEST_F(AdoptedResults, DivideSumsInBrackets) {
  adopt_text(
      "__global__ void k(float* y, int w) { y[(blockIdx.x * blockDim.x + threadIdx.x)] = w; }\n"
      "int main() { int w = 1018; float* y; cudaMalloc(&y, (w + 6) * 4); dim3 block(64);\n"
      "  k<<<(w + 6) / 64, block>>>(y, w); }\n");
  EXPECT_EQ(manifest_["variants"]["tuned"]["requires"], "(w + 6) % BLOCK_SIZE == 0");
}

TEST_F(AdoptedResults, AreWhatFunctionsOfAStructMayWrite) {
  adopt_text(
      "struct Mat { float* d; int n; };\n__device__ void store(Mat m, int i) { m.d[i] = 1; }\n"
      "__global__ void fill(Mat m, float* log) { int i = threadIdx.x; if (i < m.n) { store(m, i); log[i] = 1; } }\n");
  EXPECT_THAT(compared(), testing::UnorderedElementsAre("d", "log"));
}

}  // namespace
}  // namespace tailwave
