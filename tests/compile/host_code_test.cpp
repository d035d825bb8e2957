#include "compile/host_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> names_in(const HostCode& host) {
  std::vector<std::string> names;
  for (const HostCode::Declaration& one : host.declarations()) names.push_back(one.name);
  return names;
}

constexpr const char* kSource = R"(#include <vector>
#define HD __host__ __device__
using namespace std;
namespace detail {
HD inline float twice(float x) { return 2 * x; }
constexpr int three() { return 3; }
void check(cudaError_t error) {
  if (error != cudaSuccess) exit(1);
}
}
template <class T, int n = (2 > 1)>
void fill(std::vector<T> values = {}, T with = T()) { for (T& value : values) { value = with; } }
struct alignas(16) Body { float x; float norm() const { return x; } };
class Timer { public: Timer() : begin_{0}, end_(0) { cudaEventCreate(&event_); } cudaEvent_t event_; };
Grid::Grid(int n) : n_{n}, m_{2} { allocate(); }
__constant__ float weights[] = {1, 2, 3};
std::vector<float> values{1, 2};
template <> int thrice<int>(int x) { return 3 * x; }
extern "C" __global__ void scale(float* x) { x[0] = detail::twice(x[0]); }
void start(cudaStream_t stream) { constexpr int n = 4; last<<<1, n, 0, stream>>>(); }
KERNEL void marked(float* x) { x[0] = 1; }
int main() {
  scale<<<1, 1>>>(nullptr);
  const char* text = "}";
}
__global__ void last() {}
)";

TEST(HostCode, HasClassesWhoseFunctionsHaveConstants) {
  EXPECT_THAT(names_in(HostCode("class Solver { void step() { constexpr int n = 4; run(n); } };\n"
                                "struct Shared { static constexpr int n = 4; };\n"
                                "struct Both { constexpr int twice(int x) { return 2 * x; } };\n",
                                {})),
              ElementsAre("class Solver"));
}

TEST(HostCode, IsWhatNothingMarksAsTheDevices) {
  const HostCode host(kSource, {"scale", "marked", "last"});
  EXPECT_THAT(names_in(host), ElementsAre("using namespace", "check", "fill", "struct alignas", "class Timer",
                                          "Grid", "std :", "thrice", "start", "main"))
      << "a constant in a host function does not make it the device's";
  const auto& all = host.declarations();
  EXPECT_EQ(all[1].first_line, 7);
  EXPECT_EQ(all[1].last_line, 9);
  EXPECT_TRUE(all[1].uses_runtime && all[4].uses_runtime && all[8].uses_runtime && all[9].uses_runtime);
  EXPECT_FALSE(all[2].uses_runtime || all[3].uses_runtime || all[7].uses_runtime);
}

TEST(HostCode, IsLeftOutLineForLine) {
  const std::string source = kSource;
  const HostCode host(source, {"scale", "marked", "last"});
  const std::string without =
      host.without({&host.declarations()[8], &host.declarations()[9], &host.declarations()[5]}, true);
  EXPECT_EQ(std::ranges::count(without, '\n'), std::ranges::count(source, '\n'));
  EXPECT_EQ(without.size(), source.size());
  for (const char* gone : {"<<<", "allocate", "n_{n}", "using namespace std"})
    EXPECT_THAT(without, Not(HasSubstr(gone)));
  EXPECT_THAT(without, HasSubstr("void last() {}"));
  const std::string runs = without_runtime_calls(source, {"scale", "marked", "last"});
  for (const char* gone : {"<<<", "cudaSuccess", "cudaEventCreate"}) EXPECT_THAT(runs, Not(HasSubstr(gone)));
  for (const char* kept : {"thrice<int>(int x) { return 3 * x; }", "allocate", "void marked(float* x)"})
    EXPECT_THAT(runs, HasSubstr(kept));
}

TEST(HostCode, ThatCallsWhatUsesTheRuntimeGoesWithIt) {
  EXPECT_EQ(without_runtime_calls("int plain() { return 1; }\nvoid run() { k<<<1, 1>>>(); }\n"
                                  "void twice() { run(); run(); }\nint main() { twice(); }\n",
                                  {"k"}),
            "int plain() { return 1; }\n" + std::string(29, ' ') + "\n" + std::string(30, ' ') + "\n" +
                std::string(23, ' ') + "\n");
}

TEST(HostCode, OfWhatDoesNotEndThereIsNone) {
  const HostCode host("extern \"C\" {\n__device__ float f(float x) { return x; }\n}\nint open() {", {});
  EXPECT_THAT(names_in(host), ElementsAre("open"));
  EXPECT_EQ(without_runtime_calls("int a;", {}), "int a;");
}

}  // namespace
}  // namespace tailwave
