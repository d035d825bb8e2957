// What the language of a kernel has on the CPU device: types, constants, mathematics.

#include <gmock/gmock.h>

#include <array>
#include <cstring>

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

TEST(CpuKernels, ComputeWithHalfPrecision) {
  const auto values = output_of<float>(R"(
#include <cuda_fp16.h>
__global__ void test(float* out) {
  const half one = __float2half(1.0f), small = __float2half(0.0004f);
  half2 pair = __floats2half2_rn(3.0f, 4.0f);
  out[0] = __half2float(one + small);                        // below half a unit in the last place
  out[1] = float(half(2049.0f));                             // to the even one
  out[2] = float(__hfma(half(3.0f), half(5.0f), half(-7.0f)));
  pair = __hmul2(pair, pair) + __half2half2(one);
  out[3] = __low2float(pair) + __high2float(pair);
  out[4] = __half22float2(pair).y;
  out[5] = float(hsqrt(half(9.0f))) + float(__hmax(one, small)) + (one > small ? 10.0f : 0.0f);
  out[6] = __half_as_ushort(one) == 0x3C00;
  half sum = 0;
  sum += one; sum *= half(4); sum -= one; sum /= half(2);
  out[7] = float(sum) + sizeof(half2) + alignof(half2);
  out[8] = float(__shfl_xor_sync(1u, one, 0)) + float(half(70000.0f) == half(INFINITY));
})",
                                       {}, {1, 1, 1}, 9);
  EXPECT_THAT(values, ElementsAre(1, 2048, 8, 27, 17, 14, 1, 9.5, 2));
}

TEST(CpuKernels, ComputeWithBfloat16AndConvertFp8) {
  const auto values = output_of<float>(R"(
#include <cuda_bf16.h>
#include <cuda_fp8.h>
__global__ void test(float* out) {
  const __nv_bfloat16 x = __float2bfloat16(1.00390625f);     // between two: to the even one
  out[0] = __bfloat162float(x);
  out[1] = float(__nv_bfloat16(3.0f) * __nv_bfloat16(1e38f));
  const __nv_bfloat162 pair = __floats2bfloat162_rn(1.5f, 2.5f);
  out[2] = __bfloat1622float2(__hadd2(pair, pair)).y;
  out[3] = float(__nv_fp8_e4m3(1000.0f));
  out[4] = float(__nv_fp8_e5m2(5.1f));
  out[5] = sizeof(__nv_fp8_e4m3);
})",
                                       {}, {1, 1, 1}, 6);
  EXPECT_THAT(values, ElementsAre(1, ::testing::FloatNear(3e38F, 1e36F), 5, 448, 5, 1));
}

TEST(CpuKernels, TakeAStructByValueWithTheAddressesOfBuffers) {
  fakes::CpuTemplate kernel(R"(
struct Given { const int* in; float factors[2]; signed char shift; int* out; };
extern "C" __global__ void test(Given given, float4 more) {
  const int i = threadIdx.x;
  given.out[i] = static_cast<int>(given.in[i] * given.factors[i % 2]) + given.shift + static_cast<int>(more.w);
})",
                            {"test"});
  const auto in = kernel.buffer(std::vector<int>{10, 20}), out = kernel.buffer(std::vector<int>(2));
  StructBytes given{std::vector<std::byte>(32), {{0, in.get()}, {24, out.get()}}};
  const std::array<float, 2> factors{2, 3};
  std::memcpy(given.bytes.data() + 8, factors.data(), sizeof factors);
  given.bytes[16] = std::byte{5};
  StructBytes more{std::vector<std::byte>(16), {}};
  const float fourth = 100;
  std::memcpy(more.bytes.data() + 12, &fourth, sizeof fourth);
  kernel.run({"test", {}, {2, 1, 1}, 0, {given, more}});
  EXPECT_THAT(kernel.values<int>(*out), ElementsAre(125, 165));
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

TEST(CpuKernels, TakeHipsHeader) {
  EXPECT_THAT(output_of("#include <hip/hip_runtime.h>\n#include \"hip/hip_runtime.h\"\n"
                        "__global__ void test(int* out) { out[0] = blockDim.x; }",
                        {}, {1, 1, 1}, 1),
              ElementsAre(1));
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
