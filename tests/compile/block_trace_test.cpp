#include "compile/block_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/one_variant.h"

namespace tailwave {
namespace {

constexpr const char* kPtx = R"(.version 9.0
.target sm_90
.address_size 64

.func helper() // a brace { in a remark
{
	ret;
}
.visible .entry first(
	.param .u64 out
)
.maxntid 128
{
	.reg .b32 %r<2>;
	.loc	1 20 3
	mov.u32 %r1, 1;
	@%p1 ret;
	exit;
	ret.uni;
}
.visible .entry second()
{
	ret;
}
)";

using fakes::failure_of;

std::string traced(const std::string& entry) {
  return add_block_trace(kPtx, {{entry, 10}});
}

TEST(BlockTrace, DeclaresRoomForEveryBlockOfTheGrid) {
  EXPECT_THAT(traced("first"),
              testing::StartsWith(".version 9.0\n.target sm_90\n.address_size 64\n"
                                  ".visible .global .align 8 .b8 tailwave_trace_first[2640];\n"));
}

TEST(BlockTrace, NotesTheStartBehindTheDeclarationsAndBeforeTheFirstInstruction) {
  const std::string ptx = traced("first");
  const auto declared = ptx.find(".loc\t1 20 3");
  const auto begun = ptx.find("mov.u32 %tailwave_start, %globaltimer_lo;\n");
  const auto first = ptx.find("mov.u32 %r1, 1");
  EXPECT_LT(declared, begun);
  EXPECT_LT(begun, first);
  // Not behind the test for the thread that notes it.
  EXPECT_LT(begun, ptx.find("%tid.x"));
  EXPECT_LT(begun, ptx.find("bra $tailwave_begun"));
}

TEST(BlockTrace, SendsEveryWayOutOfTheKernelToItsEnd) {
  const std::string ptx = traced("first");
  EXPECT_THAT(ptx,
              testing::HasSubstr("\t@%p1 bra $tailwave_end;\n\tbra $tailwave_end;\n\tbra $tailwave_end;\n"));
  EXPECT_THAT(ptx,
              testing::HasSubstr("st.global.u64 [%tailwave_at+8], "
                                 "%tailwave_time;\n$tailwave_ended:\n}\n  ret;\n}\n.visible .entry second"));
}

TEST(BlockTrace, LeavesOtherFunctionsAsTheyAre) {
  const std::string ptx = traced("first");
  EXPECT_THAT(ptx, testing::HasSubstr("remark\n{\n\tret;\n}\n.visible .entry first"));
  EXPECT_THAT(ptx, testing::EndsWith(".visible .entry second()\n{\n\tret;\n}\n"));
}

TEST(BlockTrace, LimitsTheRegistersOfEntriesWithoutALimitOfTheirOwn) {
  const std::string limited = limit_registers(kPtx, {{"second", 40}, {"helper", 24}});
  EXPECT_THAT(limited, testing::HasSubstr(".visible .entry second()\n.maxnreg 40\n{\n"));
  EXPECT_THAT(limited, testing::HasSubstr(".maxntid 128\n{\n"));
  EXPECT_EQ(limit_registers(limited, {{"second", 48}}), limited);
}

TEST(BlockTrace, KnowsEntriesThatLookAtTheSizeOfTheirGrid) {
  std::string ptx = kPtx;
  EXPECT_FALSE(reads_grid_size(ptx, "first"));
  ptx.replace(ptx.find("mov.u32 %r1, 1"), 14, "mov.u32 %r1, %nctaid.x");
  EXPECT_TRUE(reads_grid_size(ptx, "first"));
  EXPECT_FALSE(reads_grid_size(ptx, "second"));
  EXPECT_EQ(failure_of([&] { reads_grid_size(ptx, "third"); }),
            "compile_error: the PTX has no entry 'third'");
}

TEST(BlockTrace, RefusesAnEntryThatIsNotThere) {
  EXPECT_EQ(failure_of([] { traced("third"); }), "compile_error: the PTX has no entry 'third'");
}

TEST(BlockTrace, RefusesFunctionsThatEndTheirThread) {
  std::string ptx = kPtx;
  ptx.replace(ptx.find("ret;"), 4, "exit;");
  EXPECT_EQ(failure_of([&] {
              add_block_trace(ptx, {{"first", 1}});
            }),
            "compile_error: cannot be traced: the function 'helper' ends its thread with 'exit'");
}

TEST(BlockTrace, RefusesTextThatIsNoPtx) {
  EXPECT_EQ(failure_of([] {
              add_block_trace("int main() {}", {{"first", 1}});
            }),
            "compile_error: the PTX has no .address_size");
  EXPECT_EQ(failure_of([] {
              add_block_trace(".address_size 64\n.entry first() { ret;", {{"first", 1}});
            }),
            "compile_error: the PTX ends inside a function");
}

}  // namespace
}  // namespace tailwave
