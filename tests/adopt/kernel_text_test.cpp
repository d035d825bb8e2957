#include "adopt/kernel_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(KernelText, KnowsNamespacesTemplatesAndBounds) {
  const std::string source = R"(
    namespace a::b {
    struct S { int x; };
    namespace {
    template <typename T, int SIDE = 16, bool FAST>
    __global__ void __launch_bounds__(SIDE + 1, 2) k(const T* __restrict__ in, T* out[], unsigned n = 3) { out[0] = in; }
    }
    }
    extern "C" { __global__ void plain(void) {} }
    __global__ void declared(int only);
    void host(int n) { plain<<<1, 1>>>(); }
  )";
  std::vector<std::string> unreadable;
  const std::vector<KernelText> kernels = kernels_of(source, unreadable);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].full_name(), "a::b::k");
  ASSERT_EQ(kernels[0].templates.size(), 3U);
  EXPECT_TRUE(kernels[0].templates[0].is_type);
  EXPECT_EQ(kernels[0].templates[1].name, "SIDE");
  EXPECT_EQ(kernels[0].templates[1].default_value, "16");
  EXPECT_EQ(kernels[0].templates[2].kind, "bool");
  EXPECT_EQ(joined(kernels[0].launch_bounds), "SIDE+1, 2");
  ASSERT_EQ(kernels[0].parameters.size(), 3U);
  EXPECT_EQ(kernels[0].parameters[0].name, "in");
  EXPECT_EQ(kernels[0].parameters[0].type_name, "T");
  EXPECT_EQ(kernels[0].parameters[2].name, "n");
  EXPECT_EQ(joined(kernels[0].body), "out[0]=in;");
  EXPECT_EQ(kernels[1].full_name(), "plain");
  EXPECT_THAT(unreadable, IsEmpty());
}

TEST(KernelText, NamesThoseWhoseParametersAreMacros) {
  std::vector<std::string> unreadable;
  EXPECT_TRUE(kernels_of("__global__ void k(ARGUMENTS) {}", unreadable).empty());
  EXPECT_THAT(unreadable, ElementsAre("k"));
}

TEST(KernelText, ReadsStructsOfPlainMembers) {
  const std::string source = "typedef struct { float *x, *y; int n; } Bodies; struct Box { float side[2]; };";
  const auto bodies = struct_named(source, "Bodies");
  ASSERT_TRUE(bodies);
  std::vector<std::string> names;
  for (const OutlineParameter& each : bodies->members) names.push_back(each.name);
  EXPECT_THAT(names, ElementsAre("x", "y", "n"));
  EXPECT_TRUE(bodies->members[1].pointer);
  EXPECT_FALSE(struct_named(source, "Box"));
  EXPECT_FALSE(struct_named(source, "Other"));
}

TEST(KernelText, PassesOverMethodsOfAStruct) {
  const std::string source =
      "struct Sizes { int m, n = 3; size_t all() const { return m * n; }; void set(int); float x; };\n"
      "struct Made { int m; Made(int a); }; struct Computed { int m = f(3); };"
      "struct Derived { int m; virtual int all(); };";
  const auto sizes = struct_named(source, "Sizes");
  ASSERT_TRUE(sizes);
  std::vector<std::string> names;
  for (const OutlineParameter& each : sizes->members) names.push_back(each.name);
  EXPECT_THAT(names, ElementsAre("m", "n", "x"));
  for (const char* other : {"Made", "Computed", "Derived"})
    EXPECT_FALSE(struct_named(source, other)) << other;
}

}  // namespace
}  // namespace tailwave
