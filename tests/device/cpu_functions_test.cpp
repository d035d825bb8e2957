// The functions of CUDA that the CPU device has: each value is what the CUDA Math API or the PTX ISA defines.

#include <gmock/gmock.h>

#include <string>

#include "device/cpu_program_builder.h"

namespace tailwave {
namespace {

using fakes::output_of;

// The checks of a kernel that failed, by their texts. Of each thread of `block`.
std::string failed_checks(const std::string& head, const std::vector<std::string>& checks,
                          Dim3 block = {1, 1, 1}) {
  std::string text = head + "\n__global__ void test(int* out) {\n  const unsigned t = threadIdx.x;\n";
  for (std::size_t i = 0; i < checks.size(); ++i)
    text += "  if (!(" + checks[i] + ")) atomicAdd(out + " + std::to_string(i) + ", 1);\n";
  const std::vector<int> failed = output_of(text + "}\n", {}, block, checks.size());
  std::string failures;
  for (std::size_t i = 0; i < checks.size(); ++i)
    if (failed[i] != 0) failures += checks[i] + ": " + std::to_string(failed[i]) + " times\n";
  return failures;
}

TEST(CpuFunctions, OfWordsWithParts) {
  EXPECT_EQ(
      failed_checks("",
                    {
                        "__dp4a(0x01020380, 0x01010102, 7) == 1 + 2 + 3 - 256 + 7",
                        "__dp4a(0xff020304u, 0xff010101u, 0u) == 255u * 255u + 9u",
                        "__dp4a(make_char4(1, -2, 3, 4), make_char4(1, 1, 1, 1), 0) == 6",
                        "__dp2a_lo(0x00020003, 0x04050607, 1) == 1 + 3 * 7 + 2 * 6",
                        "__dp2a_hi(0x0002fffdu, 0x04050607u, 1u) == 1u + 0xfffdu * 5u + 2u * 4u",
                        "__vadd4(0x01ff01ffu, 0x01010101u) == 0x02000200u",
                        "__vadd2(0x0001ffffu, 0x00010001u) == 0x00020000u",
                        "__vaddss4(0x7f80u, 0x01ffu) == 0x7f80u",
                        "__vaddus2(0xffff0001u, 0x00010001u) == 0xffff0002u",
                        "__vsub4(0x00u, 0x01u) == 0xffu && __vsubus4(0x00u, 0x01u) == 0u",
                        "__vabsdiffu4(0x10203040u, 0x40302010u) == 0x30101030u",
                        "__vabsdiffs2(0x8000u, 0x7fffu) == 0xffffu",
                        "__vabs4(0x80ffu) == 0x8001u && __vabsss4(0x80ffu) == 0x7f01u",
                        "__vneg2(0x8000u) == 0x8000u && __vnegss2(0x8000u) == 0x7fffu",
                        "__vavgs4(0xfefcu, 0xff01u) == 0xfefeu && __vavgu4(1u, 2u) == 2u",
                        "__vhaddu4(1u, 2u) == 1u",
                        "__vmaxs4(0x80u, 0x01u) == 0x01u && __vmaxu4(0x80u, 0x01u) == 0x80u",
                        "__vminu2(0x8000u, 1u) == 1u && __vmins2(0x8000u, 1u) == 0x8000u",
                        "__vsads4(0x80u, 0x7fu) == 255u && __vsadu4(0x0102u, 0x0201u) == 2u",
                        "__vcmpgts4(0x0180u, 0x0000u) == 0xff00u && __vsetgtu4(0x0180u, 0u) == 0x0101u",
                        "__viaddmax_s32(2147483647, 1, 5) == 5 && __vimax3_s32(1, 2, 3) == 3",
                        "__vimin3_s16x2_relu(0xffff0005u, 0x00010004u, 0x00020003u) == 0x00000003u",
                        "__vimax_s32_relu(-3, -2) == 0 && __viaddmin_u32(~0u, 2u, 9u) == 1u",
                        "([] { bool high, low; return __vibmax_s16x2(0x00010002u, 0x00010003u, &high, &low)"
                        " == 0x00010003u && high && !low; }())",
                        "__funnelshift_rc(1u, 2u, 40u) == 2u && __funnelshift_lc(1u, 2u, 32u) == 1u",
                        "__hadd(-3, 0) == -2 && __rhadd(-3, 0) == -1 && __uhadd(~0u, 1u) == 1u << 31",
                        "__usad(1u, ~0u, 2u) == 0u && umin(3u, 4u) == 3u && llmax(3, -4) == 3",
                    }),
      "");
}

TEST(CpuFunctions, OfNumbersOf16And8Bits) {
  const std::string head =
      "#include <cuda_fp8.h>\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
      "#define H(x) __float2half(x)\n#define P(x, y) __floats2half2_rn(x, y)\n#define N CUDART_NAN_F\n"
      "#include <math_constants.h>\n";
  EXPECT_EQ(
      failed_checks(
          head,
          {
              "__hbgt2(P(2, 3), P(1, 2)) && !__hbgt2(P(2, 3), P(1, 3)) && !__hbgt2(P(N, 3), P(1, 2))",
              "__hbgtu2(P(N, 3), P(1, 2)) && !__hbne2(P(N, 3), P(1, 2)) && __hbneu2(P(N, 3), P(1, 2))",
              "!__hne(H(N), H(1)) && __hneu(H(N), H(1)) && H(N) != H(N) && P(1, 2) == P(1, 2)",
              "__hge2(P(2, 1), P(1, 2)) == P(1, 0) && __hlt2_mask(P(2, 1), P(3, 1)) == 0xffffu",
              "__hfma2_relu(P(-1, 2), P(1, 2), P(-2, -2)) == P(0, 2) && __hisnan(__hfma_relu(H(N), H(1), H(1)))",
              "__hadd_sat(H(0.75f), H(0.5f)) == H(1) && __hsub2_sat(P(1, 3), P(2, 2.5f)) == P(0, 0.5f)",
              "__hisnan(__hmax_nan(H(N), H(1))) && __hmax(H(N), H(1)) == H(1)",
              "__hcmadd(P(1, 2), P(3, 4), P(1, 1)) == P(-4, 11)",
              "float(__float2half_rz(2049.9f)) == 2048 && float(__float2half_ru(2048.1f)) == 2050",
              "float(__float2half_rd(-2048.1f)) == -2050 && float(__float2half_rz(1e6f)) == 65504",
              "float(__float2bfloat16_rz(1.01171875f)) == 1.0078125f && float(__float2bfloat16_ru(1e-45f)) > 0",
              "__half2int_rn(H(2.5f)) == 2 && __half2ushort_rz(H(-3)) == 0 && __half2short_rn(H(INFINITY)) == 32767",
              "__half2uint_rn(H(N)) == 0u && __half2ll_rn(H(N)) == (long long)(1ull << 63)",
              "float(__uint2half_rd(2049u)) == 2048 && float(__ll2bfloat16_ru(257)) == 258",
              "__nv_cvt_float_to_fp8(300, __NV_SATFINITE, __NV_E4M3) == 0x79",
              "__nv_cvt_float_to_fp8(1000, __NV_SATFINITE, __NV_E4M3) == 0x7e",
              "__nv_cvt_float_to_fp8(465, __NV_NOSAT, __NV_E4M3) == 0x7f",
              "__nv_cvt_float_to_fp8(-1e9f, __NV_NOSAT, __NV_E5M2) == 0xfc",
              "__nv_cvt_float2_to_fp8x2(make_float2(1, -2), __NV_SATFINITE, __NV_E5M2) == 0xc03c",
              "float(__half(__nv_cvt_fp8_to_halfraw(0x79, __NV_E4M3))) == 288",
              "__half2(__nv_fp8x2_e4m3(P(1.5f, -2))) == P(1.5f, -2)",
              "float4(__nv_fp8x4_e4m3(make_float4(1, 2, 500, -3))).z == 448",
              "float4(__nv_fp8x4_e5m2(P(1, 2), P(3, 4))).w == 4 && __half(__nv_fp8_e5m2(H(6))) == H(6)",
          }),
      "");
}

TEST(CpuFunctions, OfRealNumbers) {
  const std::string head =
      "#define NEAR(x, y) (fabs((x) - (y)) <= 4e-15 * fabs(y))\n#define NEARF(x, y) (fabsf((x) - (y)) <= 4e-7f)\n";
  EXPECT_EQ(
      failed_checks(
          head,
          {
              "NEAR(erfcx(1.0), 0.427583576155807) && NEAR(erfcx(100.0), 0.005641613782989433)",
              "erfcxf(0.0f) == 1 && NEARF(normcdff(0.0f), 0.5f) && NEAR(normcdf(1.0), 0.8413447460685429)",
              "NEAR(normcdfinv(0.8413447460685429), 1.0) && normcdfinvf(0.0f) == -INFINITY",
              "NEAR(erf(erfinv(0.3)), 0.3) && NEAR(erfc(erfcinv(0.001)), 0.001)",
              "NEAR(cyl_bessel_i0(3.0), 4.880792585865024) && NEARF(cyl_bessel_i1f(-1.0f), -0.5651591f)",
              "([] { double v[2] = {3, 4}; return norm(2, v) == 5 && rnorm(2, v) == 0.2; }())",
              "NEARF(__tanhf(0.5f), 0.46211716f)",
              "__fadd_ru(1.0f, 1e-10f) > 1 && __fadd_rz(1.0f, 1e-10f) == 1 && __dadd_rd(1.0, -1e-30) < 1",
              "__fdiv_ru(1.0f, 3.0f) > __fdiv_rd(1.0f, 3.0f) && __fsqrt_rd(2.0f) < __fsqrt_ru(2.0f)",
              "__fmaf_rz(1.0f, 1.0f, -1e-10f) < 1 && __fmaf_rn(1.0f, 1.0f, -1e-10f) == 1",
              "__int2float_ru(16777217) == 16777218 && __double2float_rd(0.1) < __double2float_ru(0.1)",
              "__float2int_rn(1e20f) == 2147483647 && __float2uint_rz(-5.0f) == 0 && __float2int_rn(NAN) == 0",
              "__double2int_rz(-1e20) == -2147483647 - 1 && __float2ll_rd(NAN) == (long long)(1ull << 63)",
          }),
      "");
}

TEST(CpuFunctions, OfWarpsAndAtomics) {
  const std::string head =
      "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
      "__shared__ __half2 h; __shared__ __half g; __shared__ __nv_bfloat162 b; __shared__ float2 f; __shared__ float4 q;\n"
      "__device__ bool added() {\n"
      "  if (threadIdx.x == 0) { h = __float2half2_rn(0); g = 0; b = __float2bfloat162_rn(0); f = {0, 0}; q = {0, 0, 0, 0}; }\n"
      "  __syncthreads();\n"
      "  atomicAdd(&h, __floats2half2_rn(1, 2)); atomicAdd(&g, __half(1)); atomicAdd(&b, __floats2bfloat162_rn(1, 2));\n"
      "  atomicAdd(&f, make_float2(1, 2)); atomicAdd_system(&q, make_float4(1, 2, 3, 4));\n"
      "  __syncthreads();\n"
      "  return h == __floats2half2_rn(64, 128) && g == __half(64) && b == __floats2bfloat162_rn(64, 128) &&\n"
      "         f.y == 128 && q.w == 256;\n"
      "}\n";
  EXPECT_EQ(
      failed_checks(head,
                    {
                        "__reduce_and_sync(~0u, ~(1u << (t & 31))) == 0u",
                        "__reduce_or_sync(~0u, 1u << (t & 31)) == ~0u && __reduce_xor_sync(~0u, 1u) == 0u",
                        "__reduce_add_sync(~0u, -1) == -32 && __reduce_min_sync(~0u, -(int)(t & 31)) == -31",
                        "__reduce_max_sync(~0u, t & 31) == 31u",
                        "added()",
                        "(__builtin_assume(t < 64), t < 64) && __CUDACC__ == 1",
                    },
                    {64, 1, 1}),
      "");
}

TEST(CpuFunctions, OfGroups) {
  const std::string head = R"(
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__device__ bool coalesced() {
  const unsigned lane = threadIdx.x & 31;
  if (lane % 3 != 1) return true;
  const auto group = cg::coalesced_threads();
  const unsigned rank = lane / 3;
  return group.size() == 11 - (lane % 3 == 1 ? 0 : 1) && group.thread_rank() == rank && group.shfl(lane, 2) == 7 &&
         group.shfl_down(lane, 1) == (rank + 1 < group.size() ? lane + 3 : lane) &&
         group.shfl_up(lane, 1) == (rank == 0 ? lane : lane - 3) && group.ballot(rank == 1) == 2u &&
         cg::reduce(group, rank, cg::plus<unsigned>()) == 55 && cg::tiled_partition(group, 4).meta_group_rank() == rank / 4;
}
__device__ bool partitions() {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const unsigned lane = warp.thread_rank();
  const auto labeled = cg::labeled_partition(warp, static_cast<int>(lane % 3));
  const auto binary = cg::binary_partition(warp, lane < 5);
  const cg::thread_group four = cg::tiled_partition(cg::this_thread_block(), 4);
  four.sync();
  return labeled.size() == (lane % 3 == 2 ? 10 : 11) && labeled.meta_group_rank() == lane % 3 &&
         labeled.meta_group_size() == 3 && labeled.thread_rank() == lane / 3 && binary.size() == (lane < 5 ? 5 : 27) &&
         four.size() == 4 && four.thread_rank() == lane % 4 && cg::tiled_partition<8>(warp).meta_group_rank() == lane / 8;
}
__device__ bool scans() {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int rank = tile.thread_rank();
  const float4 sum = cg::reduce(tile, make_float4(1, 2, 3, rank), [](float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
  });
  return cg::inclusive_scan(tile, rank) == rank * (rank + 1) / 2 && cg::exclusive_scan(tile, 2) == 2 * rank &&
         cg::inclusive_scan(tile, rank ^ 15, cg::greater<int>()) == 15 && sum.x == 16 && sum.w == 120 &&
         cg::invoke_one_broadcast(tile, [&] { return rank + 7; }) == 7 && cg::reduce(tile, rank, cg::less<int>()) == 0;
}
__device__ bool wide() {
  __shared__ cg::block_tile_memory<128> memory;
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
  const int rank = tile.thread_rank();
  return cg::reduce(tile, rank, cg::plus<int>()) == 2016 && tile.any(rank == 40) && !tile.all(rank == 40) &&
         tile.meta_group_size() == 2 && cg::inclusive_scan(tile, 1) == rank + 1;
}
__device__ bool copied(const int* from) {
  __shared__ int to[128];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, to, from, sizeof to);
  cg::wait(block);
  return to[threadIdx.x] == 3 * static_cast<int>(threadIdx.x);
}
__device__ int numbers[128];
__device__ bool own(int i) { numbers[i] = 3 * i; __syncthreads(); return true; }
)";
  EXPECT_EQ(
      failed_checks(head, {"coalesced()", "partitions()", "scans()", "wide()", "own(t) && copied(numbers)"},
                    {128, 1, 1}),
      "");
}

