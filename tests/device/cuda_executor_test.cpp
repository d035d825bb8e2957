#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <numeric>
#include <ranges>

#include "core/error.h"
#include "core/statistics.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda_fixture.h"
#include "occupancy/occupancy.h"

namespace tailwave {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class CudaExecutorGpu : public CudaFixture {
 protected:
  static Launch wait_for(std::int64_t nanoseconds, int stream = 0) {
    Launch launch = launch_of("wait_for", {}, {}, {scalar(nanoseconds)});
    launch.stream = stream;
    return launch;
  }

  [[nodiscard]] int property(const char* name) const {
    return static_cast<int>(std::get<std::int64_t>(executor_->description().properties.at(name)));
  }

  // n-element sum checked element by element; also shows that the executor works.
  void expect_that_add_works() {
    constexpr int kCount = 1000;
    std::vector<float> a(kCount), b(kCount);
    std::iota(a.begin(), a.end(), 1.0F);
    std::iota(b.begin(), b.end(), 0.5F);
    const auto program = executor_->load(artifact_);
    const auto first = upload(*executor_, a), second = upload(*executor_, b);
    const auto sum = executor_->allocate(kCount * sizeof(float));
    const Launch launch =
        launch_of("add", {8, 1, 1}, {128, 1, 1}, {sum.get(), first.get(), second.get(), scalar(kCount)});
    EXPECT_GT(executor_->run(*program, std::span(&launch, 1), {}).time_ns, 0);
    const auto result = download<float>(*executor_, *sum);
    for (int i = 0; i < kCount; ++i) ASSERT_EQ(result[i], a[i] + b[i]) << i;
    EXPECT_EQ(damage_of(*executor_, *sum), "");
    EXPECT_EQ(damage_of(*executor_, *first), "");
  }
};

TEST_F(CudaExecutorGpu, DescribesTheDevice) {
  const DeviceDescription& device = executor_->description();
  std::cout << "  " << device.name << ", " << device.uuid << ", driver " << device.driver << ", "
            << device.memory_bytes << " bytes, " << device.clock_mhz << " MHz, memory "
            << device.memory_clock_mhz << " MHz\n";
  for (const auto& [name, value] : device.properties) {
    std::cout << "  " << name << " " << to_string(value) << "\n";
  }
  EXPECT_EQ(device.kind, DeviceKind::cuda);
  EXPECT_THAT(device.uuid, StartsWith("GPU-"));
  EXPECT_EQ(device.uuid.size(), 40U);
  EXPECT_GE(device.compute_capability, 50);
  EXPECT_GT(device.sms, 0);
  EXPECT_EQ(property("sms"), device.sms);
  EXPECT_EQ(property("warp_size"), 32);
  EXPECT_EQ(property("max_threads_per_block"), 1024);
  EXPECT_EQ(Gpu::get().devices.at(0).uuid, device.uuid);
}

TEST_F(CudaExecutorGpu, AddsVectorsBetweenIntactGuards) {
  expect_that_add_works();
}

TEST_F(CudaExecutorGpu, RefusesADeviceThatIsNotThere) {
  EXPECT_THAT(Gpu::get().refusal_of_another, StartsWith("cuda:99: no such device; the driver reports "));
}

TEST_F(CudaExecutorGpu, SeesAWriteBehindABuffer) {
  const auto buffer = executor_->allocate(10 * sizeof(float));
  run(launch_of("write_at", {}, {}, {buffer.get(), scalar(10LL)}));
  EXPECT_EQ(damage_of(*executor_, *buffer),
            "memory behind the buffer was overwritten, first at byte 40 of 40");
}

TEST_F(CudaExecutorGpu, SeesAWriteBeforeABuffer) {
  const auto buffer = executor_->allocate(10 * sizeof(float));
  run(launch_of("write_at", {}, {}, {buffer.get(), scalar(-1LL)}));
  EXPECT_EQ(damage_of(*executor_, *buffer), "memory before the buffer was overwritten, first at byte -4");
}

// What a kernel remembers in variables would let later runs do less than the first.
TEST_F(CudaExecutorGpu, StartsFreshWithTheVariablesThatTheProgramWasLoadedWith) {
  const auto from = upload(*executor_, std::vector<int>(6)), out = upload(*executor_, std::vector<int>(6));
  const std::vector<Launch> plan{launch_of("count", {}, {}, {out.get()})};
  const auto run_thrice = [&](const FreshStart& start) {
    executor_->repeat(*program_, start, plan, {}, 3);
    return download<int>(*executor_, *out);
  };
  const FreshStart fresh{{{out.get(), from.get()}}, {}};
  EXPECT_THAT(run_thrice(fresh), testing::ElementsAre(4, 1, 1, 9, 8, 41));
  EXPECT_THAT(run_thrice({}), testing::ElementsAre(7, 4, 4, 12, 11, 44));
  EXPECT_THAT(run_thrice(fresh), testing::ElementsAre(4, 1, 1, 9, 8, 41));
}

// Small contents are read together, large ones one by one.
TEST_F(CudaExecutorGpu, ReadsWhatAPlanLeaves) {
  for (const std::size_t count : {10U, 1'000'000U}) {
    const auto whole = upload(*executor_, std::vector<float>(count, 3)),
               damaged = upload(*executor_, std::vector<float>(10));
    const std::vector<Launch> plan{launch_of("write_at", {}, {}, {damaged.get(), scalar(10LL)})};
    std::vector<float> values(count);
    run(plan);
    EXPECT_THAT(executor_->read({{whole.get(), damaged.get()},
                                 {{whole.get(), std::as_writable_bytes(std::span(values))}}}),
                testing::ElementsAre("", "memory behind the buffer was overwritten, first at byte 40 of 40"));
    EXPECT_THAT(values, testing::Each(3.0F));
  }
}

// More than the pinned memory that small contents are read through.
TEST_F(CudaExecutorGpu, UploadsManyBuffers) {
  std::vector<std::unique_ptr<Buffer>> buffers;
  for (int i = 0; i < 30; ++i) buffers.push_back(upload(*executor_, std::vector<int>(50'000, i)));
  for (int i = 0; i < 30; ++i)
    EXPECT_THAT(download<int>(*executor_, *buffers[static_cast<std::size_t>(i)]), testing::Each(i));
}

TEST_F(CudaExecutorGpu, RefusesTooManyThreadsWithTheDriversWords) {
  const Launch launch = launch_of("nothing", {}, {1025, 1, 1});
  const Failure failure = failure_of({launch});
  EXPECT_EQ(failure.outcome(), Outcome::exceeds_device_limit);
  EXPECT_STREQ(failure.what(),
               "nothing (grid 1 x 1 x 1, block 1025 x 1 x 1, 0 bytes of dynamic shared memory): "
               "CUDA_ERROR_INVALID_VALUE: invalid argument (1025 threads a block exceed the 1024 that the "
               "device allows)");
  EXPECT_EQ(executor_->blocks_per_sm(*program_, std::span(&launch, 1)).front(), 0);
  expect_that_add_works();
}

TEST_F(CudaExecutorGpu, RefusesAnEmptyGridAndAnOversizedOne) {
  EXPECT_EQ(failure_of({launch_of("nothing", {0, 1, 1})}).outcome(), Outcome::launch_failed);
  const Failure failure = failure_of({launch_of("nothing", {1, 70000, 1})});
  EXPECT_EQ(failure.outcome(), Outcome::exceeds_device_limit);
  EXPECT_THAT(failure.what(), HasSubstr("(a grid in y of 70000 exceeds the 65535 that the device allows)"));
  EXPECT_EQ(failure_of({launch_of("nothing", {1LL << 40, 1, 1})}).outcome(), Outcome::exceeds_device_limit);
  EXPECT_EQ(failure_of({launch_of("unheard_of")}).outcome(), Outcome::launch_failed);
}

TEST_F(CudaExecutorGpu, ReportsMemoryThatIsNotThere) {
  try {
    executor_->allocate(std::size_t{1} << 50);
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.outcome(), Outcome::out_of_memory);
    EXPECT_THAT(failure.what(), StartsWith("allocating 1125899906842624 bytes: CUDA_ERROR_OUT_OF_MEMORY: "));
  }
  expect_that_add_works();
}

TEST_F(CudaExecutorGpu, GivesAKernelAllTheSharedMemoryOfABlock) {
  const int most = property("shared_bytes_per_block_opt_in");
  ASSERT_GT(most, 48 * 1024);
  std::vector<int> values(static_cast<std::size_t>(most) / sizeof(int));
  std::iota(values.begin(), values.end(), 0);
  const auto data = upload(*executor_, values);
  Launch launch =
      launch_of("reverse", {}, {256, 1, 1}, {data.get(), scalar(static_cast<int>(values.size()))});
  launch.dynamic_shared_bytes = most;
  run(launch);
  EXPECT_EQ(executor_->blocks_per_sm(*program_, std::span(&launch, 1)).front(), 1);
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(download<int>(*executor_, *data), values);

  launch.dynamic_shared_bytes = most + 1;
  const Failure failure = failure_of({launch});
  EXPECT_EQ(failure.outcome(), Outcome::exceeds_device_limit);
  EXPECT_THAT(failure.what(), AllOf(HasSubstr("CUDA_ERROR_INVALID_VALUE: invalid argument ("),
                                    HasSubstr(" bytes of shared memory a block exceed the ")));
}

TEST_F(CudaExecutorGpu, RunsACooperativeLaunchAndRefusesOneTooLarge) {
  Launch launch = launch_of("meet", {}, {128, 1, 1});
  launch.cooperative = true;
  const int blocks = executor_->description().sms *
                     executor_->blocks_per_sm(*program_, std::span(&launch, 1)).front().value();
  std::vector<unsigned> seen(static_cast<std::size_t>(blocks));
  const auto count = upload(*executor_, std::vector<unsigned>{0});
  const auto out = upload(*executor_, seen);
  launch.grid.x = executor_->description().sms;
  launch.block.x = 1;
  launch.arguments = {count.get(), out.get()};
  run(launch);
  seen = download<unsigned>(*executor_, *out);
  for (int i = 0; i < executor_->description().sms; ++i) ASSERT_EQ(seen[i], launch.grid.x);

  launch.block.x = 128;
  launch.grid.x = blocks + 1;
  const Failure failure = failure_of({launch});
  EXPECT_EQ(failure.outcome(), Outcome::exceeds_device_limit);
  EXPECT_THAT(failure.what(), HasSubstr("CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE: "));
}

TEST_F(CudaExecutorGpu, OverlapsStreamsWithinAnExecution) {
  const std::vector<Launch> serial{wait_for(2'000'000), wait_for(2'000'000)};
  const std::vector<Launch> parallel{wait_for(2'000'000, 0), wait_for(2'000'000, 3)};
  EXPECT_GE(executor_->run(*program_, serial, {.executions = 2}).time_ns, 4.0e6);
  const double together_ns = executor_->run(*program_, parallel, {.executions = 2}).time_ns;
  EXPECT_GE(together_ns, 2.0e6);
  EXPECT_LT(together_ns, 3.0e6);
}

TEST_F(CudaExecutorGpu, StartsAnExecutionAfterAllStreamsOfTheOneBefore) {
  const auto state = upload(*executor_, std::vector<int>(6));
  std::vector<Launch> plan{launch_of("increment_late", {}, {}, {state.get()}),
                           launch_of("observe", {}, {}, {state.get()})};
  plan.front().stream = 1;
  executor_->run(*program_, plan, {.executions = 4});
  EXPECT_EQ(download<int>(*executor_, *state), (std::vector<int>{4, 4, 0, 1, 2, 3}));
}

// The kernel's blocks wait for a known time; each that notes has to be seen for that long, on an SM of the device.
class BlockTraceGpu : public CudaExecutorGpu, public testing::WithParamInterface<StartKept> {
 protected:
  static constexpr std::int64_t kWaitNs = 40000;

  // For whoever reads that a test failed.
  static std::string beginning_of(const LaunchTrace& traced) {
    std::string text = fmt::format("the launch took {} ns; block, SM, start and end after the launch:\n",
                                   traced.duration_ns);
    for (const BlockTime& one : traced.blocks | std::views::take(40))
      text += fmt::format("  {} {} {} {}\n", one.block, one.sm, one.start_ns, one.end_ns);
    return text;
  }

  LaunchTrace trace(const Dim3& grid, const Dim3& block, const NotedBlocks& noted) {
    const NotedEntry entry{
        .noted = noted, .warps = static_cast<int>((block.count() + 31) / 32), .grid = grid, .block = block};
    const TestKernels kernels(executor_->description().compute_capability, {{"wait_for", entry}}, GetParam());
    const auto program = executor_->load(kernels.artifact());
    const Launch launch = launch_of("wait_for", grid, block, {scalar(kWaitNs)});
    EXPECT_THROW(executor_->trace(*executor_->load(artifact_), launch, entry), Failure);
    LaunchTrace traced = executor_->trace(*program, launch, entry);
    std::vector<double> durations;
    for (const BlockTime& one : traced.blocks) {
      durations.push_back(static_cast<double>(one.end_ns - one.start_ns));
      EXPECT_LT(one.sm, executor_->description().sms);
      EXPECT_LE(one.left_ns, one.end_ns);
      EXPECT_LT(one.block, grid.count());
    }
    EXPECT_NEAR(median(durations), kWaitNs, 3000) << beginning_of(traced);
    EXPECT_GT(traced.registers, 0);
    return traced;
  }
};

TEST_P(BlockTraceGpu, TracesBlocksOfAKnownDuration) {
  const LaunchTrace traced = trace({600, 1, 1}, {64, 1, 1}, {.blocks = 600});
  ASSERT_EQ(traced.blocks.size(), 600U);
  EXPECT_EQ(traced.blocks.back().block, 599);
  EXPECT_EQ(traced.duration_ns, seen_duration_ns(traced.blocks));
}

TEST_P(BlockTraceGpu, TracesSomeBlocksOfAGridOfThreeDimensions) {
  const LaunchTrace traced = trace({40, 20, 10}, {8, 4, 3}, {.blocks = 8000, .shift = 3, .last = 100});
  EXPECT_EQ(traced.blocks.size(), 987U + 100U);  // the choice of the 988th eight is among the last 100
  EXPECT_DOUBLE_EQ(traced.blocks.front().weight, 7900.0 / 987);
  EXPECT_DOUBLE_EQ(traced.blocks.back().weight, 1);
}

INSTANTIATE_TEST_SUITE_P(Kept, BlockTraceGpu, testing::Values(StartKept::in_register, StartKept::in_memory));

TEST_F(CudaExecutorGpu, MeasuresAKnownDuration) {
  run(wait_for(1000));
  for (const std::int64_t duration : {2'000, 10'000, 100'000, 1'000'000, 10'000'000}) {
    std::vector<double> isolated, batched;
    for (int i = 0; i < 20; ++i) isolated.push_back(run(wait_for(duration)).time_ns);
    for (int i = 0; i < 5; ++i) batched.push_back(run(wait_for(duration), {.executions = 20}).time_ns);
    const auto expected = static_cast<double>(duration);
    std::cout << "  " << duration << " ns: isolated +" << median(isolated) - expected << " ns, batched +"
              << median(batched) - expected << " ns\n";
    EXPECT_GE(median(isolated), expected - 1100);
    EXPECT_LT(median(isolated), expected * 1.01 + 10'000);
    EXPECT_GE(median(batched), expected - 1100);
    EXPECT_LT(median(batched), expected * 1.01 + 5'000);
  }
}

TEST_F(CudaExecutorGpu, StartsEachOfSeveralRunsAfresh) {
  constexpr int kCount = 1000;
  const auto program = executor_->load(artifact_);
  const auto pristine = upload(*executor_, std::vector<float>(kCount, 1.0F));
  const auto live = executor_->allocate(kCount * sizeof(float));
  // Doubles in place: each run that did not start afresh would double again.
  const std::vector<Launch> plan{
      launch_of("add", {8, 1, 1}, {128, 1, 1}, {live.get(), live.get(), live.get(), scalar(kCount)}),
      wait_for(50'000)};
  const FreshStart start{{{live.get(), pristine.get()}}, {}};
  executor_->repeat(*program, start, plan, {}, 1);
  const std::vector<RunResult> runs = executor_->repeat(*program, start, plan, {}, 20);
  for (const float value : download<float>(*executor_, *live)) ASSERT_EQ(value, 2);
  ASSERT_EQ(runs.size(), 20U);
  std::vector<double> times_ns;
  for (const RunResult& run : runs) {
    times_ns.push_back(run.time_ns);
    EXPECT_GT(run.sm_clock_mhz.value_or(0), 100);
  }
  std::cout << "  two launches, 50 us: " << median(times_ns) << " ns\n";
  EXPECT_GE(median(times_ns), 50'000);
  EXPECT_LT(median(times_ns), 65'000);
}

TEST_F(CudaExecutorGpu, KeepsLaunchLatencyOutOfAPlanOfSeveralLaunches) {
  const std::vector<Launch> plan(10, launch_of("nothing"));
  executor_->run(*program_, plan, {});
  program_ = executor_->load(artifact_);
  const double first_ns = executor_->run(*program_, plan, {}).time_ns;
  std::vector<double> times;
  for (int i = 0; i < 50; ++i) times.push_back(executor_->run(*program_, plan, {}).time_ns);
  const auto step = upload(*executor_, std::vector<std::uint64_t>{0});
  run(launch_of("timer_step", {}, {}, {step.get()}));
  std::cout << "  stream_hold: " << to_string(executor_->description().properties.at("stream_hold"))
            << "; 10 empty launches " << median(times) << " ns, not held " << first_ns
            << " ns; globaltimer step " << download<std::uint64_t>(*executor_, *step).front() << " ns\n";
  EXPECT_LT(median(times), 60'000);
}

TEST_F(CudaExecutorGpu, ReleasesAHeldStreamWhenALaterLaunchIsRefused) {
  run(launch_of("nothing"));
  const std::vector<Launch> plan{launch_of("nothing"), launch_of("nothing", {}, {1025, 1, 1})};
  EXPECT_THROW(executor_->run(*program_, plan, {}), Failure);
  expect_that_add_works();
}

TEST_F(CudaExecutorGpu, RunsMoreLaunchesThanAHeldStreamTakes) {
  const Launch launch = launch_of("nothing");
  run(launch);
  const double each_ns = run(launch, {.executions = 20'000}).time_ns;
  std::cout << "  empty launch in a batch of 20000: " << each_ns << " ns\n";
  EXPECT_GT(each_ns, 0);
}

TEST_F(CudaExecutorGpu, LaunchesAKernelWithLocalMemoryBesideAHeldStream) {
  const auto out = executor_->allocate(sizeof(float) * 256 * 2000);
  const std::vector<Launch> plan{
      launch_of("nothing"), launch_of("deep_stack", {2000, 1, 1}, {256, 1, 1}, {out.get(), scalar(100)})};
  for (int i = 0; i < 3; ++i) EXPECT_GT(executor_->run(*program_, plan, {.executions = 2}).time_ns, 0);
}

TEST_F(CudaExecutorGpu, AgreesWithTheOfflineOccupancy) {
  const Values& properties = executor_->description().properties;
  DeviceSpec device;
  device.name = "this";
  device.compute_capability = property("compute_capability");
  device.sms = property("sms");
  device.max_threads_per_block = property("max_threads_per_block");
  device.max_threads_per_sm = property("max_threads_per_sm");
  device.max_blocks_per_sm = property("max_blocks_per_sm");
  device.registers_per_block = property("registers_per_block");
  device.registers_per_sm = property("registers_per_sm");
  device.shared_bytes_per_block = property("shared_bytes_per_block");
  device.shared_bytes_per_block_opt_in = property("shared_bytes_per_block_opt_in");
  device.shared_bytes_per_sm = property("shared_bytes_per_sm");
  device.reserved_shared_bytes_per_block = property("reserved_shared_bytes_per_block");
  ASSERT_GT(std::get<double>(properties.at("bandwidth_gb_per_s")), 50);

  for (const KernelResources& kernel : artifact_.resources) {
    for (const int threads : {1, 2, 32, 64, 96, 128, 256, 512, 768, 1024}) {
      for (const int shared : {0, 1024, 10'000, 40'000, 100'000, device.shared_bytes_per_block_opt_in}) {
        const Dim3 block{threads, 1, 1};
        Launch launch = launch_of(kernel.kernel, {}, block);
        launch.dynamic_shared_bytes = shared;
        EXPECT_EQ(executor_->blocks_per_sm(*program_, std::span(&launch, 1)).front(),
                  compute_occupancy(device, kernel, block, shared).blocks_per_sm)
            << kernel.kernel << ": " << kernel.registers << " registers, " << threads << " threads, "
            << shared << " bytes";
      }
    }
  }
}

}  // namespace
}  // namespace tailwave
