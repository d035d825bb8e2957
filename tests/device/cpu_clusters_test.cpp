// Clusters of blocks on the CPU device, and what dependent launches call.
#include <gmock/gmock.h>

#include <functional>

#include "device/cpu_program_builder.h"

namespace tailwave {
namespace {

using fakes::CpuTemplate;
using testing::Each;
using testing::ElementsAre;

std::string cluster_failure(const std::function<void()>& action) {
  try {
    action();
  } catch (const Failure& failure) {
    return std::string(to_string(failure.outcome())) + ": " + failure.what();
  }
  return "";
}

Launch in_clusters(const Dim3& grid, const Dim3& block, const std::optional<Dim3>& cluster) {
  Launch launch;
  launch.kernel = "test";
  launch.grid = grid;
  launch.block = block;
  launch.cluster = cluster;
  return launch;
}

std::vector<int> output_of_clusters(const std::string& text, Launch launch, std::size_t count) {
  CpuTemplate kernel("#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n" + text,
                     {"test"});
  const auto out = kernel.buffer(std::vector<int>(count));
  launch.arguments = {out.get()};
  kernel.run(launch);
  return kernel.values<int>(*out);
}

TEST(CpuClusters, ReachTheSharedMemoryOfTheirBlocks) {
  Launch launch = in_clusters({24}, {64}, Dim3{4});
  launch.dynamic_shared_bytes = 64 * sizeof(int);
  const auto values = output_of_clusters(R"(
__global__ void __cluster_dims__(4, 1, 1) test(int* out) {
  extern __shared__ int dynamic[];
  __shared__ int other;
  __shared__ int mine[64];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  for (int step = 0; step < 5; ++step) {
    mine[threadIdx.x] = 1000 * step + blockIdx.x;
    dynamic[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0) other = step;
    cluster.sync();
    const int sum = cluster.map_shared_rank(mine, next)[63 - threadIdx.x] +
                    cluster.map_shared_rank(dynamic, next)[63 - threadIdx.x] * 100 +
                    *cluster.map_shared_rank(&other, next);
    cluster.sync();
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  }
})",
                                         launch, 24 * 64);
  for (int block = 0; block < 24; ++block) {
    const int next = block / 4 * 4 + (block + 1) % 4;
    for (int thread = 0; thread < 64; ++thread)
      ASSERT_EQ(values[static_cast<std::size_t>(block * 64 + thread)], 4000 + next + (63 - thread) * 100 + 4)
          << block << " " << thread;
  }
}

TEST(CpuClusters, HaveRanksInThreeDimensions) {
  const auto values = output_of_clusters(R"(
__global__ void test(int* out) {
  const auto cluster = cg::this_cluster();
  const dim3 size = cluster.dim_blocks(), index = cluster.block_index();
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  out[block] = cluster.block_rank() + 10 * size.x + 100 * size.y + 1000 * size.z + 10000 * index.x + 100000 * index.y +
               1000000 * index.z;
  if (block == 0) out[16] = cluster.num_threads();
})",
                                         in_clusters({4, 2, 2}, {32}, Dim3{2, 1, 2}), 17);
  EXPECT_EQ(values[0], 2120);
  EXPECT_EQ(values[1], 10000 + 2120 + 1);
  EXPECT_EQ(values[2], 2120);
  EXPECT_EQ(values[4], 2120);
  EXPECT_EQ(values[15], 1010000 + 2120 + 3);
  EXPECT_EQ(values[16], 128);
}

TEST(CpuClusters, DoNotWaitForBlocksThatHaveFinished) {
  const auto values = output_of_clusters(R"(
__global__ void test(int* out) {
  const auto cluster = cg::this_cluster();
  if (cluster.block_rank() == 1) return;
  cluster.barrier_wait(cluster.barrier_arrive());
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
})",
                                         in_clusters({6}, {32}, Dim3{3}), 6);
  EXPECT_THAT(values, ElementsAre(1, 0, 1, 1, 0, 1));
}

TEST(CpuClusters, OfOneBlockAreWhatALaunchWithoutAnyHas) {
  const auto values = output_of_clusters(R"(
__global__ void test(int* out) {
  __shared__ int mine;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) mine = 7;
  cluster.sync();
  if (threadIdx.x == 1) out[blockIdx.x] = *cluster.map_shared_rank(&mine, 0) + cluster.num_blocks();
})",
                                         in_clusters({3}, {32}, Dim3{1}), 3);
  EXPECT_THAT(values, Each(8));
}

