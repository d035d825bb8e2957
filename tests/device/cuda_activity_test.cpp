// What a GPU records of itself, in a process whose device was opened to count.
#include <gmock/gmock.h>

#include <algorithm>
#include <optional>

#include "device/cuda/cupti_files.h"
#include "device/cuda_test_kernels.h"
#include "fakes/one_variant.h"

namespace tailwave {
namespace {

using testing::HasSubstr;

class CudaActivityGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!Gpu::get().obstacle.empty()) GTEST_SKIP() << Gpu::get().obstacle;
    try {
      executor_ = open_counting_in_this_process({.ordinal = 0}, cupti_candidates(""));
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
    executor_->set_deadline_s(10);
    kernels_.emplace(executor_->description().compute_capability);
    program_ = executor_->load(kernels_->artifact());
  }

  static Launch wait_for(std::int64_t nanoseconds, int stream) {
    Launch launch = launch_of("wait_for", {}, {}, {scalar(nanoseconds)});
    launch.stream = stream;
    return launch;
  }

  // Of its second execution: the first one may do what only first ones do.
  std::vector<Activity> record(const std::vector<Launch>& plan, bool graph = false) {
    const RunOptions options{.graph = graph, .timed = false};
    executor_->run(*program_, plan, options);
    std::vector<Activity> done =
        executor_->counters().record([&] { executor_->run(*program_, plan, options); });
    std::ranges::sort(done, {}, &Activity::begin_ns);
    return done;
  }

  std::unique_ptr<Executor> executor_;
  std::optional<TestKernels> kernels_;
  std::unique_ptr<Program> program_;
};

TEST_F(CudaActivityGpu, RecordsTwoKernelsInTwoStreamsThatOverlap) {
  for (const bool graph : {false, true}) {
    const std::vector<Activity> done = record({wait_for(2'000'000, 0), wait_for(3'000'000, 3)}, graph);
    ASSERT_EQ(done.size(), 2U);
    for (const Activity& one : done) {
      EXPECT_EQ(one.kind, ActivityKind::kernel);
      EXPECT_EQ(one.name, "wait_for");
      EXPECT_EQ(one.gpu, 0);
      EXPECT_EQ(one.grid, Dim3());
      EXPECT_EQ(one.block, Dim3());
      EXPECT_GE(one.end_ns - one.begin_ns, 1'900'000);
      EXPECT_LE(one.end_ns - one.begin_ns, 4'000'000);
    }
    EXPECT_LT(done[1].begin_ns, done[0].end_ns) << "graph: " << graph;
    if (graph) continue;
    EXPECT_NE(done[0].stream, done[1].stream);
    EXPECT_NE(done[0].order, done[1].order);
  }
}

TEST_F(CudaActivityGpu, RecordsOneKernelAfterTheOtherInOneStream) {
  const std::vector<Activity> done = record({wait_for(500'000, 1), wait_for(200'000, 1)});
  ASSERT_EQ(done.size(), 2U);
  EXPECT_EQ(done[0].stream, done[1].stream);
  EXPECT_LT(done[0].order, done[1].order);
  EXPECT_GE(done[1].begin_ns, done[0].end_ns);
  EXPECT_GT(done[0].end_ns - done[0].begin_ns, done[1].end_ns - done[1].begin_ns);
}

TEST_F(CudaActivityGpu, RecordsACopyIntoAVariable) {
  const auto values = executor_->allocate(3 * sizeof(int)), factors = executor_->allocate(3 * sizeof(int));
  const std::vector<Restoration> zeros{{.to = values.get()}, {.to = factors.get()}};
  executor_->restore(zeros);
  Launch copy = launch_of("factors");
  copy.copied = factors.get();
  const std::vector<Activity> done = record({copy, launch_of("multiply", {}, {3, 1, 1}, {values.get()})});
  ASSERT_EQ(done.size(), 2U);
  EXPECT_EQ(done[0].kind, ActivityKind::copy);
  EXPECT_EQ(done[0].name, "device to device");
  EXPECT_EQ(done[0].bytes, 12);
  EXPECT_GT(done[0].end_ns, done[0].begin_ns);
  EXPECT_EQ(done[1].name, "multiply");
  EXPECT_GE(done[1].begin_ns, done[0].end_ns);
}

TEST_F(CudaActivityGpu, CountsBeforeAndAfterItRecords) {
  CounterSource& counters = executor_->counters();
  const CounterPlan plan = counters.plan({"smsp__inst_executed.sum"});
  const std::vector<Launch> launch{launch_of("nothing", {7, 1, 1}, {32, 1, 1})};
  const auto count = [&] {
    return counters
        .count(
            plan, [] {}, [&] { executor_->run(*program_, launch, {.timed = false}); })
        .at(0)
        .value.value_or(-1);
  };
  const double before = count();
  EXPECT_GE(before, 7);
  EXPECT_EQ(record(launch).size(), 1U);
  EXPECT_EQ(count(), before);
  EXPECT_TRUE(executor_->usable());
}

TEST_F(CudaActivityGpu, IsNotUsableAfterALaunchThatIsRefused) {
  const std::vector<Launch> refused{launch_of("nothing", {}, {1025, 1, 1})};
  EXPECT_THAT(fakes::failure_of([&] {
                executor_->counters().record([&] { executor_->run(*program_, refused, {.timed = false}); });
              }),
              HasSubstr("nothing"));
  EXPECT_FALSE(executor_->usable());
}

}  // namespace
}  // namespace tailwave
