#include "adopt/reached_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tailwave {
namespace {

TEST(ReachedCode, AreTheWordsOfAllThatAKernelNames) {
  const std::string source =
      "#define TWICE(x) (FACTOR * (x))\n__device__ int own() { return OWN; }\n__device__ int inner(int x) { return INNER; }\n"
      "__device__ int outer(int x) { return inner(x); }\n__global__ void k(int* x) { x[0] = TWICE(outer(x[1])); }\n";
  std::vector<std::string> unreadable;
  const std::vector<KernelText> kernels = kernels_of(source, unreadable);
  const std::set<std::string> words = reached_words(source, kernels.at(0));
  for (const char* reached : {"FACTOR", "outer", "inner", "INNER"})
    EXPECT_TRUE(words.contains(reached)) << reached;
  for (const char* other : {"own", "OWN"}) EXPECT_FALSE(words.contains(other)) << other;
}

}  // namespace
}  // namespace tailwave
