// Attributes of launches: clusters, dependent launches, priorities.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "core/statistics.h"
#include "device/cuda_fixture.h"
#include "occupancy/clusters.h"

namespace tailwave {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr const char* kAttributeKernels = R"(
__device__ unsigned rank_in_cluster() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ unsigned blocks_of_cluster() {
  unsigned blocks;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  return blocks;
}
__device__ void meet_cluster() {
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}
// What the next block of the cluster has there.
__device__ int of_next(const int* mine) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(mine));
  unsigned there;
  int value;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(there)
               : "r"(address), "r"((rank_in_cluster() + 1) % blocks_of_cluster()));
  asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
  return value;
}
__device__ void pass_on(int* out) {
  __shared__ int mine[32];
  mine[threadIdx.x] = 1000 * blockIdx.x + threadIdx.x;
  meet_cluster();
  const int value = of_next(&mine[31 - threadIdx.x]);
  meet_cluster();
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
  if (threadIdx.x == 0) out[gridDim.x * blockDim.x + blockIdx.x] = blocks_of_cluster();
}
extern "C" __global__ void ring(int* out) { pass_on(out); }
extern "C" __global__ void __cluster_dims__(4, 1, 1) ring_of_four(int* out) { pass_on(out); }
__device__ void spin(long long nanoseconds) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - begin < nanoseconds);
}
// value: x -> 2 x + 1, read when all before has ended.
extern "C" __global__ void double_late(int* value, long long before, long long behind) {
  asm volatile("griddepcontrol.launch_dependents;");
  spin(before);
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (blockIdx.x == 0 && threadIdx.x == 0) value[0] = 2 * value[0] + 1;
  spin(behind);
}
extern "C" __global__ void work(int* done, long long nanoseconds) {
  spin(nanoseconds);
  if (threadIdx.x == 0) atomicAdd(done, 1);
}
extern "C" __global__ void look(const volatile int* done, int* seen) { *seen = *done; }
)";

// The kernels above, for the GPU at hand; a file that goes with the object.
class AttributeKernels {
 public:
  explicit AttributeKernels(int compute_capability) {
    std::string why_not;
    const auto nvrtc = NvrtcLibrary::load(why_not);
    if (!nvrtc) throw Error(why_not);
    const std::string target =
        "--gpu-architecture=sm_" + std::to_string(nearest_target(nvrtc->targets(), compute_capability));
    const NvrtcResult result =
        nvrtc->compile(kAttributeKernels, "attribute_kernels.cu",
                       {"ring", "ring_of_four", "double_late", "work", "look"}, {target});
    if (!result.succeeded) throw Error(result.log);
    artifact_.file = std::filesystem::temp_directory_path() /
                     ("tailwave_attribute_kernels_" + std::to_string(getpid()) + ".cubin");
    artifact_.symbols = result.symbols;
    std::ofstream(artifact_.file, std::ios::binary) << result.cubin;
    artifact_.resources = read_cubin(result.cubin).kernels;
  }
  ~AttributeKernels() {
    std::error_code ignored;
    std::filesystem::remove(artifact_.file, ignored);
  }
  AttributeKernels(const AttributeKernels&) = delete;
  AttributeKernels& operator=(const AttributeKernels&) = delete;

  [[nodiscard]] const Artifact& artifact() const { return artifact_; }

 private:
  Artifact artifact_;
};

class CudaAttributesGpu : public CudaFixture {
 protected:
  void SetUp() override {
    CudaFixture::SetUp();
    if (IsSkipped()) return;
    const int capability = executor_->description().compute_capability;
    if (capability < 90) GTEST_SKIP() << "clusters and dependent launches need compute capability 9.0";
    static const AttributeKernels kernels(capability);
    artifact_ = kernels.artifact();
    program_ = executor_->load(artifact_);
  }

  Launch ring(std::int64_t blocks, const std::optional<Dim3>& cluster, const char* kernel = "ring") {
    out_ = upload(*executor_, std::vector<int>(static_cast<std::size_t>(blocks * 33), -1));
    Launch launch = launch_of(kernel, {blocks}, {32}, {out_.get()});
    launch.cluster = cluster;
    return launch;
  }

  // After a ring in clusters of so many blocks.
  void expect_ring(int blocks, int cluster) {
    const std::vector<int> values = download<int>(*executor_, *out_);
    for (int block = 0; block < blocks; ++block) {
      const int next = block / cluster * cluster + (block + 1) % cluster;
      for (int thread = 0; thread < 32; ++thread)
        ASSERT_EQ(values[static_cast<std::size_t>(block * 32 + thread)], 1000 * next + 31 - thread)
            << block << " " << thread;
      ASSERT_EQ(values[static_cast<std::size_t>(blocks * 32 + block)], cluster);
    }
  }

