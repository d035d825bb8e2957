// What processing elements do over time, on as many GPUs as there are, four at most.
#ifdef TAILWAVE_WITH_CUDA
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "compile/device_linker.h"
#include "compile/nvrtc.h"
#include "compile/nvrtc_compiler.h"
#include "compile/nvshmem_home.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/cupti_files.h"
#include "fakes/scratch_folder.h"
#include "spec/experiment_reader.h"
#include "tune/timelines.h"

namespace tailwave {
namespace {

class PesTimelinesGpu : public testing::Test {
 protected:
  void SetUp() override {
    std::string obstacle = cuda_obstacle();
    if (!obstacle.empty()) GTEST_SKIP() << obstacle;
    const std::vector<DeviceDescription> gpus = list_cuda_devices();
    const auto nvrtc = NvrtcLibrary::load(obstacle);
    if (!nvrtc) GTEST_SKIP() << obstacle;
    const auto nvshmem = find_nvshmem(nvrtc->file(), obstacle);
    if (!nvshmem || !DeviceLinker::load(nvrtc->file(), obstacle)) GTEST_SKIP() << obstacle;
    pes_ = gpus.size() >= 4 ? 4 : gpus.size() >= 2 ? 2 : 1;
    WorkerSetup setup;
    setup.device =
        cuda_pes_device(0, gpus.front(), pes_, nvshmem->host_library, cupti_candidates(nvrtc->file()));
    setup.systems = {&experiment_.system};
    setup.description = gpus.front();
    setup.tasks = timeline_tasks(setup.systems);
    worker_ = std::make_unique<ProcessWorker>(std::move(setup));
    kernels_ = std::make_unique<NvrtcCompiler>(nvrtc, ArtifactCache(folder_.path() / "cache"),
                                               gpus.front().compute_capability);
  }

  Timeline record(std::int64_t points) {
    const Configuration configuration{"jacobi",
                                      "nvshmem_repaired",
                                      {{"BLOCK_SIZE", std::int64_t{256}}, {"GPUS", std::int64_t{pes_}}},
                                      {{"N", points}, {"ITERATIONS", std::int64_t{1}}, {"TOLERANCE", 1e-4}}};
    return record_timeline(experiment_, configuration, {.kernels = kernels_.get()}, *worker_, 1);
  }

  Experiment experiment_ = load_experiment(TAILWAVE_SOURCE_DIR "/experiments/jacobi/gpus.json");
  ScratchFolder folder_;
  int pes_ = 0;
  std::unique_ptr<NvrtcCompiler> kernels_;
  std::unique_ptr<ProcessWorker> worker_;
};

TEST_F(PesTimelinesGpu, HaveTheKernelsOfEachAndWhatNvshmemAddsUpWith) {
  for (const std::int64_t points : {4'194'304, 67'108'864}) {
    const Timeline timeline = record(points);
    std::string shown;
    for (const TimelineRecord& one : timeline.records)
      shown += fmt::format("  GPU {} stream {} {:>9} {:>9} {}\n", one.gpu, one.stream, one.begin_ns,
                           one.end_ns, one.name);
    SCOPED_TRACE(shown);
    fmt::print("{} points on {}, {}:\n{}", points, pes_, timeline.remark, shown);
    for (int pe = 0; pe < pes_; ++pe) {
      const auto count = [&](const char* name) {
        return std::ranges::count_if(
            timeline.records, [&](const TimelineRecord& one) { return one.gpu == pe && one.name == name; });
      };
      EXPECT_EQ(count("clear"), 1) << "PE " << pe;
      EXPECT_EQ(count("jacobi"), 1) << "PE " << pe;
      EXPECT_GT(std::ranges::count(timeline.records, pe, &TimelineRecord::gpu), pes_ > 1 ? 2 : 1)
          << "and a sum on PE " << pe;
    }
    EXPECT_THAT(timeline.remark, testing::Not(testing::HasSubstr("streams")));
    EXPECT_EQ(timeline.records.front().name, "clear") << "and not the barrier before it";
    EXPECT_TRUE(std::ranges::all_of(
        timeline.records, [&](const TimelineRecord& one) { return one.gpu >= 0 && one.gpu < pes_; }));
  }
}

}  // namespace
}  // namespace tailwave
#endif
