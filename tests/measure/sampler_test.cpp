#include "measure/sampler.h"

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
  settings.warmup = 2;
  return settings;
}

TEST(Sampler, WarmsUpThenTakesEachSampleAfterAReset) {
  std::string log;
  Subject subject;
  subject.name = "twice/BLOCK_SIZE:32";
  subject.reset = [&] { log += 'r'; };
  subject.run = [&](int executions) {
    log += static_cast<char>('0' + executions);
    return 500.0;
  };
  MeasureSettings few = settings();
  few.samples = 3;
  const Sampling sampling = sample(subject, few);
  EXPECT_EQ(log, "r11r1r1r1");
  EXPECT_THAT(sampling.samples, SizeIs(3));
  EXPECT_THAT(sampling.samples, Each(Field(&Sample::time_ns, 500.0)));
  EXPECT_EQ(sampling.stopped_by, "samples");
}

TEST(Sampler, FillsBatchMsWithExecutionsInBatchedMode) {
  std::vector<int> executions;
  Subject subject;
  subject.name = "batched";
  subject.reset = [] {};
  subject.run = [&](int count) {
    executions.push_back(count);
    return 10'000.0;  // 10 us: 100 of them are 1 ms
  };
  MeasureSettings batched = settings();
  batched.mode = "batched";
  const Sampling sampling = sample(subject, batched);
  EXPECT_THAT(executions, testing::ElementsAre(1, 1, 100, 100, 100, 100, 100, 100, 100, 100));
  EXPECT_EQ(sampling.samples.front().executions, 100);
}

TEST(Sampler, StopsAtTheTimeCapWithTheFewestSamplesAtLeast) {
  Subject subject;
  subject.name = "slow";
  subject.reset = [] {};
  subject.run = [](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return 5e6;
  };
  MeasureSettings capped = settings();
  capped.time_cap_s = 0.001;
  const Sampling sampling = sample(subject, capped);
  EXPECT_THAT(sampling.samples, SizeIs(kFewestSamples));
  EXPECT_EQ(sampling.stopped_by, "time cap of 0.001 s");
}

TEST(Sampler, RepeatsWholeRepetitions) {
  Subject subject;
  subject.name = "repeated";
  subject.reset = [] {};
  subject.run = [](int) { return 1.0; };
  MeasureSettings repeated = settings();
  repeated.repetitions = 3;
  const Sampling sampling = sample(subject, repeated);
  ASSERT_THAT(sampling.samples, SizeIs(24));
  EXPECT_EQ(sampling.samples.back().repetition, 2);
  EXPECT_EQ(sampling.samples.back().position, 7);
}

TEST(Sampler, LetsAFailureThroughAndWorksAfterwards) {
  Subject subject;
  subject.name = "broken";
  subject.reset = [] {};
  subject.run = [](int) -> double { throw Failure(Outcome::illegal_access, "an illegal memory access"); };
  EXPECT_THROW(sample(subject, settings()), Failure);
  subject.run = [](int) { return 1.0; };
  EXPECT_THAT(sample(subject, settings()).samples, SizeIs(8));
}

}  // namespace
}  // namespace tailwave
