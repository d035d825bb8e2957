// CUDA features that templates use, each by a kernel on the CPU device.

#include <gmock/gmock.h>

#include <numeric>

#include "device/cpu_program_builder.h"

namespace tailwave {
namespace {

using fakes::CpuTemplate;
using fakes::failure_of;
using fakes::output_of;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

std::vector<int> iota(int count, int first = 0) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST(CpuKernels, ReduceWithShufflesOverBlocksOfAnySize) {
  CpuTemplate kernel(R"(
__device__ __forceinline__ int warp_sum(int value) {
#pragma unroll
  for (int distance = warpSize / 2; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffffu, value, distance);
  return value;
}
template <int scale>
__global__ void __launch_bounds__(1024) reduce(const int* __restrict__ in, int* __restrict__ out, int n) {
  __shared__ int sums[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int sum = warp_sum(i < n ? scale * in[i] : 0);
  if (threadIdx.x % warpSize == 0) sums[threadIdx.x / warpSize] = sum;
  __syncthreads();
  if (threadIdx.x >= warpSize) return;
  const int total = warp_sum(threadIdx.x < blockDim.x / warpSize ? sums[threadIdx.x] : 0);
  if (threadIdx.x == 0) atomicAdd(out, total);
})",
                     {"reduce<1>", "reduce<4>"});
  const auto in = kernel.buffer(iota(10000));
  for (const std::int64_t block : {32, 256, 1024}) {
    const auto out = kernel.buffer<int>({0});
    kernel.run({"reduce<1>",
                {(10000 + block - 1) / block, 1, 1},
                {block, 1, 1},
                0,
                {in.get(), out.get(), scalar(10000)}});
    EXPECT_THAT(kernel.values<int>(*out), ElementsAre(49995000)) << block;
  }
  const auto out = kernel.buffer<int>({0});
  kernel.run({"reduce<4>", {10, 1, 1}, {1024, 1, 1}, 0, {in.get(), out.get(), scalar(10000)}});
  EXPECT_THAT(kernel.values<int>(*out), ElementsAre(4 * 49995000));
}

TEST(CpuKernels, TransposeThroughASharedTile) {
  CpuTemplate kernel(R"(
__global__ void transpose(const float* in, float* out, int width, int height) {
  __shared__ float tile[TILE][TILE + 1];
  const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  const int tx = blockIdx.y * TILE + threadIdx.x, ty = blockIdx.x * TILE + threadIdx.y;
  if (tx < height && ty < width) out[ty * height + tx] = tile[threadIdx.x][threadIdx.y];
})",
                     {"transpose"}, {{"TILE", std::int64_t{16}}});
  constexpr int kWidth = 70, kHeight = 45;
  std::vector<float> values(kWidth * kHeight), transposed(values.size());
  std::iota(values.begin(), values.end(), 0.0F);
  for (std::size_t y = 0; y < kHeight; ++y)
    for (std::size_t x = 0; x < kWidth; ++x) transposed[x * kHeight + y] = values[y * kWidth + x];
  const auto in = kernel.buffer(values);
  const auto out = kernel.buffer(std::vector<float>(values.size()));
  kernel.run(
      {"transpose", {5, 3, 1}, {16, 16, 1}, 0, {in.get(), out.get(), scalar(kWidth), scalar(kHeight)}});
  EXPECT_EQ(kernel.values<float>(*out), transposed);
  EXPECT_EQ(kernel.damage(*out), "");
}

TEST(CpuKernels, HaveDynamicSharedMemoryInEveryForm) {
  constexpr std::int64_t kBytes = 64 * sizeof(int);
  const std::vector<int> reversed{63, 62, 61, 60};
  for (const char* declaration :
       {"extern __shared__ int data[];", "extern __shared__ __align__(16) int data[];",
        "extern __shared__ char raw[]; int* data = reinterpret_cast<int*>(raw);"}) {
    const std::string body =
        "data[threadIdx.x] = threadIdx.x; __syncthreads(); out[threadIdx.x] = data[63 - threadIdx.x];";
    auto values = output_of(std::string("__global__ void test(int* out) { ") + declaration + body + " }", {},
                            {64, 1, 1}, 64, kBytes);
    values.resize(4);
    EXPECT_EQ(values, reversed) << declaration;
  }
  auto values = output_of(R"(
extern __shared__ int data[];
__global__ void test(int* out) {
  data[threadIdx.x] = threadIdx.x;
  __syncthreads();
  atomicAdd(&out[threadIdx.x], data[63 - threadIdx.x] * (blockIdx.x + 1));
})",
                          {8, 1, 1}, {64, 1, 1}, 64, kBytes);
  values.resize(4);
  EXPECT_THAT(values, ElementsAre(36 * 63, 36 * 62, 36 * 61, 36 * 60));
}

