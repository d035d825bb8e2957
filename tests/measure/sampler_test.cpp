#include "measure/sampler.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <thread>

namespace tailwave {
namespace {

using testing::Each;
using testing::Field;
using testing::SizeIs;

MeasureSettings settings() {
  MeasureSettings settings;
  settings.samples = 8;
  settings.precision = 0;
  settings.warmup = 2;
  return settings;
}

const MeasureSettings kPlain = settings();

// A subject whose runs are this, one by one.
Subject subject_of(const std::string& name, std::function<RunResult(int executions)> run) {
  Subject subject;
  subject.name = name;
  subject.run = [run = std::move(run)](int executions, int runs) {
    std::vector<RunResult> results;
    for (int i = 0; i < runs; ++i) results.push_back(run(executions));
    return results;
  };
  return subject;
}

TEST(Sampler, WarmsUpThenAsksForAllSamplesAtOnceIfTheyAreShort) {
  std::string log;
  Subject subject;
  subject.name = "twice/BLOCK_SIZE:32";
  subject.run = [&](int executions, int runs) {
    log += fmt::format("{}x{} ", runs, executions);
    return std::vector<RunResult>(static_cast<std::size_t>(runs), RunResult{500.0});
  };
  MeasureSettings few = settings();
  few.samples = 3;
  const Sampling sampling = sample(subject, {.settings = &few});
  EXPECT_EQ(log, "1x1 1x1 3x1 ");
  EXPECT_THAT(sampling.samples, SizeIs(3));
  EXPECT_THAT(sampling.samples, Each(Field(&Sample::time_ns, 500.0)));
  EXPECT_EQ(sampling.stopped_by, "samples");

  log.clear();
  EXPECT_THAT(sample(subject, {.settings = &few, .run_s = 1e-4}).samples, SizeIs(3));
  EXPECT_EQ(log, "5x1 ");
  log.clear();
  EXPECT_THAT(sample(subject, {.settings = &few, .run_s = 1}).samples, SizeIs(3));
  EXPECT_EQ(log, "1x1 1x1 3x1 ");
}

TEST(Sampler, FillsBatchMsWithExecutionsInBatchedMode) {
  std::vector<int> executions;
  const Subject subject = subject_of("batched", [&](int count) {
    executions.push_back(count);
    return RunResult{10'000.0};  // 10 us: 100 of them are 1 ms
  });
  MeasureSettings batched = settings();
  batched.mode = TimingMode::batched;
  const Sampling sampling = sample(subject, {.settings = &batched});
  EXPECT_THAT(executions, testing::ElementsAre(1, 1, 100, 100, 100, 100, 100, 100, 100, 100, 1, 1, 1));
  EXPECT_EQ(sampling.fresh_ns, 10'000);
  EXPECT_EQ(sampling.samples.front().executions, 100);
}

TEST(Sampler, StopsAtTheTimeCapWithTheFewestSamplesAtLeast) {
  const Subject subject = subject_of("slow", [](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return RunResult{5e6};
  });
  MeasureSettings capped = settings();
  capped.time_cap_s = 0.001;
  const Sampling sampling = sample(subject, {.settings = &capped});
  EXPECT_THAT(sampling.samples, SizeIs(kFewestAtTimeCap));
  EXPECT_EQ(sampling.stopped_by, "time cap of 0.001 s");
}

TEST(Sampler, NumbersRepetitionsAndSamples) {
  const Subject subject = subject_of("repeated", [](int) { return RunResult{1.0, 1980.0, 45.0, "none"}; });
  const Sampling sampling = sample(subject, {.settings = &kPlain, .repetition = 2});
  ASSERT_THAT(sampling.samples, SizeIs(8));
  EXPECT_EQ(sampling.samples.back().repetition, 2);
  EXPECT_EQ(sampling.samples.back().position, 7);
  EXPECT_EQ(sampling.samples.back().sm_clock_mhz, 1980.0);
  EXPECT_EQ(sampling.samples.back().temperature_c, 45.0);
  EXPECT_EQ(sampling.samples.back().throttle_reasons, "none");
}

// Times that alternate around 100 with a spread in percent.
Subject noisy(double spread_percent, int& runs) {
  return subject_of("noisy", [spread_percent, &runs](int) {
    return RunResult{100 + spread_percent * ((runs++ * 7 % 11) - 5) / 5.0};
  });
}

TEST(Sampler, StopsWhenTheMedianIsKnownPreciselyEnough) {
  MeasureSettings precise = settings();
  precise.precision = 0.01;
  precise.max_samples = 60;
  int runs = 0;
  const Sampling calm = sample(noisy(0.5, runs), {.settings = &precise});
  EXPECT_THAT(calm.samples, SizeIs(8));
  EXPECT_EQ(calm.stopped_by, "precision");
  const Sampling restless = sample(noisy(5, runs), {.settings = &precise});
  EXPECT_GT(restless.samples.size(), 8U);
  const Sampling hopeless = sample(noisy(50, runs), {.settings = &precise});
  EXPECT_THAT(hopeless.samples, SizeIs(60));
  EXPECT_EQ(hopeless.stopped_by, "samples");
}

TEST(Sampler, GivesUpOnWhatIsSurelySlowerThanTheBest) {
  MeasureSettings racing = settings();
  racing.precision = 1e-9;
  int runs = 0;
  EXPECT_EQ(sample(noisy(5, runs), {.settings = &racing, .race_to_ns = 50}).stopped_by,
            "slower than the best");
  EXPECT_EQ(sample(noisy(5, runs), {.settings = &racing, .race_to_ns = 99}).stopped_by, "samples");
}

TEST(Sampler, DropsWhatWasMeasuredAtALowerClock) {
  std::vector<Sample> samples(5);
  for (Sample& one : samples) one.sm_clock_mhz = 1980;
  samples[1].sm_clock_mhz = 1400;
  mark_dropped(samples);
  EXPECT_EQ(samples[1].dropped, "SM clock 1400 MHz, others 1980 MHz");
  EXPECT_EQ(samples[0].dropped, "");
  samples[2].sm_clock_mhz = samples[3].sm_clock_mhz = 1400;
  mark_dropped(samples);  // it is the fast ones that are odd then
  for (const Sample& one : samples) EXPECT_EQ(one.dropped, "");
}

TEST(Sampler, DropsWhatWaitedForACoreIfAnythingIsLeft) {
  std::vector<Sample> samples(6);
  samples[0].waited_ns = samples[3].waited_ns = samples[4].waited_ns = 3.8e6;
  mark_dropped(samples);
  EXPECT_EQ(samples[4].dropped, "its threads waited 3800 us for a core");
  EXPECT_EQ(samples[5].dropped, "");
  samples[5].waited_ns = 1e6;
  mark_dropped(samples);
  for (const Sample& one : samples) EXPECT_EQ(one.dropped, "");
}

TEST(Sampler, LetsAFailureThroughAndWorksAfterwards) {
  const Subject broken = subject_of(
      "broken", [](int) -> RunResult { throw Failure(Outcome::illegal_access, "an illegal memory access"); });
  EXPECT_THROW(sample(broken, {.settings = &kPlain}), Failure);
  const Subject whole = subject_of("broken", [](int) { return RunResult{1.0}; });
  EXPECT_THAT(sample(whole, {.settings = &kPlain}).samples, SizeIs(8));
}

}  // namespace
}  // namespace tailwave
