#include "adopt/host_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adopt/host_passed.h"

namespace tailwave {
namespace {

using testing::ElementsAre;

constexpr const char* kSource = R"(
#define SIDE 16
const int kCount = 100;
__global__ void k(float* x, int n) {}
void other() { int n = 7; }
int main() {
  int n = 1024;
  float *d_x, *h_x;
  cudaMalloc((void**)&d_x, n * sizeof(float));
  CHECK(cudaMallocManaged(&h_x, 64));
  thrust::device_vector<double> v(n * 2);
  dim3 block(SIDE, SIDE), grid = dim3(n / SIDE, 2);
  tools::k<float, 4><<<grid, block, 32 * sizeof(int), stream>>>(d_x, n);
  k<<<(n + 255) / 256, 256>>>(thrust::raw_pointer_cast(v.data()), kCount);
}
)";

TEST(HostText, ReadsLaunches) {
  const HostText host(kSource);
  ASSERT_EQ(host.launches().size(), 2U);
  const HostLaunch& first = host.launches()[0];
  EXPECT_EQ(first.kernel, "k");
  EXPECT_THAT(first.template_arguments, ElementsAre("float", "4"));
  EXPECT_EQ(joined(first.grid), "grid");
  EXPECT_EQ(joined(first.shared), "32* sizeof(int)");
  EXPECT_EQ(joined(first.arguments[0]), "d_x");
}

TEST(HostText, KnowsWhatVariablesAreAtALaunch) {
  const HostText host(kSource);
  const std::size_t place = host.launches()[0].at;
  ASSERT_TRUE(host.definition("n", place));
  EXPECT_EQ(host.definition("n", place)->text, "1024");
  EXPECT_EQ(host.definition("SIDE", place)->text, "16");
  EXPECT_EQ(host.definition("kCount", place)->text, "100");
  ASSERT_TRUE(host.definition("block", place));
  EXPECT_EQ(host.definition("block", place)->text, "dim3");
  EXPECT_EQ(host.definition("grid", place)->parts.size(), 2U);
  EXPECT_FALSE(host.definition("unknown", place));
}

TEST(HostText, KnowsWhatIsAllocated) {
  const HostText host(kSource);
  ASSERT_TRUE(host.bytes_of("d_x", 0));
  EXPECT_EQ(host.bytes_of("d_x", 0)->term.text, "*");
  EXPECT_EQ(host.bytes_of("h_x", 0)->term.text, "64");
  EXPECT_TRUE(host.elements_of("v", 0));
  EXPECT_FALSE(host.bytes_of("n", 0));
  EXPECT_EQ(host.type_of("d_x", host.launches()[0].at), "float*");
}

TEST(HostText, KnowsMembersByTheirWholeNames) {
  const std::string source =
      "void run() {\n  Box a{1, 2}, b = {.x = 3};\n  Box c;\n  c.x = 4;\n  int x = 5;\n  k<<<1, 1>>>(a);\n}\n";
  const HostText host(source);
  const std::size_t place = host.launches()[0].at;
  EXPECT_EQ(host.list_of("a", place).size(), 2U);
  ASSERT_EQ(host.list_of("b", place).size(), 1U);
  EXPECT_EQ(joined(host.list_of("b", place)[0]), ".x=3");
  EXPECT_TRUE(host.list_of("c", place).empty());
  EXPECT_EQ(host.definition("c.x", place)->text, "4");
  EXPECT_EQ(host.definition("x", place)->text, "5");
}

TEST(HostText, ReadsTemplatesInTemplatesAndSeveralSizesOfOneStatement) {
  const std::string source =
      "void run() {\n  dim3 block(16, 8), grid(4);\n  k<Max<float, 2>, 4><<<grid, block>>>(x);\n"
      "  k<4, Max<float>><<<grid, block>>>(x);\n}\n";
  const HostText host(source);
  ASSERT_EQ(host.launches().size(), 2U);
  EXPECT_THAT(host.launches()[0].template_arguments, ElementsAre("Max<float, 2>", "4"));
  EXPECT_THAT(host.launches()[1].template_arguments, ElementsAre("4", "Max<float>"));
  EXPECT_EQ(host.launches()[1].kernel, "k");
  ASSERT_TRUE(host.definition("grid", host.launches()[0].at));
  EXPECT_EQ(host.definition("grid", host.launches()[0].at)->parts.size(), 1U);
}

TEST(HostText, TakesPitchedMemoryForRowsWithoutAGap) {
  const std::string source =
      "void run(int w, int h) { float* x; size_t pitch; cudaMallocPitch(&x, &pitch, w * 4, h); k<<<1, 1>>>(x, pitch); }";
  const HostText host(source);
  ASSERT_TRUE(host.bytes_of("x", 0));
  EXPECT_EQ(host.bytes_of("x", 0)->term.parts[1].text, "h");
  ASSERT_TRUE(host.definition("pitch", host.launches()[0].at));
  EXPECT_EQ(host.definition("pitch", host.launches()[0].at)->parts[0].text, "w");
}

TEST(HostText, FollowsWhatIsPassedToTheFunctionOfALaunch) {
  const std::string source =
      "void inner(float* x, int n, int t) { k<<<n, t>>>(x); }\n"
      "void outer(float* data, int count, dim3 b) { inner((float*)data, (int)count, 4 * count); t = b; }\n"
      "int main() { float* d; int m = 7; outer(d, m, 1); outer(e, 8, 2); }\n";
  const HostText host(source);
  const std::size_t place = host.launches()[0].at;
  EXPECT_EQ(host.origin_of("x", place).name, "d");
  EXPECT_EQ(host.origin_of("n", place).name, "m");
  EXPECT_EQ(host.definition("m", host.origin_of("n", place).place)->text, "7");
  EXPECT_EQ(host.origin_of("t", place).name, "t") << "it is a value of its own";
  ASSERT_TRUE(host.passed_for("t", place));
  EXPECT_EQ(host.passed_for("t", place)->term.text, "*");
}

TEST(HostText, KnowsEnumeratorsAndFunctionsThatReturnAtOnce) {
  const std::string source =
      "enum Sizes : int { A = 4, B, C = A * 8, D };\n"
      "constexpr int blocks(int n, int t) { return (n + t - 1) / t; }\n"
      "int other(int n) { n += 1; return n; }\n";
  const HostText host(source);
  EXPECT_EQ(host.definition("A", 0)->text, "4");
  EXPECT_EQ(host.definition("B", 0)->text, "+");
  EXPECT_EQ(host.definition("D", 0)->parts[0].text, "*");
  const auto call = parse_term(lexemes_of("blocks(m, 64)"));
  const auto value = returned_by(host.functions(), *call);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->parts[1].text, "64");
  EXPECT_FALSE(returned_by(host.functions(), *parse_term(lexemes_of("other(m)"))));
  EXPECT_FALSE(returned_by(host.functions(), *parse_term(lexemes_of("blocks(m)"))));
}

