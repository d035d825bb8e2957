#include "adopt/kernel_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tailwave {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

struct Read {
  std::string source;
  std::vector<KernelText> kernels;
  KernelBody body;
};

Read read(const std::string& parameters, const std::string& body) {
  Read result{"__global__ void k(" + parameters + ") {" + body + "}", {}, {}};
  std::vector<std::string> unreadable;
  result.kernels = kernels_of(result.source, unreadable);
  result.body = read_body(result.kernels.at(0), result.kernels.at(0).parameters, {});
  return result;
}

// "x: reads" of each access, "x: reads writes ?" where the index is not known.
std::vector<std::string> accesses_of(const KernelBody& body) {
  std::vector<std::string> all;
  for (const MemoryAccess& each : body.accesses)
    all.push_back(each.pointer + ":" + (each.reads ? " reads" : "") + (each.writes ? " writes" : "") +
                  (each.index ? "" : " ?"));
  return all;
}

TEST(KernelBody, TellsReadsFromWrites) {
  EXPECT_THAT(accesses_of(read("float* x, float* y, int i", "y[i] = x[i] + 1;").body),
              ElementsAre("y: writes", "x: reads"));
  EXPECT_THAT(accesses_of(read("float* x, int i", "x[i] += 1; x[i + 1]++; --x[0];").body),
              ElementsAre("x: reads writes", "x: reads writes", "x: reads writes"));
  EXPECT_THAT(accesses_of(read("float4* x, int i", "x[i].y = 1; if (x[i].z == 2) return;").body),
              ElementsAre("x: writes", "x: reads"));
  EXPECT_THAT(accesses_of(read("int* x, int i", "*x = 1; *(x + i) = *x;").body),
              ElementsAre("x: writes", "x: writes", "x: reads"));
  EXPECT_THAT(
      accesses_of(read("int* x, int* y, int i", "if (f(i) == 0) *x = 1; else *y = (i + 1) * *x;").body),
      ElementsAre("x: writes", "y: writes", "x: reads"));
}

TEST(KernelBody, KnowsAtomicsAndLoads) {
  EXPECT_THAT(accesses_of(read("int* x, const float* y, int i",
                               "atomicAdd(&x[i], 1); atomicMax(x + i, 2); float v = __ldg(&y[i]);")
                              .body),
              ElementsAre("x: reads writes", "x: reads writes", "y: reads"));
}

TEST(KernelBody, FollowsPointersThatAreMadeOfOthers) {
  const Read known =
      read("const float* x, float* y, int n",
           "const float* row = x + blockIdx.x * n; float* out = &y[n]; out[1] = row[threadIdx.x];");
  EXPECT_THAT(accesses_of(known.body), ElementsAre("y: writes", "x: reads"));
  const Read moved =
      read("const float* x, float* y, int n", "for (int i = 0; i < n; ++i) { y[i] = *x; x += n; }");
  EXPECT_THAT(accesses_of(moved.body), ElementsAre("y: writes", "x: reads ?"));
  const Read cast = read("float* x, int i", "reinterpret_cast<float4*>(x)[i] = make_float4(0, 0, 0, 0);");
  EXPECT_THAT(accesses_of(cast.body), ElementsAre("x: writes"));
}

TEST(KernelBody, CountsBothPointersThatAreExchanged) {
  const Read swapped = read("float* a, float* b, int i, int n",
                            "for (int t = 0; t < n; ++t) { b[i] = a[i]; float* q = a; a = b; b = q; }");
  EXPECT_THAT(accesses_of(swapped.body), ElementsAre("b: writes", "a: writes", "a: reads", "b: reads"));
  const Read chosen = read("float* a, float* b, int i", "float* to = i % 2 ? a : b; to[i] = 1;");
  EXPECT_THAT(accesses_of(chosen.body), ElementsAre("a: writes", "b: writes"));
}

TEST(KernelBody, ReadsPitchedRows) {
  EXPECT_THAT(
      accesses_of(read("float* x, size_t pitch, int i", "((float*)((char*)x + i * pitch))[i] = 1;").body),
      ElementsAre("x: writes ?"));
  EXPECT_THAT(
      accesses_of(read("float* x, size_t pitch, int i", "*(float*)((char*)x + i * pitch) += 1;").body),
      ElementsAre("x: reads writes ?"));
  EXPECT_THAT(accesses_of(read("float* x, int i", "float4 v = ((float4*)x)[i];").body),
              ElementsAre("x: reads"));
}