  std::optional<int> active(const Launch& launch) {
    return executor_->active_clusters(*program_, std::span(&launch, 1)).front();
  }

  std::unique_ptr<Buffer> out_;
};

TEST_F(CudaAttributesGpu, BlocksOfAClusterReachEachOthersSharedMemory) {
  for (const int cluster : {1, 2, 4, 8}) {
    run(ring(64, Dim3{cluster}));
    expect_ring(64, cluster);
  }
  run(ring(6, Dim3{3}));
  expect_ring(6, 3);
}

TEST_F(CudaAttributesGpu, AGraphKeepsTheClusters) {
  const Launch launch = ring(64, Dim3{8});
  for (int i = 0; i < 2; ++i) run(launch, {.executions = 3, .graph = true});
  expect_ring(64, 8);
  run(ring(64, {}, "ring_of_four"), {.executions = 3, .graph = true});
  expect_ring(64, 4);
}

TEST_F(CudaAttributesGpu, TheCodesClusterIsReadAndHasToBeThatOfTheLaunch) {
  run(ring(64, {}, "ring_of_four"));
  expect_ring(64, 4);
  run(ring(64, Dim3{4}, "ring_of_four"));
  expect_ring(64, 4);
  for (const KernelResources& kernel : artifact_.resources)
    EXPECT_EQ(kernel.cluster, kernel.kernel == "ring_of_four" ? std::optional(Dim3{4}) : std::nullopt);
  for (const int other : {1, 2, 8}) {
    const Failure failure = failure_of({ring(64, Dim3{other}, "ring_of_four")});
    EXPECT_EQ(failure.outcome(), Outcome::launch_failed);
    EXPECT_EQ(std::string(failure.what()), "'ring_of_four' is launched in clusters of " +
                                               std::to_string(other) +
                                               " x 1 x 1, and compiled for 4 x 1 x 1 (__cluster_dims__)");
  }
}

TEST_F(CudaAttributesGpu, AGridHasWholeClusters) {
  const Failure launched = failure_of({ring(62, Dim3{4})});
  EXPECT_EQ(launched.outcome(), Outcome::launch_failed);
  EXPECT_STREQ(launched.what(), "grid of 'ring' is 62 x 1 x 1, no multiple of its cluster 4 x 1 x 1");
  const Failure compiled = failure_of({ring(62, {}, "ring_of_four")});
  EXPECT_EQ(compiled.outcome(), Outcome::launch_failed);
  EXPECT_STREQ(compiled.what(), "grid of 'ring_of_four' is 62 x 1 x 1, no multiple of its cluster 4 x 1 x 1");
  run(ring(64, Dim3{4}));  // and the device goes on
  expect_ring(64, 4);
}

TEST_F(CudaAttributesGpu, ClustersOfMoreThan8BlocksAreTakenWhereTheDeviceHasThem) {
  const Failure failure = failure_of({ring(64, Dim3{16})});
  std::cout << "  16 blocks: " << failure.what() << "\n";
  if (failure.outcome() == Outcome::correct)
    expect_ring(64, 16);
  else
    EXPECT_EQ(failure.outcome(), Outcome::exceeds_device_limit);
  const Failure larger = failure_of({ring(64, Dim3{32})});
  EXPECT_EQ(larger.outcome(), Outcome::exceeds_device_limit);
  EXPECT_THAT(larger.what(), HasSubstr("a cluster of 32 blocks exceeds the "));
}

TEST_F(CudaAttributesGpu, TheDriverTellsTheActiveClusters) {
  const DeviceSpec device = device_spec_from(executor_->description().properties, "at hand", "");
  EXPECT_EQ(active(ring(64, {})), std::nullopt);
  EXPECT_EQ(active(ring(64, Dim3{1})), std::nullopt);
  for (const int blocks : {2, 4, 8, 16}) {
    Launch launch = ring(64, Dim3{blocks});
    launch.dynamic_shared_bytes = 200 << 10;  // one block an SM
    std::optional<int> of_driver;
    try {
      of_driver = active(launch);
    } catch (const Failure& failure) {
      EXPECT_EQ(blocks, 16) << failure.what();
      continue;
    }
    ASSERT_TRUE(of_driver);
    const int of_model = active_clusters(device, 1, Dim3{blocks});
    std::cout << "  clusters of " << blocks << " blocks, one an SM: " << *of_driver
              << " active, by the model " << of_model << "\n";
    EXPECT_GT(*of_driver, 0);
    EXPECT_LE(*of_driver * blocks, executor_->description().sms);
    EXPECT_NEAR(*of_driver, of_model, std::max(2.0, 0.15 * of_model));
  }
  EXPECT_TRUE(active(ring(64, {}, "ring_of_four")));
}