TEST(HostText, TakesTheLastValueThatNeedsNoArgumentsOfTheProgram) {
  const std::string source = "int main() { int n = 64; if (argc > 1) n = atoi(argv[1]); k<<<1, n>>>(x); }";
  const HostText host(source);
  EXPECT_EQ(host.definition("n", host.launches()[0].at)->text, "64");
}

TEST(HostText, TellsVariablesOfFunctionsApart) {
  const std::string source =
      "void a() { int n = 1, m = 2; cudaMalloc(&x, n); k<<<1, 1>>>(x, n); }\n"
      "void b() { int n = 3, m = 2; cudaMalloc(&x, m); k<<<1, 1>>>(x, n); }\n";
  const HostText host(source);
  const std::size_t a = host.launches()[0].at, b = host.launches()[1].at;
  EXPECT_EQ(host.own_name("n", a), "n");
  EXPECT_NE(host.own_name("n", b), "n");
  EXPECT_EQ(host.own_name("m", b), "m") << "it is declared with the same";
  EXPECT_EQ(host.bytes_of("x", a)->term.text, "n");
  EXPECT_EQ(host.bytes_of("x", b)->term.text, "m");
}

TEST(HostText, ReadsLaunchesByCalls) {
  const HostText host(R"(
__global__ void k(float* x, int n) {}
int main() {
  void* args[] = {&d_x, (void*)&n};
  cudaLaunchCooperativeKernel((void*)k<float, 4>, dim3(n / 64), block, args, 16, 0);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(8);
  config.blockDim = 128;
  cudaLaunchKernelEx(&config, k, d_y, n);
  cudaLaunchKernel(pick(), grid, block, made, 0, 0);
}
)");
  ASSERT_EQ(host.launches().size(), 2U);
  const HostLaunch& first = host.launches()[0];
  EXPECT_EQ(first.kernel, "k");
  EXPECT_TRUE(first.is_cooperative);
  EXPECT_THAT(first.template_arguments, ElementsAre("float", "4"));
  EXPECT_EQ(joined(first.grid) + " " + joined(first.block) + " " + joined(first.shared),
            "dim3(n/64) block 16");
  EXPECT_EQ(joined(first.arguments.at(0)) + " " + joined(first.arguments.at(1)), "d_x n");
  const HostLaunch& second = host.launches()[1];
  EXPECT_EQ(joined(second.grid) + " " + joined(second.block), "dim3(8) 128");
  EXPECT_EQ(joined(second.arguments.at(0)), "d_y");
  ASSERT_EQ(host.unread().size(), 1U);
  EXPECT_EQ(host.unread()[0].function, "cudaLaunchKernel");
}

