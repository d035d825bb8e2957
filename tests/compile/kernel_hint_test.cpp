#include "compile/kernel_hint.h"

#include <gtest/gtest.h>

namespace tailwave {
namespace {

TEST(KernelHint, SaysWhatToWrite) {
  const char* source = R"(namespace a::b {
extern "C" __global__ void inside(float*);
extern "C" __global__ void inside(float*) { if (true) {} }
namespace {
template <int N = 4, class T = float> __global__ void __launch_bounds__(64, 2) defaults(T*) {}
}
}
template <class T, int N = 4> __global__ void some(T*) {}
struct Not { void kernel(); };
__global__ void twice(float*) {}
__global__ void twice(int*) {}
)";
  EXPECT_EQ(hint_for_kernel("inside", source), "write 'a::b::inside'");
  EXPECT_EQ(hint_for_kernel("defaults", source), "write 'a::b::defaults<>'");
  EXPECT_EQ(hint_for_kernel("some", source), "write 'some<...>' with the template's arguments");
  EXPECT_EQ(hint_for_kernel("twice", source), "it has 2 kernels 'twice': give each a name of its own");
  const char* all = "it has a::b::inside, a::b::defaults<>, some<...>, twice";
  EXPECT_EQ(hint_for_kernel("other", source), all);
  EXPECT_EQ(hint_for_kernel("some<int, float>", source), all);
  EXPECT_EQ(hint_for_kernel("k", "int main() {}"), "");
}

}  // namespace
}  // namespace tailwave