TEST(CpuFunctions, OfLibcuAndOfOtherHeaders) {
  const std::string head = R"(
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/cmath>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda_pipeline.h>
#include <cuda_runtime_api.h>
#include <cuComplex.h>
#include <vector_types.h>
__device__ int numbers[512];
__device__ bool piped() {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int stages[2][64];
  const auto block = cooperative_groups::this_thread_block();
  for (int i = threadIdx.x; i < 512; i += 64) numbers[i] = i;
  block.sync();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int step = 0, filled = 0; step < 8; ++step) {
    for (; filled < 8 && filled < step + 2; ++filled) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stages[filled % 2], numbers + 64 * filled, cuda::aligned_size_t<16>(256), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += stages[step % 2][63 - threadIdx.x];
    pipe.consumer_release();
  }
  return sum == 8 * (63 - static_cast<int>(threadIdx.x)) + 64 * 28;
}
__device__ bool met() {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int sum;
  if (threadIdx.x == 0) { init(&barrier, blockDim.x); sum = 0; }
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block>(sum).fetch_add(2);
  barrier.arrive_and_wait();
  return sum == 128;
}
__device__ bool copied() {
  __shared__ __align__(16) int to[256];
  __pipeline_memcpy_async(to + 4 * threadIdx.x, numbers + 4 * threadIdx.x, 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  return to[4 * threadIdx.x + 3] == 4 * static_cast<int>(threadIdx.x) + 3;
}
)";
  EXPECT_EQ(failed_checks(
                head,
                {
                    "piped()",
                    "met()",
                    "copied()",
                    "cuCrealf(cuCmulf(make_cuFloatComplex(1, 2), cuConjf(make_cuFloatComplex(1, 2)))) == 5",
                    "cuCimag(cuCdiv(make_cuDoubleComplex(1, 2), make_cuDoubleComplex(0, 1))) == -1",
                    "cuCabsf(make_cuComplex(3, 4)) == 5",
                    "cuda::std::get<1>(cuda::std::make_tuple(1, 2)) == 2",
                    "cuda::std::numeric_limits<int>::max() == 2147483647 && cuda::std::sqrt(4.0f) == 2.0f",
                },
                {64, 1, 1}),
            "");
}

}  // namespace
}  // namespace tailwave
