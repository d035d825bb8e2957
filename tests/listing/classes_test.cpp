#include <gtest/gtest.h>

#include <map>

#include "listing/ptx_class.h"
#include "listing/sass_class.h"

namespace tailwave {
namespace {

using Class = InstructionClass;

TEST(SassClass, IsThatOfNvidiasTables) {
  const std::map<std::string_view, Class> known{{"FFMA", Class::fp32},
                                                {"FSETP.GE.AND", Class::fp32},
                                                {"DFMA", Class::fp64},
                                                {"HFMA2.BF16_V2", Class::half},
                                                {"HMMA.16816.F32", Class::tensor},
                                                {"HGMMA.64x64x16.F32", Class::tensor},
                                                {"UTCHMMA", Class::tensor},
                                                {"IMAD.WIDE.U32", Class::integer},
                                                {"UIADD3.X", Class::integer},
                                                {"IMAD.MOV.U32", Class::move},
                                                {"F2F.F32.F64", Class::conversion},
                                                {"MUFU.RSQ", Class::special_function},
                                                {"LDG.E.128", Class::global_load},
                                                {"STG.E", Class::global_store},
                                                {"LDSM.16.M88.4", Class::shared_load},
                                                {"STS.128", Class::shared_store},
                                                {"LDL.LU", Class::local_load},
                                                {"STL.64", Class::local_store},
                                                {"ULDC.64", Class::constant_load},
                                                {"LD.E", Class::generic_load},
                                                {"ST.E", Class::generic_store},
                                                {"LDGSTS.E.BYPASS.128", Class::asynchronous_copy},
                                                {"TEX.SCR.LL", Class::texture},
                                                {"REDG.E.ADD.STRONG.GPU", Class::atomic},
                                                {"BAR.SYNC.DEFER_BLOCKING", Class::barrier},
                                                {"BRA", Class::branch},
                                                {"SHFL.BFLY", Class::warp},
                                                {"SEL", Class::move},
                                                {"S2R", Class::other},
                                                {"", Class::other}};
  for (const auto& [opcode, kind] : known)
    EXPECT_EQ(to_string(class_of_sass(opcode)), to_string(kind)) << opcode;
}

TEST(PtxClass, IsByNameSpaceAndType) {
  const std::map<std::string_view, Class> known{
      {"fma.rn.f32", Class::fp32},
      {"setp.lt.f64", Class::fp64},
      {"fma.rn.bf16x2", Class::half},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", Class::tensor},
      {"wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16", Class::tensor},
      {"wgmma.wait_group.sync.aligned", Class::barrier},
      {"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", Class::shared_load},
      {"wmma.store.d.sync.aligned.row.m16n16k16.global.f32", Class::global_store},
      {"mad.lo.s32", Class::integer},
      {"and.b32", Class::integer},
      {"and.pred", Class::other},
      {"cvt.rn.f16.f32", Class::conversion},
      {"ex2.approx.f32", Class::special_function},
      {"div.approx.f32", Class::special_function},
      {"div.rn.f32", Class::fp32},
      {"ld.global.nc.v4.f32", Class::global_load},
      {"st.shared::cta.f32", Class::shared_store},
      {"ld.param.u64", Class::constant_load},
      {"st.param.b64", Class::local_store},
      {"ld.f32", Class::generic_load},
      {"st.u32", Class::generic_store},
      {"cp.async.ca.shared.global", Class::asynchronous_copy},
      {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier", Class::asynchronous_copy},
      {"cp.async.wait_group", Class::barrier},
      {"cp.async.mbarrier.arrive.shared.b64", Class::barrier},
      {"tex.2d.v4.f32.s32", Class::texture},
      {"atom.global.add.f32", Class::atomic},
      {"bar.sync", Class::barrier},
      {"bra.uni", Class::branch},
      {"shfl.sync.bfly.b32", Class::warp},
      {"mov.u32", Class::move},
      {"tcgen05.ld.sync.aligned.32x32b.x2.b32", Class::generic_load},
      {"tcgen05", Class::other},
      {"nanosleep", Class::other},
      {"", Class::other}};
  for (const auto& [opcode, kind] : known)
    EXPECT_EQ(to_string(class_of_ptx(opcode)), to_string(kind)) << opcode;
}

}  // namespace
}  // namespace tailwave
