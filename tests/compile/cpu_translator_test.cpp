#include <gtest/gtest.h>

#include "compile/cpu/translator.h"

namespace tailwave {
namespace {

TEST(Translator, MakesAPointerOfDynamicSharedMemory) {
  EXPECT_EQ(translate_for_cpu("void f() { extern __shared__ float x[]; }"),
            "void f() { auto* const x = ::tailwave_cpu::dynamic_shared<float>(); }");
  EXPECT_EQ(translate_for_cpu("void f() { extern volatile __shared__ unsigned int x [ ] ; }"),
            "void f() { auto* const x = ::tailwave_cpu::dynamic_shared<volatile unsigned int>(); }");
  EXPECT_EQ(translate_for_cpu("void f() { __shared__ extern my::type x[]; }"),
            "void f() { auto* const x = ::tailwave_cpu::dynamic_shared<my::type>(); }");
  EXPECT_EQ(translate_for_cpu("void f() { extern __shared__ float x[][32]; }"),
            "void f() { auto* const x = ::tailwave_cpu::dynamic_shared<float[32]>(); }");
}

TEST(Translator, LeavesOutTheAlignmentOfDynamicSharedMemory) {
  for (const char* alignment : {"__align__(16)", "alignas(4 * (2 + 2))", "__attribute__((aligned(16)))"})
    EXPECT_EQ(translate_for_cpu(std::string("void f() { extern __shared__ ") + alignment + " char x[]; }"),
              "void f() { auto* const x = ::tailwave_cpu::dynamic_shared<char>(); }");
}

TEST(Translator, MakesAVariableOfTheThreadAtNamespaceScope) {
  const char* declaration = "extern __shared__ int x[];";
  const char* rewritten = "static thread_local auto* const x = ::tailwave_cpu::dynamic_shared<int>();";
  for (const char* scope : {"", "namespace { ", "namespace a::b { ", "extern \"C\" { ", "struct A {}; "})
    EXPECT_EQ(translate_for_cpu(std::string(scope) + declaration), std::string(scope) + rewritten);
  EXPECT_EQ(translate_for_cpu("extern \"C\" __global__ void f() { extern __shared__ int x[]; }"),
            "extern \"C\" __global__ void f() { auto* const x = ::tailwave_cpu::dynamic_shared<int>(); }");
}

TEST(Translator, KeepsEveryLineWhereItIs) {
  EXPECT_EQ(translate_for_cpu("void f() {\n  extern __shared__\n    float x[];\n  g();\n}\n"),
            "void f() {\n  auto* const x = ::tailwave_cpu::dynamic_shared<float>();\n\n  g();\n}\n");
}

TEST(Translator, SpellsAlignmentOfSharedVariablesAsAnAttribute) {
  EXPECT_EQ(translate_for_cpu("__shared__ alignas(16) float x[4];"), "__shared__ __align__(16) float x[4];");
  EXPECT_EQ(translate_for_cpu("alignas(16) __shared__ float x[4];"), "alignas(16) __shared__ float x[4];");
}

TEST(Translator, LeavesCommentsLiteralsDirectivesAndOtherDeclarationsAlone) {
  for (const char* text : {
           "// extern __shared__ float x[];\n",
           "/* extern __shared__ float x[]; */",
           "#define DATA \\\n  extern __shared__ float x[];\n",
           "const char* t = \"extern __shared__ float x[];\";",
           "const char* t = R\"a(\" extern __shared__ float x[];)a\";",
           "extern float x[];",
           "extern __shared__ float x[], y[];",
           "extern __shared__ float x[8];",
           "int million = 1'000'000; char quote = '\\''; __shared__ float x[4];",
           "extern __shared__ float x[]",
       })
    EXPECT_EQ(translate_for_cpu(text), text);
}

}  // namespace
}  // namespace tailwave
