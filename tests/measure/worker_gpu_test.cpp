// What becomes of a worker whose kernels end its CUDA context: it is replaced by another.
#ifdef TAILWAVE_WITH_CUDA
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>

#include "compile/cubin.h"
#include "compile/nvrtc.h"
#include "core/stopwatch.h"
#include "device/cuda/cuda_device.h"
#include "fakes/scratch_folder.h"
#include "measure/trouble.h"
#include "measure/worker.h"

namespace tailwave {
namespace {

constexpr const char* kTroubleKernels = R"(
extern "C" __global__ void twice(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
extern "C" __global__ void stray(float* x, int n) { x[1LL << 43] = 1; }
extern "C" __global__ void overrun(float* x, int n) { x[n] = 1; }
extern "C" __global__ void trap(float* x, int n) { asm volatile("trap;"); }
extern "C" __global__ void hang(float* x, int n) { for (volatile int i = 0;; i = 0) {} }
)";

// Of the first GPU, with the kernels above. Workers are made before NVRTC compiles anything, see cuda_device.h.
struct GpuWorker {
  std::vector<std::string> kernels{"twice", "stray", "overrun", "trap", "hang"};
  System system = fakes::trouble_system(kernels);
  std::string obstacle = cuda_obstacle();
  std::unique_ptr<ProcessWorker> worker;
  ScratchFolder folder;
  Artifact artifact;

  GpuWorker() {
    if (!obstacle.empty()) return;
    worker = std::make_unique<ProcessWorker>(
        WorkerSetup{.device = cuda_device({.ordinal = 0}), .systems = {&system}});
    const auto nvrtc = NvrtcLibrary::load(obstacle);
    if (!nvrtc) return;
    const int target = nearest_target(nvrtc->targets(), worker->description().compute_capability);
    const NvrtcResult result = nvrtc->compile(kTroubleKernels, "trouble.cu", kernels,
                                              {"--gpu-architecture=sm_" + std::to_string(target)});
    if (!result.succeeded) throw std::runtime_error(result.log);
    artifact.file = folder.path() / "trouble.cubin";
    artifact.symbols = result.symbols;
    std::ofstream(artifact.file, std::ios::binary) << result.cubin;
  }

  static GpuWorker& get() {
    static GpuWorker gpu;
    return gpu;
  }
};

class WorkerGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!GpuWorker::get().obstacle.empty()) GTEST_SKIP() << GpuWorker::get().obstacle;
    gpu_ = &GpuWorker::get();
  }

  Repetition repetition(const std::string& kernel) {
    Repetition wanted = fakes::repetition_of(gpu_->system, kernel, ++number_);
    wanted.artifact = gpu_->artifact;
    return wanted;
  }
  RepetitionResult result_of(const Repetition& wanted) {
    gpu_->worker->begin(wanted);
    return gpu_->worker->finish();
  }
  void expect_that_it_works() {
    const RepetitionResult result = result_of(repetition("twice"));
    EXPECT_EQ(result.outcome, Outcome::correct) << result.detail;
    EXPECT_EQ(fakes::first_of(result), 2);
  }

  GpuWorker* gpu_ = nullptr;
  std::uint64_t number_ = 0;
};

TEST_F(WorkerGpu, WorksAgainAfterAnIllegalAddress) {
  for (int round = 0; round < 3; ++round) {
    gpu_->worker->begin(repetition("stray"));
    gpu_->worker->begin(repetition("twice"));
    const RepetitionResult stray = gpu_->worker->finish();
    EXPECT_EQ(stray.outcome, Outcome::illegal_access);
    EXPECT_EQ(stray.detail, "stray: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered");
    EXPECT_EQ(fakes::first_of(gpu_->worker->finish()), 2);
  }
}

TEST_F(WorkerGpu, WorksAgainAfterAnIllegalAddressInAGraph) {
  Repetition stray = repetition("stray");
  stray.settings.mode = TimingMode::graph;
  stray.steps = {{.timed = true}};
  const RepetitionResult result = result_of(stray);
  EXPECT_EQ(result.outcome, Outcome::illegal_access);
  EXPECT_THAT(result.detail, testing::HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  expect_that_it_works();
}

TEST_F(WorkerGpu, WorksAgainAfterATrap) {
  const RepetitionResult result = result_of(repetition("trap"));
  std::cout << "  " << result.detail << "\n";
  EXPECT_THAT(result.outcome, testing::AnyOf(Outcome::crashed, Outcome::illegal_access));
  expect_that_it_works();
}

TEST_F(WorkerGpu, TellsOfAWriteBehindABuffer) {
  const pid_t process = (expect_that_it_works(), gpu_->worker->process());
  const RepetitionResult result = result_of(repetition("overrun"));
  ASSERT_EQ(result.looks.size(), 1U);
  EXPECT_EQ(result.looks[0].damage,
            "guard words of buffer 'x' overwritten: memory behind the buffer was overwritten, first at byte "
            "256 of 256");
  expect_that_it_works();  // the next one has whole guard zones
  EXPECT_EQ(gpu_->worker->process(), process);
}

TEST_F(WorkerGpu, EndsAKernelThatMissesItsDeadline) {
  Repetition hang = repetition("hang");
  hang.settings.deadline_s = 0.2;
  const RepetitionResult result = result_of(hang);
  EXPECT_EQ(result.outcome, Outcome::timeout);
  EXPECT_EQ(result.detail, "hang: not ended after 0.2 s");
  const auto begin = std::chrono::steady_clock::now();
  expect_that_it_works();
  std::cout << "  working again after " << seconds_since(begin) << " s\n";
}

TEST_F(WorkerGpu, StopsAKernelWhenCancelled) {
  gpu_->worker->begin(repetition("hang"));
  gpu_->worker->set_cancelled([] { return true; });
  EXPECT_THROW(gpu_->worker->finish(), Cancelled);
  gpu_->worker->set_cancelled([] { return false; });
  expect_that_it_works();
}

}  // namespace
}  // namespace tailwave
#endif
