#include "adopt/host_pointer.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

HostPointer pointer(const std::string& argument) {
  return pointer_of(lexemes_of(argument));
}

TEST(HostPointer, IsAVariableWhateverItIsCastTo) {
  for (const char* argument : {"x",
                               "(float*)x",
                               "(const float4*)x",
                               "(float4 const*)x",
                               "(volatile unsigned int*)x",
                               "(const my::vec<float, 4>*)x",
                               "static_cast<const float*>(x)",
                               "reinterpret_cast<const __half2*>(x)",
                               "reinterpret_cast<std::uint32_t*>(const_cast<float*>(x))",
                               "reinterpret_cast<cuda::vec<float>*>(x)",
                               "(float4*)(void*)x",
                               "((float4*)x)",
                               "&x[0]",
                               "x + 0",
                               "x.data()",
                               "x->data()",
                               "x.data().get()",
                               "thrust::raw_pointer_cast(x.data())",
                               "thrust::raw_pointer_cast(&x[0])",
                               "(float4*)thrust::raw_pointer_cast(x.data())",
                               "x.data_ptr<float>()",
                               "&*x.begin()"}) {
    const HostPointer own = pointer(argument);
    EXPECT_EQ(own.variable, "x") << argument;
    EXPECT_EQ(own.passed, "x") << argument;
    EXPECT_FALSE(own.is_moved) << argument;
  }
  EXPECT_EQ(pointer("(const float4*)x").cast, "const float4*");
}

TEST(HostPointer, KeepsWhatItIsMovedBy) {
  for (const char* argument :
       {"x + n", "&x[n]", "(float4*)(x + n)", "x.data() + n", "thrust::raw_pointer_cast(x.data()) + n",
        "reinterpret_cast<float4*>(&x[n])"}) {
    EXPECT_EQ(pointer(argument).passed, "x + n") << argument;
    EXPECT_EQ(pointer(argument).variable, "x") << argument;
    EXPECT_TRUE(pointer(argument).is_moved) << argument;
  }
  EXPECT_EQ(pointer("x + 2 * n").passed, "x + 2 * n");
}

TEST(HostPointer, ThatDiffersIsNoOther) {
  for (const auto& [left, right] : {std::pair("box.x", "box.y"),
                                    {"rows[0]", "rows[1]"},
                                    {"as_vector(a)", "as_vector(b)"},
                                    {"matrix.values()", "matrix.columns()"},
                                    {"flip ? a : b", "flip ? b : a"},
                                    {"new float[4]", "new float[8]"}})
    EXPECT_NE(pointer(left).passed, pointer(right).passed) << left;
  EXPECT_EQ(pointer("box->x").passed, "box.x");
  EXPECT_EQ(pointer("nullptr").passed, "");
}

TEST(HostPointer, FollowsOtherNamesForIt) {
  const std::string source =
      "void run(const float* p) { const float4* v = reinterpret_cast<const float4*>(p); k<<<1, 1>>>(v); }\n"
      "int main() { float* a; float* b = a + 64; std::vector<float> c = h; run(b + n); k<<<1, 1>>>(c); }\n";
  const HostText host(source);
  const HostPointer moved = memory_of(host, pointer("v"), host.launches()[0].at);
  EXPECT_EQ(moved.passed, "a + 64 + n");
  EXPECT_EQ(moved.variable, "a");
  EXPECT_TRUE(moved.is_moved);
  EXPECT_EQ(memory_of(host, pointer("c"), host.launches()[1].at).passed, "c") << "a copy is another memory";
}

TEST(HostPointer, IsKnownByItsAddress) {
  for (const char* argument : {"&x", "(void**)&x", "reinterpret_cast<void**>(&x)", "x"})
    EXPECT_EQ(addressed_variable(lexemes_of(argument)), "x") << argument;
  EXPECT_EQ(addressed_variable(lexemes_of("&rows[2]")), "rows[2]");
  EXPECT_EQ(addressed_variable(lexemes_of("&box->x")), "box.x");
}

}  // namespace
}  // namespace tailwave