TEST(CpuKernels, AddAtomicallyFromManyBlocks) {
  const auto counts = output_of(R"(
__global__ void test(int* out) {
  atomicAdd(&out[threadIdx.x % 4], 1);
  atomicAdd(reinterpret_cast<float*>(&out[4]), 0.5f);
  atomicMax(&out[5], static_cast<int>(blockIdx.x));
  atomicMin(&out[6], -static_cast<int>(threadIdx.x));
  atomicOr(&out[7], 1 << (threadIdx.x % 8));
  atomicInc(reinterpret_cast<unsigned*>(&out[8]), 9u);
  atomicDec(reinterpret_cast<unsigned*>(&out[9]), 9u);
  while (atomicCAS(&out[10], 0, 1) != 0) __nanosleep(10);
  ++out[11];
  __threadfence();
  atomicExch(&out[10], 0);
  atomicSub(&out[12], 2);
  atomicXor(&out[13], 5);
})",
                                {1000, 1, 1}, {64, 1, 1}, 14);
  EXPECT_THAT(counts,
              ElementsAre(16000, 16000, 16000, 16000, 0x46fa0000, 999, -63, 255, 0, 0, 0, 64000, -128000, 0));
}

TEST(CpuKernels, CountAndCombinePredicatesAtBarriers) {
  EXPECT_THAT(output_of(R"(
__global__ void test(int* out) {
  const int count = __syncthreads_count(threadIdx.x % 3 == 0);
  const int all = __syncthreads_and(threadIdx.x < 100), not_all = __syncthreads_and(threadIdx.x < 99);
  const int any = __syncthreads_or(threadIdx.x == 77), none = __syncthreads_or(threadIdx.x == 100);
  if (threadIdx.x != 50) return;
  out[0] = count; out[1] = all; out[2] = not_all; out[3] = any; out[4] = none;
})",
                        {}, {100, 1, 1}, 5),
              ElementsAre(34, 1, 0, 1, 0));
}

TEST(CpuKernels, VoteAndMatchInWarps) {
  EXPECT_THAT(output_of(R"(
__global__ void test(int* out) {
  const unsigned all_lanes = 0xffffffffu;
  const int active = __popc(__activemask());
  const unsigned odd = __ballot_sync(all_lanes, threadIdx.x % 2);
  const int any = __any_sync(all_lanes, threadIdx.x == 63), all = __all_sync(all_lanes, threadIdx.x < 40);
  const unsigned match = __match_any_sync(all_lanes, threadIdx.x / 8);
  int equal = 0;
  __match_all_sync(all_lanes, threadIdx.x / 32, &equal);
  const int sum = __reduce_add_sync(all_lanes, static_cast<int>(threadIdx.x));
  const unsigned low = threadIdx.x % 32 < 16 ? __ballot_sync(0xffffu, 1) : __ballot_sync(0xffff0000u, threadIdx.x & 1);
  if (threadIdx.x != 41) return;
  out[0] = odd == 0xaaaaaaaau; out[1] = any; out[2] = all; out[3] = match; out[4] = equal; out[5] = sum;
  out[6] = low == 0xffffu; out[7] = active;
})",
                        {}, {64, 1, 1}, 8),
              ElementsAre(1, 1, 0, 0xff00, 1, 32 * 47 + 16, 1, 32));
}

TEST(CpuKernels, ShuffleWithinSegments) {
  const auto values = output_of(R"(
__global__ void test(int* out) {
  const int lane = threadIdx.x;
  int* row = out + lane;
  row[0] = __shfl_sync(~0u, lane, 3, 8);
  row[32] = __shfl_up_sync(~0u, lane, 2, 8);
  row[64] = __shfl_down_sync(~0u, lane, 2, 8);
  row[96] = __shfl_xor_sync(~0u, lane, 9, 8);
  row[128] = static_cast<int>(__shfl_sync(~0u, lane * 0.5, lane + 1) * 2);
})",
                                {}, {32, 1, 1}, 160);
  const auto row = [&](std::size_t index) {
    return std::vector<int>(values.begin() + static_cast<std::ptrdiff_t>(32 * index + 8),
                            values.begin() + static_cast<std::ptrdiff_t>(32 * index + 16));
  };
  EXPECT_THAT(row(0), Each(11));
  EXPECT_THAT(row(1), ElementsAre(8, 9, 8, 9, 10, 11, 12, 13));
  EXPECT_THAT(row(2), ElementsAre(10, 11, 12, 13, 14, 15, 14, 15));
  EXPECT_THAT(row(3), ElementsAre(1, 0, 3, 2, 5, 4, 7, 6));
  EXPECT_THAT(row(4), ElementsAreArray(iota(8, 9)));
}