TEST(HostText, TakesTheDefaultOfWhatAProgramIsGiven) {
  const std::string source =
      "int main(int argc, char** argv) { int n = 1000; if (argc > 1) n = std::atoi(argv[1]); int m{77}; }";
  const HostText host(source);
  EXPECT_EQ(host.definition("n", source.size() - 1)->text, "1000");
  EXPECT_EQ(host.definition("m", source.size() - 1)->text, "77");
}

TEST(HostText, TakesNoDefaultFromWhatIsChangedBeforeTheLaunch) {
  const std::string source = R"(
int total = 0;
void count() { total++; }
int main() {
  int found = 0, width = 0, height = 0, side = 7, half = 8, rounds = 0, kept = 9;
  int size = 1024;
  while (next()) found++;
  scanf("%d", &width);
  file >> height >> side;
  half /= 2;
  parse(argc, argv, &size);
  int shifted = kept >> 2;
  for (; rounds < 4; rounds++) {
    k<<<1, 1>>>(x);
    kept += 1;
  }
}
)";
  const HostText host(source);
  const std::size_t place = host.launches().at(0).at;
  for (const char* name : {"found", "total", "height", "half"})
    EXPECT_FALSE(host.definition(name, place)) << name;
  EXPECT_EQ(host.definition("rounds", place)->text, "0") << "of the first round";
  EXPECT_EQ(host.definition("kept", place)->text, "9") << "until the launch";
  EXPECT_EQ(host.definition("size", place)->text, "1024") << "a default";
  EXPECT_EQ(host.definition("side", place)->text, "7") << "a default";
}

TEST(HostText, ReadsSizesThatMembersAreGivenLater) {
  const std::string source =
      "int main() { dim3 block, grid(4, 5); block.x = 8; block.y = 2; grid.y = 6; k<<<grid, block>>>(x); }";
  const HostText host(source);
  const std::size_t place = host.launches().at(0).at;
  const auto block = host.sizes("block", place), grid = host.sizes("grid", place);
  ASSERT_TRUE(block && grid);
  EXPECT_EQ(block->parts.at(0).text + " " + block->parts.at(1).text, "8 2");
  EXPECT_EQ(grid->parts.at(0).text + " " + grid->parts.at(1).text, "4 6");
}

}  // namespace
}  // namespace tailwave
