#include "adopt/adopt.h"

#include "adopt/adopt_fixture.h"

namespace tailwave {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST_F(AdoptTest, TakesAGuardForTheNumberOfElements) {
  adopt_data("axpy.cu");
  EXPECT_EQ(launch()["grid"], "ceil_div(n, BLOCK_SIZE)");
  EXPECT_EQ(launch()["block"], "BLOCK_SIZE");
  EXPECT_THAT(launch()["args"], ElementsAre("n", "a", "x", "y"));
  EXPECT_EQ(count_of("x"), "n");
  EXPECT_EQ(manifest_["buffers"]["y"]["fill"]["kind"], "uniform") << "it is read, too";
  EXPECT_EQ(tried()["BLOCK_SIZE"], json({32, 64, 128, 256, 512, 1024}));
  EXPECT_THAT(guesses(), ElementsAre("n is 1048576", "a is 0.5"));
  EXPECT_EQ(adopted_.guesses[0].where, "/problem/n/default");
  EXPECT_EQ(text_of("kernel_templates/mine/original.cu"), text_of("kernel_templates/mine/tuned.cu"));
}

TEST_F(AdoptTest, GuardsAMacroThatIsTheSideOfATile) {
  adopt_data("matmul.cu");
  EXPECT_EQ(launch()["grid"], json({"ceil_div(columns, TILE)", "ceil_div(rows, TILE)"}));
  EXPECT_EQ(launch()["block"], json({"TILE", "TILE"}));
  EXPECT_EQ(count_of("C"), "columns * rows");
  EXPECT_EQ(manifest_["buffers"]["C"]["output_only"], true);
  EXPECT_EQ(tried()["TILE"], json({8, 16, 32}));
  EXPECT_THAT(text_of("kernel_templates/mine/tuned.cu"),
              HasSubstr("#ifndef TILE\n#define TILE 16\n#endif\n"));
  EXPECT_THAT(adopted_.understood, Contains(HasSubstr("TILE: its line has an #ifndef around it")));
}

TEST_F(AdoptTest, KnowsThreeDirectionsAndWhatAStencilLeavesOut) {
  adopt_data("heat.cu");
  EXPECT_EQ(launch()["grid"],
            json({"ceil_div(nx, BLOCK_X)", "ceil_div(ny, BLOCK_Y)", "ceil_div(nz, BLOCK_Z)"}));
  EXPECT_EQ(count_of("before"), "nx * ny * nz");
  EXPECT_EQ(manifest_["buffers"]["after"]["fill"]["kind"], "zero") << "its faces are never written";
  EXPECT_EQ(manifest_["reference"]["compare"]["after"]["tolerance"], 1e-11);
  EXPECT_EQ(tried(), json({{"BLOCK_X", {8, 16, 32}}, {"BLOCK_Y", {1, 2, 4, 8}}, {"BLOCK_Z", {1, 2, 4}}}));
}

TEST_F(AdoptTest, ComparesAResultOfEachBlockAtTheSameBlockSize) {
  adopt_data("block_sums.cu");
  EXPECT_EQ(launch()["block"], "BLOCK_SIZE");
  EXPECT_EQ(launch()["grid"], "ceil_div(n, 2 * BLOCK_SIZE)");
  EXPECT_EQ(count_of("sums"), "ceil_div(n, 2 * 32)");
  EXPECT_EQ(manifest_["reference"]["by"], json({"BLOCK_SIZE"}));
  EXPECT_EQ(manifest_["buffers"]["sums"]["fill"]["kind"], "zero");
}

TEST_F(AdoptTest, ComparesPartialSumsAtTheSameBlockSizeHoweverManyBlocksThereAre) {
  const std::string sum =
      "__global__ void k(const float* in, float* sums, int n) {\n"
      "  float sum = 0;\n"
      "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];\n"
      "  atomicAdd(&sums[blockIdx.x], sum);\n}\n";
  adopt_text(sum + "void run(float* d_in, float* d_sums, int n) { k<<<64, 256>>>(d_in, d_sums, n); }");
  EXPECT_EQ(count_of("sums"), 64);
  EXPECT_EQ(manifest_["reference"]["by"], json({"BLOCK_SIZE"}));
  adopt_text(
      "__global__ void k(const float* in, float* sums, int rows, int n) {\n"
      "  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&sums[blockIdx.x], in[blockIdx.x * n + i]);\n}");
  EXPECT_FALSE(manifest_["reference"].contains("by")) << "a row's sum is the same for all block sizes";
}

TEST_F(AdoptTest, InstantiatesATemplateAsItsLaunchDoes) {
  adopt_data("scale.cu");
  EXPECT_EQ(launch()["kernel"], "tools::scale<double, TUNED_ITEMS>");
  EXPECT_EQ(launch()["grid"], "ceil_div(count, BLOCK_SIZE * TUNED_ITEMS)")
      << "1024 elements a block, whatever the block";
  EXPECT_EQ(manifest_["buffers"]["data"]["type"], "float64");
  EXPECT_EQ(manifest_["problem"]["factor"]["default"], 0.5);
  EXPECT_EQ(tried()["TUNED_ITEMS"], json({1, 2, 4, 8}));
  EXPECT_EQ(tried()["BLOCK_SIZE"], json({32, 64, 128, 256})) << "__launch_bounds__(256)";
}

TEST_F(AdoptTest, RequiresWholeBlocksOfAKernelWithoutAGuard) {
  adopt_data("unguarded.cu");
  EXPECT_EQ(launch()["grid"], "(threads_x // BLOCK_SIZE)");
  EXPECT_EQ(manifest_["variants"]["tuned"]["requires"], "threads_x % BLOCK_SIZE == 0");
  EXPECT_EQ(count_of("sum"), "threads_x");
  EXPECT_THAT(guesses(), Contains("add has no guard in x: threads_x elements there"));
}

TEST_F(AdoptTest, LaunchesSeveralKernelsAsTheHostsCodeDoes) {
  adopt_data("pipeline.cu");
  ASSERT_EQ(manifest_["variants"]["tuned"]["launches"].size(), 2U);
  EXPECT_THAT(launch(0)["args"], ElementsAre("d_in", "d_squares", "n"));
  EXPECT_THAT(launch(1)["args"], ElementsAre("d_squares", "d_out", "n"));
  EXPECT_EQ(launch(1)["grid"], "ceil_div(n, BLOCK_SIZE)");
  EXPECT_EQ(manifest_["problem"]["n"]["default"], 1 << 22);
  EXPECT_EQ(manifest_["variants"]["tuned"]["parameters"]["BLOCK_SIZE"], 128);
  EXPECT_EQ(count_of("d_squares"), "n");
  EXPECT_EQ(count_of("d_out"), "n - 1");
  EXPECT_THAT(guesses(), IsEmpty());
}

TEST_F(AdoptTest, KnowsHalfPrecisionAndVectors) {
  adopt_data("half_scale.cu");
  EXPECT_EQ(manifest_["buffers"]["in"]["type"], "float16x2");
  EXPECT_EQ(manifest_["problem"]["factor"]["type"], "float16");
  EXPECT_EQ(manifest_["reference"]["compare"]["out"]["tolerance"], 5e-3);
}

TEST_F(AdoptTest, DescribesAStructOfTheFile) {
  adopt_data("move.cu");
  EXPECT_EQ(launch()["args"], json({"particles", {{"struct", {"width", "height", "count"}}}, "dt"}));
  EXPECT_EQ(launch()["grid"], "ceil_div(count, BLOCK_SIZE)");
  EXPECT_EQ(count_of("particles"), "5 * count");
}

TEST_F(AdoptTest, LimitsElementsThatAreIndices) {
  adopt_data("histogram.cu");
  EXPECT_EQ(count_of("bins"), 256);
  EXPECT_EQ(manifest_["buffers"]["bins"]["fill"]["kind"], "zero");
  EXPECT_EQ(manifest_["buffers"]["data"]["fill"],
            json({{"kind", "integers"}, {"low", 0}, {"high", 255}, {"seed", 1}}));
  EXPECT_EQ(manifest_["reference"]["compare"]["bins"], json({{"norm", "exact"}}));
  EXPECT_EQ(manifest_["problem"]["n"]["type"], "uint64");
}

TEST_F(AdoptTest, LeavesToAPersonWhatItHasNoWordFor) {
  adopt_data("texture.cu");
  ASSERT_EQ(adopted_.by_hand.size(), 1U);
  EXPECT_EQ(adopted_.by_hand[0].what, "argument 1 of sample, 'cudaTextureObject_t image'");
  EXPECT_EQ(adopted_.by_hand[0].where,
            R"({"texture": BUFFER, "width": W, "height": H} in "args", for a BUFFER of "buffers")");
  for (const char* file : {"kernel_templates/mine/tuned.cu", "kernel_templates/mine/original.cu"})
    EXPECT_THAT(text_of(file), StartsWith("#error \"describe argument 1 of sample"))
        << "it must not pass meanwhile";
}

TEST_F(AdoptTest, WritesAReferenceThatDoesNotCompileBeforeSomebodyWritesIt) {
  adopt_text(
      "__global__ void k(const float* x, double* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
      "if (i < n) y[i] = x[i]; }",
      {}, true);
  EXPECT_EQ(manifest_["reference"]["variant"], "reference");
  EXPECT_EQ(manifest_["variants"]["reference"]["launches"][0],
            json({{"function", "reference"}, {"args", {"x", "y", "n"}}}));
  const std::string stub = text_of("kernel_templates/mine/reference.cpp");
  EXPECT_THAT(stub, HasSubstr("#error \"the reference is not written yet: have it compute y here"));
  EXPECT_THAT(stub, HasSubstr("extern \"C\" void reference(const float* x, double* y, int n) {"));
}

TEST_F(AdoptTest, GivesAValueToWhatNothingDefines) {
  adopt_text(
      "__global__ void k(float* x, int n) {\n"
      "  for (int k = 0; k < ITEMS; ++k) {\n"
      "    const int i = blockIdx.x * THREADS * ITEMS + k * THREADS + threadIdx.x;\n"
      "    if (i < n) x[i] *= 2;\n  }\n}\n");
  EXPECT_EQ(launch()["block"], "THREADS");
  EXPECT_EQ(launch()["grid"], "ceil_div(n, ITEMS * THREADS)");
  EXPECT_EQ(tried(), json({{"ITEMS", {1, 2, 4, 8}}, {"THREADS", {32, 64, 128, 256, 512, 1024}}}));
  EXPECT_THAT(guesses(), Contains("THREADS is 256: nothing in the file defines it"));
}

TEST_F(AdoptTest, KeepsABlockThatTheCodeTakesForGranted) {
  adopt_text(
      "__global__ void k(float* x, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) x[i] += 1; }");
  EXPECT_EQ(launch()["block"], 64);
  EXPECT_EQ(launch()["grid"], "ceil_div(n, 64)");
  EXPECT_TRUE(tried().empty());
  EXPECT_EQ(experiment_["question"], "How long does it take?");
}

TEST_F(AdoptTest, ReadsSizesThatAreMadeOfTheBlock) {
  adopt_text(
      "const int block_size = 16;\n#define SIZE 4096\n"
      "__global__ void k(const float* a, float* c, int n) {\n"
      "  int x = threadIdx.x + blockDim.x * blockIdx.x, y = threadIdx.y + blockDim.y * blockIdx.y;\n"
      "  if (x < n && y < n) c[y * n + x] = a[x * n + y];\n}\n"
      "int main() {\n  float *d_a, *d_c;\n  cudaMalloc(&d_a, SIZE * SIZE * sizeof(*d_a));\n"
      "  dim3 block(block_size, block_size);\n"
      "  dim3 grid((SIZE + block.x - 1) / block.x, (SIZE + block.y - 1) / block.y);\n"
      "  k<<<grid, block>>>(d_a, d_c, SIZE);\n}\n");
  EXPECT_EQ(launch()["grid"], json({"ceil_div(n, block_size)", "ceil_div(n, block_size)"}));
  EXPECT_EQ(tried()["block_size"], json({8, 16, 32}));
  EXPECT_EQ(manifest_["problem"]["n"]["default"], 4096);
  EXPECT_EQ(count_of("a"), "n * n");
  EXPECT_EQ(experiment_["devices"]["cpu"]["problem"]["n"], json({128}));
  EXPECT_THAT(text_of("kernel_templates/mine/tuned.cu"),
              StartsWith("#ifndef block_size\nconst int block_size = 16;\n#endif\n"));
}

TEST_F(AdoptTest, KeepsAGridThatIsANumber) {
  adopt_text(
      "__global__ void k(int* x, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; "
      "i += gridDim.x * blockDim.x) x[i]++; }\n"
      "void run(int* d_x, int n) { k<<<256, 256>>>(d_x, n); }");
  EXPECT_EQ(launch()["grid"], 256);
  EXPECT_EQ(launch()["block"], "BLOCK_SIZE");
}

TEST_F(AdoptTest, KnowsRowsOfAWarpEach) {
  adopt_text(
      "__global__ void k(const float* a, float* sums, int rows, int columns) {\n"
      "  const int row = (blockIdx.x * block_size_x + threadIdx.x) / 32;\n"
      "  float sum = 0;\n"
      "  if (row < rows) for (int i = threadIdx.x % 32; i < columns; i += 32) sum += a[row * columns + i];\n"
      "  for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(0xffffffff, sum, s);\n"
      "  if (row < rows && threadIdx.x % 32 == 0) sums[row] = sum;\n}\n");
  EXPECT_EQ(launch()["block"], "block_size_x");
  EXPECT_EQ(launch()["grid"], "ceil_div(32 * rows, block_size_x)");
  EXPECT_EQ(count_of("a"), "columns * rows");
  EXPECT_EQ(count_of("sums"), "rows");
  EXPECT_THAT(guesses(), Contains("block_size_x is 256: nothing in the file defines it"));
}

TEST_F(AdoptTest, TellsRowsFromColumnsWithoutAGuard) {
  adopt_text(
      "__global__ void k(float* out, const float* in, int width, int height) {\n"
      "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  out[x * height + y] = in[y * width + x];\n}\n");
  EXPECT_EQ(launch()["grid"], json({"(width // BLOCK_X)", "(height // BLOCK_Y)"}));
  EXPECT_EQ(count_of("in"), "height * width");
  EXPECT_EQ(count_of("out"), "height * width");
}

constexpr const char* kShifted =
    "__global__ void k(const int* in, int* out, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i - 1];\n}\n"
    "void run(int* d_in, int* d_out, int n) { k<<<(n + 255) / 256, 256>>>(";

TEST_F(AdoptTest, DoesNotReadBeforeABufferBecauseTheFilePassesAPartOfIt) {
  adopt_text(kShifted + std::string("d_in + 1, d_out, n); }"));
  ASSERT_EQ(adopted_.by_hand.size(), 1U);
  EXPECT_EQ(adopted_.by_hand[0].what, "argument 1 of k, 'in', which the file passes as 'd_in + 1'");
  adopt_text(kShifted + std::string("d_in, d_out + 4, n); }"));
  EXPECT_THAT(adopted_.by_hand, IsEmpty());
  EXPECT_THAT(guesses(), Contains(HasSubstr("argument 2 of k, 'out', which the file passes as 'd_out + 4'")));
}

TEST_F(AdoptTest, LeavesOutLaunchesOfChunksWhereThereIsOneOfAll) {
  adopt_text(
      kShifted +
      std::string(
          "d_in, d_out, n); for (int c = 0; c < 4; ++c) k<<<n / 1024, 256>>>(d_in + c, d_out + c, n / 4); }"));
  EXPECT_EQ(manifest_["variants"]["tuned"]["launches"].size(), 1U);
}

TEST_F(AdoptTest, SaysWhyAStructIsNotDescribed) {
  const std::string body = "__global__ void k(P p, float* out) { out[threadIdx.x] = 1; }";
  adopt_text("struct P { int n; float** rows; };\n" + body);
  ASSERT_EQ(adopted_.by_hand.size(), 1U);
  EXPECT_EQ(adopted_.by_hand[0].what, "argument 1 of k, 'P p', a struct with 'float** rows'");
  adopt_text("#include \"p.h\"\n" + body);
  EXPECT_EQ(adopted_.by_hand[0].what,
            "argument 1 of k, 'P p', whose type is no struct of plain variables in this file");
}

TEST_F(AdoptTest, FollowsPointersInAStruct) {
  adopt_data("particles.cu");
  EXPECT_EQ(launch()["args"][0], json({{"struct", {"x", "y", "vx", "vy", "count"}}}));
  EXPECT_EQ(manifest_["problem"]["count"]["default"], 100000);
  for (const char* buffer : {"x", "y", "vx", "vy"}) EXPECT_EQ(count_of(buffer), "count") << buffer;
  EXPECT_TRUE(manifest_["reference"]["compare"].contains("y"));
  EXPECT_FALSE(manifest_["reference"]["compare"].contains("vx"));
  EXPECT_EQ(launch()["grid"], "ceil_div(count, BLOCK_SIZE)");
}

TEST_F(AdoptTest, MakesMacrosThatAreSizesSmallerOnACpu) {
  adopt_text(
      "#define N 4096\n#define ITERATIONS 2000\n"
      "__global__ void k(const float* a, float* c) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  if (i < N && j < N) for (int k = 0; k < ITERATIONS; ++k) c[j * N + i] += a[j * N + i];\n}\n");
  EXPECT_EQ(manifest_["problem"]["N"]["default"], 4096);
  EXPECT_EQ(manifest_["variants"]["tuned"]["options"], json({{"-DN={}", "N"}}));
  EXPECT_FALSE(manifest_["problem"].contains("ITERATIONS")) << "it is no size";
  EXPECT_EQ(count_of("c"), "N * N");
  EXPECT_EQ(experiment_["devices"]["cpu"]["problem"]["N"], json({128}));
  EXPECT_THAT(adopted_.understood,
              Contains("N: a size, 4096 (128 on a CPU), which the code gets as a macro"));
}

TEST_F(AdoptTest, CountsNoParameterAmongTheSizes) {
  adopt_text(
      "#define DIM 4\n__global__ void k(const float* points, float* sums, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n) return;\n  float sum = 0;\n"
      "  for (int j = 0; j < DIM; ++j) sum += points[i * DIM + j];\n  sums[i] = sum;\n}\n");
  EXPECT_EQ(count_of("points"), "4 * n");
  EXPECT_EQ(manifest_["problem"]["n"]["default"], 1 << 20);
}

TEST_F(AdoptTest, KeepsSizesThatAreMadeOfOthersInStep) {
  adopt_text(
      "__global__ void k(float* data, size_t pitch, int width, int height) {\n"
      "  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
      "  if (x >= width || y >= height) return;\n  float* row = (float*)((char*)data + y * pitch);\n  row[x] *= 2;\n}\n"
      "int main() { int w = 640, h = 480; float* d; size_t pitch; cudaMallocPitch(&d, &pitch, w * sizeof(float), h);\n"
      "  dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);\n  k<<<grid, block>>>(d, pitch, w, h); }\n");
  EXPECT_EQ(launch()["args"],
            json({"data", {{"value", "4 * width"}, {"type", "uint64"}}, "width", "height"}));
  EXPECT_EQ(count_of("data"), "height * width");
  EXPECT_EQ(launch()["grid"], json({"ceil_div(width, BLOCK_X)", "ceil_div(height, BLOCK_Y)"}));
}

TEST_F(AdoptTest, InstantiatesTemplatesOfTheFilesOwnTypesAndNames) {
  adopt_text(
      "#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))\nstruct Twice { __device__ float operator()(float x) const { return 2 * x; } };\n"
      "template <const int ROWS, typename Op>\n__global__ void k(float* x, int n) {\n"
      "  for (int r = 0; r < ROWS; ++r) x[(blockIdx.x * ROWS + r) * blockDim.x + threadIdx.x] = Op()(1.0f);\n}\n"
      "void run(float* x, int n) { const unsigned ROWS = 4; dim3 grid(CEIL_DIV(n, ROWS)); k<ROWS, Twice><<<grid, 128>>>(x, n); }\n");
  EXPECT_EQ(launch()["kernel"], "k<TUNED_ROWS, Twice>");
  EXPECT_EQ(launch()["grid"], "ceil_div(n, TUNED_ROWS)")
      << "the host calls the template's number by a name of its own";
}

TEST_F(AdoptTest, TakesFewerElementsWhereEachThreadGoesThroughAllOfThem) {
  adopt_text(
      "__global__ void k(const float* x, float* f, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  float sum = 0;\n"
      "  for (int j = 0; j < n; ++j) sum += x[j];\n  if (i < n) f[i] = sum;\n}\n");
  EXPECT_EQ(manifest_["problem"]["n"]["default"], 16384);
  EXPECT_EQ(experiment_["devices"]["cpu"]["problem"]["n"], json({1024}));
}

TEST_F(AdoptTest, AsksForNothingThatTheHostsCodeAloneUses) {
  adopt_text(
      "#include <ctime>\n__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
      "if (i < n) x[i] += 1; }\n"
      "int main() { float* x; cudaMalloc(&x, 4096); k<<<4, 256>>>(x, 1024); return clock() / CLOCKS_PER_SEC; }\n"
      "double seconds() { return clock() / (double)CLOCKS_PER_SEC; }");
  EXPECT_FALSE(manifest_["variants"]["tuned"]["parameters"].contains("CLOCKS_PER_SEC"));
}

TEST_F(AdoptTest, CopiesHeadersOfTheFile) {
  write("common/scale.cuh", "#pragma once\n#include \"inner.cuh\"\n");
  write("common/inner.cuh", "#pragma once\n__device__ float twice(float x) { return 2 * x; }\n");
  write("src/own.cuh", "#pragma once\n");
  write(
      "src/k.cu",
      "#include \"own.cuh\"\n#include \"../common/scale.cuh\"\n#include \"other_missing.h\"\n#include <helper_cuda.h>\n"
      "__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
      "if (i < n) x[i] = twice(x[i]); }");
  adopt_file(folder_.path() / "src/k.cu");
  EXPECT_THAT(text_of("kernel_templates/mine/tuned.cu"), HasSubstr("#include \"scale.cuh\"\n"));
  EXPECT_THAT(text_of("kernel_templates/mine/inner.cuh"), HasSubstr("twice"));
  EXPECT_THAT(guesses(), Contains("\"other_missing.h\" is not beside the source"));
  EXPECT_THAT(guesses(),
              Contains(HasSubstr("\"helper_cuda.h\" is not beside the source: the line that includes it")));
  EXPECT_THAT(text_of("kernel_templates/mine/tuned.cu"), HasSubstr("// #include <helper_cuda.h>\n"));
}

TEST_F(AdoptTest, IncludesSourcesBesideThatDefineWhatTheFileDeclares) {
  write("src/sine.cu",
        "#include \"table.h\"\n__device__ float tail(float x);\nstatic float step() { return 1; }\n"
        "__device__ float sine(float x) { return tail(x) + step(); }\n");
  write("src/tail.cu",
        "static float step() { return 2; }\n__device__ float tail(float x) { return step(); }\n");
  write("src/table.h", "#pragma once\n");
  write("src/other.cu", "int other() { return 1; }\n");
  write("src/k.cu",
        "__device__ float sine(float x);\n"
        "__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
        "if (i < n) x[i] = sine(x[i]); }\n");
  adopt_file(folder_.path() / "src/k.cu");
  EXPECT_THAT(text_of("kernel_templates/mine/tuned.cu"),
              testing::EndsWith(
                  "#include \"sine.cu\"\n#define step step_of_tail\n#include \"tail.cu\"\n#undef step\n"));
  EXPECT_THAT(text_of("kernel_templates/mine/tail.cu"), HasSubstr("return 2;"));
  EXPECT_EQ(text_of("kernel_templates/mine/table.h"), "#pragma once\n");
  EXPECT_THAT(adopted_.understood,
              Contains("sine is defined in sine.cu, which is included at the end of the copies"));
}

// A number that a header beside the source defines is the header's, and says how large buffers are.
TEST_F(AdoptTest, KnowsTheMacrosOfHeadersBeside) {
  write("src/shape.h", "#define RADIUS 8\n#define TAPS (2 * RADIUS + 1)\n");
  write(
      "src/k.cu",
      "#include \"shape.h\"\n#define BLOCK 128\n__constant__ float weights[TAPS];\n"
      "__global__ void k(float* x, const float* y, int n) {\n"
      "  int i = blockIdx.x * BLOCK + threadIdx.x; float sum = 0;\n"
      "  for (int j = 0; j < TAPS; ++j) sum += weights[j] * y[i + j];\n  if (i < n) x[i] = sum * TAPS + UNROLL; }\n");
  adopt_file(folder_.path() / "src/k.cu");
  const std::string manifest = text_of("kernel_templates/mine/system.json");
  EXPECT_THAT(manifest, Not(HasSubstr("\"TAPS\"")));
  EXPECT_THAT(manifest, Not(HasSubstr("\"RADIUS\"")));
  EXPECT_THAT(manifest, HasSubstr("\"UNROLL\": 1")) << "nothing defines that one";
  EXPECT_THAT(adopted_.understood, Contains(HasSubstr("weights: 17 of float32")));
}

TEST_F(AdoptTest, GuessesTheBlocksThatAProgramIsToldByTheirName) {
  adopt_text(
      "__global__ void k(float* x, int width) {\n"
      "  for (int i = threadIdx.x; i < width; i += blockDim.x) x[(blockIdx.y * gridDim.x + blockIdx.x) * width + i] = 1;\n}\n"
      "void run(float* x, int rows, int layers, int width) { dim3 grid(rows, layers); k<<<grid, 128>>>(x, width); }\n"
      "int main(int argc, char** argv) { int rows = atoi(argv[1]), layers; std::cin >> layers; int width = 500;\n"
      "  cudaMalloc(&x, rows * layers * width * sizeof(float)); run(x, rows, layers, width); }\n");
  EXPECT_EQ(launch()["grid"], json({"rows", "layers"}));
  EXPECT_EQ(count_of("x"), "layers * rows * width");
  EXPECT_THAT(guesses(), testing::IsSupersetOf({"rows is 128", "layers is 128"}));
}

TEST_F(AdoptTest, KnowsIntegersOfSeveralWords) {
  adopt_text(
      "typedef unsigned long long int u64;\n"
      "__global__ void k(u64* x, const unsigned short int* y, long int n) {\n"
      "  long int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = y[i]; }\n");
  EXPECT_EQ(manifest_["buffers"]["x"]["type"], "uint64");
  EXPECT_EQ(manifest_["buffers"]["y"]["type"], "uint16");
  EXPECT_EQ(manifest_["problem"]["n"]["type"], "int64");
}

TEST_F(AdoptTest, TakesNoThreadsThatAProgramIsToldForASize) {
  adopt_text(
      "__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }\n"
      "int main(int argc, char** argv) { int n = atoi(argv[1]), threads = atoi(argv[2]);\n"
      "  k<<<(n + threads - 1) / threads, threads>>>(x, n); }\n");
  EXPECT_EQ(launch()["grid"], "ceil_div(n, BLOCK_SIZE)");
  EXPECT_EQ(launch()["block"], "BLOCK_SIZE");
  EXPECT_FALSE(manifest_["problem"].contains("threads"));
}

TEST_F(AdoptTest, GuessesWhatLeavesABlockAtLeastAndThreadsInEachDirection) {
  adopt_text(
      "__global__ void k(float* x, int w) { x[blockIdx.x * w + threadIdx.y * blockDim.x + threadIdx.x] = 1; }\n"
      "int main(int argc, char** argv) { int n = atoi(argv[1]); int w = 8, y = 4; dim3 block(32 / y, y);\n"
      "  k<<<n / 16384, block>>>(x, w); }\n");
  EXPECT_EQ(launch()["grid"], "(n // 16384)");
  EXPECT_GE(manifest_["problem"]["n"]["default"], 16384);
  for (const json& each : tried()["BLOCK_Y"]) EXPECT_LE(each, 32);
}

TEST_F(AdoptTest, GuessesASizeThatIsNothingBeforeTheProgramFillsIt) {
  adopt_text(
      "__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1; }\n"
      "int main() { int n = 0; fill(n); k<<<(n + 255) / 256, 256>>>(x, n); }\n");
  EXPECT_THAT(guesses(), Contains("n is 1048576"));
}

TEST_F(AdoptTest, GuessesASmallerSizeForWhatIsSubtractedFromAnother) {
  adopt_text(
      "__global__ void k(const float* all, float* sums, int n, int m) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n - m + 1) { float s = 0; for (int j = 0; j < m; j++) s += all[i + j]; sums[i] = s; }\n}\n");
  EXPECT_EQ(count_of("sums"), "n + 1 - m");
  EXPECT_LT(manifest_["problem"]["m"]["default"], manifest_["problem"]["n"]["default"]);
}

TEST_F(AdoptTest, TakesARowOfTheProblemForWhatABlockHas) {
  adopt_text(
      "__global__ void k(int cities, int* best) {\n"
      "  int* own = &best[blockIdx.x * ((3 * cities + 33) / 32 * 32)];\n"
      "  for (int i = threadIdx.x; i < cities; i += blockDim.x) own[i] = i;\n}\n");
  EXPECT_EQ(launch()["grid"], "blocks_x");
  EXPECT_THAT(guesses(), Contains("k has no guard in x: blocks_x blocks there"));
}

TEST_F(AdoptTest, VerifiesSizesThatNoBlockDividesWhereAGuardAllowsThem) {
  adopt_data("matmul.cu");
  EXPECT_EQ(manifest_["verify"]["problems"], json({{{"rows", 101}, {"inner", 37}, {"columns", 59}}}));
  EXPECT_THAT(adopted_.understood,
              Contains("besides the problem that is timed, results are verified for rows "
                       "= 101, inner = 37, columns = 59"));
  adopt_data("axpy.cu");
  EXPECT_EQ(manifest_["verify"]["problems"], json({{{"n", 1009}}}));
  adopt_data("heat.cu");
  EXPECT_EQ(manifest_["verify"]["problems"], json({{{"nx", 29}, {"ny", 23}, {"nz", 19}}}));
}

TEST_F(AdoptTest, VerifiesWholeBlocksWithoutAGuardAndSaysWhatIsNotVerified) {
  adopt_data("unguarded.cu");
  EXPECT_EQ(manifest_["verify"]["problems"], json({{{"threads_x", 3072}}}));
  EXPECT_THAT(guesses(),
              Contains("threads_x has no guard: what is no multiple of BLOCK_SIZE is not verified"));
  adopt_text(
      "__global__ void k(float4* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
      "if (i < n / 4) x[i].x += 1; }");
  EXPECT_EQ(manifest_["verify"]["problems"], json({{{"n", 4 * 1009}}})) << "no elements are left over";
  adopt_text(
      "__global__ void k(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
      "if (i < n % 7) x[i] += 1; }");
  EXPECT_FALSE(manifest_.contains("verify"));
  EXPECT_THAT(guesses(), Contains(StartsWith("no guard of n could be read: no other n is verified")));
  adopt_text(
      "#define N 4096\n__global__ void k(float* x) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
      "if (i < N) x[i] += 1; }");
  EXPECT_FALSE(manifest_.contains("verify"));
  EXPECT_THAT(guesses(), Contains("N is a macro of the code: no other N is verified"));
}

TEST_F(AdoptTest, TellsSizesApartOnACpuWhereTheFileDoes) {
  adopt_data("convolution.cu");
  EXPECT_EQ(experiment_["devices"]["cpu"]["problem"], json({{"width", {128}}, {"height", {96}}}));
}

// The loop's first quotient is the largest.
TEST_F(AdoptTest, CountsElementsByTheSmallestDivisor) {
  adopt_text(
      "__global__ void k(const float* in, float* out, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < 4 * n) for (int s = 1; s < 5; ++s) out[i / s] = in[i];\n}\n");
  EXPECT_EQ(count_of("out"), "4 * n");
  EXPECT_THAT(guesses(), Contains("'out' has 4 * n elements"));
}

TEST_F(AdoptTest, SaysThatALoopOfTheFileBecameOneLaunch) {
  adopt_text(
      "#define RADIUS 3\n"
      "__global__ void k(const float* in, float* out, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) for (int r = 0; r < RADIUS; ++r) out[i] += in[i];\n}\n"
      "void run(float* a, float* b, int n, int steps) {\n"
      "  for (int t = 0; t < steps; ++t) {\n    k<<<(n + 255) / 256, 256>>>(a, b, n);\n    std::swap(a, b);\n  }\n}\n");
  EXPECT_THAT(guesses(), Contains(AllOf(StartsWith("the file launches k in a loop, 'for"),
                                        HasSubstr("t<steps"), HasSubstr(", and swaps buffers between: "))));
  EXPECT_FALSE(manifest_["variants"]["tuned"].value("parameters", json::object()).contains("RADIUS"));
  EXPECT_THAT(adopted_.understood,
              Contains("RADIUS: 3, as the file says; no parameter, since nothing else is tried"));
}

constexpr const char* kTwo =
    "__global__ void first(float* x) { x[threadIdx.x] = 1; }\n__global__ void second(double* x) { x[threadIdx.x] = 2; }\n";

TEST_F(AdoptTest, AsksWhichOfSeveralKernelsIsMeant) {
  EXPECT_EQ(refusal_of(kTwo),
            "my.cu: it has 2 kernels and launches none of them: 'first', 'second'\n"
            "  name one with --kernel, or several in the order in which they are launched");
  adopt_text(kTwo, {"second", "first"});
  EXPECT_EQ(launch(0)["kernel"], "second");
  EXPECT_EQ(launch(1)["kernel"], "first");
}

TEST_F(AdoptTest, RefusesWhatItCannotRead) {
  EXPECT_EQ(refusal_of("int main() {}"),
            "my.cu: no kernel: it has no __global__ function with a body\n"
            "  'tailwave new NAME' writes a skeleton to put one into");
  EXPECT_EQ(refusal_of("__global__ void k(ARGUMENTS) {}"),
            "my.cu: the parameters of 'k' cannot be read: macros or packs make them\n"
            "  'tailwave new NAME' writes a skeleton to put one into");
  EXPECT_EQ(refusal_of(kTwo, {"secnd"}), "my.cu: no kernel 'secnd'\n  did you mean 'second'?");
  EXPECT_THAT(
      refusal_of("__global__ void k(const float* x) {}"),
      StartsWith(
          "my.cu: nothing to compare: kernels get pointers to const alone, such as 'const float* x' of k\n"));
  try {
    adopt({.source = "nowhere.cu", .kernels = {}, .name = "mine"});
    FAIL() << "it is not there";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "nowhere.cu: no such file\n  --from takes a CUDA source (*.cu)");
  }
}

}  // namespace
}  // namespace tailwave
