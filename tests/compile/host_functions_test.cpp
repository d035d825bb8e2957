#include "compile/host_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(HostFunctions, MainAndItsHelpersAreLeftOutLineForLine) {
  const std::string source = R"(#include <vector>
#define HD __host__ __device__
namespace detail {
HD inline float twice(float x) { return 2 * x; }
constexpr int three() { return 3; }
void check(cudaError_t error) {
  if (error != cudaSuccess) exit(1);
}
}
template <typename T>
void fill(std::vector<T>& values, T with = T()) { for (T& value : values) { value = with; } }
struct alignas(16) Body { float x; float norm() const { return x; } };
__constant__ float weights[] = {1, 2, 3};
extern "C" __global__ void scale(float* x) { x[0] = detail::twice(x[0]); }
int main() {
  scale<<<1, 1>>>(nullptr);
  const char* text = "}";
}
__global__ void last() {}
)";
  const DeviceSource device = without_host_functions(source);
  EXPECT_THAT(device.left_out, ElementsAre("check", "fill", "main"));
  EXPECT_EQ(std::ranges::count(device.text, '\n'), std::ranges::count(source, '\n'));
  EXPECT_EQ(device.text.size(), source.size());
  for (const char* kept : {"twice(float x) { return", "three() { return 3; }", "norm() const { return x; }",
                           "weights[] = {1, 2, 3};", "scale(float* x) { x[0]", "void last() {}"})
    EXPECT_THAT(device.text, HasSubstr(kept));
  for (const char* gone : {"cudaSuccess", "std::vector<T>", "<<<", "template"})
    EXPECT_THAT(device.text, Not(HasSubstr(gone)));
}

TEST(HostFunctions, WhatHasNoneIsAsItWas) {
  const std::string source = "extern \"C\" {\n__device__ float f(float x) { return x; }\n}\nint open() {";
  EXPECT_THAT(without_host_functions(source).left_out, IsEmpty());
  EXPECT_EQ(without_host_functions(source).text, source);
}

}  // namespace
}  // namespace tailwave
