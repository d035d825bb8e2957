#include "spec/source_outline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tailwave {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> parameter_texts(const OutlineFunction& function) {
  std::vector<std::string> texts;
  for (const OutlineParameter& parameter : function.parameters.value()) texts.push_back(parameter.text);
  return texts;
}

TEST(SourceOutline, TellsKernelsFromFunctions) {
  const SourceOutline outline = outline_of({R"(
    static __device__ float twice(float x) { return 2 * x; }
    template <int count>
    __global__ void __launch_bounds__(BLOCK_SIZE, 2) scale(float* __restrict__ out, const float *in, int n) {
      if (n > 0) out[0] = twice(in[0]);
    }
    void declared(int only);
  )"});
  ASSERT_EQ(outline.functions.size(), 2U);
  EXPECT_EQ(outline.functions[0].name, "twice");
  EXPECT_FALSE(outline.functions[0].kernel);
  EXPECT_EQ(outline.functions[1].name, "scale");
  EXPECT_TRUE(outline.functions[1].kernel);
  EXPECT_THAT(parameter_texts(outline.functions[1]),
              ElementsAre("float* __restrict__ out", "const float* in", "int n"));
}

TEST(SourceOutline, KnowsTheTypesThatAreCPlusPluss) {
  const SourceOutline outline = outline_of(
      {"void f(const float* x, double y[], unsigned n, unsigned long long m, std::size_t s, float4* v, T t, "
       "long, __half h, half2 p, const __nv_bfloat16* b, float32 q) {}"});
  ASSERT_EQ(outline.functions.size(), 1U);
  const std::vector<OutlineParameter> parameters = outline.functions[0].parameters.value();
  std::vector<bool> pointers;
  std::vector<std::optional<ScalarType>> types;
  for (const OutlineParameter& parameter : parameters) {
    pointers.push_back(parameter.pointer);
    types.push_back(parameter.type);
  }
  EXPECT_THAT(pointers,
              ElementsAre(true, true, false, false, false, true, false, false, false, false, true, false));
  EXPECT_THAT(types,
              ElementsAre(ScalarType::float32, ScalarType::float64, ScalarType::uint32, ScalarType::uint64,
                          ScalarType::uint64, ScalarType::float32, std::nullopt, ScalarType::int64,
                          ScalarType::float16, ScalarType::float16, ScalarType::bfloat16, std::nullopt));
  EXPECT_EQ(parameters[5].lanes, 4);
  EXPECT_EQ(parameters[9].lanes, 2);
}

TEST(SourceOutline, TellsNamesFromTypes) {
  const SourceOutline outline = outline_of(
      {"void f(const float* __restrict__ x, unsigned int n, std::vector<float>& v, half2 (*g), T** rows, double a[], "
       "cuFloatComplex z, int count = 3) {}"});
  ASSERT_EQ(outline.functions.size(), 1U);
  std::vector<std::string> names;
  for (const OutlineParameter& each : outline.functions[0].parameters.value()) names.push_back(each.name);
  EXPECT_THAT(names, ElementsAre("x", "n", "v", "g", "rows", "a", "z", "count"));
  const std::vector<OutlineParameter>& parameters = *outline.functions[0].parameters;
  EXPECT_EQ(parameters[0].type_name, "float");
  EXPECT_EQ(parameters[1].type_name, "unsigned int");
  EXPECT_EQ(parameters[4].type_name, "T");
  EXPECT_EQ(parameters[6].type, ScalarType::float32);
  EXPECT_EQ(parameters[6].lanes, 2);
}

TEST(SourceOutline, TakesNoNameOfANamespaceForAMacro) {
  EXPECT_THAT(outline_of({"void f() { g(cub::BLOCK_LOAD_DIRECT, SIZE); }"}).capitals, ElementsAre("SIZE"));
}

TEST(SourceOutline, DoesNotCountParametersThatMacrosOrPacksMake) {
  const SourceOutline outline =
      outline_of({"void f(ARGUMENTS) {} template <class... T> void g(T... all) {} void h() {}"});
  ASSERT_EQ(outline.functions.size(), 3U);
  EXPECT_FALSE(outline.functions[0].parameters);
  EXPECT_FALSE(outline.functions[1].parameters);
  EXPECT_THAT(outline.functions[2].parameters.value(), IsEmpty());
}

TEST(SourceOutline, ListsCapitalsThatCodeUsesAndWhatDeclaresThem) {
  const SourceOutline outline = outline_of({R"(
    // COMMENT "TEXT"
    #if defined(ASKED) && WIDTH > 2
    #endif
    #define TILE(ROWS) (ROWS * BLOCK_SIZE)
    constexpr int HALF = 2;
    enum Mode { FAST, SLOW };
    template <int DEPTH> int depth() { return DEPTH; }
    #pragma unroll UNROLL
    int f() { return TILE(HALF) + FAST + SLOW; }
  )"});
  EXPECT_THAT(outline.capitals, Not(Contains("COMMENT")));
  EXPECT_THAT(outline.capitals, Not(Contains("ASKED")));
  std::vector<std::string> undeclared;
  for (const std::string& name : outline.capitals)
    if (!outline.declared.contains(name)) undeclared.push_back(name);
  EXPECT_THAT(undeclared, ElementsAre("BLOCK_SIZE", "UNROLL"));
  EXPECT_TRUE(outline.words.contains("ASKED"));
}

TEST(SourceOutline, KnowsAllNamesThatAStatementDeclares) {
  const SourceOutline outline = outline_of({R"(
    void f(const float* IN, int *TOTALS) {
      float FIRST = f(A, B), SECOND = 2, *THIRD;
      for (int I = 0, LAST = 4; I < LAST; ++I) TOTALS[I] = C, D = 3;
      tile<ROWS, COLUMNS, DEPTH> t;
      return E, F;
    }
  )"});
  for (const char* name : {"IN", "TOTALS", "FIRST", "SECOND", "THIRD", "I", "LAST"})
    EXPECT_TRUE(outline.declared.contains(name)) << name;
  for (const char* name : {"A", "B", "C", "D", "ROWS", "COLUMNS", "DEPTH", "E", "F"})
    EXPECT_FALSE(outline.declared.contains(name)) << name;
}

}  // namespace
}  // namespace tailwave
