// GPUs that share a sweep, one of which is slower than it is. With one GPU here it is both of them.
#ifdef TAILWAVE_WITH_CUDA
#include <gmock/gmock.h>

#include <fstream>

#include "compile/cache.h"
#include "compile/nvrtc.h"
#include "compile/nvrtc_compiler.h"
#include "device/cuda/cuda_device.h"
#include "fakes/slowed_executor.h"
#include "measure/team.h"
#include "tune/bench_fixture.h"

namespace tailwave {
namespace {

constexpr const char* kTwiceSource = R"(
extern "C" __global__ void twice(float* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= 2;
}
)";
constexpr double kSlowdown = 1.03;

class TeamGpuTest : public BenchFixture {
 protected:
  void SetUp() override {
    if (const std::string obstacle = cuda_obstacle(); !obstacle.empty()) GTEST_SKIP() << obstacle;
    const int gpus = static_cast<int>(list_cuda_devices().size());
    std::ofstream(scratch_ / "twice.cu") << kTwiceSource;
    std::vector<Value> sizes;
    for (std::int64_t size = 32; size <= 1024; size += 32) sizes.emplace_back(size);
    experiment_ = fakes::twice_experiment(sizes);
    experiment_.problem = {{"N", {std::int64_t{1} << 24}}};
    experiment_.measure.samples = 30;
    System& system = experiment_.system;
    system.directory = scratch_.path();
    system.variants.front().source = scratch_ / "twice.cu";
    // Workers are made before NVRTC compiles anything, see cuda_device.h.
    for (const double factor : {1.0, kSlowdown}) {
      const int ordinal = static_cast<int>(workers_.size()) % gpus;
      workers_.push_back(std::make_unique<ProcessWorker>(WorkerSetup{
          .device =
              [ordinal, factor] {
                return std::make_unique<fakes::SlowedExecutor>(cuda_device({.ordinal = ordinal})(), factor);
              },
          .systems = {&system},
          .tasks = measuring_tasks()}));
    }
    std::string why_not;
    const auto nvrtc = NvrtcLibrary::load(why_not);
    if (!nvrtc) GTEST_SKIP() << why_not;
    compiler_of_gpus_ = std::make_unique<NvrtcCompiler>(nvrtc, ArtifactCache(scratch_ / "cache"),
                                                        workers_.front()->description().compute_capability);
    tools_.kernels = compiler_of_gpus_.get();
  }

  [[nodiscard]] Tools on(std::size_t worker) const {
    Tools tools = tools_;
    tools.device = workers_[worker].get();
    return tools;
  }

  std::vector<std::unique_ptr<ProcessWorker>> workers_;
  std::unique_ptr<NvrtcCompiler> compiler_of_gpus_;
};

TEST_F(TeamGpuTest, TellsWhichIsSlowerByHowMuch) {
  Measurer first(on(0)), second(on(1), first);
  Team team({&first, &second});
  ResultStore store(database_);
  PipelineOptions options;
  options.build_processes = 4;
  const RunSummary summary = run_experiment(experiment_, team, store, {}, options, progress_);
  EXPECT_EQ(summary.outcomes.at(Outcome::correct), 32U);
  ASSERT_EQ(summary.gpu_factors.size(), 2U);
  const GpuFactor& slow = summary.gpu_factors[1];
  ASSERT_TRUE(slow.interval);
  std::cout << "1.03 was estimated as " << slow.factor << " (" << slow.interval->low << " to "
            << slow.interval->high << "), by " << slow.ratios << " ratios\n";
  // Two GPUs of a model differ by a few parts in a thousand themselves.
  EXPECT_NEAR(slow.factor, kSlowdown, 0.01);
}

}  // namespace
}  // namespace tailwave
#endif
