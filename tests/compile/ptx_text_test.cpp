#include "compile/ptx_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tailwave {
namespace {

constexpr const char* kTwoEntries = R"(.version 9.0
.address_size 64
.func (.param .b32 result) twice(.param .b32 x); // only declared
.visible .entry first(.param .u64 out)
.maxntid 128
{
	.reg .b32 %r<2>;
	.pragma "a } in a text";
	.loc	1 20 3
	mov.u32 %r1, 1;
	{ ret; }
}
.visible .entry second() { ret; }
)";

TEST(PtxText, FindsFunctionsThatHaveABody) {
  const std::vector<PtxFunction> functions = ptx_functions(kTwoEntries);
  ASSERT_EQ(functions.size(), 2U);
  EXPECT_EQ(functions[0].name, "first");
  EXPECT_TRUE(functions[0].entry);
  EXPECT_EQ(std::string_view(kTwoEntries).substr(functions[0].close - 9, 10), "{ ret; }\n}");
  EXPECT_EQ(functions[1].name, "second");
}

TEST(PtxText, FindsTheFirstInstructionBehindDeclarationsAndRemarks) {
  const std::string_view text = kTwoEntries;
  EXPECT_TRUE(text.substr(first_instruction(text, ptx_functions(text)[0])).starts_with("mov.u32 %r1, 1;"));
}

TEST(PtxText, LimitsTheRegistersOfEntriesWithoutALimitOfTheirOwn) {
  const std::string limited = limit_registers(kTwoEntries, {{"second", 40}, {"twice", 24}});
  EXPECT_THAT(limited, testing::HasSubstr(".visible .entry second() .maxnreg 40\n{ ret; }"));
  EXPECT_THAT(limited, testing::HasSubstr(".maxntid 128\n{\n"));
  EXPECT_EQ(limit_registers(limited, {{"second", 48}}), limited);
}

}  // namespace
}  // namespace tailwave
