#include <gmock/gmock.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include "core/statistics.h"
#include "device/cuda_fixture.h"

namespace tailwave {
namespace {

using testing::HasSubstr;

// Launches on some of the GPU's SMs.
class CudaSmsGpu : public CudaFixture {
 protected:
  void SetUp() override {
    CudaFixture::SetUp();
    if (executor_ == nullptr || IsSkipped()) return;
    try {
      granted_to(1);
    } catch (const Failure& failure) {
      if (failure.outcome() != Outcome::launch_failed) throw;
      GTEST_SKIP() << failure.what();
    }
  }

  int granted_to(int asked) {
    Launch launch = launch_of("nothing");
    launch.sms = asked;
    return executor_->granted_sms(std::span(&launch, 1)).front().value();
  }

  // Five numbers of SMs, the last one all of them.
  [[nodiscard]] std::vector<int> five_sizes() const {
    const int all = executor_->description().sms;
    return {1, all / 4 + 1, all / 2, all * 3 / 4 - 1, all};
  }

  [[nodiscard]] Launch wait_on(int sms, std::int64_t blocks, std::int64_t wait_ns) const {
    Launch launch = launch_of("wait_for", {blocks, 1, 1}, {1024, 1, 1}, {scalar(wait_ns)});
    launch.sms = sms;
    return launch;
  }
};

// Of `wait_for`, all of whose blocks note.
LaunchTrace trace_all(Executor& executor, const Launch& launch) {
  const NotedEntry entry{.noted = {.blocks = launch.grid.count()},
                         .warps = static_cast<int>((launch.block.count() + 31) / 32),
                         .grid = launch.grid,
                         .block = launch.block};
  const TestKernels kernels(executor.description().compute_capability, {{launch.kernel, entry}});
  return executor.trace(*executor.load(kernels.artifact()), launch, entry);
}

// The blocks that an SM had at once, by SM.
std::map<std::int64_t, int> residency(const LaunchTrace& trace) {
  std::map<std::int64_t, std::vector<std::pair<std::int64_t, int>>> events;
  for (const BlockTime& block : trace.blocks) {
    events[block.sm].emplace_back(block.start_ns, 1);
    events[block.sm].emplace_back(block.end_ns, -1);
  }
  std::map<std::int64_t, int> most;
  for (auto& [sm, of_sm] : events) {
    std::sort(of_sm.begin(), of_sm.end());  // of equal times the ends first
    int running = 0;
    for (const auto& [time, step] : of_sm) most[sm] = std::max(most[sm], running += step);
  }
  return most;
}

TEST_F(CudaSmsGpu, BlocksStayOnTheSmsThatWereGrantedAtFiveSizes) {
  constexpr std::int64_t kWaitNs = 50'000;
  for (const int asked : five_sizes()) {
    const int granted = granted_to(asked);
    EXPECT_GE(granted, asked);
    EXPECT_LE(granted, executor_->description().sms);
    Launch launch = wait_on(asked, 1, kWaitNs);
    const int per_sm = executor_->blocks_per_sm(*program_, std::span(&launch, 1)).front().value();
    launch.grid.x = 3LL * granted * per_sm + 1;
    const LaunchTrace trace = trace_all(*executor_, launch);
    const std::map<std::int64_t, int> seen = residency(trace);
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(granted)) << asked;
    int most = 0;
    for (const auto& [sm, blocks] : seen) most = std::max(most, blocks);
    EXPECT_EQ(most, per_sm) << asked;
    const double predicted = static_cast<double>(launch.grid.x) / (granted * per_sm);
    const double traced =
        static_cast<double>(trace.blocks.size()) / (static_cast<double>(seen.size()) * most);
    EXPECT_DOUBLE_EQ(predicted, traced) << asked;
    std::cout << "  " << asked << " SMs asked, " << granted << " granted, " << seen.size() << " used; waves "
              << predicted << " predicted, " << traced << " traced\n";
  }
}

TEST_F(CudaSmsGpu, ThreeWavesAndABlockTakeFourAtEverySize) {
  constexpr std::int64_t kWaitNs = 100'000;
  for (const int asked : five_sizes()) {
    const int granted = granted_to(asked);
    Launch launch = wait_on(asked, 1, kWaitNs);
    launch.grid.x =
        3LL * granted * executor_->blocks_per_sm(*program_, std::span(&launch, 1)).front().value() + 1;
    std::vector<double> times;
    for (int i = 0; i < 20; ++i) times.push_back(run(launch).time_ns);
    std::cout << "  " << granted << " SMs: " << median(times) / 1e3 << " us\n";
    EXPECT_GE(median(times), 4.0 * kWaitNs);
  }
}

TEST_F(CudaSmsGpu, ALaunchOnSomeSmsHasNothingElseInItsTime) {
  for (const int asked : {0, 1, executor_->description().sms / 2}) {
    Launch launch = launch_of("nothing");
    launch.sms = asked;
    std::vector<double> isolated, batched;
    for (int i = 0; i < 50; ++i) isolated.push_back(run(launch).time_ns);
    for (int i = 0; i < 20; ++i) batched.push_back(run(launch, {.executions = 100}).time_ns);
    std::cout << "  an empty launch on " << asked << " SMs (0: all): " << median(isolated) / 1e3
              << " us isolated, " << median(batched) / 1e3 << " us batched\n";
    EXPECT_GT(median(isolated), 0);
  }
}

TEST_F(CudaSmsGpu, APlanKeepsItsOrderOverSeveralNumbersOfSms) {
  for (const bool graph : {false, true}) {
    for (int i = 0; i < 2; ++i) {  // the second one held
      const auto log = upload(*executor_, std::vector<int>{0});
      std::vector<Launch> plan;
      for (const int digit : {1, 2, 3, 4}) {
        plan.push_back(launch_of("append", {}, {}, {log.get(), scalar(digit)}));
        plan.back().sms = digit % 2 == 1 ? digit : 0;
      }
      plan[2].sms = executor_->description().sms / 2;
      run(plan, {.executions = 2, .graph = graph});
      EXPECT_EQ(download<int>(*executor_, *log).front(), 12341234) << graph;
    }
  }
}

TEST_F(CudaSmsGpu, AGraphStaysOnTheSmsOfItsLaunches) {
  const int all = executor_->description().sms, few = granted_to(1);
  const auto of_few = upload(*executor_, std::vector<unsigned>(static_cast<std::size_t>(4 * all)));
  const auto of_all = upload(*executor_, std::vector<unsigned>(static_cast<std::size_t>(4 * all)));
  std::vector<Launch> plan{launch_of("note_sm", {4LL * all, 1, 1}, {1024, 1, 1}, {of_few.get()}),
                           launch_of("note_sm", {4LL * all, 1, 1}, {1024, 1, 1}, {of_all.get()})};
  plan[0].sms = 1;
  const auto used = [&](const Buffer& buffer) {
    const std::vector<unsigned> sms = download<unsigned>(*executor_, buffer);
    return static_cast<int>(std::set<unsigned>(sms.begin(), sms.end()).size());
  };
  for (int i = 0; i < 2; ++i) {  // the second one held
    run(plan, {.executions = 3, .graph = true});
    EXPECT_EQ(used(*of_few), few);
    EXPECT_EQ(used(*of_all), all);
  }
  plan.pop_back();
  run(plan, {.executions = 3, .graph = true});
  EXPECT_EQ(used(*of_few), few);
}

TEST_F(CudaSmsGpu, ACooperativeLaunchHasNoMoreBlocksThanItsSmsHold) {
  const int granted = granted_to(1);
  Launch launch = launch_of("meet", {}, {128, 1, 1});
  launch.cooperative = true;
  launch.sms = 1;
  const int per_sm = executor_->blocks_per_sm(*program_, std::span(&launch, 1)).front().value();
  const auto count = upload(*executor_, std::vector<unsigned>{0});
  const auto seen = upload(*executor_, std::vector<unsigned>(static_cast<std::size_t>(granted * per_sm + 1)));
  launch.arguments = {count.get(), seen.get()};
  launch.grid.x = granted * per_sm;
  run(launch);
  EXPECT_EQ(download<unsigned>(*executor_, *count).front(), launch.grid.x * launch.block.x);
  launch.grid.x = granted * per_sm + 1;
  const Failure failure = failure_of({launch});
  EXPECT_EQ(failure.outcome(), Outcome::exceeds_device_limit);
  EXPECT_THAT(failure.what(), HasSubstr("blocks of a cooperative launch exceed the "));
}

TEST_F(CudaSmsGpu, RefusesMoreSmsThanThereAreAndGoesOn) {
  Launch launch = launch_of("nothing");
  launch.sms = executor_->description().sms + 1;
  const Failure failure = failure_of({launch});
  EXPECT_EQ(failure.outcome(), Outcome::exceeds_device_limit);
  EXPECT_EQ(failure.what(), "'nothing' is to have " + std::to_string(launch.sms) + " SMs, the device has " +
                                std::to_string(launch.sms - 1));
  run(launch_of("nothing"));
}

TEST_F(CudaSmsGpu, SomeOfTheSmsAreADeviceOfTheirOwn) {
  const int granted = granted_to(1);
  const auto part = open_in_this_process({.ordinal = 0}, 1);
  part->set_deadline_s(10);
  EXPECT_EQ(part->description().sms, granted);
  EXPECT_EQ(part->description().name,
            executor_->description().name + " (" + std::to_string(granted) + " SMs)");
  EXPECT_EQ(part->description().uuid, executor_->description().uuid);
  const LaunchTrace trace = trace_all(*part, wait_on(0, 1 << 12, 1000));
  EXPECT_EQ(residency(trace).size(), static_cast<std::size_t>(granted));
  const auto whole = open_in_this_process({.ordinal = 0}, executor_->description().sms);
  EXPECT_EQ(whole->description().name, executor_->description().name);
}

}  // namespace
}  // namespace tailwave