TEST(KernelBody, TellsVariablesOfOneNameApart) {
  const KernelBody body =
      read("float* x, int n",
           "for (int i = threadIdx.x; i < 8; ++i) f(); int j = 1; "
           "for (int i = blockIdx.x; i < n; i += gridDim.x) x[i] = 1; { int j = 2; x[j] = 1; }")
          .body;
  EXPECT_FALSE(read("float* x", "using A = F<int, N, B>; using C = F<int, N, B>; x[N] = 1;")
                   .body.locals.contains("N@2"));
  EXPECT_EQ(body.locals.at("i").first->text, "threadIdx.x");
  EXPECT_FALSE(body.locals.at("i").steps_by_grid);
  EXPECT_EQ(body.locals.at("i@2").first->text, "blockIdx.x");
  EXPECT_TRUE(body.locals.at("i@2").steps_by_grid);
  EXPECT_EQ(body.locals.at("j").first->text, "1");
  EXPECT_EQ(body.locals.at("j@2").first->text, "2");
}

TEST(KernelBody, DoesNotKnowWhatFunctionsDo) {
  EXPECT_THAT(accesses_of(read("float* x, int i", "update(x, i);").body), ElementsAre("x: reads writes ?"));
}

TEST(KernelBody, KnowsWhoseElementsAreIndices) {
  const Read found = read("const int* where, const float* x, float* y, int i",
                          "__shared__ int s[8]; int j = where[i]; s[where[0]] = 1; y[i] = x[j];");
  EXPECT_THAT(found.body.indexed_by, ElementsAre(Pair("where", UnorderedElementsAre("s", "x"))));
}

std::vector<std::string> guards_of(const KernelBody& body) {
  std::vector<std::string> all;
  for (const Guard& each : body.guards)
    all.push_back(each.left.text + (each.or_equal ? " <= " : " < ") + each.right.text);
  return all;
}

TEST(KernelBody, CollectsWhatGuardsSay) {
  EXPECT_THAT(guards_of(read("int i, int j, int n", "if (i < n && j <= n) return;").body), ElementsAre());
  EXPECT_THAT(guards_of(read("int i, int j, int n", "if (i < n && j <= n) { f(); }").body),
              ElementsAre("i < n", "j <= n"));
  EXPECT_THAT(guards_of(read("int i, int j, int n", "if (i >= n || n < j) return;").body),
              ElementsAre("i < n", "j <= n"));
  EXPECT_THAT(guards_of(read("int i, int n", "if (!(i < n)) return;").body), ElementsAre("i < n"));
  EXPECT_THAT(guards_of(read("int n", "for (int k = 0; k < n; ++k) f();").body), ElementsAre("k < n"));
  EXPECT_THAT(guards_of(read("float* x, int i, int n", "x[i] = i < n ? 1 : 0; bool in = n > i;").body),
              ElementsAre("i < n", "i < n"));
}

TEST(KernelBody, KnowsLowerBounds) {
  EXPECT_TRUE(read("int i, int n", "if (i > 0 && i < n) f();").body.lower_bounds);
  EXPECT_TRUE(read("int i, int n", "if (i < 1) return;").body.lower_bounds);
  EXPECT_FALSE(read("int i, int n", "if (i >= 0 && i < n) f();").body.lower_bounds);
}

TEST(KernelBody, KnowsLocalsAndWhetherTheyChange) {
  const KernelBody body = read("int n",
                               "int a = n, b = 2; unsigned c; c = a * 4; a++; const int d = f(a, b, c); "
                               "for (int i = threadIdx.x; i < n; i += gridDim.x * 32) {}")
                              .body;
  EXPECT_TRUE(body.locals.at("a").changes);
  EXPECT_FALSE(body.locals.at("b").changes);
  EXPECT_TRUE(body.locals.at("c").first);
  EXPECT_FALSE(body.locals.at("c").changes);
  EXPECT_TRUE(body.locals.at("i").steps_by_grid);
  EXPECT_THAT(body.words, Contains("threadIdx.x"));
}

TEST(KernelBody, KnowsSharedArrays) {
  const KernelBody body = read("int n",
                               "__shared__ float a[16][17], b[8]; extern __shared__ double c[]; "
                               "a[threadIdx.y][threadIdx.x] = 1;")
                              .body;
  ASSERT_EQ(body.shared.size(), 3U);
  EXPECT_EQ(body.shared[0].sizes.size(), 2U);
  EXPECT_EQ(body.shared[0].indices.size(), 1U);
  EXPECT_EQ(body.shared[1].name, "b");
  EXPECT_TRUE(body.shared[2].sizes.empty());
  EXPECT_EQ(body.shared[2].type, "double");
}

}  // namespace
}  // namespace tailwave