TEST(CpuClusters, HaveToBeKnownFromTheManifest) {
  const std::string source = "__global__ void __cluster_dims__(2, 1, 1) test(int*) { ";
  const auto failure = [&](const std::string& body) {
    return cluster_failure([&] { output_of_clusters(source + body + " }", in_clusters({4}, {32}, {}), 1); });
  };
  const std::string unknown =
      "unavailable: this_cluster() in a launch of which only the code may know clusters: on the CPU device the "
      "manifest has to say how large they are, \"cluster\": 1 where there are none";
  EXPECT_EQ(failure("cg::this_cluster().sync();"), unknown);
  EXPECT_EQ(failure("if (cg::this_cluster().block_rank() == 5) __trap();"), unknown);
  EXPECT_EQ(failure(""), "");
}

TEST(CpuClusters, RefuseWhatAGpuRefuses) {
  const auto failure = [](const Launch& launch) {
    return cluster_failure([&] { output_of_clusters("__global__ void test(int*) {}", launch, 1); });
  };
  EXPECT_EQ(failure(in_clusters({6}, {32}, Dim3{4})),
            "launch_failed: grid of 'test' is 6 x 1 x 1, no multiple of its cluster 4 x 1 x 1");
  EXPECT_EQ(
      failure(in_clusters({32}, {32}, Dim3{32})),
      "exceeds_device_limit: invalid configuration argument: 32 in x exceeds the device's 16 for a cluster");
  EXPECT_EQ(
      failure(in_clusters({32, 4}, {32}, Dim3{8, 4})),
      "exceeds_device_limit: invalid configuration argument: a cluster of 32 blocks exceeds the device's 16");
  Launch cooperative = in_clusters({4}, {32}, Dim3{2});
  cooperative.cooperative = true;
  EXPECT_EQ(failure(cooperative), "unavailable: the CPU device has no cooperative launches in clusters");
}

TEST(CpuClusters, TellTheFailureOfABlockAndLetTheOthersGo) {
  const auto failure = [](const std::string& body) {
    return cluster_failure([&] {
      output_of_clusters(
          "__global__ void test(int*) { const auto cluster = cg::this_cluster(); " + body + " }",
          in_clusters({8}, {32}, Dim3{4}), 1);
    });
  };
  EXPECT_EQ(failure("if (blockIdx.x == 2) __trap(); cluster.sync();"), "crashed: __trap() was called");
  EXPECT_EQ(failure("int x; cluster.map_shared_rank(&x, 4);"),
            "crashed: map_shared_rank() with a rank that no block of the cluster has");
  EXPECT_THAT(
      failure("if (threadIdx.x == 3) cluster.sync(); else __syncthreads();"),
      testing::HasSubstr("31 threads wait in __syncthreads(), 1 thread waits in cluster.sync(); 0 of 32"));
}

TEST(CpuClusters, AreTracedBlockByBlock) {
  CpuTemplate kernel("__global__ void test() {}", {"test"});
  const LaunchTrace trace =
      kernel.executor().trace(kernel.program(), in_clusters({4, 4}, {32}, Dim3{2, 2}), {});
  ASSERT_EQ(trace.blocks.size(), 16U);
  for (std::size_t i = 0; i < trace.blocks.size(); ++i) {
    EXPECT_EQ(trace.blocks[i].block, static_cast<std::int64_t>(i));
    EXPECT_GE(trace.blocks[i].end_ns, trace.blocks[i].start_ns);
  }
}

TEST(CpuKernels, HaveNoTextures) {
  CpuTemplate kernel("__global__ void test(unsigned long long) {}", {"test"});
  const auto buffer = kernel.buffer(std::vector<int>(4));
  Launch launch = in_clusters({}, {}, {});
  launch.arguments = {TextureView{buffer.get(), ScalarType::int32, {4}, {}}};
  EXPECT_EQ(cluster_failure([&] { kernel.run(launch); }),
            "unavailable: the CPU device has no textures and no tensor maps");
}

TEST(CpuKernels, CallWhatDependentLaunchesCall) {
  const auto values = fakes::output_of(
      "__global__ void test(int* out) { cudaGridDependencySynchronize(); out[threadIdx.x] = 3; "
      "cudaTriggerProgrammaticLaunchCompletion(); }",
      {}, {4, 1, 1}, 4);
  EXPECT_THAT(values, Each(3));
}

}  // namespace
}  // namespace tailwave
