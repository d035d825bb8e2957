#include "listing/sass_listing.h"

#include <gmock/gmock.h>

namespace tailwave {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

// A loop, by nvdisasm -c 13.2 and by cuobjdump -sass 13.2, shortened.
constexpr std::string_view kByNvdisasm = R"(	.target	sm_90a

//--------------------- .text.twice               --------------------------
	.section	.text.twice,"ax",@progbits
	.align	128
        .global         twice
        .size           twice,(.L_x_5 - twice)
twice:
.text.twice:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 BRA `(.L_x_3) ;
.L_x_2:
        /*0020*/                   FADD R2, R3.reuse, +INF , R3 ;
        /*0030*/               @P0 BRA `(.L_x_2) ;
.L_x_3:
        /*0040*/                   CALL.REL.NOINC `($twice$__internal_0_$__cuda_sm20_rcp) ;
        /*0050*/                   EXIT ;
        .weak           $twice$__internal_0_$__cuda_sm20_rcp
        .type           $twice$__internal_0_$__cuda_sm20_rcp,@function
$twice$__internal_0_$__cuda_sm20_rcp:
        /*0060*/                   MUFU.RCP R4, R4 ;
        /*0070*/                   RET.REL.NODEC R2 `(twice) ;
.L_x_4:
        /*0080*/                   BRA `(.L_x_4);
        /*0090*/                   NOP;
.L_x_5:
)";

constexpr std::string_view kByCuobjdump = R"(
	code for sm_90a
	.target	sm_90a

		Function : twice
	.headerflags	@"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                 /* 0x00000a00ff017b82 */
                                                                          /* 0x000fe20000000800 */
        /*0010*/              @!P0 BRA 0x40 ;                             /* 0x000000000008947 */
        /*0020*/                   FADD R2, R3.reuse, +INF , R3 ;         /* 0x0000000000057919 */
        /*0030*/               @P0 BRA 0x20 ;                             /* 0x0000000000057919 */
        /*0040*/                   CALL.REL.NOINC 0x60 ;                  /* 0x0000000000057919 */
        /*0050*/                   EXIT ;                                 /* 0x0000000000057919 */
        /*0060*/                   MUFU.RCP R4, R4 ;                      /* 0x0000000000057919 */
        /*0070*/                   RET.REL.NODEC R2 0x0 ;                 /* 0x0000000000057919 */
        /*0080*/                   BRA 0x80;                              /* 0x0000000000057919 */
        /*0090*/                   NOP;                                   /* 0x0000000000057919 */
		..........
)";

std::vector<std::string> lines_of(std::string_view disassembly) {
  std::vector<std::string> lines;
  for (const KernelListing& listing : sass_listings(disassembly))
    for (const CodeLine& line : listing.lines) lines.push_back(line.text);
  return lines;
}

TEST(SassListing, LeavesOutWhatHasNoMeaningAndNumbersLabels) {
  EXPECT_THAT(lines_of(kByNvdisasm),
              ElementsAre("    LDC R1, c[0x0][0x28]", "    @!P0 BRA L2", "L1:", "    FADD R2, R3, +INF, R3",
                          "    @P0 BRA L1", "L2:", "    CALL.REL.NOINC __cuda_sm20_rcp", "    EXIT",
                          "__cuda_sm20_rcp:", "    MUFU.RCP R4, R4", "    RET.REL.NODEC R2"));
}

TEST(SassListing, IsTheSameByCuobjdumpWhichHasAddressesForLabels) {
  EXPECT_THAT(lines_of(kByCuobjdump),
              ElementsAre("    LDC R1, c[0x0][0x28]", "    @!P0 BRA L2", "L1:", "    FADD R2, R3, +INF, R3",
                          "    @P0 BRA L1", "L2:", "    CALL.REL.NOINC L3", "    EXIT",
                          "L3:", "    MUFU.RCP R4, R4", "    RET.REL.NODEC R2"));
}

TEST(SassListing, CountsInstructionsByClass) {
  const std::vector<KernelListing> listings = sass_listings(kByNvdisasm);
  ASSERT_EQ(listings.size(), 1U);
  EXPECT_EQ(listings[0].kernel, "twice");
  EXPECT_THAT(
      count_instructions(listings[0]),
      UnorderedElementsAre(Pair(InstructionClass::constant_load, 1), Pair(InstructionClass::fp32, 1),
                           Pair(InstructionClass::special_function, 1), Pair(InstructionClass::branch, 5)));
}

TEST(SassListing, SaysKernelForTheNameOfTheFunctionItself) {
  EXPECT_THAT(lines_of(".text._Z1kILi3EEvv:\n/*0000*/ MOV R2, 32@lo((_Z1kILi3EEvv + .L_x_1@srel)) ;\n"
                       ".L_x_1:\n/*0010*/ EXIT ;\n"),
              ElementsAre("    MOV R2, 32@lo((kernel + L1@srel))", "L1:", "    EXIT"));
}

TEST(SassListing, OfOtherTextHasNoFunctions) {
  EXPECT_TRUE(sass_listings("").empty());
  EXPECT_TRUE(sass_listings("nvdisasm fatal : no\n/*0000*/ EXIT ;\n").empty());
  // What is cut off.
  EXPECT_TRUE(lines_of(".text.k:\n/*0000 EXIT ;\n/*00\n/*zz*/ EXIT ;\n/*0000*/ EXIT\n").empty());
}

}  // namespace
}  // namespace tailwave
