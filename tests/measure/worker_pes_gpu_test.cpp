// Processing elements on GPUs, by NVSHMEM: on two where there are two, else on one.
#ifdef TAILWAVE_WITH_CUDA
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "compile/device_linker.h"
#include "compile/nvrtc.h"
#include "compile/nvrtc_compiler.h"
#include "compile/nvshmem_home.h"
#include "core/outcome.h"
#include "device/cuda/cuda_device.h"
#include "fakes/scratch_folder.h"
#include "measure/trouble.h"
#include "measure/worker.h"

namespace tailwave {
namespace {

using fakes::first_of;

// What goes wrong does so on the last one alone.
constexpr const char* kPeKernels = R"(
#include <nvshmem.h>
__device__ bool is_last() { return nvshmem_my_pe() == nvshmem_n_pes() - 1; }
__global__ void number(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = nvshmem_my_pe() + 1; }
__global__ void take(float* x, int n) { if (threadIdx.x == 0) x[0] = nvshmem_float_g(&x[1], nvshmem_n_pes() - 1); }
__global__ void trap(float* x, int n) { if (is_last()) asm volatile("trap;"); }
__global__ void hang(float* x, int n) { for (volatile int i = 0; is_last(); i = 0) {} }
)";

struct GpuPes {
  std::vector<std::string> kernels{"number", "take", "trap", "hang"};
  System system = fakes::trouble_system(kernels);
  std::string obstacle = cuda_obstacle();
  int pes = 0;
  std::unique_ptr<ProcessWorker> worker;
  ScratchFolder folder;
  Artifact artifact;

  GpuPes() {
    if (!obstacle.empty()) return;
    const std::vector<DeviceDescription> gpus = list_cuda_devices();
    const auto nvrtc = NvrtcLibrary::load(obstacle);
    if (!nvrtc) return;
    const auto nvshmem = find_nvshmem(nvrtc->file(), obstacle);
    if (!nvshmem || !DeviceLinker::load(nvrtc->file(), obstacle)) return;
    obstacle.clear();
    pes = std::min(2, static_cast<int>(gpus.size()));
    make_system();
    worker = std::make_unique<ProcessWorker>(
        WorkerSetup{.device = cuda_pes_device(0, gpus.front(), pes, nvshmem->host_library),
                    .systems = {&system},
                    .description = gpus.front()});
    artifact = NvrtcCompiler(nvrtc, ArtifactCache(folder.path() / "cache"), gpus.front().compute_capability)
                   .build({&system, &system.variants.front(), {}});
  }

  static GpuPes& get() {
    static GpuPes gpus;
    return gpus;
  }

 private:
  // Each variant numbers the elements by PE and goes on with its own kernel; "number" adds them up then.
  void make_system() {
    system.directory = folder.path() / "system";
    system.buffers["x"].memory = Expression::constant("symmetric");
    const LaunchSpec number = system.variants.front().launches.front();
    LaunchSpec barrier, sum;
    barrier.kernel = "barrier";
    barrier.collective = Collective::barrier;
    sum.kernel = "sum";
    sum.collective = Collective::sum;
    sum.summed = "x";
    for (VariantSpec& variant : system.variants) {
      variant.source = folder.write("system/pes.cu", kPeKernels);
      variant.pes = Expression::parse(std::to_string(pes));
      variant.parameters.clear();
      variant.launches.front().block[0] = Expression::parse("64");
      variant.launches.front().grid[0] = Expression::parse("1");
      const LaunchSpec own = variant.launches.front();
      LaunchSpec first = own;
      first.kernel = number.kernel;
      variant.launches = {first, barrier, variant.name == "number" ? sum : own};
    }
    // All kernels are in one program.
    for (const std::string& kernel : kernels) {
      LaunchSpec& other =
          system.variants.front().finish.emplace_back(system.variants.front().launches.front());
      other.kernel = kernel;
      other.when = Expression::parse("false");
    }
  }
};

class PesGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!GpuPes::get().obstacle.empty()) GTEST_SKIP() << GpuPes::get().obstacle;
  }
  static RepetitionResult result_of(const std::string& kernel) {
    GpuPes& gpus = GpuPes::get();
    Repetition repetition = fakes::repetition_of(gpus.system, kernel, gpus.worker->new_number());
    repetition.configuration.parameters.clear();
    repetition.artifact = gpus.artifact;
    repetition.settings.deadline_s = 2;
    gpus.worker->begin(std::move(repetition));
    return gpus.worker->finish();
  }
  static void expect_that_it_works() {
    const RepetitionResult result = result_of("number");
    EXPECT_EQ(result.detail, "");
    const int pes = GpuPes::get().pes;
    EXPECT_EQ(first_of(result), static_cast<float>(pes * (pes + 1) / 2));
  }
};

TEST_F(PesGpu, AddUpWhatEachHas) {
  expect_that_it_works();
}

TEST_F(PesGpu, ReachEachOthersMemory) {
  const RepetitionResult result = result_of("take");
  EXPECT_EQ(result.detail, "");
  EXPECT_EQ(first_of(result), static_cast<float>(GpuPes::get().pes));
}

TEST_F(PesGpu, WorkAgainAfterATrapOfOne) {
  const RepetitionResult result = result_of("trap");
  EXPECT_NE(result.outcome, Outcome::correct);
  EXPECT_THAT(result.detail, testing::HasSubstr("PE "));
  expect_that_it_works();
}

TEST_F(PesGpu, WorkAgainAfterOneDoesNotEnd) {
  const RepetitionResult result = result_of("hang");
  EXPECT_EQ(result.outcome, Outcome::timeout) << result.detail;
  EXPECT_THAT(result.detail, testing::HasSubstr("PE "));
  expect_that_it_works();
}

}  // namespace
}  // namespace tailwave
#endif
