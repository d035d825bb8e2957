// What the language of a kernel has on the CPU device: types, constants, mathematics.

#include <gmock/gmock.h>

#include "device/cpu_program_builder.h"

namespace tailwave {
namespace {

using fakes::output_of;
using ::testing::ElementsAre;

TEST(CpuKernels, HaveVectorTypesWithTheirSizesAndAlignment) {
  EXPECT_THAT(output_of(R"(
struct __align__(16) Cell { float3 position; };
__global__ void test(int* out) {
  const float4 sum = make_float4(1, 2, 3, 4);
  reinterpret_cast<int4*>(out)[0] = make_int4(int(sum.x), int(sum.y), int(sum.z), int(sum.w));
  out[4] = sizeof(float3); out[5] = alignof(float4); out[6] = alignof(float2); out[7] = sizeof(uchar4);
  out[8] = sizeof(double4); out[9] = sizeof(Cell); out[10] = alignof(short4); out[11] = dim3(7).y;
})",
                        {}, {1, 1, 1}, 12),
              ElementsAre(1, 2, 3, 4, 12, 16, 8, 4, 32, 16, 8, 1));
}

TEST(CpuKernels, ReadConstantMemoryThatTheSourceInitialises) {
  EXPECT_THAT(output_of(R"(
__constant__ int weights[4] = {1, 2, 4, 8};
__device__ int factor = 3;
__global__ void test(int* out) { out[threadIdx.x] = factor * weights[threadIdx.x]; })",
                        {}, {4, 1, 1}, 4),
              ElementsAre(3, 6, 12, 24));
}

TEST(CpuKernels, ComputeWithCudaMathFunctions) {
  const auto values = output_of<float>(R"(
__global__ void test(float* out) {
  const float x = 0.25f + out[0];
  float sine, cosine;
  sincosf(x, &sine, &cosine);
  out[1] = rsqrtf(x);
  out[2] = sine * sine + cosine * cosine;
  out[3] = sinpif(0.5f);
  out[4] = static_cast<float>(cospi(1.0));
  out[5] = __fdividef(x, 0.5f) + __frcp_rn(x) + __frsqrt_rn(x);
  out[6] = fmaf(x, 4.0f, 1.0f) + __fmaf_rn(x, 4.0f, 1.0f);
  out[7] = __saturatef(-x) + __saturatef(4 * x) + saturate(x);
  out[8] = max(x, 1.0f) + min(2, 3) + fmaxf(x, 2) + abs(-x) + sqrt(x) + pow(x, 2);
  out[9] = static_cast<float>(rhypot(3.0, 4.0)) + __expf(0.0f) + __powf(2.0f, 3.0f) + __logf(1.0f);
  out[10] = __int_as_float(__float_as_int(x)) + __ldg(&out[9]) - out[9];
  out[11] = isnan(x) + isinf(x);
})",
                                       {}, {1, 1, 1}, 12);
  const std::vector<float> expected{
      0, 2, 1, 1, -1, 0.5F + 4 + 2, 4, 1.25F, 1 + 2 + 2 + 0.25F + 0.5F + 0.0625F, 0.2F + 1 + 8, 0.25F, 0};
  EXPECT_THAT(values, ::testing::Pointwise(::testing::FloatNear(1e-5F), expected));
}

TEST(CpuKernels, ComputeWithIntegerIntrinsics) {
  EXPECT_THAT(output_of(R"(
__global__ void test(int* out) {
  const unsigned x = 0x00f0u + out[0];
  out[0] = __popc(x); out[1] = __clz(x); out[2] = __ffs(x); out[3] = __brev(x) == 0x0f000000u;
  out[4] = __mulhi(1 << 30, 8); out[5] = __umulhi(0x80000000u, 6u); out[6] = __byte_perm(0x03020100, 0x07060504, 0x5140) == 0x05010400;
  out[7] = __funnelshift_l(0x80000000u, 1u, 1) == 3u; out[8] = __popcll(~0ull); out[9] = __clz(0);
  out[10] = clock64() > 0 && __globaltimer() > 0;
})",
                        {}, {1, 1, 1}, 11),
              ElementsAre(4, 24, 5, 1, 2, 3, 1, 1, 64, 32, 1));
}

TEST(CpuKernels, AreToldThatTheyRunOnTheCpu) {
  EXPECT_THAT(output_of(R"(
#include <cuda_runtime.h>
__global__ void test(int* out) {
#if defined(TAILWAVE_CPU) && !defined(__CUDA_ARCH__)
  out[0] = 1;
#endif
})",
                        {}, {1, 1, 1}, 1),
              ElementsAre(1));
}

}  // namespace
}  // namespace tailwave
