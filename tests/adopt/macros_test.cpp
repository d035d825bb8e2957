#include "adopt/macros.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace tailwave {
namespace {

using Where = MacroText::Where;

std::map<std::string, MacroText> found_in(const std::string& source) {
  std::map<std::string, MacroText> all;
  for (const MacroText& each : macros_of(source)) all[each.name] = each;
  return all;
}

TEST(Macros, AreFoundWhereverTheyComeFrom) {
  const auto all = found_in(R"(
#ifndef BLOCK
#define BLOCK 128
#endif
#define TILE (8 * 2)
#define AREA (TILE * TILE)
#define SQUARE(x) ((x) * (x))
#define PI 3.14f
#define HEADER
constexpr int kItems = 4;
static const unsigned WIDTH = 7;
__global__ void k(float* x) { const int LOCAL = 3; x[LOCAL] = ITEMS * BLOCK + AREA + FLT_MAX; }
)");
  EXPECT_EQ(all.at("BLOCK").where, Where::guarded);
  EXPECT_EQ(all.at("BLOCK").value, 128);
  EXPECT_EQ(all.at("TILE").where, Where::unguarded);
  EXPECT_EQ(all.at("TILE").value, 16);
  EXPECT_TRUE(all.at("AREA").is_made_of_others);
  EXPECT_EQ(all.at("AREA").value, 256);
  EXPECT_EQ(all.at("kItems").where, Where::constant);
  EXPECT_EQ(all.at("WIDTH").value, 7);
  EXPECT_EQ(all.at("ITEMS").where, Where::nowhere);
  for (const char* other : {"SQUARE", "PI", "HEADER", "LOCAL", "FLT_MAX"})
    EXPECT_FALSE(all.contains(other)) << other;
}

TEST(Macros, ThatLinesDefineDifferentlyAreLeftAlone) {
  EXPECT_TRUE(found_in("#ifdef FAST\n#define BLOCK 128\n#else\n#define BLOCK 64\n#endif\n").empty());
}

TEST(Macros, ThatOnlyFunctionsOfTheHostUseAreNone) {
  const auto all = found_in(
      "int limit() { return LIMIT; }\nint later() { return limit(); }\nint half(int x) { return x / HALF; }\n"
      "__global__ void k(int* x) { x[0] = half(ITEMS); }\n");
  EXPECT_FALSE(all.contains("LIMIT"));
  EXPECT_TRUE(all.contains("ITEMS"));
  EXPECT_TRUE(all.contains("HALF")) << "the kernel calls its function";
}

TEST(Macros, TellAWarpFromWarpsOfABlock) {
  for (const char* name : {"WARP_SIZE", "WARPSIZE", "kWarpSize", "warp_size"})
    EXPECT_TRUE(is_of_warps(name)) << name;
  for (const char* name : {"WARPS", "WARPS_PER_BLOCK", "WARPS_M", "kWidth"})
    EXPECT_FALSE(is_of_warps(name)) << name;
}

TEST(Macros, GetGuards) {
  const std::string source =
      "#define TILE 16  // side\n  static constexpr int kItems = 4;  // each\nint x;\n";
  EXPECT_EQ(with_guards(source, macros_of(source)),
            "#ifndef TILE\n#define TILE 16  // side\n#endif\n"
            "#ifndef kItems\n  static constexpr int kItems = 4;\n#endif  // each\nint x;\n");
}

}  // namespace
}  // namespace tailwave
