#include "compile/block_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

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
using testing::HasSubstr;

std::string traced(const std::string& entry, const NotedEntry& noted = {.noted = {.blocks = 10}},
                   StartKept kept = StartKept::in_register) {
  return add_block_trace(kPtx, {{entry, noted}}, kept);
}

TEST(BlockTrace, DeclaresRoomForEveryWarpThatNotes) {
  EXPECT_THAT(traced("first", {.noted = {.blocks = 10}, .warps = 4}),
              testing::StartsWith(".version 9.0\n.target sm_90\n.address_size 64\n"
                                  ".visible .global .align 16 .b8 tailwave_trace_first[640];\n"
                                  ".visible .global .align 8 .b8 tailwave_trace_times[2064];\n"
                                  ".visible .const .align 4 .u32 tailwave_trace_long_life = 4294967295;\n"));
}

TEST(BlockTrace, ReadsTheTimeBehindTheDeclarationsAndBeforeAnythingElse) {
  for (const StartKept kept : {StartKept::in_register, StartKept::in_memory}) {
    const std::string ptx = traced("first", {.noted = {.blocks = 10}}, kept);
    const auto declared = ptx.find(".loc\t1 20 3");
    const auto read = ptx.find("%globaltimer_lo;\n");
    EXPECT_LT(declared, read);
    EXPECT_LT(read, ptx.find("mov.u32 %r1, 1"));
    EXPECT_LT(read, ptx.find("%ctaid.x"));
    EXPECT_LT(read, ptx.find("%tid.x"));
  }
}

TEST(BlockTrace, SendsEveryWayOutOfTheKernelToItsEnd) {
  const std::string ptx = traced("first");
  EXPECT_THAT(ptx, HasSubstr("\t@%p1 bra $tailwave_end;\n\tbra $tailwave_end;\n\tbra $tailwave_end;\n"));
  EXPECT_THAT(ptx, HasSubstr("{%tailwave_sm, %tailwave_start, %tailwave_end_time, %tailwave_y};\n"
                             "$tailwave_left:\n}\n  ret;\n}\n.visible .entry second"));
}

TEST(BlockTrace, NotesTheStartAtOnceWhereNoRegisterIsToKeepIt) {
  const std::string ptx = traced("first", {.noted = {.blocks = 10}}, StartKept::in_memory);
  EXPECT_THAT(ptx, HasSubstr("[%tailwave_at], {%tailwave_sm, %tailwave_begun};\n$tailwave_begun:\n}\n"));
  EXPECT_THAT(ptx, HasSubstr("[%tailwave_at+8], {%tailwave_end_time, %tailwave_y};\n"));
  EXPECT_THAT(ptx, testing::Not(HasSubstr("%tailwave_start")));
}

// What notes cost is then not part of what noted warps do, or part of what all do.
TEST(BlockTrace, ReadsTheTimeAtTheEndFirstWhereSomeNoteAndLastWhereAllDo) {
  const auto reads_first = [](const NotedBlocks& noted) {
    const std::string ptx = traced("first", {.noted = noted});
    const auto end = ptx.find("$tailwave_end:");
    return ptx.find("%globaltimer_lo", end) < ptx.find("%ctaid.x", end);
  };
  EXPECT_TRUE(reads_first({.blocks = 5000, .shift = 2}));
  EXPECT_FALSE(reads_first({.blocks = 5000}));
}

TEST(BlockTrace, UsesTheShapeOfTheLaunchWhereThereIsOne) {
  const NotedEntry known{.noted = {.blocks = 200}, .warps = 1, .grid = Dim3{20, 10, 1}, .block = Dim3{32}};
  const std::string ptx = traced("first", known);
  EXPECT_THAT(ptx, HasSubstr("mov.u32 %tailwave_n, %ctaid.y;\n  mov.u32 %tailwave_sm, %ctaid.x;\n"
                             "  mad.lo.u32 %tailwave_n, %tailwave_n, 20, %tailwave_sm;\n"));
  EXPECT_THAT(ptx, testing::Not(HasSubstr("%tid.y")));
  EXPECT_THAT(traced("first"), HasSubstr("%nctaid.y"));
}

TEST(BlockTrace, LeavesOtherFunctionsAsTheyAre) {
  const std::string ptx = traced("first");
  EXPECT_THAT(ptx, HasSubstr("remark\n{\n\tret;\n}\n.visible .entry first"));
  EXPECT_THAT(ptx,
              HasSubstr(".visible .entry second()\n{\n\tret;\n}\n\n.visible .entry tailwave_trace_stamp("));
}

TEST(BlockTrace, RefusesAnEntryThatIsNotThere) {
  EXPECT_EQ(failure_of([] { traced("third"); }), "compile_error: the PTX has no entry 'third'");
}

TEST(BlockTrace, RefusesFunctionsThatEndTheirThread) {
  std::string ptx = kPtx;
  ptx.replace(ptx.find("ret;"), 4, "exit;");
  EXPECT_EQ(failure_of([&] {
              add_block_trace(ptx, {{"first", {}}}, StartKept::in_memory);
            }),
            "compile_error: cannot be traced: the function 'helper' ends its thread with 'exit'");
}

TEST(BlockTrace, RefusesMoreNotesThanAGibibyte) {
  EXPECT_EQ(
      failure_of([] { traced("first", {.noted = {.blocks = 1 << 24}, .warps = 8}); }),
      "compile_error: cannot be traced: the notes of 16777216 blocks of 'first' take more than 1073741824 "
      "bytes");
}

TEST(BlockTrace, RefusesTextThatIsNoPtx) {
  const auto refusal = [](const char* text) {
    return failure_of([&] { add_block_trace(text, {{"first", {}}}, StartKept::in_register); });
  };
  EXPECT_EQ(refusal("int main() {}"), "compile_error: the PTX has no .address_size");
  EXPECT_EQ(refusal(".address_size 64\n.entry first() { ret;"),
            "compile_error: the PTX ends inside a function");
}

static_assert(names_every_field<NotedBlocks>());
static_assert(names_every_field<NotedEntry>());

TEST(NotedBlocks, AreAllOfAGridThatIsNotSampled) {
  const NotedBlocks all{.blocks = 7};
  EXPECT_EQ(all.places(), 7);
  EXPECT_EQ(all.block_at(6), 6);
}

TEST(NotedBlocks, AreOneInEveryStretchAndTheLastOnes) {
  const NotedBlocks noted{.blocks = 1003, .shift = 3, .last = 20};
  EXPECT_EQ(noted.places(), 126 + 20);
  std::set<std::int64_t> blocks;
  std::set<std::int64_t> places_in_stretches;
  for (std::int64_t place = 0; place < noted.places(); ++place) {
    const auto block = noted.block_at(place);
    if (!block) continue;
    EXPECT_TRUE(blocks.insert(*block).second);
    if (place >= 126) continue;
    EXPECT_EQ(*block / 8, place);
    EXPECT_LT(*block, 983);
    places_in_stretches.insert(*block % 8);
  }
  EXPECT_EQ(places_in_stretches.size(), 8U) << "each place in a stretch is chosen somewhere";
  for (std::int64_t block = 983; block < 1003; ++block) EXPECT_TRUE(blocks.contains(block));
}

}  // namespace
}  // namespace tailwave
