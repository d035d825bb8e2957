#include "listing/ptx_listing.h"

#include <gmock/gmock.h>

#include "core/outcome.h"

namespace tailwave {
namespace {

using testing::ElementsAre;

constexpr std::string_view kPtx = R"(//
.version 9.0
.target sm_90
.address_size 64
.global .align 4 .u32 q;

	// .globl	_Z1kILi3EEvPf
.visible .entry _Z1kILi3EEvPf(
	.param .u64 _Z1kILi3EEvPf_param_0
)
.maxntid 128, 1, 1
{
	.reg .pred 	%p<3>;
	.shared .align 4 .b8 _ZZ1kILi3EEvPfE4tile[12];
	.loc	1 3 0
	ld.param.u64 	%rd4, [_Z1kILi3EEvPf_param_0];

$L__BB0_2:
	.loc	1 3 30, function_name $L__info, inlined_at 1 2 3
	// begin inline asm
	{ .reg .b32 t; mov.b32 t, 3; }
	// end inline asm
	.pragma "nounroll; // kept";
	ld.global.v2.f32 	{%f1, %f2}, [%rd1+12]; /* a
	remark */
	@%p2 bra 	$L__BB0_2;
	call.uni (retval0), 
	_ZN33_INTERNAL_181ca72a_4_n_cu1fEf, 
	(
	param0
	);
	ret;

}
.func _ZN33_INTERNAL_181ca72a_4_n_cu1fEf()
{
	ret;
}
)";

std::vector<std::string> lines_of(const KernelListing& listing) {
  std::vector<std::string> lines;
  for (const CodeLine& line : listing.lines) lines.push_back(line.text);
  return lines;
}

TEST(PtxListing, LeavesOutWhatHasNoMeaningAndNumbersLabels) {
  const std::vector<KernelListing> listings = ptx_listings(kPtx);
  ASSERT_EQ(listings.size(), 2U);
  EXPECT_EQ(listings[0].kernel, "_Z1kILi3EEvPf");
  EXPECT_THAT(
      lines_of(listings[0]),
      ElementsAre(".maxntid 128, 1, 1", "    .reg .pred %p<3>;", "    .shared .align 4 .b8 kernel.4tile[12];",
                  "    ld.param.u64 %rd4, [kernel_param_0];", "L1:", "    {", "    .reg .b32 t;",
                  "    mov.b32 t, 3;", "    }", "    .pragma \"nounroll; // kept\";",
                  "    ld.global.v2.f32 {%f1, %f2}, [%rd1+12];", "    @%p2 bra L1;",
                  "    call.uni (retval0), _ZN33_INTERNAL_00000000_4_n_cu1fEf, (param0);", "    ret;"));
  EXPECT_EQ(listings[1].kernel, "_ZN33_INTERNAL_00000000_4_n_cu1fEf");
  EXPECT_THAT(lines_of(listings[1]), ElementsAre("    ret;"));
}

TEST(PtxListing, CountsInstructionsAndNoDirectives) {
  const InstructionCounts counts = count_instructions(ptx_listings(kPtx)[0]);
  EXPECT_EQ(counts.at(InstructionClass::branch), 3U);
  EXPECT_EQ(counts.at(InstructionClass::move), 1U);
  EXPECT_EQ(counts.at(InstructionClass::global_load), 1U);
  EXPECT_EQ(counts.at(InstructionClass::constant_load), 1U);
  EXPECT_EQ(counts.size(), 4U);
}

TEST(PtxListing, RefusesTextThatEndsInsideAFunction) {
  EXPECT_THROW((void)ptx_listings(".entry k() { ret;"), Failure);
}

}  // namespace
}  // namespace tailwave