TEST_F(CudaAttributesGpu, SomeOfTheSmsRunClustersToo) {
  Launch launch = ring(64, Dim3{2});
  launch.sms = 64;
  EXPECT_EQ(active(launch), std::nullopt);
  const Failure failure = failure_of({launch});
  if (failure.outcome() == Outcome::launch_failed) GTEST_SKIP() << failure.what();
  EXPECT_EQ(failure.outcome(), Outcome::correct) << failure.what();
  expect_ring(64, 2);
}

// Each of a chain works on before it looks at what the one before left.
TEST_F(CudaAttributesGpu, DependentLaunchesOverlapAndAreRight) {
  constexpr int kLaunches = 6;
  constexpr std::int64_t kBeforeNs = 100'000, kBehindNs = 100'000;
  const auto time_of = [&](bool dependent, bool graph, int executions) {
    const auto value = upload(*executor_, std::vector<int>(1));
    Launch launch = launch_of("double_late", {2}, {32}, {value.get(), scalar(kBeforeNs), scalar(kBehindNs)});
    launch.dependent = dependent;
    const std::vector<Launch> plan(kLaunches, launch);
    const RunOptions options{.executions = executions, .graph = graph};
    std::vector<double> times_ns;
    for (int i = 0; i < 5; ++i) {
      const std::vector<int> zero(1);
      executor_->upload(*value, std::as_bytes(std::span(zero)));
      times_ns.push_back(run(plan, options).time_ns);
      int expected = 0;
      for (int k = 0; k < kLaunches * executions; ++k)
        expected = static_cast<int>(2U * static_cast<unsigned>(expected) + 1U);
      EXPECT_EQ(download<int>(*executor_, *value), std::vector{expected});
    }
    return median(times_ns);
  };
  for (const bool graph : {false, true}) {
    for (const int executions : {1, 3}) {
      const double serial_ns = time_of(false, graph, executions),
                   dependent_ns = time_of(true, graph, executions);
      std::cout << "  " << (graph ? "graph" : "stream") << ", " << executions << ": " << serial_ns / 1000
                << " us one after another, " << dependent_ns / 1000 << " us dependent\n";
      EXPECT_GT(serial_ns, 0.95 * kLaunches * (kBeforeNs + kBehindNs));
      EXPECT_LT(dependent_ns, 0.8 * serial_ns);  // what comes before the wait overlaps what comes behind it
    }
  }
}

TEST_F(CudaAttributesGpu, PrioritiesAreTakenBeyondTheDevicesRangeToo) {
  for (const bool graph : {false, true}) {
    for (const int priority : {0, -1, -5, -kMostPriority}) {
      Launch launch = ring(64, Dim3{2});
      launch.priority = priority;
      run(launch, {.executions = 2, .graph = graph});
      expect_ring(64, 2);
    }
  }
}

// A launch of several waves, and a small one in another stream that notes how many blocks of it have ended by then.
TEST_F(CudaAttributesGpu, ALaunchOfHigherPriorityGetsTheFirstSlotThatIsFree) {
  const std::int64_t blocks = std::int64_t{executor_->description().sms} * 32 * 8;
  const auto seen_with = [&](int priority) {
    const auto done = upload(*executor_, std::vector<int>(1)),
               seen = upload(*executor_, std::vector<int>(1, -1));
    const Launch many = launch_of("work", {blocks}, {64}, {done.get(), scalar(100'000LL)});
    Launch small = launch_of("look", {}, {}, {done.get(), seen.get()});
    small.stream = 1;
    small.priority = priority;
    run({many, small});
    return download<int>(*executor_, *seen).front();
  };
  const int plain = seen_with(0), urgent = seen_with(-5);
  std::cout << "  " << plain << " of " << blocks << " blocks had ended, with a priority " << urgent << "\n";
  EXPECT_GE(urgent, 0);
  EXPECT_LT(urgent, blocks / 2);
}

}  // namespace
}  // namespace tailwave