TEST(CpuKernels, IgnoreFinishedThreadsAtBarriersAndInWarps) {
  EXPECT_THAT(output_of(R"(
__global__ void test(int* out) {
  if (threadIdx.x >= 70) return;
  const int count = __syncthreads_count(1);
  if (threadIdx.x % 2) return;
  const unsigned lanes = __ballot_sync(~0u, 1);
  __syncthreads();
  if (threadIdx.x == 64) { out[0] = count; out[1] = lanes; }
})",
                        {}, {100, 1, 1}, 2),
              ElementsAre(70, 0x15));
}

TEST(CpuKernels, TellADeadlockInsteadOfHanging) {
  const auto failure = [](const std::string& body, bool cooperative = false) {
    return failure_of([&] {
      output_of("#include <cooperative_groups.h>\n__global__ void test(int*) { " + body + " }", {2, 1, 1},
                {64, 1, 1}, 1, 0, cooperative);
    });
  };
  EXPECT_EQ(
      failure("if (blockIdx.x == 1) { if (threadIdx.x < 48) __syncthreads(); else __syncthreads_count(1); }"),
      "launch_failed: barrier deadlock in block (1, 0, 0): 48 threads wait in __syncthreads(), 16 threads "
      "wait in "
      "__syncthreads_count(); 0 of 64 have finished");
  EXPECT_EQ(
      failure("if (blockIdx.x == 0) { if (threadIdx.x == 5) __syncthreads(); else if (threadIdx.x < 32) "
              "__syncwarp(); }"),
      "launch_failed: barrier deadlock in block (0, 0, 0): 1 thread waits in __syncthreads(), 31 threads "
      "wait in "
      "warp operations; 32 of 64 have finished");
  EXPECT_EQ(failure("if (threadIdx.x == 33) __syncwarp(0x1);"),
            "launch_failed: lane 1 takes part in a warp operation whose mask 0x00000001 leaves it out");
  EXPECT_EQ(failure("cooperative_groups::this_grid().sync();"),
            "launch_failed: grid.sync() in a launch that is not cooperative");
  EXPECT_EQ(failure("if (blockIdx.x == 0) cooperative_groups::this_grid().sync();", true),
            "launch_failed: barrier deadlock: a block finished while others wait in grid.sync()");
}

TEST(CpuKernels, SynchroniseTheGridOfACooperativeLaunch) {
  const auto values = output_of(R"(
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void test(int* out) {
  __shared__ int mine;
  cg::grid_group grid = cg::this_grid();
  const int blocks = gridDim.x;
  for (int step = 0; step < 20; ++step) {
    int* from = out + step % 2 * blocks;
    int* to = out + (step + 1) % 2 * blocks;
    if (threadIdx.x == 0) mine = from[(blockIdx.x + 1) % blocks] + 1;
    __syncthreads();
    if (threadIdx.x == 40) to[blockIdx.x] = mine;
    grid.sync();
  }
  if (grid.thread_rank() == 0) out[2 * blocks] = static_cast<int>(grid.size());
})",
                                {25, 1, 1}, {64, 1, 1}, 51, 0, true);
  EXPECT_THAT(std::vector<int>(values.begin(), values.begin() + 25), Each(20));
  EXPECT_EQ(values.back(), 25 * 64);
}

TEST(CpuKernels, PartitionBlocksIntoTiles) {
  const auto values = output_of(R"(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void test(int* out) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const int sum = cg::reduce(tile, static_cast<int>(threadIdx.x), cg::plus<int>());
  cg::sync(block);
  out[block.thread_rank()] = sum + 1000 * tile.shfl(static_cast<int>(tile.meta_group_rank()), 3);
})",
                                {}, {64, 1, 1}, 64);
  EXPECT_EQ(values[0], 28);
  EXPECT_EQ(values[17], 2000 + 16 * 8 + 28);
  EXPECT_EQ(values[63], 7000 + 56 * 8 + 28);
}

TEST(CpuKernels, IndexInThreeDimensions) {
  EXPECT_EQ(output_of(R"(
__global__ void test(int* out) {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  __syncthreads();
  out[block * blockDim.x * blockDim.y * blockDim.z + (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x +
      threadIdx.x] = block * 24 + thread;
})",
                      {3, 4, 5}, {2, 3, 4}, 3 * 4 * 5 * 24),
            iota(3 * 4 * 5 * 24));
}

}  // namespace
}  // namespace tailwave
